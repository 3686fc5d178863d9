"""Nodes after what is found at run time: functions, reductions, parts and shapes of such tensors."""
import numpy as np
from onnx import TensorProto, helper

from forms.graph import graph_proto
from forms.registry import form


def found_rows(g, dims=(6, 4), least=0.5):
    """Rows whose largest value exceeds `least`, their number being known at run time."""
    x = g.input(list(dims))
    most = g.reduce("ReduceMax", x, [1], keepdims=0)
    places = g("NonZero", [g("Greater", [most, g.constant(np.float32(least))])])
    return g("Gather", [x, g.squeeze(places, 0)], axis=0)


def none_found(g, dims=(6, 4)):
    return found_rows(g, dims, 9)


@form(16)
def functions_of_what_was_found(g):
    x = found_rows(g)
    inside = g("Tanh", [x])
    names = ["Erf", "HardSwish", "Softplus", "Softsign", "Sign", "Sin", "Cos", "Tan", "Atan", "Sinh", "Cosh",
             "Asinh"]
    g.output(*(g(name, [x]) for name in names))
    g.output(*(g(name, [inside]) for name in ("Asin", "Acos", "Atanh")))
    g.output(g("Acosh", [g("Cosh", [x])]), g("LeakyRelu", [x], alpha=0.3), g("LeakyRelu", [x]))
    g.output(g("HardSigmoid", [x], alpha=0.3, beta=0.4), g("HardSigmoid", [x]), g("Elu", [x], alpha=0.7))
    g.output(g("Selu", [x]), g("Celu", [x], alpha=0.6), g("ThresholdedRelu", [x], alpha=0.5))
    g.output(g("Shrink", [x], lambd=0.4, bias=0.1))


@form(20)
def gates_of_what_was_found(g):
    x = found_rows(g)
    g.output(g("Gelu", [x]), g("Gelu", [x], approximate="tanh"), g("Mish", [x]))


@form()
def clip_of_what_was_found(g):
    x = found_rows(g)
    g.output(g("Clip", [x]), g("Clip", [x, g.constant(np.float32(-0.5))]))
    g.output(g("Clip", [x, "", g.constant(np.float32(0.5))]))


@form()
def softmax_of_what_was_found(g):
    x = found_rows(g)
    g.output(g("Softmax", [x], axis=1), g("LogSoftmax", [x], axis=1), g("Softmax", [x], axis=0))
    g.output(g("Softmax", [none_found(g)], axis=1))


@form()
def reductions_of_what_was_found(g):
    for x in (found_rows(g), none_found(g)):
        for name in ("ReduceL1", "ReduceL2", "ReduceSumSquare", "ReduceLogSumExp"):
            g.output(g.reduce(name, x, [0]), g.reduce(name, x, [0], keepdims=0), g.reduce(name, x, [1]))
            g.output(g(name, [x], keepdims=0))
    positive = g("Abs", [found_rows(g)])
    g.output(g.reduce("ReduceLogSum", positive, [1], keepdims=0), g("ReduceLogSum", [positive]))


@form()
def operands_of_what_was_found(g):
    x = found_rows(g)
    y = g("Neg", [x])
    g.output(*(g(name, [x, y, g.weights([1, 4])]) for name in ("Sum", "Mean", "Max", "Min")))
    g.output(g("Max", [x]))


@form(18)
def reductions_that_reduce_nothing(g):
    x = found_rows(g)
    none = g.constant(np.zeros(0, np.int64))
    g.output(g("ReduceSum", [x, none], noop_with_empty_axes=1), g("ReduceMax", [x, none], noop_with_empty_axes=1))


@form()
def equal_parts_of_what_was_found(g):
    parts = g.split_equally(found_rows(g), 2, 1)
    g.output(g("Mul", parts), parts[1])


@form(18)
def parts_of_which_the_last_is_smaller(g):
    g.output(*g("Split", [found_rows(g, (6, 5))], 3, axis=1, num_outputs=3))


@form(18)
def parts_of_as_many_rows_as_were_found(g):
    """Five of six rows have a value above -1.9, or six."""
    g.output(*g("Split", [found_rows(g, (6, 5), -1.9)], 2, axis=0, num_outputs=2))


