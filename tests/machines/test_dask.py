"""Runs campaigns on a Dask cluster and kills a worker. Results must be those of one process."""

import contextlib
import json
import os
import platform
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from distributed import Client, LocalCluster

import tputwin
from mortal import Mortal
from tputwin import machines

ROOT = Path(__file__).resolve().parents[2]
FASHION = Path("/usr/share/datasets/fashion-mnist")
TOOL = os.environ["TPUTWIN_TOOL"]


class Cluster:
    """A scheduler in this process, and workers in processes that are not restarted."""

    def __init__(self, stack, count, folder, **environment):
        self.scheduler = stack.enter_context(LocalCluster(
            n_workers=0, processes=False, protocol="tcp", host="127.0.0.1", dashboard_address=None,
            silence_logs=50))
        self.client = stack.enter_context(Client(self.scheduler))
        command = [sys.executable, "-m", "distributed.cli.dask_worker", "--no-nanny", "--nthreads",
                   "1", "--no-dashboard", "--local-directory", str(folder),
                   self.scheduler.scheduler_address]
        modules = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
        self.workers = [subprocess.Popen(command, stderr=subprocess.DEVNULL,
                                         env={**os.environ, "PYTHONPATH": modules, **environment})
                        for _ in range(count)]
        stack.callback(self.stop)
        self.client.wait_for_workers(count, timeout=60)

    def stop(self):
        for worker in self.workers:
            worker.kill()
            worker.wait()


@contextlib.contextmanager
def cluster(count, folder, **environment):
    with contextlib.ExitStack() as stack:
        yield Cluster(stack, count, folder, **environment)


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    """Returns an evaluation of 15 units."""
    folder = tmp_path_factory.mktemp("net")
    stem = f"{ROOT}/models/resnet_fashion"
    pixels = tputwin.Preparation(scale=[1 / 256])
    int8 = tputwin.calibrate(f"{stem}.prototxt", f"{stem}.caffemodel",
                             FASHION / "train-images-idx3-ubyte.gz", folder, samples=32,
                             preparation=pixels)
    model = str(folder / "net.bmodel")
    tputwin.compile(int8.caffemodel, int8.table, model, batch=10)
    return machines.Evaluation(f"{stem}.prototxt", f"{stem}.caffemodel", model,
                               str(FASHION / "t10k-images-idx3-ubyte.gz"), samples=2990,
                               preparation=pixels)


@pytest.fixture(scope="module")
def alone(work):
    return tputwin.evaluate(work.prototxt, work.caffemodel, work.model, work.data,
                            samples=work.samples, preparation=work.preparation)


@pytest.fixture(scope="module")
def calibration(tmp_path_factory):
    """Returns a calibration of 80 units."""
    stem = f"{ROOT}/models/resnet_fashion"
    return machines.Calibration(f"{stem}.prototxt", f"{stem}.caffemodel",
                                str(FASHION / "train-images-idx3-ubyte.gz"),
                                str(tmp_path_factory.mktemp("together")), name="net", samples=640,
                                preparation=tputwin.Preparation(scale=[1 / 256]))


@pytest.fixture(scope="module")
def calibrated_alone(calibration, tmp_path_factory):
    """Returns the results of the function that uses one process."""
    return written(tputwin.calibrate(calibration.prototxt, calibration.caffemodel, calibration.data,
                                     tmp_path_factory.mktemp("alone"), name=calibration.name,
                                     samples=calibration.samples,
                                     preparation=calibration.preparation))


def written(calibrated):
    """Returns names and bytes of the files, the report and its text."""
    paths = [Path(path) for path in (calibrated.prototxt, calibrated.caffemodel, calibrated.table,
                                     calibrated.table_text)]
    return {path.name: path.read_bytes() for path in paths}, calibrated.report, calibrated.text


def stop_at(done, when):
    """Interrupts a run as a user would."""
    if done == when:
        raise KeyboardInterrupt


def figures(accuracy):
    """Returns the figures without those of speed."""
    return replace(accuracy, float_seconds=0, int8_seconds=0, text="")


def test_any_number_of_workers(work, alone, tmp_path):
    for count in (1, 3):
        with cluster(count, tmp_path) as c:
            seen, lost = [], []
            accuracy = machines.run(work, c.client, progress=lambda *done: seen.append(done),
                                    lost=lambda *who: lost.append(who))
            assert figures(accuracy) == figures(alone)
            assert seen == [(done, 15) for done in range(16)]
            assert not lost


def test_a_killed_worker_is_reported_and_others_do_its_work(work, alone, tmp_path):
    with cluster(3, tmp_path) as c:
        lost = []
        accuracy = machines.run(Mortal(work, 2, str(tmp_path / "dead")), c.client,
                                lost=lambda worker, units: lost.append((worker, units)))
        assert figures(accuracy) == figures(alone)
        (worker, units), = lost
        assert worker.startswith("tcp://") and units > 0
        assert len(c.client.scheduler_info()["workers"]) == 2


