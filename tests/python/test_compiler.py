"""Calibrates, compiles and evaluates as the tools do, with progress and exceptions."""

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
