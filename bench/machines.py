#!/usr/bin/env python3
"""Measures the cost of a campaign on this machine, for docs/machines.md.

Prints rows of a table: units a second, bytes of a unit, and the size and time of the checkpoint.

    PYTHONPATH=build/python bench/machines.py [--workers 2] [--samples 10000] [--mpirun mpirun]
        [--generate build/bin/generate_classics]
"""
import argparse
import os
import pickle
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from distributed import Client, LocalCluster

import tputwin
from tputwin import _core, machines

ROOT = Path(__file__).resolve().parents[1]
FASHION = Path("/usr/share/datasets/fashion-mnist")
STEM = f"{ROOT}/models/resnet_fashion"
PIXELS = tputwin.Preparation(scale=[1 / 256])


@dataclass(frozen=True)
class Nothing:
    """A campaign whose units do no work."""

    units: int
    identity: str = "nothing"

    def open(self):
        return self

    def work(self, unit):
        return f"{unit} " + "0" * 50

    def figures(self, units, lines):
        return len(lines)


def timed(work):
    start = time.perf_counter()
    result = work()
    return result, time.perf_counter() - start


def evaluation(folder, samples):
    int8 = tputwin.calibrate(f"{STEM}.prototxt", f"{STEM}.caffemodel",
                             FASHION / "train-images-idx3-ubyte.gz", folder, samples=64,
                             preparation=PIXELS)
    model = str(folder / "net.bmodel")
    tputwin.compile(int8.caffemodel, int8.table, model, batch=10)
    return machines.Evaluation(f"{STEM}.prototxt", f"{STEM}.caffemodel", model,
                               str(FASHION / "t10k-images-idx3-ubyte.gz"), samples=samples,
                               preparation=PIXELS)


def eval_command(work):
    return ["eval", "--prototxt", work.prototxt, "--caffemodel", work.caffemodel, "--bmodel",
            work.model, "--data", work.data, "--scale", "0.00390625", "--samples",
            str(work.samples)]


def calibrate_command(work):
    return ["calibrate", work.prototxt, work.caffemodel, "--data", work.data, "--output",
            work.output, "--scale", "0.00390625", "--samples", str(work.samples)]


def by_mpi(mpirun, tool, arguments, processes):
    command = [mpirun, "-n", str(processes), tool, *arguments]
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1",
                   "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                   "OMPI_MCA_rmaps_base_oversubscribe": "1"}
    return timed(lambda: subprocess.run(command, env=environment, check=True,
                                        stdout=subprocess.DEVNULL))[1]


def checkpoint_figures(folder, units, line):
    """Returns the bytes of a checkpoint of `units` lines, and the seconds to write and read it."""
    path = folder / "part"
    checkpoint = _core.Checkpoint(str(path), "many", units)
    for unit in range(units):
        checkpoint.add(unit, line)
    written = timed(checkpoint.write)[1]
    read = timed(lambda: _core.Checkpoint(str(path), "many", units))[1]
    return path.stat().st_size, written, read


def calibration_figures(name, work, samples):
    """Prints processor time and bytes of units of both kinds; returns the units."""
    units = work.open()
    begun = time.process_time()
    ranges = [units.work(unit) for unit in range(units.second_part)]
    between = time.process_time()
    summary = units.summary(ranges)
    units.go_on(summary)
    continued = time.process_time()
    lines = [units.work(unit) for unit in range(units.second_part, units.units)]
    ended = time.process_time()
    say(f"calibration of {name}: units", units.units)
    say("processor time of a sample: ranges, distributions",
        f"{1e3 * (between - begun) / samples:.1f} ms, {1e3 * (ended - continued) / samples:.1f} ms")
    say("bytes of a unit: ranges, distributions, and the ranges of all",
        f"{len(ranges[0])}, {max(map(len, lines))}, {len(summary)}")
    before = time.process_time()
    units.write(ranges + lines)
    say("processor time of the end: thresholds, int8 weights, the comparison, the files",
        f"{time.process_time() - before:.1f} s")
    return units


def resnet50(generate, folder):
    """Writes ResNet-50 with random weights; returns its calibration on the photographs."""
    subprocess.run([generate, folder, "resnet50"], check=True)
    return machines.Calibration(f"{folder}/resnet50.prototxt", f"{folder}/resnet50.caffemodel",
                                f"{ROOT}/examples/pictures", folder,
                                preparation=tputwin.Preparation(mean=[128], scale=[1 / 128]))


def say(what, value):
    print(f"| {what} | {value} |", flush=True)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--samples", type=int, default=10000)
    parser.add_argument("--empty", type=int, default=5000, help="units without work")
    parser.add_argument("--many", type=int, default=100000, help="units of the large checkpoint")
    parser.add_argument("--mpirun", help="also run processes of MPI, with this command")
    parser.add_argument("--generate", help="program that writes ResNet-50, to calibrate it too")
    parser.add_argument("--tool", default=str(ROOT / "build/bin/tputwin"))
    return parser.parse_args()


def main():
    options = arguments()
    folder = Path(tempfile.mkdtemp())
    work = evaluation(folder, options.samples)
    units, opened = timed(work.open)
    before = time.process_time()
    lines, alone = timed(lambda: [units.work(unit) for unit in range(units.units)])
    busy = (time.process_time() - before) / units.units
    say("units of the evaluation", units.units)
    say("opening it, once in each process", f"{opened:.2f} s")
    say("one process: units a second", f"{units.units / alone:.2f}")
    say("processor time of a unit", f"{busy:.2f} s")
    calibration = machines.Calibration(
        f"{STEM}.prototxt", f"{STEM}.caffemodel", str(FASHION / "train-images-idx3-ubyte.gz"),
        str(folder), samples=options.samples, preparation=PIXELS)
    calibrated = calibration_figures("the same net", calibration, options.samples)
    if options.generate:
        work50 = resnet50(options.generate, str(folder))
        calibration_figures("ResNet-50", work50, len(list(Path(work50.data).glob("*.jpg"))))
    with LocalCluster(n_workers=options.workers, threads_per_worker=1,
                      dashboard_address=None) as cluster, Client(cluster) as client:
        client.run(lambda: __import__("tputwin"))
        for what, campaign, count in (("evaluation", work, units.units),
                                      ("calibration", calibration, calibrated.units)):
            _, together = timed(lambda: machines.run(campaign, client))
            say(f"{what} by {options.workers} workers of Dask: units a second",
                f"{count / together:.2f}")
        _, empty = timed(lambda: machines.run(Nothing(options.empty), client))
        say("Dask: units a second that do nothing", f"{options.empty / empty:.0f}")
    if options.mpirun:
        for what, command, count in (("evaluation", eval_command(work), units.units),
                                     ("calibration", calibrate_command(calibration),
                                      calibrated.units)):
            seconds = by_mpi(options.mpirun, options.tool, command, options.workers)
            say(f"{what} by {options.workers} processes of MPI: units a second, start included",
                f"{count / seconds:.2f}")
    task = pickle.dumps((machines._do, work, units.identity, "", 0))
    say("a unit's task, its result", f"{len(task)} bytes, {len(lines[0])} bytes")
    bytes_, written, read = checkpoint_figures(folder, options.many, lines[0])
    say(f"checkpoint of {options.many:,} units", f"{bytes_ / 1e6:.1f} MB, written in {written:.2f} s, read in {read:.2f} s")
    _, summed = timed(lambda: units.sum_of([lines[0]] * options.many))
    say(f"sum of {options.many:,} results", f"{summed:.2f} s")


if __name__ == "__main__":
    sys.exit(main())
