"""Runs work in units on the workers of a Dask cluster. Results do not depend on their number.

    from dask.distributed import Client
    from tputwin import machines

    work = machines.Evaluation("net.prototxt", "net.caffemodel", "net.bmodel", "images/")
    print(machines.run(work, Client("scheduler:8786"), checkpoint="eval.part").text)

The project's docs/machines.md lists the requirements of a cluster. Only this module needs the
package distributed (Debian's python3-distributed).
"""

from __future__ import annotations

import os
import sys
import threading
import time
import uuid
from contextlib import closing
from dataclasses import dataclass, field
from typing import (TYPE_CHECKING, Any, Callable, Generator, Generic, Iterator, Protocol, Sequence,
                    TypeVar, Union)

from . import _core
from .compiler import (Accuracy, Calibrated, Data, Path, Preparation, Progress, Shapes,
                       calibration_arguments, data_arguments)
from .errors import Error

if TYPE_CHECKING:
    from distributed import Client

Figures = TypeVar("Figures", covariant=True)
Lost = Callable[[str, int], object]


class Work(Protocol, Generic[Figures]):
    """The work of a campaign. It is sent to every worker, which opens it once."""

    def open(self) -> Any:
        """Opens the units.

        The result has the number of ``units`` and an ``identity``. Its method ``work`` returns the
        result of a unit as a line. Units from ``second_part`` on may depend on the results of all
        earlier ones. ``summary`` makes one line of those results, and ``go_on`` gets it before such
        a unit.
        """

    def figures(self, units: Any, lines: list[str]) -> Figures:
        """Returns the figures that follow from the lines of all units, in order."""


@dataclass(frozen=True)
class Evaluation:
    """Evaluates a float net and its int8 model on labelled samples, like ``tputwin.evaluate``."""

    prototxt: Path
    caffemodel: Path
    model: Path
    data: Data
    samples: int = 0
    output: str = ""
    preparation: Preparation = field(default_factory=Preparation)

    def open(self) -> _core.EvaluationUnits:
        return _core.EvaluationUnits(os.fspath(self.prototxt), os.fspath(self.caffemodel),
                                     os.fspath(self.model), data_arguments(self.data), self.samples,
                                     self.output, self.preparation.fields())

    def figures(self, units: _core.EvaluationUnits, lines: list[str]) -> Accuracy:
        return Accuracy(**units.sum_of(lines))


@dataclass(frozen=True)
class Calibration:
    """Calibrates like ``tputwin.calibrate``. The process that starts the campaign writes files."""

    prototxt: Path
    caffemodel: Path
    data: Data = ""
    output: Path = "."
    name: str = ""
    samples: int = 0
    method: str = "mse"
    shape: Shapes = ()
    preparation: Preparation = field(default_factory=Preparation)
    reach: float = 0
    chip: str = "bm1880"
    type: str = "int8"

    def open(self) -> _core.CalibrationUnits:
        return _core.CalibrationUnits(*calibration_arguments(
            self.prototxt, self.caffemodel, self.data, self.output, self.name, self.samples,
            self.method, self.reach, self.shape, self.preparation, self.chip, self.type))

    def figures(self, units: _core.CalibrationUnits, lines: list[str]) -> Calibrated:
        return Calibrated.of(units.write(lines))


@dataclass(frozen=True)
class Compared:
    """Results of the random operations with one instruction set."""

    isa: str
    operations: int
    difference: str  # the first difference, or empty
    rerun: str       # the command that repeats it


@dataclass(frozen=True)
class RandomOperations:
    """Compares fast kernels with the reference kernels, like ``tputwin selftest --random``."""

    cases: int = 6
    seed: int = 1
    only: str = ""
    isa: str = ""

    def open(self) -> _core.RandomUnits:
        return _core.RandomUnits(self.cases, self.seed, self.only, self.isa)

    def figures(self, units: _core.RandomUnits, lines: list[str]) -> list[Compared]:
        return [Compared(**row) for row in units.sum_of(lines)]


# ---- In a worker ----

# The units of one process use all of its threads, so only one unit runs at a time.
_one_at_a_time = threading.Lock()
# The work, its units, and the summary that they received.
_opened: tuple[Any, Any, str] = (None, None, "")


def _do(work: Any, identity: str, summary: str, unit: int) -> str:
    """Returns the line of a unit. Runs in a worker of the cluster."""
    global _opened
    with _one_at_a_time:
        if _opened[0] != work:
            from distributed import get_worker
            if "TPUTWIN_THREADS" not in os.environ:
                _core.set_threads(get_worker().state.nthreads)
            _opened = (work, work.open(), "")
        _, units, opened_with = _opened
        if units.identity != identity:
            raise RuntimeError(f"this worker's files or processor make another campaign: \"{units.identity}\" "
                               f"instead of \"{identity}\"")
        if summary and summary != opened_with:
            units.go_on(summary)
            _opened = (work, units, summary)
        return str(units.work(unit))


