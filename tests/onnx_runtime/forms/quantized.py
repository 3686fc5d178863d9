"""Quantized graphs as exporters and ONNX Runtime write them. Scales are powers of two and inputs are
their multiples, so that no value is at a tie that rounding errors of floats decide."""
import numpy as np

from forms.graph import FLOAT8E4M3FN, INT4, UINT4
from forms.registry import form


def steps(g, dims, scale, low, high):
    """An input of multiples of the scale, so that quantization does not change it."""
    return g.input_of(g.random.randint(low, high + 1, dims) * scale)


@form()
def conv_of_int8_weights(g):
    x = g.quantized(steps(g, [1, 3, 6, 6], 1 / 32, -100, 100), 1 / 32, 0, "int8")
    w = g.dequantized(g.random.randint(-127, 128, [4, 3, 3, 3]), 1 / 128)
    g.output(g("Relu", [g("Conv", [x, w, g.weights([4])])]))


@form()
def conv_of_uint8_with_a_zero_point(g):
    x = g.quantized(steps(g, [1, 3, 6, 6], 1 / 32, -100, 120), 1 / 32, 110, "uint8")
    w = g.dequantized(g.random.randint(0, 256, [4, 3, 1, 1]), 1 / 128, 117, "uint8")
    g.output(g("Conv", [x, w]))


@form(13)
def conv_of_scales_per_channel(g):
    w, scales, zeros = (g.constant(g.random.randint(-127, 128, [4, 3, 3, 3]), "int8"),
                        g.weights([4], 0.01, 0.1), g.constant(np.zeros(4), "int8"))
    bias = g("DequantizeLinear", [g.constant(g.random.randint(-999, 999, [4]), "int32"),
                                  g.weights([4], 1e-4, 1e-3), g.constant(np.zeros(4), "int32")], axis=0)
    g.output(g("Conv", [g.input([1, 3, 6, 6]), g("DequantizeLinear", [w, scales, zeros], axis=0), bias]))


@form(tolerance=0.07)
def residual_of_quantized_tensors(g):
    a = g.quantized(steps(g, [1, 4, 5, 5], 1 / 16, -100, 100), 1 / 16, 0, "int8")
    b = g.quantized(steps(g, [1, 4, 5, 5], 1 / 32, -100, 100), 1 / 32, 0, "int8")
    g.output(g.quantized(g("Relu", [g("Add", [a, b])]), 1 / 8, 0, "int8"))


@form()
def bytes_that_are_quantized(g):
    x = g.input([1, 3, 6, 6], 0, 255, "uint8")
    x = g("DequantizeLinear", [x, g.constant(np.float32(1 / 64)), g.constant(128, "uint8")])
    g.output(g.conv(x, 3, 4, 3))


@form()
def quantized_bytes_as_input(g):
    x = g.input([1, 3, 6, 6], -128, 127, "int8")
    x = g("DequantizeLinear", [x, g.constant(np.float32(1 / 64)), g.constant(0, "int8")])
    g.output(g.conv(x, 3, 4, 3))


@form()
def quantized_tensors_that_are_padded_and_resized(g):
    s, z = g.constant(np.float32(1 / 32)), g.constant(110, "uint8")
    x = g("QuantizeLinear", [steps(g, [1, 3, 6, 6], 1 / 32, -100, 120), s, z])
    pads = g.integers(0, 0, 1, 1, 0, 0, 1, 1)
    padded = [g("Pad", [x, pads, z])]
    if g.opset >= 13:
        padded.append(g("Pad", [x, pads, g.constant(115, "uint8")]))
    none = "" if g.opset >= 13 else g.constant(np.zeros(0, np.float32))
    larger = g("Resize", [x, none, g.constant(np.array([1, 1, 2, 2], np.float32))], mode="nearest")
    g.output(*(g("DequantizeLinear", [y, s, z]) for y in padded + [larger]))


