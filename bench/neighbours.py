#!/usr/bin/env python3
"""Measures whole networks on an idle machine and next to busy processes, alternately, in one run.

    bench/neighbours.py [--build build] [--busy 2] [--rounds 5] [--seconds 2] [--json FILE]
        [NETWORK...]

Prints for each network the median time of its runs without and with the busy processes, and the
ratio of the two. This program starts and ends the busy processes. The machine must otherwise be
idle: the program also measures and prints other load."""
import argparse
import contextlib
import json
import os
import statistics
import subprocess
import sys
import time

import perf_check

NETWORKS = ["resnet50", "mobilenet_v1"]


@contextlib.contextmanager
def busy_processes(count):
    """Runs that many busy processes, one on each processor, until the context ends."""
    processes = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def load_of_others(seconds):
    """Returns the number of processors that other programs keep busy."""
    def busy():
        with open("/proc/stat", encoding="ascii") as file:
            user, nice, system, idle, wait, *rest = map(int, file.readline().split()[1:9])
        return user + nice + system + sum(rest)
    before = busy()
    time.sleep(seconds)
    return (busy() - before) / os.sysconf("SC_CLK_TCK") / seconds


def median_ms(folder, model, input_file, repeat):
    text = perf_check.output(os.path.join(folder, "bin", "tputwin"), "run", model, "--input", input_file, "--repeat",
                             str(repeat), "--json")
    return json.loads(text)["time"]["median"] * 1e3


def measure(folder, model, input_file, options):
    """Returns the medians of all rounds: a list for the idle machine, and one for the busy one."""
    once = median_ms(folder, model, input_file, 12)
    repeat = max(20, int(options.seconds * 1e3 / once))
    idle, busy = [], []
    for _ in range(options.rounds):
        idle.append(median_ms(folder, model, input_file, repeat))
        with busy_processes(options.busy):
            busy.append(median_ms(folder, model, input_file, repeat))
    return idle, busy


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("networks", nargs="*", metavar="NETWORK", default=NETWORKS)
    parser.add_argument("--build", default="build")
    parser.add_argument("--busy", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--json")
    options = parser.parse_args()
    folder = os.path.abspath(options.build)
    perf_check.build(".", folder, ["tputwin", "bench_networks", "cpu_plugins"])
    models = perf_check.make_models(folder, options.networks)
    load = load_of_others(1)
    if load > 0.2:
        print(f"{load:.1f} processors are busy with other programs: these figures are not reliable")
    print(f"next to {options.busy} busy processes on {os.cpu_count()} processors, medians of {options.rounds} rounds")
    report = {"busy_processes": options.busy, "load_of_others": load, "networks": []}
    for name, (model, input_file) in models.items():
        idle, busy = (statistics.median(side) for side in measure(folder, model, input_file, options))
        print(f"{name:14} {busy / idle:5.2f} x   {busy:7.2f} ms next to them, {idle:7.2f} ms without", flush=True)
        report["networks"].append({"name": name, "ratio": busy / idle, "busy_ms": busy, "idle_ms": idle})
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(report, file, indent=2)


if __name__ == "__main__":
    main()