def test_the_command_continues_from_the_checkpoint(work, alone, tmp_path):
    part = tmp_path / "part"

    with cluster(2, tmp_path) as c:
        with pytest.raises(KeyboardInterrupt):
            machines.run(work, c.client, checkpoint=part,
                         progress=lambda done, _: stop_at(done, 3))
    assert len(part.read_text().splitlines()) == 4
    ran = subprocess.run(
        [TOOL, "eval", "--prototxt", work.prototxt, "--caffemodel", work.caffemodel, "--bmodel",
         work.model, "--data", work.data, "--scale", "0.00390625", "--samples", "2990", "--json",
         "--checkpoint", str(part)], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert not part.exists()
    report = json.loads(ran.stdout)
    assert (report["float"]["right"], report["int8"]["right"], report["same_class"]) == (
        alone.float_right, alone.int8_right, alone.same_class)


def test_a_calibration_by_any_number_of_workers(calibration, calibrated_alone, tmp_path):
    for count in (1, 3):
        with cluster(count, tmp_path) as c:
            seen = []
            calibrated = machines.run(calibration, c.client,
                                      progress=lambda *done: seen.append(done))
            assert written(calibrated) == calibrated_alone
            assert seen == [(done, 80) for done in range(81)]


@pytest.mark.parametrize("when", [5, 60])  # during ranges, during distributions
def test_a_worker_killed_in_a_calibration(when, calibration, calibrated_alone, tmp_path):
    with cluster(3, tmp_path) as c:
        lost = []
        calibrated = machines.run(Mortal(calibration, when, str(tmp_path / "dead")), c.client,
                                  lost=lambda worker, units: lost.append((worker, units)))
        assert written(calibrated) == calibrated_alone
        (worker, units), = lost
        assert worker.startswith("tcp://") and units > 0


@pytest.mark.parametrize("when", [5, 60])
def test_the_command_continues_a_calibration(when, calibration, calibrated_alone, tmp_path):
    part = tmp_path / "part"

    with cluster(2, tmp_path) as c:
        with pytest.raises(KeyboardInterrupt):
            machines.run(calibration, c.client, checkpoint=part,
                         progress=lambda done, _: stop_at(done, when))
        ran = subprocess.run(
            [TOOL, "calibrate", calibration.prototxt, calibration.caffemodel, "--data",
             calibration.data, "--scale", "0.00390625", "--samples", "640", "--name", "net",
             "--output", str(tmp_path), "--json", "--checkpoint", str(part)],
            capture_output=True, text=True)
        assert ran.returncode == 0, ran.stderr
        assert not part.exists()
        files, report, _ = calibrated_alone
        assert json.loads(ran.stdout) == report
        for name, content in files.items():
            assert (tmp_path / name).read_bytes() == content, name
        # Another campaign on the same cluster must send the ranges again.
        assert written(machines.run(calibration, c.client)) == calibrated_alone


def test_random_operations(tmp_path):
    ran = subprocess.run([TOOL, "selftest", "--only", "mdsum", "--cases", "1200", "--json"],
                         capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    expected = {row["isa"]: row["operations"] for row in json.loads(ran.stdout)}
    with cluster(3, tmp_path) as c:
        compared = machines.run(machines.RandomOperations(cases=1200, only="mdsum"), c.client)
    assert {row.isa: row.operations for row in compared} == expected
    assert not any(row.difference for row in compared)


def test_a_failing_unit_ends_the_run(work, tmp_path):
    with cluster(1, tmp_path) as c:
        with pytest.raises(tputwin.Error, match="none.bmodel"):
            machines.run(replace(work, model="none.bmodel"), c.client)
        part = tmp_path / "part"
        part.write_text("tputwin campaign 00000000, 1 units\n")
        with pytest.raises(tputwin.Error) as raised:
            machines.run(work, c.client, checkpoint=part)
        assert raised.value.id == "TW-CLI-0061"


@pytest.mark.skipif(platform.machine() != "x86_64", reason="elsewhere oneDNN has one set")
def test_a_worker_with_other_vector_instructions_is_refused(calibration, tmp_path):
    with cluster(1, tmp_path, ONEDNN_MAX_CPU_ISA="SSE41") as c:
        with pytest.raises(RuntimeError, match="processor make another campaign"):
            machines.run(calibration, c.client)


def test_bytes_of_another_net_end_a_calibration(calibration, tmp_path):
    part = tmp_path / "part"
    with cluster(1, tmp_path) as c:
        with pytest.raises(KeyboardInterrupt):
            machines.run(calibration, c.client, checkpoint=part,
                         progress=lambda done, _: stop_at(done, 1))
        head = part.read_text().splitlines()[0]
        part.write_text(f"{head}\n0 0 eJwDAAAAAAE=\n")  # a result without tensors
        with pytest.raises(tputwin.Error) as raised:
            machines.run(calibration, c.client, checkpoint=part)
        assert raised.value.id == "TW-NET-0310"
