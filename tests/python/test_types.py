"""Checks the types that the package declares, and the stub of the extension."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import tputwin

pytest.importorskip("mypy", reason="Debian has it in the package mypy")
HERE = Path(__file__).parent


PACKAGE = Path(tputwin.__file__).parent


def run(folder, *command):
    done = subprocess.run([sys.executable, "-m", *command], cwd=folder, text=True, capture_output=True,
                          env={**os.environ, "MYPYPATH": str(PACKAGE.parent),
                               "PYTHONPATH": str(PACKAGE.parent),
                               "MYPY_CACHE_DIR": str(folder / "cache")})
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_package_has_correct_types(tmp_path):
    run(tmp_path, "mypy", "--config-file", str(HERE / "mypy.ini"), str(PACKAGE))


def test_programs_of_users_are_checked(tmp_path):
    (tmp_path / "right.py").write_text("import tputwin\nid: str = tputwin.rules()[0].id\n")
    (tmp_path / "wrong.py").write_text("import tputwin\nid: int = tputwin.rules()[0].id\n")
    strict = "mypy", "--strict", "--follow-imports=silent"
    run(tmp_path, *strict, "right.py")
    with pytest.raises(AssertionError, match="Incompatible types"):
        run(tmp_path, *strict, "wrong.py")


def test_the_stub_fits_the_extension(tmp_path):
    # Classes have pybind11's metaclass; some have no constructor.
    (tmp_path / "allowed").write_text("tputwin\\._core\\.([A-Z]\\w+|(Array|NetTensor)\\.__init__)\n")
    run(tmp_path, "mypy.stubtest", "tputwin._core", "--ignore-missing-stub", "--ignore-unused-allowlist",
        "--allowlist", "allowed")
