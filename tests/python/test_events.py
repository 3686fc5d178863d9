"""What devices did, as objects; findings of checks."""

import numpy as np

import tputwin
from test_kernels import OKKERNEL_FLAGS, PLUS_ONE


def launch(text, **options):
    device = tputwin.Device("BM1684", **options)
    kernels = tputwin.kernel(text, device=device, packed=True, flags=OKKERNEL_FLAGS)
    x = np.ones((2, 3, 4, 5), np.float32)
    with tputwin.watch(device) as watch:
        kernels.launch("plus_one_serial", *x.shape, x, x)
    return device, watch


def test_commands_have_operands_and_footprints():
    _, watch = launch(PLUS_ONE.read_text())
    assert [c.call for c in watch.commands] == [
        "okk_gdma_32bit_cpy_S2L", "okk_bdc_add_C", "okk_gdma_32bit_cpy_L2S"] * 2
    load = watch.commands[0]
    assert load.engine == "dma" and load.cycles > 0
    source = next(o for o in load.operands if o.space == "global")
    assert source.access == "read" and source.shape == (1, 3, 4, 5)
    read = [r for r in load.footprint if not r.written]
    assert sum(r.end - r.begin for r in read) == 3 * 4 * 5 * 4
    kinds = [event.kind for event in watch.events]
    assert kinds.index("launch_begin") < kinds.index("poll") < kinds.index("launch_end")


def test_nothing_is_recorded_after_the_block():
    device, watch = launch(PLUS_ONE.read_text())
    count = len(watch.records)
    device.array([1.0])
    assert len(watch.records) == count > 0


def test_commands_of_nets(recorded):
    net = tputwin.load(recorded / "nets-lenet-int8.bmodel")
    with tputwin.watch(net) as watch:
        net.run(np.zeros(net.inputs[0].shape, np.float32))
    assert {"compute", "dma"} <= {command.engine for command in watch.commands}


def test_checks_find_what_is_wrong():
    clean, _ = launch(PLUS_ONE.read_text(), check="all")
    assert clean.findings == []
    wrong = PLUS_ONE.read_text().replace("  okk_poll();\n", "")
    device, _ = launch(wrong, check="all")
    found = {finding.id: finding for finding in device.findings}
    finding = found["missing-poll"]
    assert finding.actor.call == "okk_gdma_32bit_cpy_L2S" and finding.missing
    assert finding.actor.lines[0].function == "plus_one_serial"
    assert finding.actor.lines[0].line > 0
