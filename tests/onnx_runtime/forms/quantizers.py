"""Quantized graphs as ONNX Runtime's quantizers write them: integers that are converted, computed
with or passed on, operators on integers, and weights of blocks. Scales are powers of two."""
import numpy as np
from onnx import TensorProto

from forms.graph import INT4, UINT4
from forms.registry import form
from forms.quantized import dynamic, nibbles, scaled, steps

S = np.float32(1 / 16)


def integers(g, dims, element="uint8", zero=128, low=-60, high=60):
    """Integers of a QuantizeLinear, their scale and zero point."""
    s, z = g.constant(S), g.constant(zero, element)
    return g("QuantizeLinear", [steps(g, dims, S, low, high), s, z]), s, z


# ---- Integers of a DynamicQuantizeLinear ----

def unit(g, dims):
    """An input whose range is -2 to 2 and whose dynamic scale is no tie."""
    return g.input(dims)


@form()
def dynamic_integers_as_outputs(g):
    q, s, z = dynamic(g, unit(g, [2, 3, 5]))
    g.output(q, element=TensorProto.UINT8)
    g.output(s)
    g.output(z, element=TensorProto.UINT8)


@form()
def dynamic_scale_as_output(g):
    q, s, z = dynamic(g, unit(g, [2, 8]))
    y = g("MatMulInteger", [q, g.constant(g.random.randint(-9, 9, [8, 4]), "int8"), z])
    g.output(g("Cast", [y], to=1), s)


@form()
def mat_mul_integer_without_zero_point(g):
    q, s, _ = dynamic(g, g.input([3, 8], 0, 2))
    y = g("MatMulInteger", [q, g.constant(g.random.randint(-127, 128, [8, 4]), "int8")])
    g.output(scaled(g, y, s, g.constant(np.float32(0.01))))


@form()
def conv_integer_without_zero_point(g):
    q, s, _ = dynamic(g, g.input([1, 3, 5, 5], 0, 2))
    y = g("ConvInteger", [q, g.constant(g.random.randint(-127, 128, [4, 3, 3, 3]), "int8")], pads=[1, 1, 1, 1])
    g.output(scaled(g, y, s, g.constant(np.float32(0.01))))


@form()
def sums_of_dynamic_integers(g):
    q, _, z = dynamic(g, g.input([3, 8]))
    w = g.constant(g.random.randint(-127, 128, [8, 4]), "int8")
    y = g("MatMulInteger", [q, w, z])
    g.output(g("Cast", [y], to=1))
    g.output(y, element=TensorProto.INT32)


@form()
def dynamic_integers_cast_to_floats(g):
    q, s, z = dynamic(g, g.input([2, 3, 5]))
    g.output(g("Mul", [g("Sub", [g("Cast", [q], to=1), g("Cast", [z], to=1)]), s]))


@form()
def bias_of_int32_after_a_mat_mul_integer(g):
    q, s, z = dynamic(g, g.input([3, 8]))
    w = g.constant(g.random.randint(-127, 128, [8, 4]), "int8")
    y = g("Add", [g("MatMulInteger", [q, w, z]), g.constant(g.random.randint(-999, 999, [4]), "int32")])
    g.output(scaled(g, y, s, g.constant(np.float32(0.01))))


@form(tolerance=0.1)
def dynamic_product_and_division_by_a_scale(g):
    q, s, z = dynamic(g, g.input([3, 8]))
    w = g.constant(g.random.randint(-127, 128, [8, 4]), "int8")
    y = g("Cast", [g("MatMulInteger", [q, w, z])], to=1)
    g.output(g("Mul", [g("Mul", [y, s]), g.constant(np.float32(0.01))]))


@form(tolerance=0.05)
def dynamic_integers_that_are_sliced_and_joined(g):
    q, s, z = dynamic(g, g.input([2, 4, 6]))
    parts = g.split(q, [2, 2], 1)
    g.output(g("DequantizeLinear", [g("Concat", [parts[1], parts[0]], axis=1), s, z]),
             g("DequantizeLinear", [g("Slice", [q, g.integers(1), g.integers(5), g.integers(2)]), s, z]))


