"""Layers of decoders as ONNX Runtime's model builder writes them: attention with caches, and weights
of few bits."""
import numpy as np

from forms.microsoft import of_bits
from forms.registry import form

HEADS, KEY_HEADS, SIZE = 4, 2, 16


def lengths(g, values, computed):
    return g.input_of(values, "int32") if computed else g.constant(np.int32(values))


def group_query_attention(g, samples, tokens, past, total, keys, computed=False, packed=False, outputs=3,
                          more=(), **attributes):
    """`keys` are the keys of each sample, `more` the inputs from cos_cache on."""
    if packed:
        qkv = [g.input([samples, tokens, (HEADS + 2 * KEY_HEADS) * SIZE]), "", ""]
    else:
        qkv = [g.input([samples, tokens, n * SIZE]) for n in (HEADS, KEY_HEADS, KEY_HEADS)]
    if past:
        cache = [g.input([samples, KEY_HEADS, past, SIZE]) for _ in range(2)]
    else:
        cache = [g.constant(np.zeros((samples, KEY_HEADS, 0, SIZE), np.float32)) for _ in range(2)]
    counts = [lengths(g, [n - 1 for n in keys], computed), g.constant(np.int32(total))]
    names = [g.name("y"), g.name("k"), g.name("v")]
    g.microsoft("GroupQueryAttention", qkv + cache + counts + list(more), names, num_heads=HEADS,
                kv_num_heads=KEY_HEADS, **attributes)
    g.output(*names[:outputs])