@form()
def quantized_outputs(g):
    """Converters of TFLite end nets like this."""
    x = g.input([2, 6], -5, 5)
    for scale, zero, element, type_of_onnx in ((1 / 32, 0, "int8", 3), (0.03, -128, "int8", 3),
                                               (0.03, 120, "uint8", 2), (1 / 16, 128, "uint8", 2)):
        q = g("QuantizeLinear", [x, g.constant(np.float32(scale)), g.constant(zero, element)])
        g.output(q, g("Reshape", [q, g.integers(3, 4)]), element=type_of_onnx)


@form()
def quantized_output_of_a_conv(g):
    s, z = g.constant(np.float32(1 / 16)), g.constant(0, "int8")
    x = g("QuantizeLinear", [steps(g, [1, 3, 5, 5], 1 / 16, -90, 90), s, z])
    w = g.constant(g.random.randint(-9, 10, [4, 3, 1, 1]), "int8")
    g.output(g("QLinearConv", [x, s, z, w, s, z, g.constant(np.float32(1 / 8)), z]), element=3)


def binary(g, operator, **attributes):
    xs, zero = g.constant(np.float32(1 / 16)), g.constant(128, "uint8")
    ys = g.constant(np.float32(1 / 4))
    a = g("QuantizeLinear", [steps(g, [1, 4, 3, 3], 1 / 16, -60, 60), xs, zero])
    b = g("QuantizeLinear", [steps(g, [1, 4, 3, 3], 1 / 16, -60, 60), xs, zero])
    y = g.microsoft(operator, [a, xs, zero, b, xs, zero, ys, zero], **attributes)
    g.output(g("DequantizeLinear", [y, ys, zero]))


@form(tolerance=0.26)
def microsoft_qlinear_add(g):
    binary(g, "QLinearAdd")


@form(tolerance=0.26)
def microsoft_qlinear_mul(g):
    binary(g, "QLinearMul")


@form()
def microsoft_qlinear_concat(g):
    s, z = g.constant(np.float32(1 / 16)), g.constant(128, "uint8")
    parts = [g("QuantizeLinear", [steps(g, [1, c, 3, 3], 1 / 16, -90, 90), s, z]) for c in (2, 3)]
    y = g.microsoft("QLinearConcat", [s, z, parts[0], s, z, parts[1], s, z], axis=1)
    g.output(g("DequantizeLinear", [y, s, z]))


@form(tolerance=0.07)
def microsoft_qlinear_pools(g):
    s, z = g.constant(np.float32(1 / 16)), g.constant(128, "uint8")
    x = g("QuantizeLinear", [steps(g, [1, 4, 6, 6], 1 / 16, -90, 90), s, z])
    mean = g.microsoft("QLinearGlobalAveragePool", [x, s, z, s, z])
    windows = g.microsoft("QLinearAveragePool", [x, s, z, s, z], kernel_shape=[2, 2], strides=[2, 2])
    g.output(g("DequantizeLinear", [mean, s, z]), g("DequantizeLinear", [windows, s, z]))


@form(tolerance=0.07)
def microsoft_qlinear_functions(g):
    s, z = g.constant(np.float32(1 / 16)), g.constant(128, "uint8")
    x = g("QuantizeLinear", [steps(g, [2, 3, 4], 1 / 16, -90, 90), s, z])
    us, uz = g.constant(np.float32(1 / 256)), g.constant(0, "uint8")
    g.output(g("DequantizeLinear", [g.microsoft("QLinearLeakyRelu", [x, s, z, s, z], alpha=0.1), s, z]),
             g("DequantizeLinear", [g.microsoft("QLinearSigmoid", [x, s, z, us, uz]), us, uz]))


@form(tolerance=0.02)
def microsoft_qlinear_softmax(g):
    s, z = g.constant(np.float32(1 / 16)), g.constant(128, "uint8")
    x = g("QuantizeLinear", [steps(g, [2, 3, 4], 1 / 16, -40, 40), s, z])
    us, uz = g.constant(np.float32(1 / 256)), g.constant(0, "uint8")
    y = g.microsoft("QLinearSoftmax", [x, s, z, us, uz], axis=-1, opset=13)
    g.output(g("DequantizeLinear", [y, us, uz]))


