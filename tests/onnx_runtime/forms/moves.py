"""Moves, reductions, arithmetic and types as exporters write them."""
import numpy as np
from onnx import TensorProto

from forms.registry import form

REDUCTIONS = ["ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2",
              "ReduceSumSquare", "ReduceLogSumExp"]


@form()
def reductions_of_the_last_axis(g):
    x = g.input([2, 3, 4, 5])
    g.output(*(g.reduce(operator, x, [-1]) for operator in REDUCTIONS))


@form()
def reductions_of_rows_and_columns(g):
    x = g.input([2, 3, 4, 5])
    g.output(*(g.reduce(operator, x, [2, 3], keepdims=0) for operator in REDUCTIONS))


@form()
def reductions_of_channels(g):
    x = g.input([2, 3, 4, 5])
    g.output(*(g.reduce(operator, x, [1]) for operator in REDUCTIONS))


@form()
def reductions_of_all_axes(g):
    x = g.input([2, 3, 4], 0.5, 1.5)
    g.output(*(g(operator, [x], keepdims=k) for operator in REDUCTIONS + ["ReduceLogSum"] for k in (0, 1)))


@form(18)
def reductions_of_no_axes(g):
    x = g.input([2, 3, 4])
    none = g.constant(np.zeros(0, np.int64))
    g.output(*(g(operator, [x, none], noop_with_empty_axes=1)
               for operator in ("ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd")))


@form()
def reductions_of_integers_of_shapes(g):
    x = g.input([2, 3, 4])
    shape = g("Shape", [x])
    most = g.reduce("ReduceMax", shape, [0]) if g.opset >= 12 else g.integers(4)
    count = g.reduce("ReduceProd", shape, [0])
    g.output(g("Reshape", [x, g("Concat", [g("Div", [count, most]), most], axis=0)]))


@form(20)
def reduce_max_of_booleans(g):
    some = g("Greater", [g.input([2, 5]), g.constant(np.float32(1.5))])
    g.output(g("Cast", [g("ReduceMax", [some, g.integers(1)])], to=1))


@form()
def split_into_parts(g):
    x = g.input([2, 6, 4])
    g.output(*g.split(x, [1, 2, 3], 1))


@form()
def split_equally(g):
    x = g.input([2, 6, 4])
    g.output(*g.split_equally(x, 3, 1))


@form(18)
def split_into_an_unequal_number(g):
    g.output(*g.split_equally(g.input([2, 7, 4]), 3, 1))


@form()
def squeeze_and_unsqueeze(g):
    x = g.input([1, 3, 1, 4])
    g.output(g.squeeze(x, 0, 2), g.squeeze(x, -2), g("Squeeze", [x]), g.unsqueeze(x, 0),
             g.unsqueeze(g.squeeze(x, 0), 1, -1))


@form()
def transposes_of_six_axes(g):
    x = g("Reshape", [g.input([2, 12, 30]), g.integers(2, 3, 4, 5, 2, 3)])
    y = g("Transpose", [x], perm=[0, 3, 1, 5, 2, 4])
    g.output(g("Reshape", [y, g.integers(2, -1)]))


@form()
def windows_of_a_swin_transformer(g):
    x = g("Reshape", [g.input([1, 8, 8, 3]), g.integers(1, 2, 4, 2, 4, 3)])
    x = g("Reshape", [g("Transpose", [x], perm=[0, 1, 3, 2, 4, 5]), g.integers(-1, 16, 3)])
    g.output(x)


@form()
def roll_of_slices(g):
    x = g.input([1, 6, 6, 3])
    a = g("Slice", [x, g.integers(2), g.integers(np.iinfo(np.int64).max), g.integers(1)])
    b = g("Slice", [x, g.integers(0), g.integers(2), g.integers(1)])
    g.output(g("Concat", [a, b], axis=1))


@form()
def slices_with_steps(g):
    x = g.input([2, 3, 8, 9])
    g.output(g("Slice", [x, g.integers(0, 1), g.integers(8, 9), g.integers(2, 3), g.integers(2, 3)]),
             g("Slice", [x, g.integers(-1), g.integers(-100), g.integers(3), g.integers(-1)]),
             g("Slice", [x, g.integers(2), g.integers(-1), g.integers(-1)]),
             g("Slice", [x, g.integers(0), g.integers(3), g.integers(1), g.integers(2)]))


