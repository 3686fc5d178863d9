"""Runs bmodels of all chips with numpy arrays, by name."""

import gzip
import importlib.util

import numpy as np
import pytest

import tputwin
from conftest import FASHION


def images(count):
    with gzip.open(FASHION / "t10k-images-idx3-ubyte.gz") as file:
        pixels = np.frombuffer(file.read(16 + count * 784), np.uint8)[16:]
    return pixels.reshape(count, 1, 28, 28)


def test_runs_a_net_of_the_bm1880(fashion):
    net = tputwin.load(fashion.model)
    assert net.chip == "BM1880"
    assert [t.shape for t in net.inputs] == [(1, 1, 28, 28)]
    pixels = images(1)
    scores = net.run(pixels / 256)
    (name, as_bytes), = scores.items()
    assert as_bytes.dtype == np.int8 and name == net.outputs[0].name
    values = net.run(pixels / 256, dequantize=True)[name]
    assert np.array_equal(values, (as_bytes * net.outputs[0].step).astype(np.float32))


def test_quantizes_as_the_tools_do(fashion):
    net = tputwin.load(fashion.model)
    values = (images(1) / 256 - 0.5).astype(np.float32)
    threshold = np.float32(net.inputs[0].step * 128)
    as_bytes = np.clip(np.floor(values * 128 / threshold + np.float32(0.5)), -128, 127)
    assert np.array_equal(net(values), net(as_bytes.astype(np.int8)))


def test_fast_and_reference_kernels_agree(fashion):
    pixels = images(1) / 256
    assert np.array_equal(tputwin.load(fashion.model)(pixels),
                          tputwin.load(fashion.model, reference=True)(pixels))


def test_runs_a_net_of_the_bm1684x(recorded):
    net = tputwin.load(recorded / "nets-resnet-fp16.bmodel")
    assert net.chip == "BM1684X"
    x = np.zeros(net.inputs[0].shape, np.float32)
    by_place = net.run(x)
    by_name = net.run(**{net.inputs[0].name: x})
    assert list(by_place) == [t.name for t in net.outputs]
    for name, array in by_place.items():
        assert np.array_equal(array, by_name[name])
    assert net.predicted()["cycles"] > 0


def test_chooses_stages(recorded):
    with pytest.raises(tputwin.Error) as raised:
        tputwin.load(recorded / "nets-stages.bmodel")
    assert raised.value.id in ("TW-CLI-0012", "TW-BRT-0001") or raised.value.argument == "--net"


def test_runs_a_real_net_of_the_bm1684(shared):
    net = tputwin.load(shared("bm1684-real/face-fp32.bmodel"))
    assert net.chip == "BM1684"
    outputs = net.run(*[np.zeros(t.shape, np.float32) for t in net.inputs])
    assert set(outputs) == {t.name for t in net.outputs}


def test_refuses_arrays_that_do_not_fit(fashion):
    net = tputwin.load(fashion.model)
    with pytest.raises(tputwin.Error) as raised:
        net.run(np.zeros((1, 1, 28, 27), np.int8))
    assert raised.value.id == "TW-CLI-0002"
    with pytest.raises(tputwin.Error) as raised:  # pixels are not int8 values
        net.run(images(1))
    assert raised.value.id == "TW-CLI-0013"
    with pytest.raises(TypeError):
        net.run()
    with pytest.raises(TypeError):
        net.run(images(1), other=images(1))


def test_errors_have_rule_and_document(tmp_path):
    broken = tmp_path / "broken.bmodel"
    broken.write_bytes(b"no model at all")
    with pytest.raises(tputwin.Error) as raised:
        tputwin.load(broken)
    error = raised.value
    assert error.id and error.rule and error.document and error.kind
    assert error.id in {rule.id for rule in tputwin.rules()}
    assert error.rule in str(error)


def test_info_and_disassembly(fashion, recorded):
    assert tputwin.info(fashion.model)["varieties"]
    assert any("conv" in line for line in tputwin.disassemble(fashion.model))
    lines = tputwin.disassemble(recorded / "nets-lenet-int8.bmodel")
    assert any("GDMA" in line or "TIU" in line for line in lines)


@pytest.mark.parametrize("content, reason", [
    (b"version https://git-lfs.github.com/spec/v1\n", "Git LFS pointer"),
    (b"", "an empty file"),
    (b"CviModel" + bytes(40), "a cvimodel of the CV18xx"),
    (b"\x08\x07\x3a\x03\x0a\x01n", "an ONNX model"),
    (b"PK\3\4" + bytes(20), "a zip archive"),
])
def test_reports_the_format_of_a_file_that_is_no_model(tmp_path, content, reason):
    path = tmp_path / "net.bmodel"
    path.write_bytes(content)
    for reads in (tputwin.load, tputwin.info, tputwin.disassemble):
        with pytest.raises(tputwin.Error) as raised:
            reads(path)
        assert reason in str(raised.value) and str(path) in str(raised.value)


def write_dynamic(recorded, path, monkeypatch):
    """Writes a net whose only subnet is dynamic, with the writer next to the recorded nets."""
    spec = importlib.util.spec_from_file_location("mkbmodel", recorded.parent / "mkbmodel.py")
    writer = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(writer)
    table = writer.FB.table

    def dynamic(self, fields):
        is_subnet = 10 in fields and 11 in fields
        return table(self, {**fields, 5: ("i", 1)} if is_subnet else fields)

    monkeypatch.setattr(writer.FB, "table", dynamic)
    tensor = {"name": "x", "dtype": 0, "shape": [1, 4], "addr": 0x100000000}
    writer.write(path, [{"name": "moving", "inputs": [tensor], "outputs": [tensor], "tiu": b"",
                         "gdma": b"", "ctx_addr": 0x100000000, "ctx_size": 0x1000}])


def test_reports_that_a_net_is_dynamic(recorded, tmp_path, monkeypatch):
    path = tmp_path / "dynamic.bmodel"
    write_dynamic(recorded, path, monkeypatch)
    assert tputwin.info(path)["nets"][0]["stages"][0]["commands"]["not_priced"] == "dynamic"
    net = tputwin.load(path)
    for fails in (net.predicted, lambda: net.run(np.zeros((1, 4))),
                  lambda: tputwin.disassemble(path)):
        with pytest.raises(tputwin.Error) as raised:
            fails()
        assert raised.value.id == "TW-BRT-0104" and "it is dynamic" in str(raised.value)
