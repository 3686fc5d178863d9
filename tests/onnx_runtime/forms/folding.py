"""Constants that exporters compute in the graph, subgraphs, functions and sequences."""
import numpy as np
from onnx import FunctionProto, TensorProto, helper, numpy_helper

from forms.graph import graph_proto
from forms.registry import form

FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL


@form(14)
def causal_mask_by_trilu(g):
    ones = g("ConstantOfShape", [g.integers(5, 5)],
             value=numpy_helper.from_array(np.array([-np.inf], np.float32)))
    mask = g("Trilu", [ones, g.constant(np.int64(1))], upper=1)
    zeros = g("Where", [g("IsNaN", [mask]), g.constant(np.float32(0)), mask])
    g.output(g("Softmax", [g("Add", [g.input([2, 5, 5]), zeros])], axis=-1))


@form(14)
def trilu_of_tensors(g):
    x = g.input([2, 5, 4])
    g.output(g("Trilu", [x]), g("Trilu", [x, g.constant(np.int64(-1))], upper=0))


@form()
def causal_mask_by_range_and_comparison(g):
    x = g.input([2, 5, 5])
    length = g("Gather", [g("Shape", [x]), g.constant(np.int64(2))], axis=0)
    row = g("Range", [g.constant(np.int64(0)), length, g.constant(np.int64(1))])
    later = g("Less", [g.unsqueeze(row, 1), g.unsqueeze(row, 0)])
    g.output(g("Softmax", [g("Where", [later, g.constant(np.float32(-np.inf)), x])], axis=-1))


@form()
def one_hot_of_constants(g):
    table = g("OneHot", [g.integers(2, 0, 1), g.constant(np.int64(4)), g.constant(np.array([0, 1], np.float32))])
    g.output(g("MatMul", [table, g.input([4, 3])]))


@form()
def cum_sums(g):
    mask = g.constant(np.array([[1, 1, 1, 0], [1, 1, 0, 0]], np.int64))
    positions = g("Cast", [g("CumSum", [mask, g.constant(np.int64(1))])], to=1)
    x, axis = g.input([2, 4]), g.constant(np.int64(1))
    g.output(g("Add", [x, positions]), g("CumSum", [x, axis]), g("CumSum", [x, axis], exclusive=1),
             g("CumSum", [x, axis], reverse=1))


@form()
def scatters_of_constants(g):
    zeros = g("ConstantOfShape", [g.integers(3, 4)])
    nd = g("ScatterND", [zeros, g.constant(np.array([[0, 1], [2, 3]])), g.constant(np.array([5, 7], np.float32))])
    elements = g("ScatterElements", [zeros, g.constant(np.array([[0, 2, 1, 0]])),
                                     g.constant(np.array([[1, 2, 3, 4]], np.float32))])
    x = g.input([3, 4])
    g.output(g("Add", [x, nd]), g("Mul", [x, elements]))


@form(11)
def scatter_nd_of_a_slice(g):
    """PyTorch writes x[:, 1:3] = y like this."""
    where = np.stack(np.meshgrid(np.arange(2), np.arange(1, 3), indexing="ij"), -1)
    g.output(g("ScatterND", [g.input([2, 4, 3]), g.constant(where), g.input([2, 2, 3])]))


@form()
def scatter_elements_of_tensors(g):
    g.output(g("ScatterElements", [g.input([2, 4]), g.constant(np.array([[0, 2], [3, 1]])), g.input([2, 2])],
               axis=1))


@form()
def gather_elements_and_nd(g):
    x = g.input([3, 4])
    g.output(g("GatherElements", [x, g.constant(np.array([[0, 2], [1, 1], [3, 0]]))], axis=1),
             g("GatherND", [x, g.constant(np.array([[0, 1], [2, 3]]))]))


@form()
def constants_of_every_attribute(g):
    x = g.input([3])
    tensor = g("Constant", [], value=numpy_helper.from_array(np.array([1, 2, 3], np.float32)))
    y = g("Mul", [g("Add", [x, tensor]), g("Constant", [], value_float=0.5)]) if g.opset >= 12 else (
        g("Add", [x, tensor]))
    if g.opset >= 12:
        y = g("Add", [y, g("Constant", [], value_floats=[1.0, 2.0, 3.0])])
        y = g("Reshape", [y, g("Constant", [], value_ints=[1, 3])])
    g.output(y)


@form()
def positions_by_range_and_gather(g):
    """The embedding of positions of GPT: a table, by positions that the graph computes."""
    x = g.input([1, 5, 8])
    length = g("Gather", [g("Shape", [x]), g.constant(np.int64(1))], axis=0)
    row = g.unsqueeze(g("Range", [g.constant(np.int64(0)), length, g.constant(np.int64(1))]), 0)
    g.output(g("Add", [x, g("Gather", [g.weights([9, 8]), row])]))