@form()
def number_of_what_was_found(g):
    x = found_rows(g)
    g.output(g("Mul", [x, g("Cast", [g("Size", [x])], to=1)]), g("Add", [x, g("Cast", [g("Size", [x])], to=1)]))


@form()
def rows_by_a_condition(g):
    x = g.input([6, 3])
    condition = g("Greater", [g.reduce("ReduceMax", x, [1], keepdims=0), g.constant(np.float32(0.5))])
    g.output(g("Compress", [x, condition], axis=0), g("Compress", [x, condition]))
    columns = g("Greater", [g.reduce("ReduceMax", x, [0], keepdims=0), g.constant(np.float32(1))])
    g.output(g("Compress", [x, columns], axis=1), g("Compress", [x, columns], axis=-1))
    g.output(g("Compress", [found_rows(g), g.constant(np.array([0, 1, 0, 1], bool))], axis=1))


@form()
def slices_by_computed_bounds(g):
    x, start = g.input([6, 4]), g.input_of([1], "int64")
    end = g("Add", [start, g.integers(3)])
    g.output(g("Slice", [x, start, end, g.integers(0)]), g("Slice", [x, start, g.integers(2**31 - 1)]))
    g.output(g("Slice", [x, g.integers(2**62), start, g.integers(0), g.integers(-1)]))
    step = g("Add", [start, g.integers(1)])
    g.output(g("Slice", [x, start, end, g.integers(1), step]))
    both = g("Concat", [start, end], axis=0)
    g.output(g("Slice", [x, both, g.integers(6, 4), g.integers(0, 1)]))


@form()
def positions_expanded_to_a_computed_shape(g):
    """The levels of torchvision's detectors: what each level makes of its regions goes to their rows."""
    maps, regions, level = g.input([1, 2, 8, 8]), g.input([6, 4], 0, 7), g.input_of([0, 1, 0, 1, 1, 0])
    y = g.constant(np.zeros((6, 2, 2, 2), np.float32))
    for number, scale in ((0, 1.0), (1, 0.5)):
        is_level = g("Equal", [level, g.constant(np.float32(number))])
        rows = g("Reshape", [g("NonZero", [is_level]), g.integers(-1)])
        images = g("Expand", [g.integers(0), g("Shape", [rows])])
        taken = g("RoiAlign", [maps, g("Gather", [regions, rows], axis=0), images], output_height=2, output_width=2,
                  sampling_ratio=2, spatial_scale=scale)
        wide = g("Expand", [g("Reshape", [rows, g.integers(-1, 1, 1, 1)]), g("Shape", [taken])])
        y = g("ScatterElements", [y, wide, taken], axis=0)
    g.output(y, g.conv(y, 2, 3, 1))


@form()
def values_expanded_to_a_computed_shape(g):
    x = found_rows(g)
    count = g("Gather", [g("Shape", [x]), g.integers(0)])
    shape = g("Concat", [count, g.integers(3, 4)], axis=0)
    wanted = g("Where", [g("Equal", [shape, g.integers(-1)]), g.integers(1), shape])
    g.output(g("Expand", [g.input([1, 4]), wanted]), g("Expand", [g.weights([3, 1]), shape]))
    g.output(g("ConstantOfShape", [shape], value=np.array([2.5], np.float32)))
    g.output(g("Expand", [g("Unsqueeze", [x, g.integers(1)]) if g.opset >= 13 else g.unsqueeze(x, 1), shape]))


@form(13)
def integers_as_constant_outputs(g):
    x = g.input([6, 3])
    g.output(g("Relu", [x]))
    g.output(g("Shape", [x]), g("Size", [x]), element=7)
    parts = g("SplitToSequence", [x, g.constant(np.array(2, np.int64))], axis=0)
    g.output(g("SequenceLength", [parts]), element=7)


@form()
def no_box_is_wanted(g):
    boxes, scores = g.input([1, 15, 4], 0, 5), g.input([1, 3, 15], 0, 1)
    found = g("NonMaxSuppression", [boxes, scores, g.integers(0), g.constant(np.float32(0.5))])
    g.output(g("Cast", [found], to=1), g("Cast", [g("NonMaxSuppression", [boxes, scores])], to=1))