@form()
def focus_of_yolo(g):
    x = g.input([1, 3, 8, 8])

    def every_second(name, first, axis):
        return g("Slice", [name, g.integers(first), g.integers(np.iinfo(np.int64).max),
                           g.integers(axis), g.integers(2)])
    parts = [every_second(every_second(x, r, 2), c, 3) for c in (0, 1) for r in (0, 1)]
    g.output(g.conv(g("Concat", parts, axis=1), 12, 4, 3))


@form()
def gathers_of_constants(g):
    x = g.input([2, 5, 4])
    g.output(g("Gather", [x, g.constant(np.int64(2))], axis=1), g("Gather", [x, g.integers(3, 0, -1)], axis=1),
             g("Gather", [x, g.constant(np.array([[0, 1], [2, 4]], np.int64))], axis=1))


@form()
def pads_of_every_mode(g):
    x = g.input([1, 2, 5, 6])
    pads = [0, 0, 1, 2, 0, 0, 2, 1]
    g.output(*(g.pad(x, pads, mode=mode) for mode in ("constant", "reflect", "edge")))
    g.output(g.pad(x, [0, 0, -1, 0, 0, 0, 0, -2]))


@form(18)
def pad_with_axes(g):
    x = g.input([1, 2, 5, 6])
    inputs = [x, g.integers(1, 2, 0, 1), g.constant(np.float32(0.5)), g.integers(2, -1)]
    g.output(g("Pad", inputs))


@form(19)
def pad_that_wraps(g):
    g.output(g.pad(g.input([1, 2, 5, 6]), [0, 0, 1, 2, 0, 0, 2, 1], mode="wrap"))


@form()
def expand_and_tile(g):
    x = g.input([1, 3, 1, 4])
    g.output(g("Expand", [x, g.integers(2, 3, 5, 4)]), g("Expand", [x, g.integers(5, 1)]),
             g("Tile", [x, g.integers(2, 1, 3, 2)]))


@form()
def reshape_to_a_shape_of_slices(g):
    x = g.input([2, 3, 4, 5])
    shape = g("Shape", [x])
    batch = g("Slice", [shape, g.integers(0), g.integers(1), g.integers(0)])
    rows = g.unsqueeze(g("Gather", [shape, g.constant(np.int64(2))], axis=0), 0)
    g.output(g("Reshape", [x, g("Concat", [batch, rows, g.integers(-1)], axis=0)]))


@form(15)
def reshape_to_part_of_a_shape(g):
    x = g.input([2, 3, 4, 5])
    g.output(g("Reshape", [x, g("Concat", [g("Shape", [x], start=0, end=2), g.integers(-1)], axis=0)]))


@form(14)
def reshape_with_allowed_zeros(g):
    g.output(g("Reshape", [g.input([2, 3, 4]), g.integers(6, 4)], allowzero=1))


@form()
def flattens(g):
    x = g.input([2, 3, 4])
    g.output(*(g("Flatten", [x], axis=a) for a in (-1, 0, 1, 2)))


@form()
def arithmetic_of_every_shape(g):
    x = g.input([2, 3, 4, 5], 0.5, 2)
    others = [g.input(d, 0.5, 2) for d in ([5], [4, 1], [3, 1, 1], [2, 1, 4, 5], [1])]
    others += [g.weights(d, 0.5, 2) for d in ([5], [4, 1], [3, 1, 1], [3, 4, 5], [])]
    g.output(*(g(operator, [x, other]) for operator in ("Add", "Sub", "Mul", "Div", "Pow")
               for other in others))


@form()
def arithmetic_of_constants_on_the_left(g):
    x = g.input([2, 3, 4, 5], 0.5, 2)
    g.output(*(g(operator, [g.weights(dims, 0.5, 2), x]) for operator in ("Add", "Sub", "Mul", "Div", "Pow")
               for dims in ([5], [3, 1, 1], [])))


@form()
def comparisons(g):
    a, b = g.input([2, 3, 4]), g.input([2, 3, 4])
    names = ["Greater", "Less", "Equal"] + (["GreaterOrEqual", "LessOrEqual"] if g.opset >= 12 else [])
    g.output(*(g("Cast", [g(operator, [a, b])], to=1) for operator in names))