def rotations(g, half=SIZE // 2, most=32):
    angles = np.outer(np.arange(most), 10000.0 ** (-np.arange(half) / half))
    return [g.constant(np.cos(angles).astype(np.float32)), g.constant(np.sin(angles).astype(np.float32))]


@form()
def microsoft_group_query_attention_of_a_prompt(g):
    group_query_attention(g, 1, 5, 0, 5, [5])
    group_query_attention(g, 2, 5, 0, 5, [5, 5], computed=True, packed=True)


@form()
def microsoft_group_query_attention_of_a_prompt_in_a_buffer(g):
    group_query_attention(g, 2, 5, 9, 5, [5, 5], more=rotations(g), do_rotary=1)


@form()
def microsoft_group_query_attention_of_the_next_token(g):
    group_query_attention(g, 2, 1, 6, 7, [7, 7], more=rotations(g), do_rotary=1)
    group_query_attention(g, 2, 1, 6, 7, [7, 7], computed=True, packed=True, more=rotations(g), do_rotary=1,
                          rotary_interleaved=1)


@form()
def microsoft_group_query_attention_of_samples_of_several_lengths(g):
    group_query_attention(g, 2, 1, 6, 7, [7, 4], more=rotations(g), do_rotary=1)
    group_query_attention(g, 3, 1, 6, 7, [3, 7, 1], computed=True, more=rotations(g), do_rotary=1)


@form()
def microsoft_group_query_attention_of_the_next_tokens(g):
    group_query_attention(g, 1, 3, 6, 9, [9], more=rotations(g), do_rotary=1)
    group_query_attention(g, 1, 3, 6, 8, [8], computed=True, more=rotations(g), do_rotary=1)


@form()
def microsoft_group_query_attention_in_a_buffer(g):
    group_query_attention(g, 1, 1, 12, 7, [7], more=rotations(g), do_rotary=1)
    group_query_attention(g, 1, 1, 12, 7, [7], computed=True, more=rotations(g), do_rotary=1)


@form()
def microsoft_group_query_attention_of_a_buffer_of_nan(g):
    """What a cache holds behind the cached tokens does not count."""
    for tokens, computed in ((1, True), (2, True), (1, False)):
        qkv = g.input([1, tokens, (HEADS + 2 * KEY_HEADS) * SIZE])
        cache = []
        for rest in (np.nan, np.inf):
            values = g.draw([1, KEY_HEADS, 8, SIZE])
            values[:, :, 5:] = rest
            cache.append(g.input_of(values))
        counts = [lengths(g, [4 + tokens], computed), g.constant(np.int32(8))]
        g.output(*g.microsoft("GroupQueryAttention", [qkv, "", ""] + cache + counts, 3, num_heads=HEADS,
                              kv_num_heads=KEY_HEADS))


@form()
def microsoft_group_query_attention_of_windows(g):
    for window in (1, 3, 4, 20):
        group_query_attention(g, 1, 6, 0, 6, [6], local_window_size=window, outputs=1)
        group_query_attention(g, 1, 1, 8, 9, [9], local_window_size=window, outputs=1)
        group_query_attention(g, 2, 1, 8, 9, [6, 9], computed=True, local_window_size=window, outputs=1)


@form()
def microsoft_group_query_attention_with_softcap(g):
    group_query_attention(g, 1, 5, 0, 5, [5], softcap=1.5, scale=0.75, outputs=1)
    group_query_attention(g, 2, 1, 8, 9, [6, 9], computed=True, softcap=0.5, local_window_size=3, outputs=1)


@form()
def microsoft_group_query_attention_with_positions_and_a_bias(g):
    """Of the positions of a prompt, only the first counts."""
    positions = g.input_of([[3, 1, 0, 2, 6], [1, 2, 3, 4, 5]], "int64")
    group_query_attention(g, 2, 5, 0, 5, [5, 5], more=rotations(g) + [positions, g.weights([1, HEADS, 5, 5])],
                          do_rotary=1)
    group_query_attention(g, 1, 3, 4, 7, [7], more=rotations(g) + [g.input_of([[9, 2, 5]], "int64")], do_rotary=1)
    group_query_attention(g, 2, 1, 6, 7, [7, 7], computed=True,
                          more=["", "", "", g.input([2, 1, 1, 7])])


@form()
def microsoft_group_query_attention_with_sinks(g):
    group_query_attention(g, 2, 5, 0, 5, [5, 5], more=["", "", "", "", g.weights([HEADS])], outputs=1)
    group_query_attention(g, 2, 1, 6, 7, [7, 4], computed=True, more=["", "", "", "", g.weights([HEADS], 2, 9)],
                          local_window_size=2, outputs=1)
    group_query_attention(g, 1, 5, 0, 5, [5], smooth_softmax=1, outputs=1)


@form(13)
def microsoft_decoder_layer(g):
    """A layer whose mask and numbers of keys come from attention_mask, as the model builder writes them."""
    x, skip = g.input([1, 1, 32]), g.input([1, 1, 32])
    mask = g.input_of(np.ones((1, 7)), "int64")
    counts = g("Cast", [g("Sub", [g("ReduceSum", [mask, g.integers(1)], keepdims=1), g.integers(1)])], to=6)
    total = g("Cast", [g("Gather", [g("Shape", [mask]), g.constant(np.int64(1))], axis=0)], to=6)
    h, total_x = g.name("h"), g.name("x")
    g.microsoft("SkipSimplifiedLayerNormalization", [x, skip, g.weights([32])], [h, "", "", total_x], epsilon=1e-5)
    inputs, attributes = of_bits(g, 128, 32, 4, 16)
    qkv = g.microsoft("MatMulNBits", [h] + inputs, **attributes)
    cache = [g.input([1, KEY_HEADS, 6, SIZE]) for _ in range(2)]
    y, k, v = g.microsoft("GroupQueryAttention", [qkv, "", ""] + cache + [counts, total] + rotations(g), 3,
                          num_heads=HEADS, kv_num_heads=KEY_HEADS, do_rotary=1)
    g.output(g("Add", [g("MatMul", [y, g.weights([64, 32])]), total_x]), k, v)


@form(tolerance=1e-3)
def microsoft_mat_mul_n_bits_of_reordered_columns(g):
    inputs, attributes = of_bits(g, 6, 64, 4, 16, zeros=False)
    groups = g.random.permutation(np.repeat(np.arange(4), 16)).astype(np.int32)
    g.output(g.microsoft("MatMulNBits", [g.input([3, 64])] + inputs + ["", g.constant(groups)], **attributes))


@form(tolerance=1e-3)
def microsoft_mat_mul_n_bits_of_reordered_columns_with_zero_points(g):
    """ONNX Runtime takes 8 for all zero points if there is a g_idx."""
    x = g.input([2, 32])
    bytes_, scales = g.random.randint(0, 256, [3, 2, 8]), g.random.rand(6).astype(np.float32)
    zeros, groups = g.random.randint(0, 256, [3]), g.random.permutation(np.repeat(np.arange(2), 16))
    integers = np.stack([bytes_ & 15, bytes_ >> 4], -1).reshape(3, 32)
    z, s = np.stack([zeros & 15, zeros >> 4], -1)[:, groups], scales.reshape(3, 2)[:, groups]
    inputs = [x, g.constant(bytes_, "uint8"), g.constant(scales), g.constant(zeros, "uint8"),
              g.constant(groups, "int32")]
    g.output(g.microsoft("MatMulNBits", inputs, K=32, N=3, bits=4, block_size=16))
    values = np.array(g.data[x]["data"]).reshape(2, 32) @ ((integers - z) * s).T
    g.expected = [values.flatten().tolist()]


@form(tolerance=1e-3)
def simplified_normalizations_of_other_extents(g):
    g.output(g("SimplifiedLayerNormalization", [g.input([2, 3, 4]), g.weights([3, 4])], axis=1))
    g.output(g.microsoft("SkipSimplifiedLayerNormalization", [g.input([3, 8]), g.input([3, 8]), g.weights([8]),
                                                              g.weights([8])]))
    g.output(g.microsoft("SkipSimplifiedLayerNormalization", [g.input([2, 3, 8]), g.input([1, 3, 8]), g.weights([8])]))
    g.output(g.microsoft("SkipLayerNormalization", [g.input([2, 3, 8]), g.input([3, 8]), g.weights([8]), g.weights([8])]))
