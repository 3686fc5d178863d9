#!/usr/bin/env python3
"""Runs the same networks and programs with two builds: results and the kernels that were chosen must be the same.

    bench/replay.py BEFORE AFTER [--only PART] [--jobs 2]

BEFORE and AFTER are build folders. A change that claims to change nothing (a refactoring, a rename, a new optimizer) is
run against the commit before it. The parts:

    networks   every recorded network of the BM1684 and BM1684X, run four times: bytes of the outputs, list of kernels
    compiler   the models of this repository, calibrated and compiled for the BM1880: bytes of the bmodel, then as above
    examples   the example programs: exit code, list of kernels

The list of kernels is what TPUTWIN_TRACE_BODIES prints, as counts of equal lines. Exits with 1 if anything differs."""
import argparse
import collections
import concurrent.futures
import glob
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
EXAMPLES = ["tpu_*", "okk_*", "course_*", "tensor_add", "streams", "observer", "matmul", "inference", "demo_chain"]


def run(build, words, folder, environment=None):
    """Exit code and the counts of traced lines."""
    env = {**os.environ, "TPUTWIN_THREADS": "1", "TPUTWIN_TRACE_BODIES": "1", **(environment or {})}
    program = os.path.join(build, "bin", words[0])
    result = subprocess.run([program, *words[1:]], cwd=folder, env=env, stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace")
    lines = collections.Counter(line.replace("tputwin: " "body:", "tputwin: kernel:", 1) for line in result.stderr.splitlines()
                                if line.startswith(("tputwin: kernel:", "tputwin: " "body:")))
    return result.returncode, lines


def contents(path):
    if not os.path.exists(path):
        return None
    with open(path, "rb") as file:
        return file.read()


def difference(before, after):
    for name, old, new in zip(("exit code", "kernels", "bytes"), before, after):
        if old != new and name == "kernels":
            gone, more = old - new, new - old
            return f"kernels: {sum(gone.values())} lines less, {sum(more.values())} more: " \
                   f"{next(iter(gone), '')} | {next(iter(more), '')}"
        if old != new:
            return f"{name} differ"
    return None


def compare(builds, words, output=None):
    """Runs the command with both builds, each in a folder of its own."""
    sides = []
    for build in builds:
        with tempfile.TemporaryDirectory() as folder:
            code, kernels = run(build, words, folder)
            sides.append((code, kernels, contents(os.path.join(folder, output)) if output else None))
    return difference(*sides)


def networks(builds):
    for path in sorted(glob.glob(os.path.join(ROOT, "tests/conformance/bm168x/**/*.bmodel"), recursive=True)):
        listed = subprocess.run([os.path.join(builds[1], "bin/tputwin"), "info", "--json", path], capture_output=True,
                                check=True)
        for net in json.loads(listed.stdout)["nets"]:
            for stage in range(len(net["stages"])):
                words = ["tputwin", "run", path, "--net", net["name"], "--stage", str(stage), "--repeat", "4", "--output",
                         "out.bin"]
                yield f"{os.path.basename(path)} {net['name']} {stage}", words, "out.bin"


def compiled(builds, model):
    """The same steps of calibrate, compile and run with both builds."""
    name = os.path.splitext(os.path.basename(model))[0]
    sides = []
    for build in builds:
        with tempfile.TemporaryDirectory() as folder:
            prototxt = model.replace(".caffemodel", ".prototxt")
            steps = [["tputwin", "calibrate", prototxt, model, "--data", os.path.join(ROOT, "examples/pictures"), "--samples",
                      "4", "--output", "int8"],
                     ["tputwin", "compile", "--caffemodel", f"int8/bmnet_{name}_int8.caffemodel", "--table",
                      f"int8/bmnet_{name}_calibration_table.pb2", "-o", "net.bmodel"]]
            codes = tuple(run(build, words, folder)[0] for words in steps)
            sides.append((codes, collections.Counter(), contents(os.path.join(folder, "net.bmodel"))))
    return difference(*sides)


def examples(builds):
    for pattern in EXAMPLES:
        for path in sorted(glob.glob(os.path.join(builds[1], "bin", pattern))):
            yield os.path.basename(path), [os.path.basename(path)], None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("--only", choices=["networks", "compiler", "examples"])
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    builds = [os.path.abspath(arguments.before), os.path.abspath(arguments.after)]
    work = []
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for part in (networks, examples):
            if arguments.only in (None, part.__name__):
                for name, words, output in part(builds):
                    work.append((name, pool.submit(compare, builds, words, output)))
        if arguments.only in (None, "compiler"):
            for model in sorted(glob.glob(os.path.join(ROOT, "models/*.caffemodel"))):
                work.append((os.path.basename(model), pool.submit(compiled, builds, model)))
        different = 0
        for name, future in work:
            why = future.result()
            if why:
                different += 1
                print(f"{name}: {why}", flush=True)
    print(f"{len(work)} compared, {different} differ")
    return 1 if different or not work else 0


if __name__ == "__main__":
    sys.exit(main())
