"""Simulated chips with memory that numpy fills, for kernels."""

from __future__ import annotations

import json
from typing import Any, Union

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from . import _core
from .events import Finding, finding


class Device:
    """One simulated chip. Any number may exist at the same time, each in its own thread.

    ``check``: "all", or names of checks (docs/check.md) with commas between them; ``findings`` has
    their results. ``schedule``: "program", "compute_first", "dma_first" or "shuffled" (by
    ``seed``), legal orders that show missing waits. ``reference``: run the reference kernels.

    >>> import tputwin
    >>> tputwin.Device("BM1684X")
    Device("BM1684X")
    """

    def __init__(self, chip: str, *, check: str = "", schedule: str = "program", seed: int = 1,
                 reference: bool = False) -> None:
        self._core = _core.KernelDevice(chip, check, schedule, seed, reference)

    @property
    def chip(self) -> str:
        return str(self._core.chip)

    @property
    def findings(self) -> list[Finding]:
        """Findings of the checks so far."""
        return [finding(fields) for fields in json.loads(self._core.findings())["findings"]]

    def array(self, values: ArrayLike, dtype: DTypeLike = None) -> DeviceArray:
        """Returns a block of device memory with these values.

        >>> import tputwin
        >>> block = tputwin.Device("BM1684").array([[1, 2], [3, 4]], dtype="float32")
        >>> block.shape, block.numpy().sum()
        ((2, 2), 10.0)
        """
        host = np.ascontiguousarray(values, dtype)
        block = DeviceArray(self, host.shape, host.dtype)
        block.fill_from(host)
        return block

    def empty(self, shape: Union[int, tuple[int, ...]], dtype: DTypeLike) -> DeviceArray:
        """Returns a block of device memory that is not initialized."""
        return DeviceArray(self, (shape,) if isinstance(shape, int) else shape, np.dtype(dtype))

    def __repr__(self) -> str:
        return f'Device("{self.chip}")'


class DeviceArray:
    """A block of a device's memory, freed with the last reference to it."""

    def __init__(self, device: Device, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        self.device = device
        self.shape = shape
        self.dtype = dtype
        self.nbytes = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
        self._address: Union[int, None] = device._core.allocate(self.nbytes)

    @property
    def address(self) -> int:
        """Address of the block for kernels."""
        if self._address is None:
            raise ValueError("the block has been freed")
        return self._address

    def numpy(self) -> NDArray[Any]:
        """Returns a copy of the contents."""
        host = np.empty(self.shape, self.dtype)
        self.device._core.read(self.address, host.reshape(-1).view(np.uint8))
        return host

    def fill_from(self, values: ArrayLike) -> None:
        """Copies values of the same shape to the block."""
        host = np.ascontiguousarray(values, self.dtype)
        if host.shape != self.shape:
            raise ValueError(f"the values must have the shape {self.shape} of the block; "
                             f"they have {host.shape}")
        self.device._core.write(self.address, host.reshape(-1).view(np.uint8))

    def free(self) -> None:
        """Frees the block now."""
        address, self._address = self._address, None
        if address is not None:
            self.device._core.free(address)

    def __del__(self) -> None:
        if getattr(self, "_address", None) is not None:
            self.free()

    def __repr__(self) -> str:
        return f"DeviceArray(shape={self.shape}, dtype={self.dtype})"