@form(13)
def resize_of_rows_and_columns_alone(g):
    x = g.input([5, 7])
    for mode in ("linear", "nearest", "cubic"):
        g.output(g("Resize", [x, "", g.constant(np.array([1.5, 0.7], np.float32))], mode=mode))
    g.output(g("Resize", [x, "", "", g.integers(9, 14)], mode="linear"))


@form()
def products_of_what_was_found(g):
    for x in (found_rows(g), found_rows(g, (1, 4), -9), none_found(g)):
        y = g("Relu", [g("Gemm", [x, g.weights([5, 4]), g.weights([5])], transB=1, alpha=0.5)])
        z = g("Add", [g("MatMul", [y, g.weights([5, 7])]), g.weights([7])])
        g.output(z, g("Softmax", [z], axis=1), g("Slice", [z, g.integers(1), g.integers(6), g.integers(1)]))
        g.output(g("Gemm", [y, g.weights([5, 3]), g.weights([1, 3])]), g("Mul", [g.constant(np.float32(2)), z]))
        # The rows themselves are read as well, and residuals are added.
        g.output(g("Add", [y, g("MatMul", [y, g.weights([5, 5])])]), g("Flatten", [y]))


@form()
def products_of_several_axes_found(g):
    x = g("Reshape", [found_rows(g, (6, 12)), g.integers(-1, 3, 4)])
    y = g("MatMul", [x, g.weights([4, 5])])
    g.output(y, g("Sigmoid", [y]), g("Mul", [y, g.weights([3, 1])]), g("Mul", [y, g.weights([5])]))
    # Another number of rows along the first axis.
    turned = g("Transpose", [x], perm=[1, 0, 2])
    g.output(g("Add", [g("MatMul", [turned, g.weights([4, 2])]), g.weights([2])]))


@form()
def maps_of_what_was_found(g):
    x = g("Reshape", [found_rows(g, (5, 36)), g.integers(-1, 4, 3, 3)])
    y = g("Relu", [g("Conv", [x, g.weights([6, 4, 3, 3]), g.weights([6])], pads=[1, 1, 1, 1])])
    up = g("ConvTranspose", [y, g.weights([6, 2, 2, 2]), g.weights([2])], strides=[2, 2])
    g.output(up, g("Sigmoid", [g("Conv", [up, g.weights([1, 2, 1, 1])])]))
    g.output(g("MaxPool", [y], kernel_shape=[2, 2]), g("GlobalAveragePool", [y]))
    g.output(g("PRelu", [y, g.weights([6, 1, 1])]), g("AveragePool", [x], kernel_shape=[2, 2], strides=[1, 1]))
    statistics = [g.weights([6]), g.weights([6]), g.weights([6]), g.constant(np.full(6, 0.5, np.float32))]
    g.output(g("BatchNormalization", [y] + statistics), g("InstanceNormalization", [y] + statistics[:2]))


@form(17)
def layer_norm_of_what_was_found(g):
    x = found_rows(g, (6, 8))
    y = g("LayerNormalization", [x, g.weights([8]), g.weights([8])])
    g.output(y, g("Tanh", [g("MatMul", [y, g.weights([8, 3])])]))


@form()
def pads_of_what_was_found(g):
    for x in (found_rows(g), none_found(g)):
        g.output(g("Pad", [x, g.integers(1, 0, 2, 3)]))
        g.output(g("Pad", [x, g.integers(0, -1, 1, 2), g.constant(np.float32(0.5))]))
        g.output(g("Pad", [x, g.integers(0, 2, 0, 3)], mode="reflect"))
        g.output(g("Pad", [x, g.integers(0, 5, 0, 1)], mode="edge"))
    g.output(g("Pad", [found_rows(g), g.integers(1, 1, 1, -1)], mode="reflect"))


