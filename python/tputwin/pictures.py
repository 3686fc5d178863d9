"""Prepares the inputs of nets for pictures, and interprets their outputs."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field
from typing import Any, Sequence, Union

import numpy as np
from numpy.typing import NDArray

from . import _core
from .compiler import Preparation
from .errors import say_warnings
from .nets import Net

Path = Union[str, os.PathLike[str]]


@dataclass(frozen=True)
class Detections:
    """Parameters that convert outputs to boxes (docs/cli.md, pictures).

    ``kind`` is ssd, yolo, yolov5, yolov8, priors or mtcnn.
    """

    kind: str
    scores: str = ""
    boxes: str = ""
    threshold: float = 0.5
    overlap: float = 0.45
    background: int = -1
    anchors: Sequence[Sequence[float]] = ()
    activated: bool = False
    sizes: Sequence[Sequence[float]] = ()
    strides: Sequence[int] = ()
    variances: Sequence[float] = (0.1, 0.2)
    window: int = 12
    stride: int = 2
    transposed: bool = False


@dataclass(frozen=True)
class Class:
    """A class and its score."""

    label: int
    name: str
    score: float


@dataclass(frozen=True)
class Box:
    """A detected object and its box, in pixels of the picture."""

    label: int
    name: str
    score: float
    x1: float
    y1: float
    x2: float
    y2: float


@dataclass(frozen=True)
class Seen:
    """The results of a net for one picture: classes or boxes."""

    picture: str
    classes: list[Class]
    boxes: list[Box]


@dataclass
class Viewer:
    """Runs a net on pictures: files, folders, videos, or pixels.

    Pixels are uint8 arrays (height, width, 3), blue first, or (height, width). ``preparation``
    converts them to the net's input. Without ``detections``, the results are classes.
    """

    net: Net
    preparation: Preparation = Preparation()
    labels: Sequence[str] = ()
    detections: Union[Detections, None] = None
    top: int = 5
    scores: str = ""
    input_threshold: float = 0
    _description: str = field(init=False, repr=False)

    def __post_init__(self) -> None:
        fields = preparation_fields(self.preparation)
        fields["labels"] = list(self.labels)
        fields["input_threshold"] = self.input_threshold
        if self.detections is not None:
            fields["detections"] = asdict(self.detections)
        self._description = json.dumps(fields)

    def see(self, *paths: Path, draw: Path = "") -> list[Seen]:
        """Returns the results for all pictures of these files, folders and videos.

        ``draw``: path of a picture with the results, of a sheet of several, or of a folder.
        """
        names = [os.fspath(path) for path in paths]
        seen = _core.see_files(self.net._core, names, os.fspath(draw), self._description, self.top,
                               self.scores)
        say_warnings()
        return [_seen(fields) for fields in seen]

    def see_pixels(self, pixels: NDArray[np.uint8]) -> Seen:
        """Returns the results for these pixels."""
        fields = _core.see_pixels(self.net._core, np.ascontiguousarray(pixels), self._description,
                                  self.top, self.scores)
        say_warnings()
        return _seen(fields)


def prepare(pixels: NDArray[np.uint8], shape: Sequence[int],
            preparation: Preparation = Preparation()) -> NDArray[np.float32]:
    """Returns pixels as a sample (1, c, h, w), as calibration and ``tputwin run --image`` do.

    >>> import numpy as np, tputwin
    >>> grey = np.full((10, 20), 64, np.uint8)
    >>> sample = tputwin.prepare(grey, (1, 4, 4), tputwin.Preparation(letterbox=True, border=0))
    >>> sample[0, 0].astype(int).tolist()
    [[0, 0, 0, 0], [64, 64, 64, 64], [64, 64, 64, 64], [0, 0, 0, 0]]
    """
    c, h, w = shape[-3:]
    description = json.dumps(preparation_fields(preparation))
    return np.asarray(_core.prepared(np.ascontiguousarray(pixels), description, c, h, w))


def preparation_fields(preparation: Preparation) -> dict[str, Any]:
    """Returns the fields of a net's description (JSON) for a preparation."""
    names = ("mean", "scale", "rgb", "crop", "letterbox", "border", "resize")
    fields = {name: getattr(preparation, name) for name in names}
    return {name: list(value) if isinstance(value, (list, tuple)) else value
            for name, value in fields.items() if value is not None}


def _seen(fields: dict[str, Any]) -> Seen:
    return Seen(fields["picture"], [Class(*values) for values in fields["classes"]],
                [Box(*values) for values in fields["boxes"]])
