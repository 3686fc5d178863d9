#!/usr/bin/env python3
"""Runs the checks on every example, network and recorded case that is built, and counts findings.

    tests/insight/check_everything.py [--build build] [--data ../shared/data] [--checks all]

The script skips findings that tests/insight/recorded.suppress names: these are known. It exits with
1 if there are others. Networks are the recorded ones, those of the data, and LeNet as the compiler
makes it for each chip."""
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
    """Returns the command that runs a model, all stages of it. Models of the BM1880 need an input."""
    command = [str(build / "tputwin"), "run", str(model)]
    info = subprocess.run([command[0], "info", str(model), "--json"], capture_output=True, text=True)
    content = json.loads(info.stdout) if info.returncode == 0 else {}
    varieties = content.get("varieties", [])
    if not varieties:
        return command + (["--all-stages"] if sum(len(net["stages"]) for net in content.get("nets", [])) > 1 else [])
    if len(varieties) > 1:
        shapes = [",".join(str(extent) for extent in of["shape"]) for of in varieties[0]["inputs"]]
        command += ["--shape", *shapes]
    noise = os.path.join(folder, "input.bin")
    with open(noise, "wb") as file:
        file.write(bytes((i * 2654435761 >> 13) & 0xFF for i in range(sum(math.prod(of["shape"]) for of in varieties[0]["inputs"]))))
    return command + ["--input", noise]


def compiled(build, data, folder):
    """Compiles LeNet for each chip; returns the files."""
    net = data / "lenet"
    source = ["--prototxt", net / "lenet.prototxt", "--caffemodel", net / "lenet_iter_10000.caffemodel"]
    stages = ["--shape", "1,1,28,28", "--shape", "3,1,28,28"]
    int8 = data / "lenet-int8"
    ways = {f"lenet-bm1684x-{name}": [*source, "--chip", "bm1684x", "--type", name, *stages] for name in ("fp32", "fp16", "bf16")}
    ways["lenet-bm1684"] = [*source, "--chip", "bm1684", *stages]
    ways["lenet-bm1880"] = ["--prototxt", int8 / "test_deploy.proto", "--caffemodel", int8 / "bmnet_lenet_calibration.caffemodel",
                            "--table", int8 / "bmnet_lenet_ctable_opt.pb2"]
    files = []
    for name, way in ways.items():
        file = os.path.join(folder, name + ".bmodel")
        subprocess.run([build / "tputwin", "compile", *map(str, way), "-o", file], check=True, capture_output=True)
        files.append(file)
    return files


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
    data = pathlib.Path(options.data)
    models = sorted(ROOT.glob("tests/conformance/**/nets-*.bmodel")) + sorted(data.glob("*/**/*.bmodel"))
    folder = tempfile.TemporaryDirectory()
    if (data / "lenet").exists():
        models += compiled(build, data, folder.name)
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
