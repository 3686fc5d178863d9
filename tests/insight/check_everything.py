#!/usr/bin/env python3
"""Runs the checks on every example, network and recorded case that is built, and counts findings.

    tests/insight/check_everything.py [--build build] [--data ../shared/data] [--checks all]

The script skips findings that tests/insight/recorded.suppress names: these are known. It exits with
1 if there are others. It takes a quarter of an hour on two cores."""
import argparse
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
EXAMPLES = ["okk_plus_one", "okk_softmax", "okk_conv2d", "okk_matmul", "tpu_exp", "tpu_softmax", "tpu_matmul", "tpu_gather",
            "tensor_add", "matmul", "streams", "observer", "blend_right", "blend_fast", "demo_chain"]
HARNESSES = [["conformance-bm168x", "tests/conformance/bm168x/bm1684x"],
             ["conformance-okk", "--check", "tests/conformance/okk/golden", "--salt", "public"],
             ["conformance-tpu", "--check", "tests/conformance/tpu/golden", "--salt", "public"],
             ["conformance-bmk1880", "--check", "tests/conformance/bmk1880/golden", "--salt", "public"]]


def run_of(model, build, folder):
    """Returns the command that runs a model. Models of the BM1880 need an input."""
    command = [str(build / "tputwin"), "run", str(model)]
    info = subprocess.run([command[0], "info", str(model), "--json"], capture_output=True, text=True)
    varieties = json.loads(info.stdout).get("varieties", []) if info.returncode == 0 else []
    if not varieties:
        return command
    if len(varieties) > 1:
        shapes = [",".join(str(extent) for extent in of["shape"]) for of in varieties[0]["inputs"]]
        command += ["--shape", *shapes]
    noise = os.path.join(folder, "input.bin")
    with open(noise, "wb") as file:
        file.write(bytes((i * 2654435761 >> 13) & 0xFF for i in range(sum(math.prod(of["shape"]) for of in varieties[0]["inputs"]))))
    return command + ["--input", noise]


def findings(command, checks, build):
    """Returns the number of findings and the first one, or None and why there is no report."""
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "findings.json")
        environment = {**os.environ, "TPUTWIN_CHECK": checks, "TPUTWIN_CHECK_JSON": report, "TPUTWIN_LOG": "quiet", "TPUTWIN_QUIRKS": "all",
                       "TPUTWIN_CHECK_SUPPRESS": str(HERE / "recorded.suppress")}
        if command[0] == "tputwin run":
            command = run_of(command[1], build, folder)
        else:
            command = [str(build / command[0]), *command[1:]]
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, errors="replace")
        if not os.path.exists(report):
            return (None, "no device") if done.returncode == 0 else (None, f"ended with {done.returncode}")
        found = json.load(open(report))["findings"]
        first = f"{found[0]['id']} {found[0]['actor']['call'] or found[0]['actor']['operation']}" if found else ""
        if done.returncode not in (0, 6):
            first = f"ended with {done.returncode} {first}"
        return len(found), first


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build")
    parser.add_argument("--data", default=str(ROOT / "../shared/data"))
    parser.add_argument("--checks", default="all")
    options = parser.parse_args()
    build = pathlib.Path(options.build).resolve() / "bin"
    # The harness conformance-bm168x runs files of several nets.
    models = sorted(ROOT.glob("tests/conformance/**/nets-*.bmodel")) + sorted(pathlib.Path(options.data).glob("*/**/*.bmodel"))
    groups = {"examples": [[name] for name in EXAMPLES],
              "networks": [["tputwin run", str(model)] for model in models],
              "recorded cases": HARNESSES}
    total = 0
    for group, commands in groups.items():
        run = skipped = count = 0
        for command in commands:
            if not command[0].startswith("tputwin") and not (build / command[0]).exists():
                skipped += 1
                continue
            found, first = findings(command, options.checks, build)
            if found is None:
                skipped += 1
                print(f"  not run: {' '.join(command)}: {first}")
                continue
            run += 1
            count += found
            if first:
                print(f"  {found} in {' '.join(command)}: {first}")
            sys.stdout.flush()
        print(f"{group}: {run} run, {skipped} not, {count} findings")
        sys.stdout.flush()
        total += count
    return 1 if total else 0


if __name__ == "__main__":
    sys.exit(main())