@form(tolerance=0.26)
def qlinear_mat_mul(g):
    s, z, ys = g.constant(np.float32(1 / 16)), g.constant(0, "int8"), g.constant(np.float32(1 / 4))
    a = g("QuantizeLinear", [steps(g, [3, 5], 1 / 16, -90, 90), s, z])
    w = g.constant(g.random.randint(-9, 10, [5, 4]), "int8")
    y = g("QLinearMatMul", [a, s, z, w, s, z, ys, z])
    g.output(g("DequantizeLinear", [y, ys, z]))


@form(tolerance=0.26)
def qlinear_mat_mul_of_tensors(g):
    s, z, ys = g.constant(np.float32(1 / 16)), g.constant(0, "int8"), g.constant(np.float32(1 / 4))
    a = g("QuantizeLinear", [steps(g, [2, 3, 5], 1 / 16, -90, 90), s, z])
    b = g("QuantizeLinear", [steps(g, [2, 5, 4], 1 / 16, -90, 90), s, z])
    w = g.constant(g.random.randint(-9, 10, [2, 5, 4]), "int8")
    g.output(*(g("DequantizeLinear", [g("QLinearMatMul", [a, s, z, y, s, z, ys, z]), ys, z]) for y in (b, w)))


@form(tolerance=0.26)
def qlinear_conv_of_patches(g):
    s, z, ys = g.constant(np.float32(1 / 16)), g.constant(0, "int8"), g.constant(np.float32(1 / 4))
    x = g("QuantizeLinear", [steps(g, [1, 3, 32, 32], 1 / 16, -90, 90), s, z])
    w = g.constant(g.random.randint(-2, 3, [4, 3, 16, 16]), "int8")
    ws, bias = g.constant(np.float32(1 / 64)), g.constant(g.random.randint(-999, 999, [4]), "int32")
    y = g("QLinearConv", [x, s, z, w, ws, z, ys, z, bias], strides=[16, 16])
    g.output(g("DequantizeLinear", [y, ys, z]))


@form(tolerance=0.26)
def microsoft_qgemm(g):
    s, z, ys = g.constant(np.float32(1 / 16)), g.constant(0, "int8"), g.constant(np.float32(1 / 4))
    a = g("QuantizeLinear", [steps(g, [3, 5], 1 / 16, -90, 90), s, z])
    w = g.constant(g.random.randint(-9, 10, [5, 4]), "int8")
    bias = g.constant(g.random.randint(-99, 100, [4]), "int32")
    y = g.microsoft("QGemm", [a, s, z, w, s, z, bias, ys, z])
    g.output(g("DequantizeLinear", [y, ys, z]))


@form(13)
def microsoft_quantize_linear_of_16_bits(g):
    s, z = g.constant(np.float32(1 / 1024)), g.constant(0, "int16")
    q = g.microsoft("QuantizeLinear", [steps(g, [2, 5], 1 / 1024, -2000, 2000), s, z])
    g.output(g("Relu", [g.microsoft("DequantizeLinear", [q, s, z])]))


@form(21)
def quantize_linear_of_16_bits(g):
    g.output(g.quantized(steps(g, [2, 5], 1 / 1024, -2000, 2000), 1 / 1024, 0, "int16"))


# ---- Weights of 4 bits and of float8 ----

