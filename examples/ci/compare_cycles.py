#!/usr/bin/env python3
"""compare_cycles.py BASELINE NAME COMMAND...: fails if a program's predicted time has grown.

COMMAND is `tputwin timing --json -- PROGRAM`. Predictions are the same in every run and on every
machine. The tolerance of 2 % allows small intended changes. UPDATE_CYCLES=1 writes the baseline."""

import json
import os
import subprocess
import sys
from pathlib import Path

TOLERANCE = 0.02

baseline, name, command = Path(sys.argv[1]), sys.argv[2], sys.argv[3:]
now = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)["cycles"]
known = json.loads(baseline.read_text()) if baseline.exists() else {}
if os.environ.get("UPDATE_CYCLES"):
    known[name] = now
    baseline.write_text(json.dumps(known, indent=2, sort_keys=True) + "\n")
before = known.get(name)
if before is None:
    sys.exit(f"{name}: {now} cycles, and no baseline; UPDATE_CYCLES=1 writes it")
print(f"{name}: {now} cycles, {100 * (now / before - 1):+.2f} % of the baseline's {before}")
sys.exit(now > before * (1 + TOLERANCE))
