#!/usr/bin/env python3
"""run_page.py PAGE FOLDER [OLD=NEW...]: runs the commands of a page, as a reader would.

Each block of ```sh runs in its own shell, which begins in FOLDER and ends at the first command that
fails. OLD=NEW replaces paths that differ on this machine. After each block, the script prints the
seconds of its section so far."""

import re
import subprocess
import sys
import time
from pathlib import Path

page, folder = Path(sys.argv[1]).read_text(), Path(sys.argv[2])
for change in sys.argv[3:]:
    page = page.replace(*change.split("=", 1))
parts = re.findall(r"^#+ ([^\n]*)$|^```sh\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
assert any(block for _, block in parts), f"no commands in {sys.argv[1]}"
for heading, block in parts:
    if heading:
        title, took = heading, 0.0
        continue
    print(block, end="", flush=True)
    begin = time.monotonic()
    subprocess.run(["bash", "-euo", "pipefail", "-c", block], cwd=folder, check=True)
    took += time.monotonic() - begin
    print(f"# {took:.1f} s: {title}\n", flush=True)
