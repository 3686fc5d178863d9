"""Runs networks of bmodels with numpy arrays, by the names of inputs and outputs."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any, Mapping, Sequence, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from .errors import say_warnings

Path = Union[str, os.PathLike[str]]


@dataclass(frozen=True)
class Tensor:
    """An input or output of a net: value = (integer - zero_point) * step. Step 0 means unknown."""

    name: str
    type: str
    shape: tuple[int, ...]
    step: float
    zero_point: int


class Net:
    """A network on its own simulated chip; see load()."""

    def __init__(self, path: Path, *, net: str = "", stage: Union[int, None] = None,
                 shapes: Sequence[Sequence[int]] = (), plugins: str = "",
                 reference: bool = False) -> None:
        self._core = _core.Net(os.fspath(path), net, stage, [list(s) for s in shapes], plugins,
                               reference)
        self.name: str = self._core.name
        self.chip: str = self._core.chip
        self.inputs = tuple(_tensor(t) for t in self._core.inputs)
        self.outputs = tuple(_tensor(t) for t in self._core.outputs)

    def run(self, *arrays: ArrayLike, dequantize: bool = False,
            **named: ArrayLike) -> dict[str, NDArray[Any]]:
        """Returns the outputs by name. Takes one array for each input, in order or by name.

        Arrays of the tensor's type are not changed. Floats are quantized with the parameters of the
        model's inputs. ``dequantize``: return integer outputs as floats. Several threads may call
        this function at the same time; their runs are serialized.
        """
        outputs = self._core.run(self._in_order(arrays, named), dequantize)
        say_warnings()
        return {tensor.name: np.asarray(array) for tensor, array in zip(self.outputs, outputs)}

    def __call__(self, *arrays: ArrayLike, dequantize: bool = True) -> NDArray[Any]:
        """Returns the only output, as floats."""
        outputs = self.run(*arrays, dequantize=dequantize)
        if len(outputs) != 1:
            raise ValueError(f"the net has outputs {list(outputs)}; call run() for them")
        return next(iter(outputs.values()))

    def predicted(self) -> dict[str, Any]:
        """Returns the predicted time of a run (docs/timing.md), and the prices of its operations."""
        return dict(self._core.predicted())

    def __repr__(self) -> str:
        return f"Net({self.name!r} of the {self.chip}: " \
               f"{_shapes(self.inputs)} -> {_shapes(self.outputs)})"

    def _in_order(self, arrays: Sequence[ArrayLike],
                  named: Mapping[str, ArrayLike]) -> list[NDArray[Any]]:
        given: list[ArrayLike] = list(arrays)
        for tensor in self.inputs[len(given):]:
            if tensor.name not in named:
                raise TypeError(f"input {tensor.name!r} is missing")
            given.append(named[tensor.name])
        unknown = set(named) - {tensor.name for tensor in self.inputs[len(arrays):]}
        if unknown:
            raise TypeError(f"there is no input {', '.join(sorted(unknown))}, or it is given twice")
        if len(given) > len(self.inputs):
            raise TypeError(f"the net has {len(self.inputs)} inputs; {len(given)} arrays are given")
        return [_numbers(array) for array in given]


def load(path: Path, **choice: Any) -> Net:
    """Loads a bmodel of any chip on a new device.

    ``net``: the name of the net, if the file has several. If the net has several stages or
    varieties, pass the number of the ``stage``, or the ``shapes`` of the inputs. ``plugins``: a
    folder of CPU operators of the BM1880. ``reference``: run the reference kernels.
    """
    return Net(path, **choice)


def info(path: Path) -> dict[str, Any]:
    """Returns the contents and the predicted cost of a model, as ``tputwin info --json`` does."""
    return dict(json.loads(_core.info(os.fspath(path))))


def disassemble(path: Path, *, variety: Union[int, None] = None, net: Union[str, None] = None,
                stage: Union[int, None] = None) -> list[str]:
    """Returns the commands of a model, or of a command buffer of the BM1880, one per line."""
    return str(_core.disassembly(os.fspath(path), variety, net, stage)).splitlines()


def chips() -> Any:
    """Returns the chips of the simulator, with their parameters.

    >>> import tputwin
    >>> [chip["name"] for chip in tputwin.chips()]
    ['BM1880', 'BM1684', 'BM1684X']
    """
    return json.loads(_core.chips())


def _tensor(tensor: Any) -> Tensor:
    return Tensor(tensor.name, tensor.type, tuple(tensor.shape), tensor.step, tensor.zero_point)


def _shapes(tensors: Sequence[Tensor]) -> str:
    return ", ".join(f"{t.type}{list(t.shape)}" for t in tensors)


def _numbers(array: ArrayLike) -> NDArray[Any]:
    numbers = np.ascontiguousarray(array)
    return numbers.astype(np.float32) if numbers.dtype == np.float64 else numbers
