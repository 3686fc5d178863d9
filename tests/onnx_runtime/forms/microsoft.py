"""Quantized and blocked operators of com.microsoft, as ONNX Runtime's quantizers and optimizer write
them. Scales are powers of two."""
import numpy as np

from forms.graph import UINT4
from forms.quantized import dynamic, nibbles, steps
from forms.quantizers import S, integers
from forms.registry import form


@form(tolerance=0.26)
def microsoft_qlinear_conv(g):
    s, z, ys = g.constant(S), g.constant(128, "uint8"), g.constant(np.float32(1 / 4))
    x = g("QuantizeLinear", [steps(g, [1, 6, 5, 3], S, -90, 90), s, z])
    w = g.constant(g.random.randint(-9, 10, [4, 3, 3, 3]), "int8")
    ws, wz = g.constant(np.float32([1 / 16, 1 / 32, 1 / 16, 1 / 8])), g.constant(np.zeros(4), "int8")
    bias = g.constant(g.random.randint(-999, 999, [4]), "int32")
    y = g.microsoft("QLinearConv", [x, s, z, w, ws, wz, ys, z, bias], channels_last=1, pads=[1, 1, 1, 1])
    g.output(g("DequantizeLinear", [y, ys, z]))


@form()
def microsoft_nhwc_max_pool(g):
    q, s, z = integers(g, [1, 6, 6, 3])
    y = g.microsoft("NhwcMaxPool", [q], kernel_shape=[2, 2], strides=[2, 2])
    g.output(g("DequantizeLinear", [y, s, z]))


@form(tolerance=0.07)
def microsoft_qlinear_where(g):
    a, s, z = integers(g, [2, 5])
    b, _, _ = integers(g, [2, 5])
    c = g.constant(g.random.randint(0, 2, [2, 5]).astype(bool))
    y = g.microsoft("QLinearWhere", [c, a, s, z, b, s, z, s, z])
    g.output(g("DequantizeLinear", [y, s, z]))


@form(tolerance=0.05)
def microsoft_qattention(g):
    x = g.input([1, 5, 8])
    q, s, z = dynamic(g, x)
    w, ws, wz = g.constant(g.random.randint(0, 256, [8, 24]), "uint8"), g.constant(np.float32(0.01)), g.constant(128, "uint8")
    g.output(g.microsoft("QAttention", [q, w, g.weights([24]), s, ws, "", z, wz], num_heads=2))


@form(tolerance=0.05)
def microsoft_qattention_of_static_scales(g):
    q, s, z = integers(g, [1, 5, 8], low=-32, high=32)
    w, ws, wz = g.constant(g.random.randint(-127, 128, [8, 24]), "int8"), g.weights([24], 0.005, 0.01), g.constant(np.zeros(24), "int8")
    g.output(g.microsoft("QAttention", [q, w, g.weights([24]), s, ws, "", z, wz], num_heads=4, unidirectional=1))


@form(tolerance=0.1)
def microsoft_dynamic_quantize_lstm(g):
    x = g.input([4, 1, 3])
    w, r = g.constant(g.random.randint(-127, 128, [1, 3, 20]), "int8"), g.constant(g.random.randint(-127, 128, [1, 5, 20]), "int8")
    ws, rs = g.constant(np.float32([0.004])), g.constant(np.float32([0.005]))
    z = g.constant(np.zeros(1), "int8")
    g.output(*g.microsoft("DynamicQuantizeLSTM", [x, w, r, g.weights([1, 40]), "", "", "", "", ws, z, rs, z],
                          [g.name("y"), g.name("h"), g.name("c")], hidden_size=5, direction="forward"))


