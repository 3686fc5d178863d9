"""Tests the records of devices, and the findings of checks."""

import numpy as np
import pytest

import tputwin
from test_kernels import OKKERNEL_FLAGS, PLUS_ONE


def launch(text, watches={}, **options):
    device = tputwin.Device("BM1684", **options)
    kernels = tputwin.kernel(text, device=device, packed=True, flags=OKKERNEL_FLAGS)
    x = np.ones((2, 3, 4, 5), np.float32)
    with tputwin.watch(device, **watches) as watch:
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


def test_values_are_those_before_and_after_a_command():
    _, watch = launch(PLUS_ONE.read_text(), {"values": True})
    add = watch.commands[1]
    before = [o.before for o in add.operands if o.access == "read"]
    after = [o.after for o in add.operands if o.access == "write"]
    assert len(before) == len(after) == 1 and before[0].shape == (1, 3, 4, 5)
    assert (before[0] == 1).all() and (after[0] == 2).all()
    assert all(o.before is None for o in add.operands if o.access == "write")
    _, plain = launch(PLUS_ONE.read_text())
    assert all(o.before is None and o.after is None for c in plain.commands for o in c.operands)


def test_a_profile_places_commands_in_time():
    _, watch = launch(PLUS_ONE.read_text(), {"profile": True})
    profile = watch.profile
    assert [c.call for c in profile.commands] == [c.call for c in watch.commands]
    assert all(c.issue <= c.start < c.end <= profile.cycles for c in profile.commands)
    only, = profile.launches
    assert only.name == "plus_one_serial" and only.end_cycle == profile.cycles
    assert sum(profile.critical.values()) == profile.cycles
    adds, = [line for line in profile.lines if line.call == "okk_bdc_add_C"]
    assert adds.commands == 2 and adds.source.startswith("plus_one_serial")
    _, plain = launch(PLUS_ONE.read_text())
    with pytest.raises(ValueError, match="profile=True"):
        plain.profile


def test_profiles_of_nets(recorded):
    net = tputwin.load(recorded / "nets-lenet-int8.bmodel")
    with tputwin.watch(net, profile=True, values=True) as watch:
        net.run(np.zeros(net.inputs[0].shape, np.float32))
    assert watch.profile.cycles > 0 and len(watch.profile.commands) == len(watch.commands)


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


def test_checks_find_mistakes():
    clean, _ = launch(PLUS_ONE.read_text(), check="all")
    assert clean.findings == []
    wrong = PLUS_ONE.read_text().replace("  okk_poll();\n", "")
    device, _ = launch(wrong, check="all")
    found = {finding.id: finding for finding in device.findings}
    finding = found["missing-poll"]
    assert finding.actor.call == "okk_gdma_32bit_cpy_L2S" and finding.missing
    assert finding.actor.lines[0].function == "plus_one_serial"
    assert finding.actor.lines[0].line > 0
