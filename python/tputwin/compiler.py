"""Calibrates, compiles and evaluates float Caffe or ONNX nets."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any, Callable, Mapping, Sequence, Union, cast

from . import _core

Path = Union[str, os.PathLike[str]]
Progress = Callable[[int, int], object]
Data = Union[Path, Sequence[Path], Mapping[str, Path]]
Shapes = Union[Sequence[int], Sequence[Sequence[int]]]


@dataclass(frozen=True)
class Calibrated:
    """The files of an int8 net, and its accuracy.

    The BM1684 and the BM1684X have a table only: ``prototxt`` and ``caffemodel`` are ``""``.
    """

    prototxt: str
    caffemodel: str
    table: str
    table_text: str
    report: dict[str, Any]
    text: str

    @classmethod
    def of(cls, made: dict[str, Any]) -> Calibrated:
        return cls(**{**made, "report": json.loads(made["report"])})


@dataclass(frozen=True)
class Compiled:
    """A bmodel, and the compiler's report about it."""

    model: str
    instructions: int
    price_cycles: int
    predicted_cycles: int
    weight_bytes: int
    neuron_bytes: int
    host_operators: list[str]
    explanation: str
    text: str


@dataclass(frozen=True)
class Accuracy:
    """Number of samples that a float net and its model classify correctly.

    Fields of int8 are those of the model, of whatever chip and type.
    """

    samples: int
    float_right: int
    int8_right: int
    same_class: int
    float_seconds: float
    int8_seconds: float
    text: str


@dataclass(frozen=True)
class Preparation:
    """Converts samples to values: (pixel - mean) * scale. The tools have the same options."""

    mean: Sequence[float] = ()
    scale: Sequence[float] = ()
    rgb: bool = False
    crop: bool = False
    letterbox: bool = False
    border: float = 114
    resize: Union[tuple[int, int], None] = None
    kind: str = "auto"  # images, idx, raw, lmdb
    list: str = ""
    raw_type: str = "f32"

    def fields(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if value is not None}


def data_arguments(data: Data) -> list[str]:
    """Returns PATH, or INPUT=PATH for each input."""
    if isinstance(data, Mapping):
        return [f"{name}={os.fspath(path)}" for name, path in data.items()]
    if isinstance(data, (str, os.PathLike)):
        return [os.fspath(data)] if os.fspath(data) else []
    return [os.fspath(path) for path in data]


def _shape_arguments(shape: Shapes) -> list[list[int]]:
    """Returns a list of shapes, one for each input whose shape is given."""
    shapes = list(shape)
    if shapes and isinstance(shapes[0], int):
        return [cast("list[int]", shapes)]
    return [list(cast("Sequence[int]", one)) for one in shapes]


def calibration_arguments(prototxt: Path, caffemodel: Path, data: Data, output: Path, name: str,
                          samples: int, method: str, reach: float, shape: Shapes,
                          preparation: Preparation, chip: str, type: str
                          ) -> tuple[str, str, list[str], str, str, int, str, float,
                                     list[list[int]], dict[str, Any], tuple[str, str]]:
    """Returns the core's arguments. The name of the file replaces an empty name of the net."""
    path = os.fspath(prototxt) or os.fspath(caffemodel)
    stem = name or os.path.splitext(os.path.basename(path))[0]
    return (os.fspath(prototxt), os.fspath(caffemodel), data_arguments(data), os.fspath(output),
            stem, samples, method, reach, _shape_arguments(shape), preparation.fields(), (chip, type))


def calibrate(prototxt: Path, caffemodel: Path, data: Data = "", output: Path = ".", *,
              name: str = "", samples: int = 0, method: str = "mse", reach: float = 0,
              shape: Shapes = (), preparation: Preparation = Preparation(),
              progress: Union[Progress, None] = None, chip: str = "bm1880",
              type: str = "int8") -> Calibrated:
    """Writes the int8 net of a float net, and its table, to the folder ``output``.

    ``prototxt`` and ``caffemodel``: Caffe's files, or ``""`` and an ONNX file.

    ``data``: a folder of pictures, an idx file, an LMDB, raw tensors, or arrays of NumPy (.npy,
    .npz). Several inputs need a path for each: a list in the order of the inputs, or a dictionary
    by their names. One .npz with an array for each input is also possible. ``shape``: the shape of
    the input, or a list with a shape for each. ``progress`` is called with the work done and the
    total. ``method`` selects how thresholds are chosen: mse, kl, percentile, max. ``reach``: layers
    are left to the host in floats until every output has this cosine with the float net; 0: none.

    ``chip``: "bm1880", "bm1684" or "bm1684x". Only a table is written for the last two, where
    ``reach`` gives layers wider numbers (docs/compiler168x.md). ``type``: numbers of the net there,
    "int8", or on the BM1684X "fp16" or "bf16" with ``reach``.
    """
    return Calibrated.of(_core.calibrate(
        *calibration_arguments(prototxt, caffemodel, data, output, name, samples, method, reach,
                               shape, preparation, chip, type), progress))


def compile(caffemodel: Path, table: Path, output: Path, *, prototxt: Path = "", name: str = "net",
            shapes: Sequence[Sequence[int]] = (), batch: int = 0, level: int = 4,
            dequantized: Union[bool, None] = None, chip: str = "bm1880", type: str = "fp32",
            input_type: str = "fp32", output_type: str = "fp32") -> Compiled:
    """Compiles an int8 net (or a float one, which the table quantizes) into the bmodel ``output``.

    ``caffemodel`` may be an ONNX file. If it is quantized, the table must be ``""``.

    ``batch``: number of samples per run. ``level``: 0 to 4; all levels give the same results
    (docs/bmnet.md). ``dequantized``: outputs of the BM1880 are floats; default: bytes.

    ``chip``: "bm1880", "bm1684" or "bm1684x". The other arguments are for the last two, which
    compile float nets (docs/compiler168x.md). ``type``: "fp32", "fp16", "bf16", or "int8", which
    needs a table. ``input_type``, ``output_type``: "fp32", or "net" for the type of the net. For
    shapes of several stages, cycles and weights are those of the first stage.
    """
    return Compiled(**_core.compile(os.fspath(caffemodel), os.fspath(table), os.fspath(output),
                                    os.fspath(prototxt), name, [list(s) for s in shapes], batch,
                                    level, dequantized, (chip, type, input_type, output_type)))


def evaluate(prototxt: Path, caffemodel: Path, model: Path, data: Data, *, samples: int = 0,
             output: str = "", preparation: Preparation = Preparation(),
             progress: Union[Progress, None] = None) -> Accuracy:
    """Classifies labelled samples with the float net, and with its model in the simulator.

    ``data``: as for ``calibrate``. Arrays need classes: an array ``labels`` in the .npz, or a .npy
    by this name in the dictionary.
    """
    return Accuracy(**_core.evaluate(os.fspath(prototxt), os.fspath(caffemodel), os.fspath(model),
                                     data_arguments(data), samples, output, preparation.fields(),
                                     progress))