@form(tolerance=0.1)
def dynamic_quantization_with_padding(g):
    """The quantizer writes this for a Conv."""
    q, s, z = dynamic(g, g.input([1, 3, 5, 5]))
    w = g.constant(g.random.randint(-127, 128, [4, 3, 3, 3]), "int8")
    y = scaled(g, g("ConvInteger", [q, w, z, g.constant(0, "int8")], pads=[1, 1, 1, 1]), s, g.constant(np.float32(0.01)))
    g.output(g("Add", [y, g.weights([1, 4, 1, 1])]))


@form()
def integers_of_inputs_that_are_multiplied(g):
    a = g.input([3, 8], 0, 255, "uint8")
    b = g.input([8, 4], -128, 127, "int8")
    w = g.constant(g.random.randint(-127, 128, [8, 4]), "int8")
    g.output(g("MatMulInteger", [a, w, g.constant(120, "uint8")]), g("MatMulInteger", [a, b]),
             element=TensorProto.INT32)


@form()
def conv_integer_of_an_input(g):
    x = g.input([1, 3, 5, 5], 0, 255, "uint8")
    w = g.constant(g.random.randint(-127, 128, [4, 3, 3, 3]), "int8")
    g.output(g("ConvInteger", [x, w, g.constant(7, "uint8")]), g("ConvInteger", [x, w]), element=TensorProto.INT32)


@form()
def mat_mul_integer_with_zero_points_as_tensors(g):
    a, w = g.input([3, 8], 0, 255, "uint8"), g.input([8, 4], -128, 127, "int8")
    z, o = g.input([1], 100, 140, "uint8"), g.input([1], -4, 4, "int8")
    g.output(g("MatMulInteger", [a, w, z, o]), element=TensorProto.INT32)


# ---- Integers that are converted ----

@form()
def cast_of_quantized_integers(g):
    for element, zero in (("uint8", 128), ("int8", 0), ("uint8", 0)):
        q, _, _ = integers(g, [2, 5], element, zero)
        g.output(g("Cast", [q], to=1))


@form()
def cast_of_quantized_integers_to_integers(g):
    q, _, _ = integers(g, [2, 5])
    for to in (TensorProto.INT8, TensorProto.UINT8, TensorProto.INT32, TensorProto.INT64):
        g.output(g("Cast", [q], to=to), element=to)
    q, _, _ = integers(g, [2, 5], "int8", 3)
    for to in (TensorProto.INT8, TensorProto.UINT8, TensorProto.INT32):
        g.output(g("Cast", [q], to=to), element=to)


@form()
def cast_of_integers_of_a_layer(g):
    s, z = g.constant(np.float32(1 / 16)), g.constant(0, "int8")
    x = g("QuantizeLinear", [steps(g, [1, 3, 5, 5], 1 / 16, -90, 90), s, z])
    w = g.constant(g.random.randint(-9, 10, [4, 3, 1, 1]), "int8")
    y = g("QLinearConv", [x, s, z, w, s, z, g.constant(np.float32(1 / 8)), z])
    g.output(g("Mul", [g("Cast", [y], to=1), g.constant(np.float32(1 / 8))]))


@form()
def casts_of_bytes_between_signs(g):
    x, y = g.input([2, 6], 0, 255, "uint8"), g.input([2, 6], -128, 127, "int8")
    g.output(g("Cast", [x], to=TensorProto.INT8), element=TensorProto.INT8)
    g.output(g("Cast", [y], to=TensorProto.UINT8), element=TensorProto.UINT8)
    g.output(g("Cast", [g("Cast", [x], to=TensorProto.INT8)], to=1))
    for to in (TensorProto.INT32, TensorProto.INT16, TensorProto.INT64):
        g.output(g("Cast", [y], to=to), element=to)


@form()
def bytes_less_128_as_int8(g):
    """How a TFLite converter feeds uint8 pictures to an int8 net."""
    x = g.input([1, 3, 4, 4], 0, 255, "uint8")
    y = g("Cast", [g("Sub", [g("Cast", [x], to=TensorProto.INT32), g.constant(128, "int32")])], to=TensorProto.INT8)
    g.output(g("DequantizeLinear", [y, g.constant(S), g.constant(0, "int8")]))


@form()
def cast_bytes_that_are_dequantized(g):
    x = g.input([1, 3, 4, 4], -128, 127, "int8")
    y = g("Cast", [g("Add", [g("Cast", [x], to=1), g.constant(np.float32(128))])], to=TensorProto.UINT8)
    g.output(g("DequantizeLinear", [y, g.constant(S), g.constant(128, "uint8")]))


