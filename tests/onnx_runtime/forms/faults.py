"""Forms that once came out otherwise than in ONNX Runtime, or were refused without need."""
import numpy as np

from forms.registry import form


# ---- Quantization that clips ----

def quantized_conv(g, values, scale, zero, element):
    x = g.input_of(np.array(values, np.float32).reshape(1, 1, 1, -1))
    w = g.constant(np.ones((1, 1, 1, 1), np.float32))
    g.output(g.quantized(g("Conv", [x, w]), scale, zero, element))


@form(tolerance=0.005)
def quantize_that_is_a_relu(g):
    quantized_conv(g, [-2, -0.5, 0.5, 2], 2 / 255, 0, "uint8")


@form(tolerance=0.007)
def quantize_that_is_a_clip(g):
    quantized_conv(g, [-2, -0.5, 0.5, 2, 3], 3 / 255, 64, "uint8")


@form(tolerance=0.005)
def quantize_of_int8_that_is_a_relu(g):
    quantized_conv(g, [-2, -0.5, 0.5, 2], 2 / 255, -128, "int8")


@form(tolerance=0.005)
def quantize_without_zero_point(g):
    x = g.input_of(np.array([[-2, -0.5, 0.5, 2]], np.float32))
    s = g.constant(np.float32(2 / 255))
    q = g("QuantizeLinear", [g("Tanh", [x]), s])
    g.output(g("DequantizeLinear", [q, s]))


@form(tolerance=0.005)
def qlinear_conv_that_is_a_relu(g):
    x = g.input_of(np.array([[-2, -0.5, 0.5, 2]], np.float32).reshape(1, 1, 1, 4))
    s, z = g.constant(np.float32(4 / 255)), g.constant(128, "uint8")
    ws, wz = g.constant(np.float32(0.5)), g.constant(0, "int8")
    w = g.constant(np.full((1, 1, 1, 1), 2), "int8")
    ys, yz = g.constant(np.float32(2 / 255)), g.constant(0, "uint8")
    q = g("QuantizeLinear", [x, s, z])
    y = g("QLinearConv", [q, s, z, w, ws, wz, ys, yz])
    g.output(g("DequantizeLinear", [y, ys, yz]))


@form(tolerance=0.02)
def mean_with_a_scale_of_its_own(g):
    x = g.input([1, 4, 9, 9], -3, 3)
    w = g.random.randint(-127, 128, (4, 4, 1, 1))
    c = g("Conv", [g.quantized(x, 4 / 127, 0, "int8"), g.dequantized(w, 0.01)])
    g.output(g.quantized(g("GlobalAveragePool", [c]), 0.01, 0, "int8"))


# ---- Order and names of outputs ----

@form()
def outputs_in_another_order_than_layers(g):
    x = g.input([1, 3, 8, 8])
    small, large = g.conv(x, 3, 2), g.conv(x, 3, 5)
    g.output(large, small)


@form()
def output_that_is_read_again(g):
    features = g.conv(g.input([1, 3, 8, 8]), 3, 2)
    g.output(features, g.conv(g("Relu", [features]), 2, 5))


@form()
def conv_of_one_axis_as_output(g):
    w = g.weights([2, 3, 2])
    g.output(g("Conv", [g.input([1, 3, 9]), w]))


# ---- Concatenations of far ranges, masks ----

@form()
def concat_of_a_tensor_and_its_multiple(g):
    a = g.conv(g.input([1, 4, 8, 8]), 4, 4)
    b = g("Mul", [a, g.constant(np.float32(64))])
    g.output(g("Concat", [a, b], axis=1), g.conv(a, 4, 4))


@form()
def concat_of_boxes_and_scores(g):
    boxes = g("Mul", [g.input([1, 4, 8, 8]), g.constant(np.float32(640))])
    g.output(g("Concat", [boxes, g("Sigmoid", [g.input([1, 4, 8, 8])])], axis=1))


def causal_scores(g, least):
    q, k = g.input([1, 2, 6, 8]), g.input([1, 2, 8, 6])
    mask = g.constant(np.triu(np.full((1, 1, 6, 6), least, np.float32), 1))
    g.output(g("Softmax", [g("Add", [g("MatMul", [q, k]), mask])], axis=-1))


