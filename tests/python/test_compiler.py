"""Calibrates, compiles and evaluates as the tools do, with progress and exceptions."""

import numpy as np
import pytest

import tputwin


def test_calibrates_with_progress(fashion):
    assert fashion.progress[-1][0] == fashion.progress[-1][1] > 0
    assert fashion.calibrated.report
    assert "wrote" not in fashion.calibrated.text


def test_compiles(fashion):
    assert fashion.compiled.predicted_cycles > 0
    assert "predicted" in fashion.compiled.text
    assert fashion.compiled.explanation


def test_evaluates(fashion):
    seen = []
    accuracy = tputwin.evaluate(fashion.prototxt, fashion.caffemodel, fashion.model,
                                fashion.test_images, samples=50, preparation=fashion.preparation,
                                progress=lambda done, total: seen.append((done, total)))
    assert accuracy.samples == 50
    assert accuracy.int8_right >= accuracy.float_right - 3
    assert seen[-1] == (50, 50)


def test_exceptions_of_progress_reach_the_caller(fashion, tmp_path):
    def stop(done, total):
        raise KeyError("enough")
    with pytest.raises(KeyError, match="enough"):
        tputwin.evaluate(fashion.prototxt, fashion.caffemodel, fashion.model, fashion.test_images,
                         samples=2, preparation=fashion.preparation, progress=stop)


def test_refuses_missing_files(fashion, tmp_path):
    with pytest.raises(tputwin.Error) as raised:
        tputwin.compile(tmp_path / "none.caffemodel", fashion.calibrated.table, "")
    assert "none.caffemodel" in str(raised.value)
    with pytest.raises(ValueError, match="method"):
        tputwin.calibrate(fashion.prototxt, fashion.caffemodel, tmp_path, tmp_path, method="best")
    for reach in (-1, 1.5, float("nan")):
        with pytest.raises(ValueError, match="reach"):
            tputwin.calibrate(fashion.prototxt, fashion.caffemodel, tmp_path, tmp_path, reach=reach)


@pytest.mark.parametrize("chip, type, tolerance", [("bm1684x", "fp32", 1e-5), ("bm1684x", "fp16", 5e-3),
                                                   ("bm1684", "fp32", 1e-5)])
def test_compiles_for_chips_with_streams(fashion, tmp_path, chip, type, tolerance):
    made = tputwin.compile(fashion.caffemodel, "", tmp_path / "net.bmodel",
                           prototxt=fashion.prototxt, chip=chip, type=type)
    assert made.predicted_cycles > 0 and made.weight_bytes > 0 and not made.host_operators
    assert "predicted" in made.text and "group" in made.explanation
    net = tputwin.load(made.model)
    exact = tputwin.load(tputwin.compile(fashion.caffemodel, "", tmp_path / "exact.bmodel",
                                         prototxt=fashion.prototxt, chip=chip).model)
    x = np.random.RandomState(1).rand(*net.inputs[0].shape).astype(np.float32)
    want = np.asarray(exact(x))
    assert np.abs(np.asarray(net(x)) - want).max() <= tolerance * np.abs(want).max()


def test_compiles_bytes_for_chips_with_streams(fashion, tmp_path):
    with pytest.raises(tputwin.Error, match="calibrate again with --chip bm1684x"):
        tputwin.compile(fashion.caffemodel, fashion.calibrated.table, tmp_path / "net.bmodel",
                        prototxt=fashion.prototxt, chip="bm1684x", type="int8")
    table = tputwin.calibrate(fashion.prototxt, fashion.caffemodel, fashion.test_images, tmp_path,
                              samples=4, preparation=fashion.preparation, chip="bm1684x").table
    made = tputwin.compile(fashion.caffemodel, table, tmp_path / "net.bmodel",
                           prototxt=fashion.prototxt, chip="bm1684x", type="int8",
                           input_type="net", output_type="net")
    net = tputwin.load(made.model)
    # The last layer, a softmax, gives floats of the table's type.
    assert [end.type for end in (*net.inputs, *net.outputs)] == ["int8", "fp16"]


@pytest.mark.parametrize("chip", ["bm1684x", "bm1684"])
def test_calibrates_for_chips_with_streams(fashion, tmp_path, chip):
    made = tputwin.calibrate(fashion.prototxt, fashion.caffemodel, fashion.test_images, tmp_path,
                             samples=16, preparation=fashion.preparation, chip=chip, reach=0.9)
    assert (made.prototxt, made.caffemodel) == ("", "") and "trials" in str(made.report)
    net = tputwin.compile(fashion.caffemodel, made.table, tmp_path / "net.bmodel",
                          prototxt=fashion.prototxt, chip=chip, type="int8")
    result = tputwin.evaluate(fashion.prototxt, fashion.caffemodel, net.model, fashion.test_images,
                              samples=40, preparation=fashion.preparation)
    assert result.int8_right >= result.float_right - 2


def test_calibrates_types_of_layers(fashion, tmp_path):
    made = tputwin.calibrate(fashion.prototxt, fashion.caffemodel, fashion.test_images, tmp_path,
                             samples=4, preparation=fashion.preparation, chip="bm1684x",
                             type="bf16", reach=0.999999)
    assert "fp32" in made.text
    for arguments, said in [({"chip": "bm1685"}, "expected bm1684, bm1684x, bm1880"),
                            ({"chip": "bm1684x", "type": "fp32"}, "expected bf16, fp16, int8"),
                            ({"type": "fp16"}, "needs chip")]:
        with pytest.raises(ValueError, match=said):
            tputwin.calibrate(fashion.prototxt, fashion.caffemodel, fashion.test_images, tmp_path,
                              **arguments)


def test_evaluates_models_of_the_bm1684x(fashion, tmp_path):
    made = tputwin.compile(fashion.caffemodel, "", tmp_path / "net.bmodel",
                           prototxt=fashion.prototxt, chip="bm1684x")
    result = tputwin.evaluate(fashion.prototxt, fashion.caffemodel, made.model,
                              fashion.test_images, samples=2, preparation=fashion.preparation)
    assert result.samples == 2


def test_names_wrong_types(fashion, tmp_path):
    for arguments, said in [({"chip": "bm1685"}, "expected bm1684, bm1684x, bm1880"),
                            ({"chip": "bm1684x", "type": "fp8"}, "expected bf16, fp16, fp32, int8"),
                            ({"chip": "bm1684x", "output_type": "f"}, "expected fp32, net"),
                            ({"chip": "bm1684x", "dequantized": True}, "output_type"),
                            ({"type": "fp16"}, "needs chip")]:
        with pytest.raises(ValueError, match=said):
            tputwin.compile(fashion.caffemodel, "", tmp_path / "x.bmodel",
                            prototxt=fashion.prototxt, **arguments)
    with pytest.raises(tputwin.Error, match="fp32 or int8"):
        tputwin.compile(fashion.caffemodel, "", tmp_path / "x.bmodel", prototxt=fashion.prototxt,
                        chip="bm1684", type="fp16")