@form()
def integers_that_are_quantized_again(g):
    """Bytes of an input, with the scale of another zero point."""
    x = g.input([1, 3, 4, 4], 0, 255, "uint8")
    s, z = g.constant(S), g.constant(128, "uint8")
    real = g("DequantizeLinear", [x, s, z])
    g.output(g("QuantizeLinear", [real, s, g.constant(0, "int8")]), element=TensorProto.INT8)


@form()
def integers_read_by_others_with_another_scale(g):
    q, s, z = integers(g, [2, 5])
    g.output(g("DequantizeLinear", [q, g.constant(np.float32(1 / 32)), z]),
             g("DequantizeLinear", [q, s, g.constant(120, "uint8")]))


@form()
def arithmetic_of_quantized_integers(g):
    a, s, z = integers(g, [2, 5])
    b, _, _ = integers(g, [2, 5])
    total = g("Add", [g("Cast", [a], to=TensorProto.INT32), g("Cast", [b], to=TensorProto.INT32)])
    g.output(total, element=TensorProto.INT32)
    if g.opset >= 14:
        g.output(g("Add", [a, b]), element=TensorProto.UINT8)
    g.output(g("Greater", [g("Cast", [a], to=1), g.constant(np.float32(120))]), element=TensorProto.BOOL)


@form(12)
def arg_max_of_quantized_integers(g):
    q, _, _ = integers(g, [2, 5])
    g.output(g("ArgMax", [q], axis=1), element=TensorProto.INT64)
    r, _, _ = integers(g, [2, 7], "int8", 0)
    g.output(g("ArgMax", [r], axis=1, keepdims=0), element=TensorProto.INT64)


@form(13)
def moves_of_quantized_integers(g):
    q, s, z = integers(g, [2, 4, 6])
    ys = g.split(q, [1, 3], 1) + [g("Gather", [q, g.integers(2, 0)], axis=1)]
    ys += [g("Concat", [q, q], axis=2), g("Transpose", [q], perm=[1, 0, 2]), g("Identity", [q]),
           g.reduce("ReduceMax", q, [2]) if g.opset >= 13 else q,
           g("Where", [g.constant(np.array([True, False, True, True, False, True])), q, z])]
    if g.opset >= 14:
        ys.append(g("Relu", [g("QuantizeLinear", [steps(g, [2, 5], S, -60, 60), s, g.constant(0, "int8")])]))
    g.output(*ys[:-1], element=TensorProto.UINT8)
    g.output(g("DequantizeLinear", [ys[-1], s, g.constant(0, "int8")]) if g.opset >= 14 else g("DequantizeLinear", [ys[-1], s, z]))


@form()
def rows_of_a_quantized_embedding(g):
    table = g.constant(g.random.randint(0, 256, [9, 4]), "uint8")
    rows = g("Gather", [table, g.input([2, 3], 0, 8, "int64")])
    g.output(g("DequantizeLinear", [rows, g.constant(S), g.constant(128, "uint8")]))


@form(13)
def maximum_of_bytes_over_all_axes(g):
    x = g.input([2, 3, 4], 0, 255, "uint8")
    g.output(g("ReduceMax", [x], keepdims=0), g("ReduceMin", [x], keepdims=0), g("ReduceMax", [x]),
             element=TensorProto.UINT8)


@form(14)
def division_of_bytes(g):
    x, y = g.input([3, 40], 0, 255, "uint8"), g.input([3, 40], 1, 255, "uint8")
    g.output(g("Div", [x, y]), g("Mod", [x, y]), g("Div", [x, g.constant(7, "uint8")]), element=TensorProto.UINT8)


@form(14)
def division_of_signed_bytes(g):
    x, y = g.input([3, 40], -128, 127, "int8"), g.input([3, 40], 1, 127, "int8")
    n = g.input([3, 40], -128, -2, "int8")
    g.output(g("Div", [x, y]), g("Mod", [x, y]), g("Div", [x, n]), g("Mod", [x, n]), g("Mod", [x, n], fmod=1),
             element=TensorProto.INT8)