@form()
def logic(g):
    zero = g.constant(np.float32(0))
    a, b = (g("Greater", [g.input([2, 3, 4]), zero]) for _ in range(2))
    g.output(*(g("Cast", [y], to=1) for y in (g("And", [a, b]), g("Or", [a, b]), g("Xor", [a, b]),
                                              g("Not", [a]))))


@form()
def booleans_as_output(g):
    g.output(g("Greater", [g.input([2, 3, 4]), g.constant(np.float32(0))]), element=TensorProto.BOOL)


@form()
def positions_as_output(g):
    x = g.input([2, 5, 4])
    g.output(g("ArgMax", [x], axis=1, keepdims=0), g("ArgMin", [x], axis=-1), element=TensorProto.INT64)


@form(12)
def last_positions_as_output(g):
    x = g.constant(np.array([[1, 3, 3, 2], [0, 0, -1, 0]], np.float32))
    y = g("Add", [g.input([2, 4], 0, 0), x])
    g.output(g("ArgMax", [y], axis=1, select_last_index=1), element=TensorProto.INT64)


@form()
def top_k(g):
    values, positions = g("TopK", [g.input([2, 9]), g.integers(4)], 2, axis=-1)
    g.output(values)
    g.output(positions, element=TensorProto.INT64)


# ---- Types ----

@form()
def bytes_of_a_picture(g):
    x = g("Cast", [g.input([1, 3, 6, 6], 0, 255, "uint8")], to=1)
    g.output(g.conv(g("Div", [x, g.constant(np.float32(255))]), 3, 4, 3))


@form()
def bytes_of_a_picture_of_channels_last(g):
    x = g("Transpose", [g.input([1, 6, 6, 3], 0, 255, "uint8")], perm=[0, 3, 1, 2])
    x = g("Sub", [g("Cast", [x], to=1), g.constant(np.array([123, 116, 103], np.float32).reshape(3, 1, 1))])
    g.output(g.conv(g("Mul", [x, g.constant(np.float32(1 / 58))]), 3, 4, 3))


@form()
def bytes_at_the_end(g):
    x = g("Mul", [g("Sigmoid", [g.input([1, 3, 6, 6])]), g.constant(np.float32(255))])
    g.output(g("Cast", [x], to=2), element=TensorProto.UINT8)


@form()
def bytes_resized_before_the_cast(g):
    x = g.input([1, 3, 4, 4], 0, 255, "uint8")
    none = "" if g.opset >= 13 else g.constant(np.zeros(0, np.float32))
    y = g("Resize", [x, none, g.constant(np.array([1, 1, 2, 2], np.float32))], mode="nearest")
    g.output(g("Cast", [y], to=1))


@form()
def bytes_that_are_padded(g):
    x = g.input([1, 3, 4, 4], 0, 255, "uint8")
    pads = [x, g.integers(0, 0, 1, 2, 0, 0, 0, 1)] + ([g.constant(114, "uint8")] if g.opset >= 13 else [])
    g.output(g("Cast", [g("Pad", pads)], to=1))


@form()
def signed_bytes_as_input(g):
    g.output(g("Relu", [g("Cast", [g.input([1, 3, 4, 4], -128, 127, "int8")], to=1)]))


@form()
def tokens_as_input(g):
    rows = g("Gather", [g.weights([9, 4]), g.input([1, 5], 0, 8, "int64")])
    g.output(g("MatMul", [rows, g.weights([4, 3])]))


@form()
def non_max_suppression(g):
    corners = np.sort(g.random.random_sample([1, 6, 2, 2]), axis=2).reshape(1, 6, 4)
    found = g("NonMaxSuppression", [g.input_of(corners), g.input([1, 1, 6], 0, 1), g.integers(3),
                                    g.constant(np.array([0.5], np.float32))])
    g.output(found, element=TensorProto.INT64)


@form()
def mask_of_booleans_as_input(g):
    mask = g.input([2, 1, 4, 4], element="bool")
    scores = g("Where", [mask, g.input([2, 2, 4, 4]), g.constant(np.float32(-1e9))])
    g.output(g("Softmax", [scores], axis=-1))


@form()
def casts_between_floats(g):
    x = g("Cast", [g.input_of(np.arange(-8, 8).reshape(2, 8) / 4)], to=10)
    g.output(g("Cast", [g("Relu", [g("Cast", [x], to=11)])], to=1))


