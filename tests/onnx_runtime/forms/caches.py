"""Attention with caches and lengths, and other operators of opsets 18 to 24."""
import numpy as np
from onnx import TensorProto

from forms.registry import form


@form(24)
def attention_of_a_cache_with_lengths(g):
    q, k, v = g.input([2, 4, 1, 8]), g.input([2, 2, 6, 8]), g.input([2, 2, 6, 8])
    g.output(g("Attention", [q, k, v, "", "", "", g.constant(np.int64([4, 6]))]))


@form(24)
def attention_of_a_cache_with_computed_lengths(g):
    q, k, v = g.input([2, 4, 1, 8]), g.input([2, 2, 6, 8]), g.input([2, 2, 6, 8])
    g.output(g("Attention", [q, k, v, "", "", "", g.input_of([4, 6], "int64")]))


@form(23)
def rotary_embedding_of_computed_positions(g):
    x, cos, sin = g.input([1, 2, 4, 8]), g.weights([9, 4]), g.weights([9, 4])
    g.output(g("RotaryEmbedding", [x, cos, sin, g.input([1, 4], 0, 8, "int64")]))


@form(23)
def rms_normalization_of_two_axes(g):
    g.output(g("RMSNormalization", [g.input([2, 3, 4]), g.weights([3, 4])], axis=1))


@form(24)
def tensor_scatter_of_constant_positions(g):
    past, new = g.input([2, 3, 6, 4]), g.input([2, 3, 2, 4])
    g.output(g("TensorScatter", [past, new, g.constant(np.int64([1, 3]))], axis=2))
    g.output(g("TensorScatter", [past, new], axis=2))
    g.output(g("TensorScatter", [past, new, g.constant(np.int64([5, 4]))], axis=2, mode="circular"))


@form(24)
def tensor_scatter_of_computed_positions(g):
    past, new = g.input([2, 3, 6, 4]), g.input([2, 3, 2, 4])
    g.output(g("TensorScatter", [past, new, g.input_of([1, 3], "int64")], axis=2))


@form(21)
def group_normalization_21(g):
    g.output(g("GroupNormalization", [g.input([2, 6, 3, 3]), g.weights([6]), g.weights([6])], num_groups=3))


@form(20)
def reduce_max_of_booleans(g):
    x = g.input([2, 5], element="bool")
    g.output(g("ReduceMax", [x, g.integers(1)]), element=TensorProto.BOOL)


@form(24)
def swish_with_alpha(g):
    g.output(g("Swish", [g.input([2, 5])], alpha=0.5))


@form(24)
def attention_of_a_cache_with_a_mask(g):
    q, k, v = g.input([2, 4, 3, 8]), g.input([2, 2, 6, 8]), g.input([2, 2, 6, 8])
    lengths = g.constant(np.int64([4, 6]))
    g.output(g("Attention", [q, k, v, g.weights([3, 6]), "", "", lengths]),
             g("Attention", [q, k, v, g.constant(np.tri(3, 6, 3).astype(bool)), "", "", lengths]))


@form(13)
def microsoft_rotary_embedding_of_computed_positions(g):
    x, tables = g.input([1, 2, 4, 8]), [g.weights([9, 4]), g.weights([9, 4])]
    g.output(g.microsoft("RotaryEmbedding", [x, g.input([1, 4], 0, 8, "int64")] + tables),
             g.microsoft("RotaryEmbedding", [x, g.input([1], 0, 4, "int64")] + tables))


@form()
def lp_normalization_of_long_axes_and_zeros(g):
    long = g.input([1, 5000, 2])
    rows = g.draw([2, 3, 4])
    rows[0, :, 1], rows[1, 2] = 0, 0
    x = g.input_of(rows)
    g.output(*(g("LpNormalization", [y], axis=axis, p=p) for y in (long, x) for axis in (1, 2) for p in (1, 2)))
