"""Records of a device: commands with operands and footprints, events between them, and findings."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Iterator, Protocol, Union

import numpy as np
from numpy.typing import NDArray

from . import _core


@dataclass(frozen=True)
class Operand:
    """A tensor that a command reads or writes; strides are bytes."""

    name: str
    access: str  # "read", "write", "read_write"
    space: str  # "local", "global", "l2", "dtcm"
    dtype: str
    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    before: Union[NDArray[np.float64], None] = field(default=None, repr=False, compare=False)
    """Elements of an operand that is read, before the command; recorded with ``values``."""
    after: Union[NDArray[np.float64], None] = field(default=None, repr=False, compare=False)
    """Elements of an operand that is written, after the command; recorded with ``values``."""


@dataclass(frozen=True)
class Range:
    """Bytes [begin, end) of a lane, or of a system memory, that a command reads or writes."""

    written: bool
    space: str
    lane: int
    begin: int
    end: int


@dataclass(frozen=True)
class Command:
    """A command that was executed, in the order of execution."""

    name: str
    text: str
    engine: str
    call: str  # of the kernel's API; empty for commands of a file
    id: int
    wait: int
    cycles: int  # predicted, docs/timing.md
    macs: int
    operands: tuple[Operand, ...] = field(repr=False)
    footprint: tuple[Range, ...] = field(repr=False)


@dataclass(frozen=True)
class Event:
    """An event between commands: "launch_begin", "poll", "host_write", ..."""

    kind: str
    name: str
    space: str
    address: int
    bytes: int
    number: int


@dataclass(frozen=True)
class SourceLine:
    function: str
    file: str
    line: int


@dataclass(frozen=True)
class Actor:
    """The command, or the host, that a finding is about."""

    does: str
    call: str
    operation: str
    kernel: str
    engine: str
    command: int
    lines: tuple[SourceLine, ...]
    launched: Union[dict[str, Any], None] = None
    """The host's call that launched the kernel: call, file and line."""


@dataclass(frozen=True)
class Finding:
    """A result of a check (docs/check.md)."""

    id: str
    check: str
    text: str
    actor: Actor
    other: Union[Actor, None]
    place: Union[dict[str, Any], None]
    missing: str
    note: str = ""
    """The element and the values of the operands, if the check is about values."""
    tensor: str = ""
    """The name of the model's tensor, if it is known."""


@dataclass(frozen=True)
class Launch:
    """A kernel or a net, from the host's call to the end of its last command, in cycles."""

    name: str
    number: int
    commands: int
    begin_cycle: int
    end_cycle: int


@dataclass(frozen=True)
class Line:
    """The commands of one call at one line of the kernel, and how their time is used."""

    launch: str
    layer: str
    call: str
    source: str
    engine: str
    commands: int
    busy_cycles: int
    global_bytes: int
    bound: str
    waits_for: str
    lanes_filled: float
    units: int  # of a lane; 0: several types of elements
    units_filled: float
    spent: dict[str, int]
    critical: dict[str, int]


@dataclass(frozen=True)
class Advice:
    """A suggested change, and the cycles that the timing model predicts with it."""

    remedy: str
    where: str
    cycles: int
    kernel_cycles: int
    gain: float
    kernel_gain: float


@dataclass(frozen=True)
class Placed:
    """A command in predicted time.

    ``delay`` is the reason why it did not start earlier. ``blocker`` is the index of the command
    that delayed it, or None.
    """

    call: str
    engine: str
    launch: int
    number: int
    issue: int
    start: int
    end: int
    bound: str
    delay: str
    blocker: Union[int, None] = None


@dataclass(frozen=True)
class Profile:
    """How predicted time is used (docs/timing.md). Lines of the critical path come first."""

    cycles: int
    microseconds: float
    critical: dict[str, int]
    launches: tuple[Launch, ...] = field(repr=False)
    lines: tuple[Line, ...] = field(repr=False)
    advice: tuple[Advice, ...] = field(repr=False)
    commands: tuple[Placed, ...] = field(repr=False)