def nibbles(g, count):
    return g.random.randint(0, 256, count // 2).astype(np.uint8).tobytes()


@form(21)
def weights_of_int4(g):
    w = g("DequantizeLinear", [g.raw(INT4, [8, 6], nibbles(g, 48)), g.constant(np.float32(0.1)),
                               g.raw(INT4, [], [0])])
    g.output(g("MatMul", [g.input([3, 8]), w]))


@form(21)
def weights_of_int4_per_channel(g):
    w = g("DequantizeLinear", [g.raw(UINT4, [8, 6], nibbles(g, 48)), g.weights([6], 0.01, 0.1),
                               g.raw(UINT4, [6], nibbles(g, 6))], axis=1)
    g.output(g("MatMul", [g.input([3, 8]), w]))


@form(21)
def weights_of_int4_of_blocks(g):
    packed = g.raw(UINT4, [8, 6], nibbles(g, 48))
    w = g("DequantizeLinear", [packed, g.weights([2, 6], 0.01, 0.1), g.raw(UINT4, [2, 6], [0x88] * 6)],
          axis=0, block_size=4)
    g.output(g("MatMul", [g.input([3, 8]), w]))


@form(21)
def weights_of_int8_of_blocks(g):
    w = g("DequantizeLinear", [g.constant(g.random.randint(-127, 128, [8, 6]), "int8"),
                               g.weights([4, 6], 0.01, 0.1)], axis=0, block_size=2)
    g.output(g("MatMul", [g.input([3, 8]), w]))


@form(19)
def weights_of_float8(g):
    w = g.raw(FLOAT8E4M3FN, [8, 6], (g.random.randint(0, 120, 48) + 128 * g.random.randint(0, 2, 48))
              .astype(np.uint8).tobytes())
    y = g("DequantizeLinear", [w, g.constant(np.float32(0.01))])
    g.output(g("MatMul", [g.input([3, 8]), y]))


@form(21)
def weights_of_float8_of_blocks(g):
    w = g.raw(FLOAT8E4M3FN, [8, 6], g.random.randint(0, 120, 48).astype(np.uint8).tobytes())
    y = g("DequantizeLinear", [w, g.weights([2, 6], 0.01, 0.1)], axis=0, block_size=4)
    g.output(g("MatMul", [g.input([3, 8]), y]))


def dynamic(g, x):
    """Returns the integers of a tensor, their scale and their zero point."""
    return g("DynamicQuantizeLinear", [x], outputs=3)


def scaled(g, integers, *scales):
    """Returns the real numbers of sums of products."""
    return g("Mul", [g("Cast", [integers], to=1), g("Mul", list(scales))])


@form(tolerance=0.02)
def dynamic_quantize_linear(g):
    q, s, z = dynamic(g, g.input([2, 3, 5]))
    g.output(g("DequantizeLinear", [g("Transpose", [q], perm=[2, 0, 1]), s, z]))


@form(tolerance=0.1)
def conv_integer(g):
    q, s, z = dynamic(g, g.input([1, 4, 7, 6]))
    w = g.constant(g.random.randint(0, 256, [6, 2, 3, 3]), "uint8")
    y = g("ConvInteger", [q, w, z, g.constant(121, "uint8")], group=2, pads=[1, 0, 2, 1], strides=[2, 1])
    w = g.constant(g.random.randint(-127, 128, [3, 4, 1, 1]), "int8")
    v = g("ConvInteger", [q, w, z])
    ws = g.constant(np.float32(0.01))
    g.output(scaled(g, y, s, ws), scaled(g, v, s, ws))


@form(tolerance=0.05)
def mat_mul_integer(g):
    a, s, z = dynamic(g, g.input([2, 3, 8]))
    w, zeros = g.random.randint(-127, 128, [8, 5]), g.constant(g.random.randint(-9, 9, [5]), "int8")
    y = g("MatMulInteger", [a, g.constant(w, "int8"), z, zeros])
    g.output(g("Add", [scaled(g, y, s, g.constant(np.float32([0.01] * 5))), g.constant(np.float32([1] * 5))]))


@form(tolerance=0.1)
def mat_mul_integer_of_tensors(g):
    a, s, z = dynamic(g, g.input([2, 3, 8]))
    b, t, o = dynamic(g, g.input([2, 8, 4]))
    g.output(scaled(g, g("MatMulInteger", [a, b, z, o]), s, t))


@form(13, tolerance=0.1)
def microsoft_mat_mul_integer_to_float(g):
    x = g.input([3, 8])
    a, s, z = dynamic(g, x)
    w, ws = g.constant(g.random.randint(0, 256, [8, 5]), "uint8"), g.constant(np.float32([0.01, 0.02, 0.01, 0.03, 0.01]))
    wz, bias = g.constant([128, 128, 120, 128, 100], "uint8"), g.constant(np.float32([1, 2, 3, 4, 5]))
    y = g.microsoft("MatMulIntegerToFloat", [a, w, s, ws, z, wz, bias])
    g.output(y, g.microsoft("DynamicQuantizeMatMul", [x, w, ws, wz, bias]))
