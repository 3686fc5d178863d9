#!/usr/bin/env python3
"""versions.py SOURCE VERSION: checks that all files have the version of CMakeLists.txt."""

import re
import sys
from pathlib import Path

source, version = Path(sys.argv[1]), sys.argv[2]
PLACES = {
    "CHANGELOG.md": r"^## \[(\d+\.\d+\.\d+)\]",
    "debian/changelog": r"^tputwin \((\d+\.\d+\.\d+)\)",
    "CITATION.cff": r"^version: (\d+\.\d+\.\d+)$",
}
for name, pattern in PLACES.items():
    found = re.search(pattern, (source / name).read_text(), re.MULTILINE)
    if not found or found[1] != version:
        sys.exit(f"{name}: {found[1] if found else 'no version'}; CMakeLists.txt has {version}")
