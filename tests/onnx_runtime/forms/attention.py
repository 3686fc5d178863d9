"""Attention of opsets 23 and 24: its scores as an output, and lengths of caches."""
import numpy as np

from forms.registry import form


def scores(g, mask=None, lengths=None, dims=((2, 4, 3, 8), (2, 2, 6, 8)), **attributes):
    """The weighted values and the scores, at each step of qk_matmul_output_mode."""
    inputs = [g.input(list(dims[0])), g.input(list(dims[1])), g.input(list(dims[1])), mask or ""]
    if lengths:
        inputs += ["", "", lengths]
    for mode in range(4):
        y, qk = g.name("y"), g.name("qk")
        g("Attention", inputs, [y, "", "", qk], qk_matmul_output_mode=mode, **attributes)
        g.output(y, qk)


@form(23)
def scores_of_attention(g):
    scores(g)
    scores(g, softcap=0.5, scale=0.25)
    scores(g, is_causal=1)
    scores(g, dims=((2, 3, 32), (2, 6, 16)), q_num_heads=4, kv_num_heads=2)


@form(23)
def scores_of_attention_with_masks(g):
    scores(g, g.weights([3, 6]), softcap=0.5)
    scores(g, g.input([2, 1, 3, 6]), is_causal=1)
    scores(g, g.constant(np.tri(3, 6, 2).astype(bool)), is_causal=1)
    scores(g, g.input_of(np.tri(3, 6, -1).astype(bool), "bool"), softcap=0.5)


@form(24)
def scores_of_attention_with_lengths(g):
    for causal in (0, 1):
        scores(g, lengths=g.constant(np.int64([4, 6])), is_causal=causal)
        scores(g, lengths=g.input_of([2, 5], "int64"), is_causal=causal)
        scores(g, g.constant(np.tri(3, 6, 2).astype(bool)), g.constant(np.int64([1, 6])), is_causal=causal)
        scores(g, g.input([3, 6]), g.input_of([6, 3], "int64"), is_causal=causal)


@form(24)
def causal_attention_of_a_cache_with_lengths(g):
    q, k, v = g.input([2, 4, 1, 8]), g.input([2, 2, 6, 8]), g.input([2, 2, 6, 8])
    g.output(g("Attention", [q, k, v, "", "", "", g.input_of([4, 6], "int64")], is_causal=1))
    q, k, v = g.input([2, 3, 32]), g.input([2, 6, 16]), g.input([2, 6, 16])
    g.output(g("Attention", [q, k, v, "", "", "", g.input_of([2, 5], "int64")], is_causal=1, q_num_heads=4,
               kv_num_heads=2))
