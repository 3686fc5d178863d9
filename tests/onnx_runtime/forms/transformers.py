"""Attention, positions, recurrent layers and products as exporters write them."""
import numpy as np

from forms.registry import form


@form()
def multi_head_attention_of_parts(g):
    x = g.input([1, 6, 8])

    def heads(name):
        y = g("Add", [g("MatMul", [x, g.weights([8, 8])]), g.weights([8])])
        return g("Transpose", [g("Reshape", [y, g.integers(1, 6, 2, 4)])], perm=[0, 2, 1, 3])
    q, k, v = heads("q"), heads("k"), heads("v")
    scores = g("MatMul", [q, g("Transpose", [k], perm=[0, 1, 3, 2])])
    p = g("Softmax", [g("Div", [scores, g.constant(np.float32(2))])], axis=-1)
    y = g("Transpose", [g("MatMul", [p, v])], perm=[0, 2, 1, 3])
    g.output(g("Gemm", [g("Reshape", [y, g.integers(6, 8)]), g.weights([8, 8]), g.weights([8])]))


@form()
def attention_of_packed_projections(g):
    x = g("Add", [g("MatMul", [g.input([2, 5, 8]), g.weights([8, 24])]), g.weights([24])])
    x = g("Transpose", [g("Reshape", [x, g.integers(2, 5, 3, 2, 4)])], perm=[2, 0, 3, 1, 4])
    parts = [g("Gather", [x, g.constant(np.int64(i))], axis=0) for i in range(3)]
    scores = g("MatMul", [parts[0], g("Transpose", [parts[1]], perm=[0, 1, 3, 2])])
    g.output(g("MatMul", [g("Softmax", [scores], axis=-1), parts[2]]))


@form()
def attention_of_unbound_projections(g):
    x = g("Reshape", [g.input([2, 5, 24]), g.integers(2, 5, 3, 2, 4)])
    x = g("Transpose", [x], perm=[2, 0, 3, 1, 4])
    parts = [g.squeeze(y, 0) for y in g.split_equally(x, 3, 0)]
    scores = g("MatMul", [parts[0], g("Transpose", [parts[1]], perm=[0, 1, 3, 2])])
    g.output(g("MatMul", [g("Softmax", [scores], axis=-1), parts[2]]))


@form()
def queries_of_a_detection_transformer(g):
    queries, memory = g.weights([5, 8]), g.input([2, 8, 7])
    scores = g("Softmax", [g("MatMul", [queries, memory])], axis=-1)
    g.output(g("MatMul", [scores, g("Transpose", [memory], perm=[0, 2, 1])]))


@form()
def relative_positions_before_softmax(g):
    scores = g("Add", [g.input([2, 3, 4, 4]), g.weights([1, 3, 4, 4])])
    mask = g.constant(np.where(g.random.randint(0, 2, [2, 1, 4, 4]) == 1, 0, -100).astype(np.float32))
    g.output(g("Softmax", [g("Add", [scores, mask])], axis=-1))


@form()
def mask_of_bert(g):
    mask = g("Cast", [g.unsqueeze(g.input([2, 5], 0, 1, "int64"), 1, 2)], to=1)
    far = g("Mul", [g("Sub", [g.constant(np.float32(1)), mask]), g.constant(np.float32(-10000))])
    g.output(g("Softmax", [g("Add", [g.input([2, 2, 5, 5]), far])], axis=-1))


@form()
def mask_of_floats_as_input(g):
    mask = g.input_of(np.array([[1, 1, 1, 0, 0], [1, 0, 1, 1, 1]]))
    far = g("Mul", [g("Sub", [g.constant(np.float32(1)), g.unsqueeze(mask, 1, 2)]),
                    g.constant(np.float32(-1e9))])
    g.output(g("Softmax", [g("Add", [g.input([2, 2, 5, 5]), far])], axis=-1))