Record = Union[Command, Event]


class Watched(Protocol):
    """An object with a device: a Net or a Device."""

    _core: Any


class Watch:
    """The commands and events of a net or a device while a ``with`` block runs.

    >>> import tputwin
    >>> device = tputwin.Device("BM1684X")
    >>> with tputwin.watch(device) as watch:
    ...     array = device.array([1, 2, 3], dtype="int32")
    >>> [event.kind for event in watch.events]
    ['allocated', 'host_write']
    """

    def __init__(self, watched: Watched, *, profile: bool = False, values: bool = False) -> None:
        self._watched = watched
        self._profiles = profile
        self._profile = ""
        self._recorder = _core.EventRecorder(profile, values)
        self._records: list[Record] = []

    def __enter__(self) -> Watch:
        self._watched._core.watch(self._recorder)
        return self

    def __exit__(self, kind: Union[type[BaseException], None], error: Union[BaseException, None],
                 trace: Union[TracebackType, None]) -> None:
        self._watched._core.watch(None)
        if self._profiles:
            # The line numbers are in the kernels' libraries, which must still be loaded.
            self._profile = self._recorder.profile()

    @property
    def records(self) -> list[Record]:
        """Commands and events, in order."""
        self._records += [_record(fields) for fields in self._recorder.take()]
        return self._records

    @property
    def commands(self) -> list[Command]:
        return [record for record in self.records if isinstance(record, Command)]

    @property
    def events(self) -> list[Event]:
        return [record for record in self.records if isinstance(record, Event)]

    def __iter__(self) -> Iterator[Record]:
        return iter(self.records)

    @property
    def profile(self) -> Profile:
        """How the predicted time is used, for a watch with ``profile``."""
        if not self._profiles:
            raise ValueError("this watch has no profile: tputwin.watch(..., profile=True)")
        fields = json.loads(self._profile or self._recorder.profile())
        return Profile(fields["cycles"], fields["microseconds"], fields["critical"],
                       tuple(Launch(**launch) for launch in fields["launches"]),
                       tuple(Line(**line) for line in fields["groups"]),
                       tuple(Advice(**advice) for advice in fields["advice"]),
                       tuple(Placed(**command) for command in fields["commands"]))


def watch(watched: Watched, *, profile: bool = False, values: bool = False) -> Watch:
    """Records the commands and events of a net or a device inside a ``with`` block.

    ``profile`` also records how predicted time is used, line by line. ``values`` also records the
    elements that each command reads and writes (for operands of up to 2^22 elements).
    """
    return Watch(watched, profile=profile, values=values)


def _record(fields: dict[str, Any]) -> Record:
    kind = fields.pop("kind")
    if kind != "command":
        return Event(kind=kind, **fields)
    operands = tuple(Operand(n, a, s, d, at, tuple(shape), tuple(strides),
                             _elements(before, shape), _elements(after, shape))
                     for n, a, s, d, at, shape, strides, before, after in fields.pop("operands"))
    footprint = tuple(Range(*values) for values in fields.pop("footprint"))
    return Command(operands=operands, footprint=footprint, **fields)


def _elements(values: bytes, shape: list[int]) -> Union[NDArray[np.float64], None]:
    return np.frombuffer(values, np.float64).reshape(shape) if values else None


def finding(fields: dict[str, Any]) -> Finding:
    """Returns a finding from a report's JSON."""
    other = fields.get("other")
    return Finding(fields["id"], fields["check"], fields["text"], _actor(fields["actor"]),
                   _actor(other) if other else None, fields.get("place"), fields["missing"],
                   fields.get("note", ""), fields.get("tensor", ""))


def _actor(fields: dict[str, Any]) -> Actor:
    lines = tuple(SourceLine(**line) for line in fields.pop("lines"))
    return Actor(lines=lines, **fields)
