#!/usr/bin/env python3
"""One version everywhere: versions.py SOURCE VERSION. What CMake says stands in the packages' and citers' files too."""

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
