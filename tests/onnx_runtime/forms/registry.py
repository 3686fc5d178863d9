"""form: the decorator with which a function becomes a form that exporters write."""
from dataclasses import dataclass
from typing import Callable, Optional

FORMS = []


@dataclass
class Form:
    """A graph at every opset from first to last. `refused` is a word of the refusal that it must
    get; `tolerance` is relative to the larger of 1 and the value."""
    name: str
    build: Callable
    first: int
    last: int
    refused: Optional[str]
    tolerance: float


def form(first=11, last=26, refused=None, tolerance=1e-4):
    def add(build):
        FORMS.append(Form(build.__name__, build, first, last, refused, tolerance))
        return build
    return add