@form()
def range_of_what_was_found(g):
    for x in (found_rows(g), none_found(g)):
        rows = g("Gather", [g("Shape", [x]), g.constant(np.array(0))], axis=0)
        for start, delta in ((0, 1), (-1, 2), (2, 3)):
            numbers = g("Range", [g.constant(np.array(start)), rows, g.constant(np.array(delta))])
            g.output(g("Cast", [numbers], to=1))
        places = g("Range", [g.constant(np.array(0)), rows, g.constant(np.array(1))])
        g.output(g("Gather", [x, places], axis=0))


@form()
def many_parts_of_what_was_found(g):
    x, other = found_rows(g), g.input([2, 4])
    g.output(g("Concat", [x if i % 3 else other for i in range(90)], axis=0))
    g.output(g("Concat", [x, g("Abs", [x])] * 65, axis=1))


@form()
def functions_of_microsoft_of_what_was_found(g):
    for x in (found_rows(g), none_found(g)):
        g.output(g.microsoft("Gelu", [x]), g.microsoft("FastGelu", [x]), g.microsoft("FastGelu", [x, g.weights([4])]),
                 g.microsoft("BiasGelu", [x, g.weights([4])]), g.microsoft("QuickGelu", [x], alpha=1.5))


@form()
def largest_of_what_was_found(g):
    for x in (found_rows(g), none_found(g)):
        g.output(g("Hardmax", [x], axis=1), g("Hardmax", [g("Sign", [x])], axis=0))


@form()
def largest_of_maps_that_were_found(g):
    x = g.input([5, 3, 4])
    most = g.reduce("ReduceMax", x, [1, 2], keepdims=0)
    places = g("NonZero", [g("Greater", [most, g.constant(np.float32(1.5))])])
    y = g("Gather", [x, g.squeeze(places, 0)], axis=0)
    g.output(g("Hardmax", [y], axis=1), g("Hardmax", [y], axis=2))


def quantized(g, x, scale, element="int8", zero=0):
    """x as integers, and what they stand for."""
    scales = [g.constant(np.float32(scale)), g.constant(zero, element)]
    return g("DequantizeLinear", [g("QuantizeLinear", [x] + scales)] + scales)


@form(tolerance=0.2)
def quantized_layers_of_what_was_found(g):
    for x in (found_rows(g), none_found(g)):
        w = [g.constant(g.random.randint(-127, 128, [4, 5]), "int8"), g.constant(np.float32(0.01))]
        y = g("Gemm", [quantized(g, x, 0.02), g("DequantizeLinear", w), g.weights([5])])
        z = g("Relu", [quantized(g, y, 0.05)])
        v = [g.constant(g.random.randint(-127, 128, [5, 3]), "int8"), g.constant(np.float32(0.01))]
        g.output(g("MatMul", [quantized(g, z, 0.05, "uint8", 128), g("DequantizeLinear", v)]), z)
    maps = g("Reshape", [quantized(g, found_rows(g, (5, 36)), 0.02), g.integers(-1, 4, 3, 3)])
    w = [g.constant(g.random.randint(-127, 128, [6, 4, 3, 3]), "int8"), g.constant(np.float32(0.01))]
    y = g("Conv", [quantized(g, maps, 0.02), g("DequantizeLinear", w)])
    g.output(quantized(g, y, 0.1))


@form(tolerance=0.02)
def moves_of_quantized_rows_that_were_found(g):
    x = found_rows(g, (6, 12))
    scales = [g.constant(np.float32(0.02)), g.constant(0, "int8")]
    q = g("QuantizeLinear", [x] + scales)
    y = g("Transpose", [g("Reshape", [q, g.integers(-1, 3, 4)])], perm=[0, 2, 1])
    both = g("Concat", [q, q], axis=1)
    for part in (y, both, g("Slice", [q, g.integers(1), g.integers(9), g.integers(1)])):
        g.output(g("DequantizeLinear", [part] + scales))


