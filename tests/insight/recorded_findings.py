#!/usr/bin/env python3
"""Compares the findings in the recorded networks with tests/insight/recorded.suppress.

    tests/insight/recorded_findings.py BIN

BIN is the folder of conformance-bm168x. The script runs the networks of the BM1684X and the BM1684
with all checks. It fails if there is a finding that no line of the file names, or a line that names
none: the findings of the file are real, and no check may lose them."""
import fnmatch
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SETS = [("BM1684X", "bm1684x", []), ("BM1684", "bm1684-nets", ["--refused", "winograd-fp32"])]


def findings(program, chip, folder, options):
    """Returns the id and the network of each finding."""
    with tempfile.TemporaryDirectory() as work:
        report = os.path.join(work, "findings.json")
        environment = {**os.environ, "TPUTWIN_CHIP": chip, "TPUTWIN_CHECK": "all", "TPUTWIN_CHECK_JSON": report, "TPUTWIN_LOG": "quiet"}
        command = [program, str(HERE.parent / "conformance/bm168x" / folder), *options]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, errors="replace")
        print(f"{chip}: {done.stdout.splitlines()[-1] if done.stdout else done.returncode}")
        return [(found["id"], found["actor"]["kernel"]) for found in json.load(open(report))["findings"]]


def main():
    known = [line.split(":", 1) for line in (HERE / "recorded.suppress").read_text().split("\n") if line and not line.startswith("#")]
    met, unknown = set(), []
    for chip, folder, options in SETS:
        found = findings(os.path.join(sys.argv[1], "conformance-bm168x"), chip, folder, options)
        print(f"{chip}: {len(found)} findings")
        for kind, network in found:
            lines = [i for i, (of, pattern) in enumerate(known) if of == kind and fnmatch.fnmatchcase(network, pattern)]
            met.update(lines)
            if not lines:
                unknown.append((kind, network))
    lost = [":".join(line) for i, line in enumerate(known) if i not in met]
    for kind, network in unknown:
        print(f"not in recorded.suppress: {kind} in {network}")
    for line in lost:
        print(f"not found any more: {line}")
    return 1 if unknown or lost else 0


if __name__ == "__main__":
    sys.exit(main())