@form()
def causal_mask_of_large_numbers(g):
    causal_scores(g, -1e4)


@form()
def causal_mask_of_the_lowest_float(g):
    causal_scores(g, np.finfo(np.float32).min)


@form()
def causal_mask_of_infinities(g):
    causal_scores(g, -np.inf)


@form()
def masks_that_are_outputs(g):
    b = g.input_of(np.array([[1, 0, 1, 0], [0, 1, 1, 1]], bool), "bool")
    own = g("Where", [b, g.input([2, 4]), g.constant(np.float32(-np.inf))])
    scores = g("Add", [g.input([2, 4]), g("Where", [b, g.constant(np.float32(0)), g.constant(np.float32(-np.inf))])])
    g.output(own, scores, g("Softmax", [scores], axis=-1))


# ---- Windows ----

@form()
def max_pool_with_one_result_and_a_rest(g):
    x = g.input([1, 1, 3, 3])
    g.output(g("MaxPool", [x], kernel_shape=[2, 2], strides=[2, 2]))


@form()
def average_pool_with_one_result_and_a_rest(g):
    x = g.input([1, 2, 8, 8])
    g.output(g("AveragePool", [x], kernel_shape=[7, 7], strides=[7, 7]))


@form()
def depthwise_conv_of_pads_alone(g):
    w = g.constant(np.ones((9, 3, 1, 1), np.float32))
    g.output(g("Conv", [g.input([1, 9, 4, 4]), w], pads=[2, 2, 2, 2], group=3))


@form()
def pad_with_another_value(g):
    g.output(g.pad(g.input([1, 3, 4, 4]), [0, 0, 2, 2, 0, 0, 2, 2], 1.5))


@form()
def conv_transpose_with_output_shape(g):
    x = g.input_of(np.array([1, 10, 100], np.float32).reshape(1, 1, 1, 3))
    w = g.constant(np.array([1, 2, 3], np.float32).reshape(1, 1, 1, 3))
    g.output(g("ConvTranspose", [x, w], strides=[1, 2], kernel_shape=[1, 3], output_shape=[1, 6]))


# ---- Resize by scales that no float holds ----

def resize_row(g, columns, scale, **attributes):
    x = g.input_of(np.arange(columns, dtype=np.float32).reshape(1, 1, 1, columns))
    scales = g.constant(np.array([1, 1, 1, scale], np.float32))
    g.output(g("Resize", [x, g.constant(np.zeros(0, np.float32)), scales], **attributes))


@form()
def resize_by_one_point_three(g):
    resize_row(g, 10, 1.3, mode="nearest")


@form()
def resize_asymmetric_by_one_point_one(g):
    resize_row(g, 13, 1.1, mode="nearest", coordinate_transformation_mode="asymmetric",
               nearest_mode="floor")


@form()
def resize_by_five_thirds(g):
    resize_row(g, 3, 5 / 3, mode="nearest", coordinate_transformation_mode="asymmetric",
               nearest_mode="floor")


@form()
def resize_of_aligned_corners_by_almost_two(g):
    """Positions follow from the extent before it is rounded, as in ONNX's own results."""
    resize_row(g, 3, 1.99, mode="linear", coordinate_transformation_mode="align_corners")
    g.expected = [[i * 2 / (3 * 1.99 - 1) for i in range(5)]]


# ---- What was refused ----

@form()
def concat_of_a_constant_class_token(g):
    x = g.input([1, 4, 8])
    token = g.weights([1, 1, 8])
    g.output(g("Concat", [token, x], axis=1))


@form()
def matmul_with_the_constant_on_the_left(g):
    g.output(g("MatMul", [g.weights([3, 5]), g.input([2, 5, 4])]))


@form()
def matmul_with_a_constant_of_three_axes(g):
    g.output(g("MatMul", [g.input([2, 4, 5]), g.weights([2, 5, 3])]))


@form()
def matmul_with_a_constant_of_three_axes_on_the_left(g):
    g.output(g("MatMul", [g.weights([2, 4, 5]), g.input([2, 5, 3])]))


