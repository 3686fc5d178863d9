#!/usr/bin/env python3
"""Measures the cost of checks, recordings and profiles, as factors of processor time.

    bench/insight_cost.py [--build build] [--rounds 5] [--against COMMIT]

Runs each program without observers and with each of them, and prints the ratio of the times.
--against also runs the programs of another commit, built in BUILD-reference, without observers.
That ratio is the cost of an observer that is off. All programs run alternately; the least time of
each counts."""
import argparse
import os
import resource
import subprocess
import sys
import tempfile

from perf_check import build, run

PROGRAMS = ["okk_conv2d", "okk_softmax", "okk_matmul", "tpu_softmax", "tpu_matmul", "tensor_add"]
WAYS = {
    "check": {"TPUTWIN_CHECK": "all"},
    "numbers": {"TPUTWIN_CHECK_NUMBERS": "numbers"},
    "record": {"TPUTWIN_RECORD_RUN": "run.tprec"},
    "timing": {"TPUTWIN_TIMING": "timing.jsonl"},
    "profile": {"TPUTWIN_PROFILE": "1", "TPUTWIN_PROFILE_HTML": "profile.html"},
}


def processor_time(program, environment, folder):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([program], check=True, cwd=folder, env={**os.environ, **environment}, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def least(sides, rounds):
    """Returns the least times of {name: (program, environment)}, run round-robin."""
    best = {}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(rounds):
            for name, (program, environment) in sides.items():
                time = processor_time(program, environment, folder)
                best[name] = min(time, best.get(name, time))
    return best


def reference_programs(commit, folder):
    source = os.path.join(folder, "source")
    if not os.path.exists(source):
        run("git", "worktree", "add", "-q", "--detach", source, commit)
    run("git", "-C", source, "checkout", "-q", "--detach", commit)
    build(source, folder, PROGRAMS)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--against")
    parser.add_argument("--build", default="build")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    folder = os.path.abspath(options.build)
    build(".", folder, PROGRAMS)
    if options.against:
        reference_programs(options.against, folder + "-reference")
    titles = ["off"] + list(WAYS) + ([options.against[:9]] if options.against else [])
    print("".join([f"{'program':<14}"] + [f"{title:>10}" for title in titles]))
    for name in PROGRAMS:
        program = os.path.join(folder, "bin", name)
        sides = {"off": (program, {})} | {way: (program, variables) for way, variables in WAYS.items()}
        if options.against:
            sides[titles[-1]] = (os.path.join(folder + "-reference", "bin", name), {})
        best = least(sides, options.rounds)
        factors = [f"{best[title] / best['off']:>9.2f}x" for title in titles[1:]]
        print("".join([f"{name:<14}", f"{best['off']:>8.3f} s"] + factors))
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
