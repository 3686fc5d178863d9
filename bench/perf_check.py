#!/usr/bin/env python3
"""Compares the speed of this tree with that of another commit.

    bench/perf_check.py [--against main] [--build build] [--rounds 5] [--limit 1.10]

The other commit is built in BUILD-reference. Both builds run the benchmark programs and whole
networks alternately, round by round; the least time of each build counts. Networks run on 1, 2, 4,
... threads, up to the processors of the host. Benchmarks above the limit run for as many rounds
again, because short kernels on two threads vary between rounds.
Prints all ratios, and exits with 1 if a benchmark became slower."""
import argparse
import json
import math
import os
import re
import subprocess
import sys

KERNELS = ["conv", "elementwise", "dma", "depthwise_pool", "okk_network", "tpu_network", "tpu_matrix", "tpu_movement"]
# This benchmark program builds and runs networks of the BM1684X and BM1684.
BMODELS = "bmodels168x"
NETWORKS = ["resnet50", "mobilenet_v1", "squeezenet"]


def run(*command, **options):
    return subprocess.run(command, check=True, **options)


def output(*command):
    return run(*command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout


def build(source, folder, targets):
    run("cmake", "-S", source, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", stdout=subprocess.DEVNULL)
    run("cmake", "--build", folder, "--target", *targets)


def reference_tree(commit, folder):
    source = os.path.join(folder, "source")
    if os.path.exists(source):
        run("git", "-C", source, "checkout", "-q", "--detach", commit)
    else:
        run("git", "worktree", "add", "-q", "--detach", source, commit)
    build(source, folder, ["bench_" + k for k in KERNELS + [BMODELS]] + ["tputwin", "cpu_plugins"])
    return folder


def kernel_times(folder, kernel):
    program = os.path.join(folder, "bin", "bench_" + kernel)
    report = json.loads(output(program, "--benchmark_format=json", "--benchmark_min_time=0.02"))
    return {f"{kernel}: {b['name']}": b["real_time"] for b in report["benchmarks"] if "real_time" in b}


def thread_counts():
    """Returns 1, 2, 4, ... below the number of processors, and that number."""
    processors = len(os.sched_getaffinity(0))
    return [2**i for i in range(processors.bit_length()) if 2**i < processors] + [processors]


def bmodel_times(folder, threads):
    report = os.path.join(folder, "perf-check-bmodels.json")
    environment = {**os.environ, "TPUTWIN_BMODELS": "", "TPUTWIN_THREADS": threads, "OMP_NUM_THREADS": threads}
    run(os.path.join(folder, "bin", "bench_" + BMODELS), "--rounds", "1", "--json", report, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, env=environment)
    with open(report) as file:
        networks = json.load(file)["networks"]
    return {f"{BMODELS} on {threads}: {n['name']}": n["twin"]["min_ms"] for n in networks}


def network_time(folder, threads, model, input_file):
    text = output(os.path.join(folder, "bin", "tputwin"), "run", model, "--input", input_file, "--repeat", "12",
                  "--threads", threads)
    number, unit = re.search(r"^time +([0-9.]+) (us|ms|s)", text, re.MULTILINE).groups()
    return float(number) * {"us": 1e-3, "ms": 1, "s": 1e3}[unit]


def measure(folder, models, programs):
    times = {}
    for program in programs:
        kind, _, name = program.partition(": ")
        kind, _, threads = kind.partition(" on ")
        if name:
            times[program] = network_time(folder, threads, *models[name])
        else:
            times.update(bmodel_times(folder, threads) if kind == BMODELS else kernel_times(folder, kind))
    return times


def program_of(name):
    return name if name.startswith("network ") else name.partition(": ")[0]


def make_models(folder, networks):
    """Compiles networks and writes random inputs, once; returns the paths by name."""
    place = os.path.join(folder, "perf-check")
    os.makedirs(place, exist_ok=True)
    missing = [n for n in networks if not os.path.exists(os.path.join(place, n + ".bmodel"))]
    if missing:
        run(os.path.join(folder, "bin", "bench_networks"), "--rounds", "1", "--models", place, *missing)
    models = {}
    for name in networks:
        model, noise = (os.path.join(place, name + end) for end in (".bmodel", ".input"))
        text = output(os.path.join(folder, "bin", "tputwin"), "info", model, "--json")
        inputs = json.loads(text)["varieties"][0]["inputs"]
        count = sum(math.prod(i["shape"]) for i in inputs)
        with open(noise, "wb") as file:
            file.write(bytes((i * 2654435761 >> 13) & 0xFF for i in range(count)))
        models[name] = (model, noise)
    return models


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--against", default="main")
    parser.add_argument("--build", default="build")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--limit", type=float, default=1.10)
    options = parser.parse_args()
    folder = os.path.abspath(options.build)
    build(".", folder, ["bench_" + k for k in KERNELS + [BMODELS, "networks"]] + ["tputwin", "cpu_plugins"])
    reference = reference_tree(options.against, folder + "-reference")
    models = make_models(folder, NETWORKS)

    ours, theirs = {}, {}

    def ratio(name):
        return ours[name] / theirs[name]

    def slower():
        return [name for name in sorted(set(ours) & set(theirs)) if ratio(name) > options.limit]

    counts = [str(count) for count in thread_counts()]
    programs = KERNELS + [f"{BMODELS} on {t}" for t in counts] + [f"network on {t}: {n}" for t in counts for n in models]
    for index in range(2 * options.rounds):
        if index >= options.rounds:
            programs = sorted({program_of(name) for name in slower()})
        if not programs:
            break
        for folder_of_side, best in ((folder, ours), (reference, theirs)):
            for name, time in measure(folder_of_side, models, programs).items():
                best[name] = min(time, best.get(name, time))
        print(f"round {index + 1}: {', '.join(programs)}", file=sys.stderr)
    for name in sorted(set(ours) & set(theirs)):
        print(f"{ratio(name):6.2f}  {name}{'   SLOWER' if name in slower() else ''}")
    print(f"{len(slower())} slower than {options.limit} x {options.against}")
    return 1 if slower() else 0


if __name__ == "__main__":
    sys.exit(main())
