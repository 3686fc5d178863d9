#!/usr/bin/env python3
"""Fuzz targets for a time of their own, in rounds: until each has run so many seconds of processor time.

    tests/fuzz/campaign.py [--build build-fuzz] [--seconds 1800] [--jobs 2] [--round 120] [TARGET...]

What each has had is kept in BUILD/campaign.json: a campaign that was stopped goes on. A finding ends its target; the
input lies beside the ledger. Ends with a table, and with 1 if something was found."""
import argparse
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import threading


class Ledger:
    """Of each target: processor seconds, executions, and the input of a finding."""

    def __init__(self, path):
        self.path, self.lock = path, threading.Lock()
        self.entries = json.load(open(path)) if os.path.exists(path) else {}

    def of(self, target):
        return self.entries.setdefault(target, {"seconds": 0.0, "executions": 0, "finding": None})

    def add(self, target, seconds, executions, finding):
        with self.lock:
            entry = self.of(target)
            entry["seconds"] += seconds
            entry["executions"] += executions
            entry["finding"] = finding
            with open(self.path + ".new", "w") as file:
                json.dump(self.entries, file, indent=1)
            os.replace(self.path + ".new", self.path)


def run_round(build, target, seconds):
    """Processor seconds, executions and what was found of one round."""
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
    executions = re.search(r"number_of_executed_units: (\d+)", text)
    found = sorted(set(os.listdir(place)) - before)
    finding = None
    if process.returncode != 0:
        finding = os.path.join(place, found[0]) if found else log
    return usage.ru_utime + usage.ru_stime, int(executions[1]) if executions else 0, finding


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build-fuzz")
    parser.add_argument("--seconds", type=float, default=1800)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--round", type=int, default=120)
    parser.add_argument("targets", nargs="*")
    options = parser.parse_args()
    names = sorted(n for n in os.listdir(os.path.join(options.build, "bin")) if n.startswith("fuzz_"))
    targets = options.targets or [n for n in names if n != "fuzz_write_seeds"]
    ledger = Ledger(os.path.join(options.build, "campaign.json"))

    def campaign(target):
        while ledger.of(target)["seconds"] < options.seconds and ledger.of(target)["finding"] is None:
            ledger.add(target, *run_round(options.build, target, options.round))
            print(f"{target}: {ledger.of(target)['seconds']:.0f} s", file=sys.stderr, flush=True)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(campaign, targets))
    for target in targets:
        entry = ledger.of(target)
        print(f"{target:24} {entry['seconds']:7.0f} s {entry['executions']:12,} inputs  {entry['finding'] or ''}")
    return 1 if any(ledger.of(t)["finding"] for t in targets) else 0


if __name__ == "__main__":
    sys.exit(main())
