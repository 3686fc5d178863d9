#!/usr/bin/env python3
"""Runs fuzz targets in rounds, until each has used the given seconds of processor time.

    tests/fuzz/campaign.py [--build build-fuzz] [--seconds 1800] [--jobs 2] [--round 120]
        [TARGET...]
    tests/fuzz/campaign.py --table

tests/fuzz/campaign.json records the time and inputs of each target, by commit. The file is part of
the repository, so a campaign continues where the last one stopped, on any machine. A finding ends
its target; its input is stored in BUILD/findings. The script prints a table at the end, and exits
with 1 if it found something."""
import argparse
import concurrent.futures
import json
import math
import os
import re
import subprocess
import sys
import threading

HERE = os.path.dirname(os.path.abspath(__file__))


class Ledger:
    """Processor seconds and inputs of each target, by commit, and findings of this campaign."""

    def __init__(self, path):
        self.path, self.lock, self.findings = path, threading.Lock(), {}
        self.entries = json.load(open(path)) if os.path.exists(path) else {}

    def total(self, target, what):
        return sum(entry[what] for entry in self.entries.get(target, {}).values())

    def add(self, target, commit, seconds, inputs, finding):
        with self.lock:
            self.findings[target] = finding
            if finding:
                return
            entry = self.entries.setdefault(target, {}).setdefault(commit, {"seconds": 0, "inputs": 0})
            entry["seconds"] = round(entry["seconds"] + seconds)
            entry["inputs"] += inputs
            with open(self.path + ".new", "w") as file:
                json.dump(self.entries, file, indent=1, sort_keys=True)
                file.write("\n")
            os.replace(self.path + ".new", self.path)

    def row(self, target):
        found = self.findings.get(target) or ""
        return f"{target:24} {self.total(target, 'seconds'):7,} s {self.total(target, 'inputs'):13,} inputs  {found}"


def repeats(build, target, finding):
    """Returns true if the finding is repeatable. After a machine slept, any input may be slow."""
    return subprocess.run([os.path.join(build, "bin", target), "-timeout=300", "-rss_limit_mb=2048", finding],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode != 0


def run_round(build, target, seconds):
    """Runs one round; returns processor seconds, executions and the finding or None."""
    place = os.path.join(build, "findings", target)
    os.makedirs(place, exist_ok=True)
    before = set(os.listdir(place))
    log = os.path.join(build, "findings", target + ".log")
    with open(log, "w") as output:
        process = subprocess.Popen(
            [os.path.join(build, "bin", target), f"-max_total_time={seconds}", "-timeout=300", "-rss_limit_mb=2048",
             "-print_final_stats=1", f"-artifact_prefix={place}/", os.path.join(build, "fuzz-corpus", target)],
            stdout=subprocess.DEVNULL, stderr=output)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    text = open(log, errors="replace").read()
    # A program cannot run, for example, while one of its libraries is being linked.
    if process.returncode == 127:
        raise RuntimeError(f"{target} does not run: {text.strip()}")
    executions = re.search(r"number_of_executed_units: (\d+)", text)
    found = sorted(set(os.listdir(place)) - before)
    finding = None
    if process.returncode != 0:
        finding = os.path.join(place, found[0]) if found else log
    if finding and found and found[0].startswith("timeout-") and not repeats(build, target, finding):
        os.remove(finding)
        finding = None
    return usage.ru_utime + usage.ru_stime, int(executions[1]) if executions else 0, finding


def commit_of(build):
    """Returns the commit that the programs were built from."""
    source = re.search(r"CMAKE_HOME_DIRECTORY:INTERNAL=(.*)", open(os.path.join(build, "CMakeCache.txt")).read())[1]
    return subprocess.run(["git", "-C", source, "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True,
                          check=True).stdout.strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build-fuzz")
    parser.add_argument("--ledger", default=os.path.join(HERE, "campaign.json"))
    parser.add_argument("--seconds", type=float, default=1800)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--round", type=int, default=120)
    parser.add_argument("--table", action="store_true", help="only print the table")
    parser.add_argument("targets", nargs="*")
    options = parser.parse_args()
    ledger = Ledger(options.ledger)
    if options.table:
        print("\n".join(ledger.row(target) for target in sorted(ledger.entries)))
        return 0
    names = sorted(n for n in os.listdir(os.path.join(options.build, "bin")) if n.startswith("fuzz_"))
    targets = options.targets or [n for n in names if n != "fuzz_write_seeds"]
    # The targets with the least time so far run first.
    targets.sort(key=lambda target: ledger.total(target, "seconds"))
    commit = commit_of(options.build)

    def campaign(target):
        while ledger.total(target, "seconds") < options.seconds and not ledger.findings.get(target):
            left = math.ceil(options.seconds - ledger.total(target, "seconds"))
            ledger.add(target, commit, *run_round(options.build, target, min(options.round, left)))
            print(ledger.row(target), file=sys.stderr, flush=True)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(campaign, targets))
    print("\n".join(ledger.row(target) for target in targets))
    return 1 if any(ledger.findings.get(target) for target in targets) else 0


if __name__ == "__main__":
    sys.exit(main())
