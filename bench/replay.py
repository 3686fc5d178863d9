#!/usr/bin/env python3
"""Runs the same networks and programs with two builds, and compares results and chosen kernels.

    bench/replay.py BEFORE AFTER [--only PART] [--jobs 2] [--renamed OLD=NEW]...

BEFORE and AFTER are build folders. Use it for a change that must not change results: a refactoring,
a rename, or a new optimizer. BEFORE is then a build of the previous commit. The parts:

    networks   runs every recorded network of the BM1684 and BM1684X four times, and compares the
               bytes of the outputs and the lists of kernels
    compiler   calibrates and compiles the models of this repository for the BM1880, and compares
               the commands of the bmodels and the outputs for one input. A bmodel also holds
               libraries of the build, which name its folder
    examples   runs the example programs, and compares exit codes and lists of kernels

TPUTWIN_TRACE_BODIES prints the list of kernels. The script counts equal lines of kernels that ran,
and maps names that changed (--renamed). Programs that BEFORE lacks are skipped. It exits with 1 if
anything differs."""
import argparse
import collections
import concurrent.futures
import glob
import json
import math
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
EXAMPLES = ["tpu_*", "okk_*", "course_*", "tensor_add", "streams", "observer", "matmul", "inference", "demo_chain"]


RENAMED = {}  # names of kernels before and after


def kernel_of(line):
    """Returns the operation and kernel of a traced line, or None if the kernel did not run."""
    for prefix in ("tputwin: kernel: ", "tputwin: " "body: "):
        if line.startswith(prefix) and line.endswith(" ran"):
            operation, _, kernel = line[len(prefix):-len(" ran")].partition(": ")
            return operation, RENAMED.get(kernel, kernel)
    return None


def run(build, words, folder, environment=None):
    """Returns the exit code and the counts of kernels that ran."""
    env = {**os.environ, "TPUTWIN_THREADS": "1", "TPUTWIN_TRACE_BODIES": "1", **(environment or {})}
    program = os.path.join(build, "bin", words[0])
    result = subprocess.run([program, *words[1:]], cwd=folder, env=env, stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace")
    kernels = collections.Counter(filter(None, map(kernel_of, result.stderr.splitlines())))
    return result.returncode, kernels


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
    """Returns the first difference between the runs of both builds, each in its own folder."""
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


def meaning(build, model):
    """Returns the commands of a bmodel of the BM1880, and its outputs for an input of all bytes."""
    tputwin = os.path.join(build, "bin/tputwin")
    commands = subprocess.run([tputwin, "disasm", model], capture_output=True, check=False).stdout
    listed = subprocess.run([tputwin, "info", "--json", model], capture_output=True, check=False).stdout
    if not listed:
        return commands
    inputs = json.loads(listed)["varieties"][0]["inputs"]
    count = sum(math.prod(i["shape"]) for i in inputs)
    paths = [model + end for end in (".input", ".output")]
    with open(paths[0], "wb") as file:
        file.write(bytes((i * 2654435761 >> 13) & 0xFF for i in range(count)))
    subprocess.run([tputwin, "run", model, "--input", paths[0], "--output", paths[1]], capture_output=True, check=False)
    return commands, contents(paths[1])


def compiled(builds, model):
    """Returns the first difference after both builds calibrated and compiled the model."""
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
            sides.append((codes, collections.Counter(), meaning(build, os.path.join(folder, "net.bmodel"))))
    return difference(*sides)


def examples(builds):
    for pattern in EXAMPLES:
        for path in sorted(glob.glob(os.path.join(builds[0], "bin", pattern))):
            yield os.path.basename(path), [os.path.basename(path)], None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("--only", choices=["networks", "compiler", "examples"])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--renamed", action="append", default=[], metavar="OLD=NEW")
    arguments = parser.parse_args()
    RENAMED.update(pair.split("=", 1) for pair in arguments.renamed)
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