@form()
def max_with_minus_infinity(g):
    x = g.input([2, 6])
    some = g("Max", [x, g.constant(np.array([-np.inf, 1, 0, -np.inf, -1, -2], np.float32))])
    all_of_them = g("Max", [x, g.constant(np.full((6,), -np.inf, np.float32))])
    least = g("Min", [g.constant(np.array([[np.inf], [0.5]], np.float32)), x])
    g.output(g("Softmax", [all_of_them], axis=-1), some, least)


@form()
def pad_of_minus_infinity_before_a_max_pool(g):
    padded = g.pad(g.input([1, 3, 6, 6]), [0, 0, 1, 1, 0, 0, 1, 1], -np.inf)
    g.output(g("MaxPool", [padded], kernel_shape=[3, 3], strides=[2, 2]))


@form()
def where_of_a_constant_mask(g):
    mask = g.constant(np.tril(np.ones((5, 5), bool)))
    g.output(g("Where", [mask, g.input([2, 5, 5]), g.constant(np.float32(-7))]))


@form()
def where_of_a_comparison(g):
    x = g.input([2, 5])
    above = g("Greater", [x, g.constant(np.float32(0))])
    g.output(g("Where", [above, x, g("Mul", [x, g.constant(np.float32(0.1))])]))


@form()
def greater_and_cast_at_the_end(g):
    above = g("Greater", [g("Sigmoid", [g.input([2, 5])]), g.constant(np.float32(0.5))])
    g.output(g("Cast", [above], to=1))


@form()
def safe_softmax(g):
    scores = g("Add", [g.input([1, 2, 4, 4]), g.constant(np.triu(np.full((4, 4), -np.inf), 1))])
    p = g("Softmax", [scores], axis=-1)
    g.output(g("Where", [g("IsNaN", [p]), g.constant(np.float32(0)), p]),
             g("MatMul", [p, g.input([1, 2, 4, 3])]))


@form(tolerance=0.011)
def clip_between_quantize_and_dequantize(g):
    s, z = g.constant(np.float32(0.02)), g.constant(0, "int8")
    q = g("QuantizeLinear", [g("Relu", [g.input([1, 3, 4, 4])]), s, z])
    if g.opset >= 12:
        q = g("Clip", [q, g.constant(0, "int8"), g.constant(100, "int8")])
    g.output(g("DequantizeLinear", [q, s, z]))


@form()
def max_of_three_shapes(g):
    g.output(g("Max", [g.input([2, 3, 4]), g.input([3, 1]), g.constant(np.float32(-1))]))


@form()
def min_of_four(g):
    g.output(g("Min", [g.input([2, 3]), g.input([3]), g.constant(np.float32(1)), g.weights([2, 1])]))


@form()
def sum_of_three_shapes(g):
    g.output(g("Sum", [g.input([2, 3, 4]), g.weights([3, 1]), g.input([4])]))


@form()
def mean_of_three_shapes(g):
    g.output(g("Mean", [g.input([2, 3, 4]), g.weights([3, 1]), g.input([2, 3, 4])]))


@form()
def lp_normalization_of_every_axis(g):
    x = g.input([2, 3, 4, 5])
    g.output(*(g("LpNormalization", [x], axis=a, p=p) for a in range(-1, 4) for p in (1, 2)))


@form()
def pad_of_channels(g):
    g.output(g.pad(g.input([1, 4, 5, 5]), [0, 2, 0, 0, 0, 2, 0, 0]))


@form()
def resize_of_rows_and_columns_last_but_one(g):
    x = g.input([1, 4, 4, 3])
    sizes = g.integers(1, 8, 8, 3)
    g.output(g("Resize", [x, "" if g.opset >= 13 else g.constant(np.zeros(0, np.float32)),
                          "" if g.opset >= 13 else g.constant(np.zeros(0, np.float32)), sizes],
               mode="linear", coordinate_transformation_mode="half_pixel"))


@form()
def functions_of_infinities_and_zeros(g):
    x = g.input_of(np.array([-np.inf, np.inf, -0.0, 0.0, np.nan, 1], np.float32))
    low = g.input_of(np.array([-np.inf, -1, np.nan, 1], np.float32))
    one = g.input_of(np.ones(6, np.float32))
    g.output(g("Relu", [x]), g.clip(low, 0), g("Sqrt", [x]), g("Reciprocal", [x]),
             g("Max", [one, x]), g("Min", [one, x]))