def of_bits(g, rows, columns, bits, block, element="float32", zeros=True):
    blocks = -(-columns // block)
    w = g.constant(g.random.randint(0, 256, [rows, blocks, block * bits // 8]), "uint8")
    s = g.constant((g.random.rand(rows * blocks) * 0.01 + 0.005).astype(np.float32))
    z = [g.constant(g.random.randint(0, 256, [rows * -(-blocks * bits // 8)]), "uint8")] if zeros else []
    return [w, s] + z, dict(K=columns, N=rows, bits=bits, block_size=block)


@form(tolerance=1e-3)
def microsoft_mat_mul_n_bits(g):
    for bits, zeros in ((4, True), (4, False), (8, True)):
        inputs, attributes = of_bits(g, 6, 32, bits, 16, zeros=zeros)
        g.output(g.microsoft("MatMulNBits", [g.input([2, 3, 32])] + inputs, **attributes))


@form(tolerance=1e-3)
def microsoft_mat_mul_n_bits_with_a_bias(g):
    inputs, attributes = of_bits(g, 6, 32, 4, 16)
    g.output(g.microsoft("MatMulNBits", [g.input([3, 32])] + inputs + ["", g.weights([6])], **attributes))


@form(21, tolerance=1e-3)
def microsoft_gather_block_quantized(g):
    data = g.raw(UINT4, [9, 32], nibbles(g, 9 * 32))
    s, z = g.weights([9, 2], 0.01, 0.1), g.raw(UINT4, [9, 2], nibbles(g, 18))
    g.output(g.microsoft("GatherBlockQuantized", [data, g.integers(3, 0, 8), s, z],
                         gather_axis=0, quantize_axis=1, block_size=16),
             g.microsoft("GatherBlockQuantized", [data, g.input([2, 2], 0, 8, "int64"), s],
                         gather_axis=0, quantize_axis=1, block_size=16))


@form(13, tolerance=1e-3)
def microsoft_gather_block_quantized_of_bytes(g):
    data = g.constant(g.random.randint(0, 256, [9, 16]), "uint8")
    s, z = g.weights([9, 2], 0.01, 0.1), g.constant(g.random.randint(0, 256, [9, 1]), "uint8")
    g.output(g.microsoft("GatherBlockQuantized", [data, g.input([2, 2], 0, 8, "int64"), s, z],
                         gather_axis=0, quantize_axis=1, block_size=16, bits=4))


@form(13, tolerance=1e-3)
def microsoft_mat_mul_bnb4(g):
    w = g.constant(g.random.randint(0, 256, [6 * 32 // 2]), "uint8")
    s = g.weights([12], 0.01, 0.1)
    for kind in (0, 1):
        g.output(g.microsoft("MatMulBnb4", [g.input([3, 32]), w, s], K=32, N=6, block_size=16, quant_type=kind))


@form(tolerance=0.02)
def microsoft_qembed_layer_normalization(g):
    word, position, segment = (g.constant(g.random.randint(0, 256, [n, 8]), "uint8") for n in (9, 5, 2))
    gamma, beta = g.constant(g.random.randint(0, 256, [8]), "uint8"), g.constant(g.random.randint(0, 256, [8]), "uint8")
    s, z = [g.constant(np.float32(1 / 128))] * 5, [g.constant(128, "uint8")] * 5
    ids = g.input([1, 5], 0, 8, "int32")
    segments = g.input([1, 5], 0, 1, "int32")
    y = g.microsoft("QEmbedLayerNormalization", [ids, segments, word, position, segment, gamma, beta, ""] + s + z,
                    [g.name("y"), g.name("m")], epsilon=1e-12)
    g.output(y[0])


@form()
def microsoft_embeddings_without_a_mask(g):
    ids, segments = g.input([2, 5], 0, 8, "int32"), g.input([2, 5], 0, 1, "int32")
    x, lengths = g.microsoft("EmbedLayerNormalization",
                             [ids, segments, g.weights([9, 8]), g.weights([5, 8]), g.weights([2, 8]),
                              g.weights([8]), g.weights([8])], 2, epsilon=1e-5)
    g.output(x)
    g.output(g("Cast", [lengths], to=1))


# ---- Masks of transformers ----

KEYS = np.array([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]], np.int32)


def packed_attention(g, mask, **attributes):
    return g.microsoft("Attention", [g.input([2, 5, 8]), g.weights([8, 24]), g.weights([24]), mask],
                       num_heads=2, **attributes)


@form()
def microsoft_attention_with_masks_of_keys(g):
    g.output(packed_attention(g, g.input_of(KEYS, "int32")),
             packed_attention(g, g.constant(KEYS), mask_filter_value=-3.0),
             packed_attention(g, g.constant(np.tril(np.ones((2, 5, 5), np.int32)))),
             packed_attention(g, g.input_of(KEYS, "int32"), unidirectional=1))


@form()
def microsoft_attention_with_lengths(g):
    g.output(packed_attention(g, g.input_of([3, 5], "int32")), packed_attention(g, g.constant(np.int32([3, 5]))),
             packed_attention(g, g.constant(np.int32([3, 5, 1, 0]))))


@form()
def microsoft_multi_head_attention_with_masks_of_keys(g):
    def heads(mask):
        return g.microsoft("MultiHeadAttention", [g.input([2, 5, 8]), g.input([2, 5, 8]), g.input([2, 5, 8]),
                                                  g.weights([24]), mask], num_heads=2)
    g.output(heads(g.input_of(KEYS, "int32")), heads(g.constant(KEYS)), heads(g.constant(np.int32([3, 5]))))


@form()
def microsoft_embeddings_and_attention(g):
    """The layers of a BERT that the optimizer fuses."""
    ids, segments = g.input([2, 5], 0, 8, "int32"), g.input([2, 5], 0, 1, "int32")
    x, lengths = g.microsoft("EmbedLayerNormalization",
                             [ids, segments, g.weights([9, 8]), g.weights([5, 8]), g.weights([2, 8]),
                              g.weights([8]), g.weights([8]), g.input_of(KEYS, "int32")], 2, epsilon=1e-5)
    y = g.microsoft("Attention", [x, g.weights([8, 24]), g.weights([24]), lengths], num_heads=2)
    g.output(g.microsoft("SkipLayerNormalization", [y, x, g.weights([8]), g.weights([8]), g.weights([8])]))


@form(tolerance=0.05)
def microsoft_qattention_with_a_mask_of_keys(g):
    q, s, z = dynamic(g, g.input([2, 5, 8]))
    w, ws, wz = g.constant(g.random.randint(0, 256, [8, 24]), "uint8"), g.constant(np.float32(0.002)), g.constant(128, "uint8")
    g.output(g.microsoft("QAttention", [q, w, g.weights([24]), s, ws, g.input_of(KEYS, "int32"), z, wz], num_heads=2))