@form(tolerance=0.2)
def operators_of_integers_on_what_was_found(g):
    def scales(scale, element="int8", zero=0):
        return [g.constant(np.float32(scale)), g.constant(zero, element)]

    for x in (found_rows(g), none_found(g)):
        q = g("QuantizeLinear", [x] + scales(0.02))
        w = [g.constant(g.random.randint(-127, 128, [4, 5]), "int8")] + scales(0.01)
        y = g("QLinearMatMul", [q] + scales(0.02) + w + scales(0.05))
        g.output(g("DequantizeLinear", [y] + scales(0.05)))
    maps = g("Reshape", [found_rows(g, (5, 36)), g.integers(-1, 4, 3, 3)])
    q = g("QuantizeLinear", [maps] + scales(0.02, "uint8", 128))
    w = [g.constant(g.random.randint(-127, 128, [6, 4, 3, 3]), "int8")] + scales(0.01)
    y = g("QLinearConv", [q] + scales(0.02, "uint8", 128) + w + scales(0.1, "uint8", 100))
    g.output(g("DequantizeLinear", [y] + scales(0.1, "uint8", 100)))


@form(21)
def norms_of_maps_that_were_found(g):
    x = g("Reshape", [found_rows(g, (5, 72)), g.integers(-1, 8, 3, 3)])
    y = g("GroupNormalization", [x, g.weights([8]), g.weights([8])], num_groups=4)
    g.output(y, g("DepthToSpace", [g("Relu", [y])], blocksize=2))


def either(g, x, others, limit):
    """An If whose branches return x1, which is x, and what the nodes of `others` make of it."""
    then = graph_proto("then", [helper.make_node("Neg", ["x1"], ["a"])], [], [("a", TensorProto.FLOAT)])
    nodes, constants = others
    other = graph_proto("else", nodes, [], [("b", TensorProto.FLOAT)], constants)
    total = g.reduce("ReduceSum", x, list(range(len(g.data[x]["dims"]))), keepdims=0)
    return g("If", [g("Greater", [total, g.constant(np.float32(limit))])], then_branch=then, else_branch=other)


@form()
def branches_of_other_extents(g):
    x = g.input([2, 3])
    wider = [helper.make_node("Concat", ["x1", "x1"], ["c"], axis=0), helper.make_node("Concat", ["c", "c"], ["b"], axis=1)]
    smaller = [helper.make_node("Gather", ["x1", "k"], ["b"], axis=1)]
    for limit in (-100, 100):
        y = either(g, x, (wider, []), limit)
        column = either(g, x, (smaller, [helper.make_tensor("k", TensorProto.INT64, [1], [2])]), limit)
        g.output(y, column, g("Relu", [y]), g.reduce("ReduceSum", column, [1], keepdims=0))
        ones = helper.make_tensor("k", TensorProto.FLOAT, [1, 4], [1, 2, 3, 4])
        g.output(either(g, x, ([helper.make_node("Identity", ["k"], ["b"])], [ones]), limit))


@form()
def chosen_numbers_that_are_cast(g):
    """Fractions of what a condition chooses are cut: its kind is not the condition's."""
    x, y = g.input([6], 1.2, 1.9), g.input([6], -1.9, -1.2)
    twice = [helper.make_node("Add", ["x1", "x1"], ["b"])]
    chosen = [either(g, x, (twice, []), limit) for limit in (-100, 100)]
    above = g("Greater", [g("Add", [x, y]), g.constant(np.float32(0))])
    chosen += [g("Where", [above, x, y]), g("Where", [above, x, g.constant(np.float32(-1.6))])]
    g.output(*(g("Cast", [g("Cast", [t], to=6)], to=1) for t in chosen))
    whole = g("Where", [above, g.integers(7), g.integers(-7)])
    g.output(g("Cast", [g("Div", [whole, g.integers(2)])], to=1))


@form()
def chosen_booleans(g):
    """ONNX Runtime has no Where of booleans."""
    x = g.input([6], 1.2, 1.9)
    above = g("Greater", [x, g.constant(np.float32(1.5))])
    yes, no = g.constant(np.array([True])), g.constant(np.array([False]))
    high = g("Less", [x, g.constant(np.float32(1.7))])
    chosen = [g("Where", [above, no, yes]), g("Where", [above, high, yes])]
    g.output(*(g("Cast", [g("Cast", [t], to=7)], to=1) for t in chosen))
    v = np.array(g.data[x]["data"])
    g.expected = [t.astype(float).tolist() for t in (v <= 1.5, (v <= 1.5) | (v < 1.7))]