@form()
def anchors_of_a_detector(g):
    """Grids by Range, Expand and Concat, as YOLO's head has them."""
    step = g.constant(np.float32(1))
    row = g("Range", [g.constant(np.float32(0)), g.constant(np.float32(4)), step])
    xs = g("Expand", [g.unsqueeze(row, 0), g.integers(4, 4)])
    ys = g("Expand", [g.unsqueeze(row, 1), g.integers(4, 4)])
    grid = g("Reshape", [g("Concat", [g.unsqueeze(xs, 0), g.unsqueeze(ys, 0)], axis=0), g.integers(1, 2, 16)])
    x = g.input([1, 4, 16])
    near, far = g.split(x, [2, 2], 1)
    low, high = g("Sub", [grid, near]), g("Add", [grid, far])
    center = g("Div", [g("Add", [low, high]), g.constant(np.float32(2))])
    boxes = g("Mul", [g("Concat", [center, g("Sub", [high, low])], axis=1), g.constant(np.float32(8))])
    g.output(g("Concat", [boxes, g("Sigmoid", [g.input([1, 3, 16])])], axis=1))


@form()
def distances_of_a_detector(g):
    """The distribution of distances of YOLOv8: Softmax of 16 bins, and a convolution by 0 .. 15."""
    x = g("Reshape", [g.input([1, 64, 10]), g.integers(1, 4, 16, 10)])
    x = g("Softmax", [g("Transpose", [x], perm=[0, 3, 1, 2])], axis=3)
    x = g("Transpose", [x], perm=[0, 3, 2, 1])
    bins = g.constant(np.arange(16, dtype=np.float32).reshape(1, 16, 1, 1))
    g.output(g("Reshape", [g("Conv", [x, bins]), g.integers(1, 4, 10)]))


@form()
def weights_that_the_graph_computes(g):
    """Weight standardization and spectral norms leave arithmetic of weights in the graph."""
    w = g.weights([4, 3, 3, 3])
    centered = g("Sub", [w, g.reduce("ReduceMean", w, [1, 2, 3])])
    norm = g.reduce("ReduceL2", centered, [1, 2, 3])
    g.output(g("Conv", [g.input([1, 3, 6, 6]), g("Div", [centered, norm])]))


@form()
def windows_of_constants(g):
    """Nearest upsampling of a table, and an average of it: positions of other picture sizes."""
    table = g.weights([1, 4, 3, 3])
    none = "" if g.opset >= 13 else g.constant(np.zeros(0, np.float32))
    larger = g("Resize", [table, none, none, g.integers(1, 4, 6, 6)], mode="cubic",
               coordinate_transformation_mode="pytorch_half_pixel", cubic_coeff_a=-0.75)
    g.output(g("Add", [g.input([1, 4, 6, 6]), larger]))


@form()
def eye_and_non_zero(g):
    eye = g("EyeLike", [g("ConstantOfShape", [g.integers(3, 4)])], k=1)
    found = g("NonZero", [g.constant(np.array([0, 3, 0, 5], np.float32))])
    picked = g("Gather", [g.input([4, 3]), g.squeeze(found, 0)], axis=0)
    g.output(g("MatMul", [eye, g.input([4, 2])]), picked)


@form(17)
def windows_of_sound(g):
    x = g.input([1, 8])
    for operator in ("HannWindow", "HammingWindow", "BlackmanWindow"):
        g.output(g("Mul", [x, g(operator, [g.constant(np.int64(8))])]),
                 g("Mul", [x, g(operator, [g.constant(np.int64(8))], periodic=0)]))


@form()
def integers_of_mod_and_division(g):
    x = g.input([1, 6])
    shape = g("Shape", [x])
    last = g("Gather", [shape, g.constant(np.int64(1))], axis=0)
    rest = g("Mod", [last, g.constant(np.int64(4))])
    g.output(g("Slice", [x, g.unsqueeze(rest, 0), g.unsqueeze(last, 0), g.integers(1)]))


# ---- Subgraphs ----

def branches():
    add = graph_proto("then", [helper.make_node("Add", ["x1", "one"], ["a"])], [], [("a", FLOAT)],
                      [numpy_helper.from_array(np.ones(4, np.float32), "one")])
    neg = graph_proto("else", [helper.make_node("Neg", ["x1"], ["b"])], [], [("b", FLOAT)])
    return {"then_branch": add, "else_branch": neg}


@form()
def if_of_a_shape(g):
    """torch.squeeze of an extent that is known writes it."""
    x = g.input([3, 4])
    extent = g("Gather", [g("Shape", [x]), g.constant(np.int64(0))], axis=0)
    g.output(g("If", [g("Equal", [extent, g.constant(np.int64(3))])], **branches()))