@form(14)
def division_of_int32(g):
    x, y = g.input([3, 40], 0, 9999, "int32"), g.input([3, 40], 1, 77, "int32")
    g.output(g("Div", [x, y]), g("Mod", [x, y]), element=TensorProto.INT32)


@form(14)
def powers_of_int32(g):
    x, y = g.input([3, 40], -9, 9, "int32"), g.input([3, 40], 0, 6, "int32")
    g.output(g("Pow", [x, y]), g("Pow", [x, g.constant(2, "int32")]), element=TensorProto.INT32)


@form(14)
def bytes_as_int32_that_are_divided(g):
    x = g("Cast", [g.input([3, 40], 0, 255, "uint8")], to=TensorProto.INT32)
    g.output(g("Div", [x, g.constant(16, "int32")]), g("Mod", [x, g.constant(16, "int32")]),
             g("Pow", [x, g.constant(2, "int32")]), element=TensorProto.INT32)


@form(20)
def inverse_dft_of_one_side(g):
    x = g.input([2, 9, 2])
    g.output(g("DFT", [x, "", g.constant(np.int64(1))], inverse=1, onesided=1))


# ---- Scales of an axis, of blocks, of 4 bits ----

@form(13)
def quantize_linear_per_axis(g):
    s, z = g.constant(np.float32([1 / 16, 1 / 8, 1 / 32])), g.constant([128, 100, 0], "uint8")
    q = g("QuantizeLinear", [g.input([2, 3, 4]), s, z], axis=1)
    g.output(g("DequantizeLinear", [q, s, z], axis=1))


@form(21)
def quantize_linear_of_blocks(g):
    s = g.weights([2, 2], 0.01, 0.1)
    q = g("QuantizeLinear", [g.input([2, 8], -1, 1), s, g.constant(np.zeros((2, 2)), "int8")], axis=1, block_size=4)
    g.output(g("DequantizeLinear", [q, s, g.constant(np.zeros((2, 2)), "int8")], axis=1, block_size=4))


@form(21)
def activations_of_4_bits(g):
    s = g.constant(np.float32(1 / 4))
    z = g.raw(UINT4, [], [8])
    q = g("QuantizeLinear", [steps(g, [2, 8], 1 / 4, -7, 7), s, z])
    g.output(g("DequantizeLinear", [q, s, z]))
    q = g("QuantizeLinear", [steps(g, [2, 8], 1 / 4, -7, 7), s, g.raw(INT4, [], [0])])
    g.output(g("DequantizeLinear", [q, s, g.raw(INT4, [], [0])]))


@form(21)
def quantize_linear_with_output_dtype(g):
    s = g.constant(np.float32(1 / 16))
    q = g("QuantizeLinear", [steps(g, [2, 8], 1 / 16, -90, 90), s], output_dtype=TensorProto.INT8)
    g.output(g("DequantizeLinear", [q, s]))


# ---- Nets ----

@form(13, tolerance=0.3)
def block_of_a_residual_net_of_qdq(g):
    x = g.quantized(steps(g, [1, 4, 8, 8], 1 / 16, -90, 90), 1 / 16, 128, "uint8")
    ws, wz = g.weights([4], 0.003, 0.006), g.constant(np.zeros(4), "int8")
    w = g("DequantizeLinear", [g.constant(g.random.randint(-127, 128, [4, 4, 3, 3]), "int8"), ws, wz], axis=0)
    bias = g("DequantizeLinear", [g.constant(g.random.randint(-999, 999, [4]), "int32"), g.weights([4], 1e-4, 1e-3),
                                  g.constant(np.zeros(4), "int32")], axis=0)
    y = g.quantized(g("Conv", [x, w, bias], pads=[1, 1, 1, 1]), 1 / 16, 0, "uint8")
    y = g.quantized(g("Add", [x, y]), 1 / 16, 0, "uint8")
    y = g.quantized(g("MaxPool", [y], kernel_shape=[2, 2], strides=[2, 2]), 1 / 16, 0, "uint8")
    y = g.quantized(g("GlobalAveragePool", [y]), 1 / 16, 0, "uint8")
    y = g.quantized(g("Flatten", [y]), 1 / 16, 0, "uint8")
    y = g("Gemm", [y, g.dequantized(g.random.randint(-127, 128, [5, 4]), 0.01), g.weights([5])], transB=1)
    g.output(g.quantized(y, 1 / 4, 128, "uint8"))
