"""A work that kills a worker during one of its units, so that the worker surely has a unit."""

import os
import signal
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Mortal:
    """Does the same work as ``work``, but kills the first worker that begins the unit ``when``."""

    work: Any
    when: int
    grave: str  # a file that exists after a worker was killed

    def open(self):
        return _Units(self.work.open(), self.when, self.grave)

    def figures(self, units, lines):
        return self.work.figures(units.living, lines)


class _Units:
    def __init__(self, living, when, grave):
        self.living, self._when, self._grave = living, when, grave

    def __getattr__(self, name):
        return getattr(self.living, name)

    def work(self, unit):
        if unit == self._when and not os.path.exists(self._grave):
            open(self._grave, "x").close()
            os.kill(os.getpid(), signal.SIGKILL)
        return self.living.work(unit)
