#!/usr/bin/env python3
"""symbols.py LIB VERSION NAME...: checks the SONAMEs of shared libraries and the versions of their
symbols."""

import re
import subprocess
import sys
from pathlib import Path

folder, version, names = Path(sys.argv[1]), sys.argv[2], sys.argv[3:]
major = version.split(".")[0]
CLOSED = {"bmblas", "bmutils"}


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


for name in names:
    path = folder / f"lib{name}.so"
    soname = re.search(r"SONAME.*\[(.*)\]", output("readelf", "-d", path))[1]
    expected = f"lib{name}.so" + ("" if name == "cpu-plugin" else f".{major}")
    assert soname == expected, f"{path}: SONAME {soname}, expected {expected}"
    for line in output("nm", "-D", "--defined-only", path).splitlines():
        symbol, _, node = line.split()[-1].partition("@")
        node = node.lstrip("@")
        if not node:
            assert symbol.startswith("TPUTWIN_"), f"{path}: {symbol} has no version"
            continue
        private = "7tputwin" in symbol and "7tputwin3api" not in symbol and symbol.startswith("_Z")
        wanted = f"TPUTWIN_PRIVATE_{version}" if private else f"TPUTWIN_{major}"
        assert node == wanted, f"{path}: {symbol} has version {node}, expected {wanted}"
        assert name not in CLOSED or not symbol.startswith("_Z"), f"{path} exports {symbol}"