@form()
def range_of_floats_up_to_what_was_found(g):
    for x in (found_rows(g), none_found(g)):
        rows = g("Gather", [g("Shape", [x]), g.constant(np.array(0))], axis=0)
        limit = g("Cast", [rows], to=1)
        for start, delta in ((0, 1.5), (0.5, 1), (0, 0.1), (-1, 0.7)):
            bounds = [g.constant(np.float32(start)), limit, g.constant(np.float32(delta))]
            g.output(g("Range", bounds))


@form()
def range_up_to_what_is_computed(g):
    x = found_rows(g)
    one, two, zero = (g.constant(np.array(v)) for v in (1, 2, 0))
    rows = g("Gather", [g("Shape", [x]), zero], axis=0)
    for limit in (g("Sub", [rows, one]), g("Mul", [rows, two]), g("Div", [rows, two]), g("Add", [one, rows]),
                  g("Size", [x])):
        g.output(g("Cast", [g("Range", [zero, limit, one])], to=1))


@form()
def many_constants_beside_what_was_found(g):
    parts = [g.weights([2, 4]) for _ in range(70)]
    g.output(g("Concat", parts + [found_rows(g)], axis=0))
    rows = g("Shape", [found_rows(g)])
    g.output(g("Cast", [g("Concat", [rows] * 70 + [g.integers(i, 7) for i in range(70)], axis=0)], to=1))


@form(18)
def further_layers_of_what_was_found(g):
    x = g("Reshape", [found_rows(g, (5, 36)), g.integers(-1, 4, 3, 3)])
    g.output(g("Dropout", [x]), g("CastLike", [x, g.weights([1])]))
    g.output(g("LpPool", [x], kernel_shape=[2, 2]), g("LpNormalization", [x], axis=1))
    g.output(g("MeanVarianceNormalization", [x], axes=[2, 3]), g("MaxPool", [x], [g.name("y"), ""], kernel_shape=[2, 2])[0])
    g.output(g("Resize", [x, "", "", g.integers(6, 6)], axes=[2, 3], mode="nearest",
               coordinate_transformation_mode="asymmetric", nearest_mode="floor"))
    g.output(g("MatMul", [x, g.weights([3])]), g("MatMul", [x, g.weights([1, 3, 2])]))


@form(13, refused="operator = Resize")
def resize_along_what_was_found(g):
    x = g("Reshape", [found_rows(g, (5, 36)), g.integers(-1, 4, 3, 3)])
    g.output(g("Resize", [x, "", g.constant(np.array([2, 1, 1, 1], np.float32))], mode="nearest"))


@form()
def slopes_of_tokens_that_were_found(g):
    x = g("Reshape", [found_rows(g, (6, 8)), g.integers(1, -1, 8)])
    g.output(g("PRelu", [g("MatMul", [x, g.weights([8, 8])]), g.weights([8])]), g("PRelu", [x, g.weights([8])]))
    sound = g("Transpose", [x], perm=[0, 2, 1])
    statistics = [g.weights([8]), g.weights([8]), g.weights([8]), g.constant(np.full(8, 0.5, np.float32))]
    g.output(g("BatchNormalization", [sound] + statistics), g("PRelu", [sound, g.weights([8, 1])]))


@form()
def pad_of_the_lowest_number_of_what_was_found(g):
    x = g("Reshape", [found_rows(g, (5, 36)), g.integers(-1, 4, 3, 3)])
    y = g("Pad", [x, g.integers(0, 0, 1, 1, 0, 0, 1, 1), g.constant(np.float32(-3.4028234663852886e38))])
    g.output(g("MaxPool", [y], kernel_shape=[3, 3]))


@form(refused="which are numbers of fp32")
def pad_of_integers_beyond_fp32(g):
    rows = g("Cast", [g("Shape", [found_rows(g)])], to=6)
    padded = g("Pad", [rows, g.integers(1, 0), g.constant(np.int32(16777217))])
    g.output(g("Cast", [padded], to=1))