@form()
def casts_to_integers(g):
    x = g.input([2, 9], -90, 90)
    g.output(*(g("Cast", [g("Cast", [x], to=t)], to=1) for t in (3, 5, 6, 7)))


@form()
def integers_of_casts(g):
    x = g("Cast", [g.input([2, 9], -90, 90)], to=7)
    doubled = g("Add", [x, x])
    g.output(g("Cast", [doubled], to=1))


@form(15)
def cast_like(g):
    y = g("CastLike", [g("Greater", [g.input([2, 4]), g.constant(np.float32(0))]), g.constant(np.float32(1))])
    g.output(y)


@form(19)
def casts_that_saturate(g):
    w = g("Cast", [g("Cast", [g.constant(np.array([1.3, 600, -900], np.float32))], to=17, saturate=1)], to=1)
    like = g("CastLike", [g.constant(np.array([0.7, -0.2, 2], np.float32)), g.weights([1])], saturate=1)
    g.output(g("Add", [g.input([2, 3]), w]), g("Mul", [g.input([2, 3]), like]))


@form(19)
def casts_to_float8(g):
    values = np.array([0, 1.3, -0.07, 0.001, 300, 448, 470, -500, 1e5, 17.5, 18.5, -0.0004], np.float32)
    rows = [g("Cast", [g("Cast", [g.constant(values)], to=t)], to=1) for t in (17, 18, 19, 20)]
    g.output(*(g("Mul", [g.input([2, 12]), row]) for row in rows))


@form(19)
def casts_to_float8_without_saturation(g):
    """Beyond the range are NaN, or infinities, which no weight of a net is."""
    values = np.array([0, 1.3, -0.07, 0.001, 300, 17.5, 18.5, 200], np.float32)
    rows = [g("Cast", [g("Cast", [g.constant(values / 2)], to=t, saturate=0)], to=1) for t in (17, 18, 19, 20)]
    g.output(*(g("Mul", [g.input([2, 8]), row]) for row in rows))


@form()
def graph_of_fp16(g):
    x = g.input_of(g.random.randint(-8, 9, [1, 3, 6, 6]) / 4, "float16")
    w = g.constant(g.random.randint(-2, 3, [4, 3, 3, 3]) / 4, "float16")
    b = g.constant(np.array([0.5, -0.25, 1, 0]), "float16")
    y = g("Relu", [g("Conv", [x, w, b], kernel_shape=[3, 3])])
    y = g("MaxPool", [y], kernel_shape=[2, 2], strides=[2, 2])
    y = g("Add", [y, g.constant(np.float16(0.5))])
    g.output(g("Flatten", [y]), element=TensorProto.FLOAT16)


@form(13)
def weights_of_fp16(g):
    w = g("Cast", [g.constant(g.draw([4, 3]), "float16")], to=1)
    g.output(g("Gemm", [g.input([2, 3]), w], transB=1))


@form(13)
def weights_of_bf16(g):
    bits = (g.draw([4, 3]).view(np.uint32) >> 16).astype("<u2")
    w = g("Cast", [g.raw(TensorProto.BFLOAT16, [4, 3], bits.tobytes())], to=1)
    g.output(g("Gemm", [g.input([2, 3]), w], transB=1))


@form(13)
def graph_of_bf16(g):
    """The values are exact in bf16. ONNX Runtime has no products of them."""
    x, w = g.random.randint(-8, 9, [2, 3]) / 4, g.random.randint(-2, 3, [3, 4]) / 2
    bits = (w.astype(np.float32).view(np.uint32) >> 16).astype("<u2")
    product = g("MatMul", [g("Cast", [g.input_of(x)], to=16), g.raw(TensorProto.BFLOAT16, [3, 4], bits.tobytes())])
    g.output(g("Cast", [g("Relu", [product])], to=1))
    g.expected = [np.maximum(x @ w, 0).flatten().tolist()]


@form()
def dropout_and_identity(g):
    x = g("Dropout", [g("Identity", [g.input([2, 3])])])
    g.output(g("Relu", [x]))


@form(12)
def dropout_with_its_mask(g):
    y, mask = g("Dropout", [g.input([2, 3])], 2)
    g.output(y, g("Cast", [mask], to=1))
