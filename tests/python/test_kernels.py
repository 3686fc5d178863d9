"""Runs kernels of all three chips with numpy arrays as device memory."""

from pathlib import Path

import numpy as np
import pytest

import tputwin
from conftest import ROOT

PLUS_ONE = ROOT / "examples/okkernel/device/plus_one_serial.c"
OKKERNEL_FLAGS = [f"-I{ROOT}/examples/okkernel/include"]

LARGEST_BM1880 = """
#include <bmkernel/bm1880/bmkernel_1880.h>
typedef struct { u64 a, b, c_address; int n, c, h, w; } args_t;
void largest(bmk1880_context_t* ctx, const void* args) {
  const args_t* p = args;
  const shape_t shape = shape_t4(p->n, p->c, p->h, p->w);
  tensor_lmem* a = bmk1880_tl_alloc(ctx, shape, FMT_I8, CTRL_AL);
  tensor_lmem* b = bmk1880_tl_alloc(ctx, shape, FMT_I8, CTRL_AL);
  bmk1880_gdma_load(ctx, a, p->a, CTRL_NULL);
  bmk1880_gdma_load(ctx, b, p->b, CTRL_NULL);
  bmk1880_max_param_t larger = {a, a, b};
  bmk1880_tpu_max(ctx, &larger);
  bmk1880_gdma_store(ctx, a, p->c_address, CTRL_NULL);
  bmk1880_tl_free(ctx, b);
  bmk1880_tl_free(ctx, a);
}
"""


def test_okkernel():
    kernels = tputwin.kernel(PLUS_ONE, packed=True, flags=OKKERNEL_FLAGS)
    assert kernels.device.chip == "BM1684" and kernels.names == ["plus_one_serial"]
    x = np.arange(2 * 70 * 3 * 5, dtype=np.float32).reshape(2, 70, 3, 5)
    y = np.empty_like(x)
    kernels.launch("plus_one_serial", *x.shape, x, y)
    assert np.array_equal(y, x + 1)


def test_tpukernel():
    folder = ROOT / "examples/tpukernel"
    kernels = tputwin.kernel(folder / "device/exp.c", packed=True, flags=[f"-I{folder}/include"])
    x = np.linspace(-4, 4, 1000, dtype=np.float32)
    y = np.empty_like(x)
    kernels.launch("exp_function", x, y, len(x))
    assert np.allclose(y, np.exp(x), rtol=1e-6)


def test_bmkernel():
    kernels = tputwin.kernel(LARGEST_BM1880)
    a = np.random.default_rng(1).integers(-100, 100, (1, 40, 5, 7), np.int8)
    b = a[:, ::-1].copy()
    c = np.empty_like(a)
    kernels.launch("largest", a, b, c, *a.shape)
    assert np.array_equal(c, np.maximum(a, b))


def test_arrays_that_stay_on_the_device():
    device = tputwin.Device("BM1684")
    kernels = tputwin.kernel(PLUS_ONE, device=device, packed=True, flags=OKKERNEL_FLAGS)
    x = device.array(np.zeros((1, 3, 4, 4)), np.float32)
    for _ in range(3):
        kernels.launch("plus_one_serial", *x.shape, x, x)
    assert (x.numpy() == 3).all()
    x.free()
    with pytest.raises(ValueError):
        x.numpy()


def test_kernels_of_one_name_do_not_conflict():
    text = PLUS_ONE.read_text()
    one = tputwin.kernel(text, packed=True, flags=OKKERNEL_FLAGS)
    two = tputwin.kernel(text.replace("1.0f", "2.0f"), packed=True, flags=OKKERNEL_FLAGS)
    x = np.zeros((1, 1, 1, 4), np.float32)
    two.launch("plus_one_serial", *x.shape, x, x)
    one.launch("plus_one_serial", *x.shape, x, x)
    assert (x == 3).all()


def test_a_broken_rule_is_an_exception():
    text = PLUS_ONE.read_text().replace("buffer, p->input + n", "0x7fffff00, p->input + n")
    kernels = tputwin.kernel(text, packed=True, flags=OKKERNEL_FLAGS)
    x = np.zeros((1, 1, 1, 4), np.float32)
    with pytest.raises(tputwin.Error) as raised:
        kernels.launch("plus_one_serial", *x.shape, x, x)
    assert raised.value.call == "okk_gdma_32bit_cpy_S2L, command 1 of the launch"
    assert raised.value.rule and raised.value.document


def test_a_broken_rule_of_the_bm1880():
    text = LARGEST_BM1880.replace("bmk1880_tl_alloc(ctx, shape, FMT_I8, CTRL_AL);\n  bmk1880_gdma",
                              "bmk1880_tl_alloc(ctx, shape_t4(1, 1, 1, 1), FMT_I8, CTRL_AL);"
                              "\n  bmk1880_gdma")
    assert text != LARGEST_BM1880
    kernels = tputwin.kernel(text)
    x = np.zeros((1, 2, 3, 4), np.int8)
    with pytest.raises(tputwin.Error) as raised:
        kernels.launch("largest", x, x, x, *x.shape)
    assert raised.value.call == "bmk1880_tpu_max"


def test_unknown_kernels_and_wrong_sources():
    kernels = tputwin.kernel(PLUS_ONE, flags=OKKERNEL_FLAGS)
    with pytest.raises(tputwin.Error, match="plus_one_serial"):
        kernels.launch("plus_two")
    with pytest.raises(tputwin.CompileError, match="error"):
        tputwin.kernel("#include <okk.h>\nno C at all")
    with pytest.raises(ValueError, match="chip"):
        tputwin.kernel("int x;")
    with pytest.raises(ValueError, match="int32"):
        kernels.launch("plus_one_serial", 2**40)


def test_arguments_are_aligned_as_c_aligns_them():
    from tputwin.kernels import _Fields
    fields = _Fields(tputwin.Device("BM1684"), packed=False)
    for value in (np.uint8(1), 2, np.int64(3), 0.5, b"xy"):
        fields.add(value)
    assert fields.bytes == (b"\1\0\0\0" b"\2\0\0\0" b"\3\0\0\0\0\0\0\0" b"\0\0\0\x3f" b"xy")
