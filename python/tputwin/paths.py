"""Returns the paths of headers and libraries, of the build folder or of the installation."""

from __future__ import annotations

import sysconfig
from pathlib import Path


def include() -> str:
    """Returns the folder of okk.h, tpu_kernel.h and bmkernel."""
    try:
        from . import _build  # type: ignore[attr-defined, unused-ignore]  # of a build folder
    except ImportError:
        return str(_prefix() / "include")
    return str(_build.INCLUDE)


def libraries() -> str:
    """Returns the folder of libtputwin.so."""
    try:
        from . import _build  # type: ignore[attr-defined, unused-ignore]  # of a build folder
    except ImportError:
        lib = _prefix() / "lib"
        for folder in (lib, lib / str(sysconfig.get_config_var("MULTIARCH"))):
            if (folder / "libtputwin.so").exists():
                return str(folder)
        raise FileNotFoundError(
            f"no libtputwin.so below {lib}; Debian has it in the package libtputwin-dev") from None
    return str(_build.LIBRARIES)


def _prefix() -> Path:
    # PREFIX/lib/python3/dist-packages/tputwin/paths.py
    return Path(__file__).resolve().parents[4]