@form()
def log_softmax_and_softmax_of_channels(g):
    x = g.input([2, 5, 3, 4])
    y = g("Transpose", [x], perm=[0, 2, 3, 1])
    g.output(g("LogSoftmax", [y], axis=3), g("Softmax", [y], axis=3))
    if g.opset >= 13:
        g.output(g("Softmax", [x], axis=1), g("LogSoftmax", [x], axis=-2))
    else:
        g.output(g("Softmax", [x], axis=1), g("LogSoftmax", [x]))


@form(23)
def attention(g):
    q, k, v = (g.input([1, 4, 5, 8]) for _ in range(3))
    g.output(g("Attention", [q, k, v]), g("Attention", [q, k, v], is_causal=1, scale=0.25),
             g("Attention", [q, k, v, g.weights([5, 5])], softcap=2.0))


@form(23)
def attention_of_three_axes_and_groups(g):
    q, k, v = g.input([2, 5, 32]), g.input([2, 6, 16]), g.input([2, 6, 16])
    mask = g.constant(g.random.randint(0, 2, [5, 6]) + np.eye(5, 6) > 0)
    g.output(g("Attention", [q, k, v], q_num_heads=4, kv_num_heads=2),
             g("Attention", [q, k, v, mask], q_num_heads=4, kv_num_heads=2))


@form(23)
def attention_with_past(g):
    q, k, v = g.input([1, 2, 1, 4]), g.input([1, 2, 1, 4]), g.input([1, 2, 1, 4])
    past = [g.input([1, 2, 3, 4]), g.input([1, 2, 3, 4])]
    g.output(*g("Attention", [q, k, v, ""] + past, 3))


@form(23)
def rotary_embedding(g):
    x = g.input([1, 2, 4, 8])
    cos, sin = g.weights([1, 4, 4]), g.weights([1, 4, 4])
    table = [g.weights([10, 4]), g.weights([10, 4]), g.constant(np.array([[0, 2, 5, 9]]))]
    g.output(g("RotaryEmbedding", [x, cos, sin]), g("RotaryEmbedding", [x, cos, sin], interleaved=1),
             g("RotaryEmbedding", [x] + table))


@form()
def rotary_embedding_of_parts(g):
    x = g.input([1, 2, 4, 8])
    most = np.iinfo(np.int64).max
    low = g("Slice", [x, g.integers(0), g.integers(4), g.integers(3)])
    high = g("Slice", [x, g.integers(4), g.integers(most), g.integers(3)])
    turned = g("Concat", [g("Neg", [high]), low], axis=-1)
    g.output(g("Add", [g("Mul", [x, g.weights([4, 8])]), g("Mul", [turned, g.weights([4, 8])])]))


# ---- com.microsoft ----

@form()
def microsoft_gelus(g):
    x = g.input([2, 4, 8])
    g.output(g.microsoft("Gelu", [x]), g.microsoft("FastGelu", [x]),
             g.microsoft("FastGelu", [x, g.weights([8])]), g.microsoft("BiasGelu", [x, g.weights([8])]),
             g.microsoft("QuickGelu", [x], alpha=1.702))


@form()
def microsoft_fused_conv(g):
    x, w, b = g.input([1, 3, 6, 6]), g.weights([4, 3, 3, 3]), g.weights([4])
    g.output(g.microsoft("FusedConv", [x, w, b], activation="Relu", kernel_shape=[3, 3]),
             g.microsoft("FusedConv", [x, w, b, g.input([1, 4, 4, 4])], activation="Relu"),
             g.microsoft("FusedConv", [x, w, b], activation="LeakyRelu", activation_params=[0.25]))


@form()
def microsoft_fused_products(g):
    g.output(g.microsoft("FusedMatMul", [g.input([2, 5, 4]), g.input([2, 5, 3])], transA=1, alpha=0.5),
             g.microsoft("FusedGemm", [g.input([3, 4]), g.weights([4, 5]), g.weights([5])],
                         activation="Relu"))


