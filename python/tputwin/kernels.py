"""Compiles kernels in C with the system's compiler, and launches them with numpy arrays."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Sequence, Union

import numpy as np

from . import _core, paths
from .devices import Device, DeviceArray
from .errors import say_warnings

# Each row has a pattern of the header that a source includes, the chip of that API, and the
# libraries to link.
_APIS = (
    (r'tpu_kernel\.h', "BM1684X", ("tpukernel", "bmlib")),
    (r'okk\.h', "BM1684", ("bmlib",)),
    (r'bmkernel/\S+\.h', "BM1880", ("bmkernel",)),
)

Source = Union[str, os.PathLike[str], Sequence[os.PathLike[str]]]


class CompileError(Exception):
    """The C compiler refused a kernel. The message is the compiler's."""


class Kernel:
    """The kernels of one compiled source, on one device.

    For the BM1684 and BM1684X these are the kernels that the source registers; for the BM1880 any
    exported function ``void name(bmk1880_context_t*, const void* args)``.
    """

    def __init__(self, library: Path, device: Device, packed: bool, keep: Any = None) -> None:
        self.device = device
        self.packed = packed
        # Keeps the folder that holds the library.
        self._keep = keep
        self._core = _core.KernelLibrary(str(library), device.chip)

    @property
    def names(self) -> list[str]:
        """Names of the registered kernels."""
        return list(self._core.names())

    def launch(self, name: str, *args: Any) -> None:
        """Runs a kernel until it returns.

        The arguments are the fields of the kernel's argument struct, in order, with C's alignment
        (or ``packed``). An array is copied to device memory before the launch, and back into the
        same array after it; the field is its 64-bit address. For a DeviceArray, which stays on the
        device, the field is also its address. An int becomes an int32, and a float a float32. A
        number of numpy (such as ``np.uint8(3)``) keeps its type. Bytes are not changed.
        """
        fields = _Fields(self.device, self.packed)
        for value in args:
            fields.add(value)
        self.device._core.launch(self._core, name, bytes(fields.bytes))
        fields.copy_back()
        say_warnings()


def kernel(source: Source, chip: Union[str, None] = None, *, device: Union[Device, None] = None,
           flags: Sequence[str] = (), packed: bool = False) -> Kernel:
    """Compiles kernels and loads them on a device.

    ``source``: C as text, the path of a file, or several paths. ``chip``: by default the chip of
    the API that the source includes (okk.h, tpu_kernel.h or bmkernel). ``packed``: argument structs
    have ``__attribute__((packed))``. ``flags``: options of the compiler, which is $CC or cc.

    >>> import numpy as np, tputwin
    >>> twice = tputwin.kernel(r'''
    ... #include <tpu_kernel.h>
    ... typedef struct { unsigned long long data; int count; } args_t;
    ... void twice(const void* args) {
    ...   const args_t* p = args;
    ...   dim4 shape = {1, 1, 1, p->count};
    ...   scalar_t two = {.f32 = 2};
    ...   tpu_initialize();
    ...   tpu_gdma_cpy_S2L(0, p->data, &shape, NULL, NULL, DT_FP32);
    ...   tpu_bdc_fp_mul_C(0, 0, two, &shape, NULL, NULL, DT_FP32);
    ...   tpu_gdma_cpy_L2S(p->data, 0, &shape, NULL, NULL, DT_FP32);
    ...   tpu_poll();
    ... }
    ... TPUKERNEL_FUNC_REGISTER(twice)
    ... ''')
    >>> x = np.float32([1, 2, 3.5])
    >>> twice.launch("twice", x, len(x))
    >>> x
    array([2., 4., 7.], dtype=float32)
    """
    folder = tempfile.TemporaryDirectory(prefix="tputwin-")
    files = _files(source, Path(folder.name))
    text = "\n".join(file.read_text() for file in files)
    if device is not None:
        chip = device.chip
    found = [api for api in _APIS if re.search(rf'#\s*include\s*[<"]{api[0]}[>"]', text)]
    if chip is None:
        if len(found) != 1:
            raise ValueError("chip: the source must include the headers of exactly one API: okk.h, "
                             "tpu_kernel.h or bmkernel; or pass the chip")
        chip = found[0][1]
    libraries = found[0][2] if found else next(api[2] for api in _APIS if api[1] == chip.upper())
    library = Path(folder.name) / "kernels.so"
    _compile(files, library, libraries, flags)
    return Kernel(library, device or Device(chip), packed, folder)


def load_kernels(library: Union[str, os.PathLike[str]], device: Device, *,
                 packed: bool = False) -> Kernel:
    """Loads the kernels of a shared object that is already compiled."""
    return Kernel(Path(library).resolve(), device, packed)


def _files(source: Source, folder: Path) -> list[Path]:
    if isinstance(source, str):
        file = folder / "kernel.c"
        file.write_text(source)
        return [file]
    if isinstance(source, os.PathLike):
        return [Path(source)]
    return [Path(file) for file in source]


def _compile(files: Sequence[Path], library: Path, libraries: Sequence[str],
             flags: Sequence[str]) -> None:
    cxx = any(file.suffix != ".c" for file in files)
    compiler = os.environ.get("CXX", "c++") if cxx else os.environ.get("CC", "cc")
    standard = "-std=gnu++11" if cxx else "-std=gnu99"
    include, lib = paths.include(), paths.libraries()
    command = [*compiler.split(), standard, "-shared", "-fPIC", "-O1", "-g", "-DUSING_CMODEL",
               "-fno-strict-aliasing", "-fsigned-char", f"-I{include}", *flags, *map(str, files),
               "-o", str(library), f"-L{lib}", f"-Wl,-rpath,{lib}", "-Wl,-z,lazy",
               *(f"-l{name}" for name in libraries), "-lm"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise CompileError(result.stderr.strip())


class _Fields:
    """The bytes of an argument struct, and the arrays at its addresses."""

    def __init__(self, device: Device, packed: bool) -> None:
        self.bytes = bytearray()
        self._device = device
        self._packed = packed
        self._arrays: list[tuple[np.ndarray[Any, Any], DeviceArray]] = []

    def add(self, value: Any) -> None:
        if isinstance(value, (bytes, bytearray)):
            self.bytes += value
            return
        number = self._number(value)
        if not self._packed:
            self.bytes += b"\0" * (-len(self.bytes) % number.dtype.alignment)
        self.bytes += number.tobytes()

    def _number(self, value: Any) -> np.generic:
        if isinstance(value, np.ndarray):
            return np.uint64(self._on_device(value).address)
        if isinstance(value, DeviceArray):
            if value.device is not self._device:
                raise ValueError("the array is on another device")
            return np.uint64(value.address)
        if isinstance(value, np.generic):
            return value
        if isinstance(value, (bool, int)):
            if not -2**31 <= value < 2**31:
                raise ValueError(f"{value} is not an int32; pass np.uint32(...) or np.int64(...)")
            return np.int32(value)
        if isinstance(value, float):
            return np.float32(value)
        raise TypeError(f"an argument of type {type(value).__name__} cannot be a field of a struct")

    def _on_device(self, array: np.ndarray[Any, Any]) -> DeviceArray:
        if not array.flags.c_contiguous:
            raise ValueError("the array is not C-contiguous")
        for known, block in self._arrays:
            if known is array:
                return block
        block = self._device.array(array)
        self._arrays.append((array, block))
        return block

    def copy_back(self) -> None:
        for array, block in self._arrays:
            if array.flags.writeable:
                array[...] = block.numpy()
