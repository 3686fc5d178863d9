"""Errors that explain themselves, and the catalogue of all of them."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

from . import _core


class Error(RuntimeError):
    """A rule that was broken, or a file that cannot be used.

    ``id`` is stable ("TW-BMK-0102"). ``rule`` is the rule as a sentence, and ``document`` is its
    source. ``call``, ``argument`` and ``value`` describe where the rule was broken.

    >>> import tputwin
    >>> try:
    ...     tputwin.info("nothing.bmodel")
    ... except tputwin.Error as error:
    ...     print(error.id, error.call)
    TW-SYS-0001 nothing.bmodel
    """

    def __init__(self, message: str, *, id: str = "", symbol: str = "", kind: str = "",
                 call: str = "", argument: str = "", value: str = "", detail: str = "",
                 rule: str = "", document: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.id = id
        self.symbol = symbol
        self.kind = kind
        self.call = call
        self.argument = argument
        self.value = value
        self.detail = detail
        self.rule = rule
        self.document = document


class RuleWarning(UserWarning):
    """A document forbids a command that the chip nevertheless executes."""


@dataclass(frozen=True)
class Rule:
    """A row of the catalogue (docs/errors.md)."""

    id: str
    symbol: str
    kind: str
    is_warning: bool
    rule: str
    document: str


def rules() -> list[Rule]:
    """Returns all rules that the simulator checks.

    >>> import tputwin
    >>> {rule.id: rule.rule for rule in tputwin.rules()}["TW-BML-0203"]
    'the number of a heap must be 0, 1 or 2'
    """
    return [Rule(**row) for row in _core.error_catalogue()]


def say_warnings() -> None:
    """Issues Python warnings for the warnings of the calling thread's last call."""
    for fields in _core.take_warnings():
        count = fields["count"]
        times = f" ({count} times)" if count > 1 else ""
        warnings.warn(RuleWarning(fields["message"] + times), stacklevel=3)