@form()
def microsoft_fused_products_of_turned_batches(g):
    g.output(g.microsoft("FusedMatMul", [g.input([3, 2, 4]), g.input([2, 4, 5])], transBatchA=1),
             g.microsoft("FusedMatMul", [g.input([4, 2, 3]), g.input([2, 4, 5])], transBatchA=1, transA=1),
             g.microsoft("FusedMatMul", [g.input([2, 3, 4]), g.input([5, 2, 4])], transBatchB=1, transB=1))


@form()
def microsoft_skip_layer_normalization(g):
    x, skip, scale, beta, bias = (g.input([2, 4, 8]), g.input([2, 4, 8]), g.weights([8]),
                                  g.weights([8]), g.weights([8]))
    y, _, _, total = g.microsoft("SkipLayerNormalization", [x, skip, scale, beta, bias],
                                 [g.name("y"), "", "", g.name("sum")], epsilon=1e-5)
    g.output(y, total, g.microsoft("SkipSimplifiedLayerNormalization", [x, skip, scale], epsilon=1e-5))


@form()
def microsoft_layer_normalization_of_positions_last_axis(g):
    g.output(g("SimplifiedLayerNormalization", [g.input([2, 4, 8]), g.weights([8])], axis=-1,
               epsilon=1e-5))


@form()
def microsoft_embed_layer_normalization(g):
    tokens = g.constant(g.random.randint(0, 9, [1, 5]).astype(np.int32))
    segments = g.constant(g.random.randint(0, 2, [1, 5]).astype(np.int32))
    tables = [g.weights([9, 8]), g.weights([6, 8]), g.weights([2, 8]), g.weights([8]), g.weights([8])]
    y, _ = g.microsoft("EmbedLayerNormalization", [tokens, segments] + tables,
                       [g.name("y"), g.name("mask")], epsilon=1e-5)
    plain = g.microsoft("EmbedLayerNormalization", [tokens, "", tables[0], tables[1], ""] + tables[3:],
                        [g.name("y"), g.name("mask")], epsilon=1e-5)[0]
    g.output(g("Add", [g.input([1, 5, 8]), y]), g("Add", [g.input([1, 5, 8]), plain]))


@form()
def microsoft_multi_head_attention(g):
    q, k, v = g.input([2, 5, 8]), g.input([2, 6, 8]), g.input([2, 6, 8])
    g.output(g.microsoft("MultiHeadAttention", [q, k, v], num_heads=2),
             g.microsoft("MultiHeadAttention", [q, k, v, g.weights([24])], num_heads=2))


@form()
def microsoft_attention(g):
    x = g.input([2, 5, 8])
    g.output(g.microsoft("Attention", [x, g.weights([8, 24]), g.weights([24])], num_heads=2),
             g.microsoft("Attention", [x, g.weights([8, 24]), g.weights([24])], num_heads=2,
                         unidirectional=1),
             g.microsoft("Attention", [x, g.weights([8, 20]), g.weights([20])], num_heads=2,
                         qkv_hidden_sizes=[6, 6, 8], scale=0.3),
             g.microsoft("Attention", [x, g.weights([8, 24]), g.weights([24]), "", "",
                                       g.weights([2, 2, 5, 5])], num_heads=2))


@form()
def microsoft_rotary_embedding(g):
    x, flat = g.input([1, 2, 4, 8]), g.input([2, 4, 16])
    positions = g.constant(np.array([[0, 2, 5, 9]], np.int64))
    tables, first = [g.weights([10, 4]), g.weights([10, 4])], g.integers(3)
    g.output(g.microsoft("RotaryEmbedding", [x, positions] + tables),
             g.microsoft("RotaryEmbedding", [x, first] + tables, interleaved=1),
             g.microsoft("RotaryEmbedding", [flat, first] + tables),
             g.microsoft("RotaryEmbedding", [flat, first] + tables, interleaved=1, num_heads=2))


@form()
def microsoft_rotary_embedding_of_a_part(g):
    tables = [g.weights([10, 2]), g.weights([10, 2])]
    g.output(g.microsoft("RotaryEmbedding", [g.input([2, 4, 16]), g.integers(3)] + tables, num_heads=2,
                         rotary_embedding_dim=4))


