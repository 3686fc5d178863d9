#!/usr/bin/env python3
"""Runs the commands of a page, as a reader would: run_page.py PAGE FOLDER [OLD=NEW...]

Each block of ```sh is a shell of its own that begins in FOLDER and ends at its first command that fails. OLD=NEW
replaces what stands elsewhere on this machine."""

import re
import subprocess
import sys
import time
from pathlib import Path

page, folder = Path(sys.argv[1]).read_text(), Path(sys.argv[2])
for change in sys.argv[3:]:
    page = page.replace(*change.split("=", 1))
blocks = re.findall(r"^```sh\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
assert blocks, f"no commands in {sys.argv[1]}"
for block in blocks:
    print(block, end="", flush=True)
    begin = time.monotonic()
    subprocess.run(["bash", "-euo", "pipefail", "-c", block], cwd=folder, check=True)
    print(f"# {time.monotonic() - begin:.1f} s\n", flush=True)