@form()
def if_of_a_tensor(g):
    x = g.input([3, 4])
    total = g.reduce("ReduceSum", x, [0, 1], keepdims=0)
    g.output(g("If", [g("Greater", [total, g.constant(np.float32(0))])], **branches()))


def loop_body(outputs):
    """Doubles the state. Each iteration also adds its number, if there are scans."""
    nodes = [helper.make_node("Identity", ["go"], ["goes"]),
             helper.make_node("Add", ["state", "state"], ["next"])]
    results = [("goes", BOOL), ("next", FLOAT)]
    if outputs > 1:
        nodes.append(helper.make_node("Neg", ["next"], ["scan"]))
        results.append(("scan", FLOAT))
    return graph_proto("body", nodes, [("i", [], INT64), ("go", [], BOOL), ("state", [2, 3], FLOAT)], results)


@form()
def loop_of_a_constant_count(g):
    x = g.input([2, 3])
    go = g.constant(np.array(True))
    g.output(g("Loop", [g.constant(np.int64(3)), go, x], 1, body=loop_body(1)),
             *g("Loop", [g.constant(np.int64(3)), go, x], 2, body=loop_body(2)))


@form()
def scan_of_rows(g):
    body = graph_proto("body", [helper.make_node("Add", ["sum", "row"], ["next"]),
                                helper.make_node("Identity", ["next"], ["out"])],
                       [("sum", [3], FLOAT), ("row", [3], FLOAT)], [("next", FLOAT), ("out", FLOAT)])
    g.output(*g("Scan", [g.weights([3]), g.input([4, 3])], 2, body=body, num_scan_inputs=1))


@form()
def scan_backward_along_other_axes(g):
    body = graph_proto("body", [helper.make_node("Mul", ["column", "row"], ["product"]),
                                helper.make_node("Add", ["sum", "product"], ["next"]),
                                helper.make_node("Tanh", ["next"], ["out"])],
                       [("sum", [3], FLOAT), ("row", [3], FLOAT), ("column", [3], FLOAT)],
                       [("next", FLOAT), ("out", FLOAT)])
    g.output(*g("Scan", [g.weights([3]), g.input([4, 3]), g.input([3, 4])], 2, body=body, num_scan_inputs=2,
                scan_input_axes=[0, 1], scan_input_directions=[0, 1], scan_output_axes=[1],
                scan_output_directions=[1]))


# ---- Functions of the model ----

def function(g, name, inputs, outputs, nodes, attributes=()):
    g.functions.append(FunctionProto(name=name, domain="local", input=inputs, output=outputs, node=nodes,
                                     attribute=attributes, opset_import=[helper.make_opsetid("", g.opset)]))


@form(15)
def functions_of_the_model(g):
    clip = helper.make_node("LeakyRelu", ["a"], ["c"])
    reference = clip.attribute.add(name="alpha", ref_attr_name="slope")
    reference.type = 1
    function(g, "layer", ["a", "b"], ["y"], [clip, helper.make_node("Add", ["c", "b"], ["y"])], ["slope"])
    inner = helper.make_node("layer", ["p", "q"], ["r"], domain="local", slope=0.25)
    function(g, "block", ["p", "q"], ["s"], [inner, helper.make_node("Tanh", ["r"], ["s"])])
    g.functions[-1].opset_import.add(domain="local", version=1)
    x = g.input([2, 3])
    g.output(g("block", [x, g.weights([3])], domain="local"), g("layer", [x, x], domain="local", slope=0.1))


# ---- Sequences ----

@form()
def list_of_parts(g):
    """torch.chunk and unbind by scripts, which write sequences."""
    x = g.input([2, 6])
    parts = g("SplitToSequence", [x, g.constant(np.int64(3))], axis=1)
    g.output(g("SequenceAt", [parts, g.constant(np.int64(1))]))


@form()
def list_of_every_operator(g):
    x = g.input([2, 6])
    parts = g("SplitToSequence", [x], axis=1, keepdims=0)
    parts = g("SequenceInsert", [g("SequenceErase", [parts, g.constant(np.int64(-2))]), g.input([2])])
    length = g("Cast", [g("SequenceLength", [parts])], to=1)
    empty = g("SequenceInsert", [g("SequenceEmpty", []), x])
    g.output(g("ConcatFromSequence", [parts], axis=0, new_axis=1),
             g("Mul", [g("SequenceAt", [empty, g.constant(np.int64(0))]), length]))


@form()
def list_that_is_concatenated(g):
    x = g.input([2, 6])
    parts = g("SequenceConstruct", [g("Relu", [x]), g("Neg", [x])])
    g.output(g("ConcatFromSequence", [parts], axis=0), g("ConcatFromSequence", [parts], axis=0, new_axis=1))