# ---- Where the campaign is started ----


class _Losses:
    """Reports workers that leave while they have units."""

    def __init__(self, client: Client, lost: Union[Lost, None]) -> None:
        self._client, self._lost = client, lost or self._say

    def __enter__(self) -> None:
        self._client.subscribe_topic("all", self._hear)

    def __exit__(self, *_: object) -> None:
        self._client.unsubscribe_topic("all")

    def _hear(self, event: tuple[float, dict[str, Any]]) -> None:
        _, what = event
        if isinstance(what, dict) and what.get("action") == "remove-worker":
            units = [key for key in what.get("processing-tasks", ())
                     if str(key).startswith("tputwin-unit-")]
            if units:
                self._lost(what.get("worker", ""), len(units))

    @staticmethod
    def _say(worker: str, units: int) -> None:
        print(f"tputwin: worker {worker} is gone; its {units} units are done by others",
              file=sys.stderr)


def _draw(total: int) -> Progress:
    """Returns a function that draws a bar on stderr, if stderr is a terminal."""
    if not sys.stderr.isatty():
        return lambda done, all: None
    bar, drawn = _core.ProgressBar(total), [0]

    def advance(done: int, _: int) -> None:
        bar.advance(done - drawn[0])
        drawn[0] = done
    return advance


def _parts(units: Any, lines: dict[int, str]) -> Iterator[tuple[Iterator[int], str]]:
    """Yields the remaining units of each part of a campaign, and the previous part's summary."""
    second, summary = getattr(units, "second_part", 0), ""
    if second:
        yield iter([unit for unit in range(second) if unit not in lines]), summary
        summary = units.summary([lines[unit] for unit in range(second)])
    yield iter([unit for unit in range(second, units.units) if unit not in lines]), summary


def _lines(work: Any, client: Client, identity: str, summary: str,
           units: Iterator[int]) -> Generator[tuple[int, str], None, None]:
    """Yields units and their lines as they complete. Each worker always has a few units."""
    from distributed import as_completed
    campaign = uuid.uuid4().hex
    flying: dict[str, int] = {}
    done = as_completed()
    # `wanted` is the number of units that the workers hold at the same time. `asked` is the time of
    # the last request for the scheduler's workers.
    wanted, asked = 1, -1e9

    def hand_out() -> None:
        nonlocal wanted, asked
        if time.monotonic() > asked + 1:
            workers = client.scheduler_info()["workers"].values()
            wanted = max(1, sum(2 * worker["nthreads"] + 1 for worker in workers))
            asked = time.monotonic()
        while len(flying) < wanted:
            unit = next(units, None)
            if unit is None:
                return
            future = client.submit(_do, work, identity, summary, unit, pure=False,
                                   key=f"tputwin-unit-{unit}-{campaign}")
            flying[future.key] = unit
            done.add(future)

    hand_out()
    try:
        for future in done:
            yield flying.pop(future.key), future.result()
            future.release()
            hand_out()
    finally:
        client.cancel(list(done.futures))


def run(work: Work[Figures], client: Client, *, checkpoint: Path = "",
        progress: Union[Progress, None] = None, lost: Union[Lost, None] = None) -> Figures:
    """Runs a campaign on the workers of a Dask cluster; returns its figures.

    ``checkpoint`` names a file with the completed units, at most a second old. The same call, and
    ``mpirun ... tputwin`` of the same work, continue from it. It is removed at the end.
    ``progress`` is called with the number of completed units and the total; without it, a terminal
    shows a bar. If a worker leaves, ``lost`` is called with its address and the number of its
    units, or stderr gets a line; other workers do its units. A unit that fails ends the campaign
    with its error.
    """
    units = work.open()
    part = _core.Checkpoint(os.fspath(checkpoint), units.identity, units.units)
    lines = part.results()
    say = progress or _draw(units.units)
    say(len(lines), units.units)
    try:
        with _Losses(client, lost):
            for left, summary in _parts(units, lines):
                with closing(_lines(work, client, units.identity, summary, left)) as done:
                    for unit, line in done:
                        lines[unit] = line
                        part.add(unit, line)
                        say(len(lines), units.units)
    finally:
        part.write()
    figures = work.figures(units, [lines[unit] for unit in range(units.units)])
    part.remove()
    return figures


__all__ = ["Calibration", "Compared", "Error", "Evaluation", "RandomOperations", "Work", "run"]