@form()
def microsoft_mat_mul_of_n_bits(g):
    packed = g.constant(g.random.randint(0, 256, [5, 2, 16]), "uint8")
    inputs = [g.input([3, 40]), packed, g.weights([10], 0.01, 0.1)]
    y = g.microsoft("MatMulNBits", inputs, K=40, N=5, bits=4, block_size=32)
    zeros = g.constant(g.random.randint(0, 256, [5]), "uint8")
    g.output(y, g.microsoft("MatMulNBits", inputs + [zeros], K=40, N=5, bits=4, block_size=32))


# ---- Einsum, recurrent layers ----

@form(12)
def einsums_of_two_tensors(g):
    a, b = g.input([2, 3, 4, 5]), g.input([2, 3, 6, 5])
    g.output(g("Einsum", [a, b], equation="bhqd,bhkd->bhqk"),
             g("Einsum", [a, g.input([2, 7, 3, 5])], equation="bhqd,bkhd->bhqk"),
             g("Einsum", [g.input([2, 3, 5]), g.weights([5, 4])], equation="bnd,dk->bnk"),
             g("Einsum", [g.input([4, 2]), g.input([4, 3])], equation="ij,ik->jk"),
             g("Einsum", [g.input([2, 3, 4])], equation="ijk->kji"),
             g("Einsum", [g.input([3]), g.input([4])], equation="i,j"))


@form(12)
def einsums_of_three_tensors_and_diagonals(g):
    g.output(g("Einsum", [g.input([2, 3]), g.input([3, 4]), g.input([4, 5])], equation="ab,bc,cd->ad"),
             g("Einsum", [g.input([3, 3])], equation="ii->i"), g("Einsum", [g.input([2, 3])], equation="ij->"))


def recurrent(g, operator, gates, outputs, **attributes):
    for direction in ("forward", "reverse", "bidirectional"):
        count = 2 if direction == "bidirectional" else 1
        weights = [g.weights([count, gates * 4, 3]), g.weights([count, gates * 4, 4]),
                   g.weights([count, 2 * gates * 4])]
        g.output(*g(operator, [g.input([5, 2, 3])] + weights, outputs, hidden_size=4,
                    direction=direction, **attributes))


@form()
def rnn_of_every_direction(g):
    recurrent(g, "RNN", 1, 2)


@form()
def gru_of_every_direction(g):
    recurrent(g, "GRU", 3, 2)
    recurrent(g, "GRU", 3, 2, linear_before_reset=1)


@form()
def lstm_of_every_direction(g):
    recurrent(g, "LSTM", 4, 3)


@form()
def lstm_with_first_states(g):
    x, w, r = g.input([5, 2, 3]), g.weights([1, 16, 3]), g.weights([1, 16, 4])
    y, h, c = g("LSTM", [x, w, r, g.weights([1, 32]), "", g.input([1, 2, 4]), g.input([1, 2, 4])], 3,
                hidden_size=4)
    g.output(g.squeeze(y, 1), h, c)


@form()
def lstm_with_peepholes(g):
    x, w, r = g.input([5, 2, 3]), g.weights([2, 16, 3]), g.weights([2, 16, 4])
    weights = [w, r, g.weights([2, 32]), "", "", "", g.weights([2, 12])]
    g.output(*g("LSTM", [x] + weights, 3, hidden_size=4, direction="bidirectional"))


@form()
def lstm_of_coupled_gates(g):
    x, w, r = g.input([5, 2, 3]), g.weights([1, 16, 3]), g.weights([1, 16, 4])
    g.output(*g("LSTM", [x, w, r], 3, hidden_size=4, input_forget=1))


@form()
def gru_of_lengths_that_are_all(g):
    x, w, r = g.input([5, 2, 3]), g.weights([1, 12, 3]), g.weights([1, 12, 4])
    lengths = g.constant(np.array([5, 5], np.int32))
    g.output(g("GRU", [x, w, r, "", lengths], 2, hidden_size=4, linear_before_reset=1)[0])
