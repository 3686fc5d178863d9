"""Forms that no net expresses, each followed by what docs/onnx.md advises instead."""
import numpy as np
from onnx import TensorProto, helper

from forms.graph import graph_proto
from forms.registry import form


@form(refused="it is not in the table of docs/onnx.md; cut the net before it")
def determinant(g):
    g.output(g("Det", [g("Relu", [g.input([3, 3])])]))


@form()
def determinant_left_to_the_program(g):
    g.output(g("Relu", [g.input([3, 3])]))


@form(refused="sequence_lens")
def gru_of_several_lengths(g):
    x, w, r = g.input([5, 2, 3]), g.weights([1, 12, 3]), g.weights([1, 12, 4])
    lengths = g.constant(np.array([5, 3], np.int32))
    g.output(g("GRU", [x, w, r, "", lengths], 2, hidden_size=4)[0])


@form()
def gru_for_each_length(g):
    w, r = g.weights([1, 12, 3]), g.weights([1, 12, 4])
    g.output(*(g("GRU", [g.input([n, 1, 3]), w, r], 2, hidden_size=4)[0] for n in (5, 3)))


@form(refused="total_sequence_length")
def microsoft_group_query_attention_of_a_computed_total(g):
    q, k, v = g.input([1, 5, 32]), g.input([1, 5, 16]), g.input([1, 5, 16])
    past = [g.constant(np.zeros((1, 2, 0, 8), np.float32)) for _ in range(2)]
    lengths = [g.constant(np.array([4], np.int32)), g.input_of([5], "int32")]
    y = g.microsoft("GroupQueryAttention", [q, k, v] + past + lengths,
                    [g.name("y"), g.name("k"), g.name("v")], num_heads=4, kv_num_heads=2)
    g.output(y[0])


@form(refused="cond")
def loop_until_a_tensor_is_large(g):
    nodes = [helper.make_node("Add", ["state", "state"], ["next"]),
             helper.make_node("ReduceMax", ["next"], ["most"], keepdims=0),
             helper.make_node("Less", ["most", "limit"], ["goes"])]
    body = graph_proto("body", nodes, [("i", [], TensorProto.INT64), ("go", [], TensorProto.BOOL),
                                       ("state", [4], TensorProto.FLOAT)],
                       [("goes", TensorProto.BOOL), ("next", TensorProto.FLOAT)])
    body.initializer.append(helper.make_tensor("limit", TensorProto.FLOAT, [], [100]))
    g.output(g("Loop", ["", g.constant(np.array(True)), g.input([4], 1, 2)], body=body))


@form()
def one_iteration_for_the_program(g):
    x = g.input([4], 1, 2)
    y = g("Add", [x, x])
    g.output(y, g("Cast", [g("Less", [g("ReduceMax", [y], keepdims=0), g.constant(np.float32(100))])], to=1))


@form(refused="else_branch")
def branches_of_other_axes(g):
    then = graph_proto("then", [helper.make_node("Neg", ["x1"], ["a"])], [], [("a", TensorProto.FLOAT)])
    other = graph_proto("else", [helper.make_node("Concat", ["x1", "x1"], ["b0"], axis=0),
                                 helper.make_node("Reshape", ["b0", "k"], ["b"])], [], [("b", TensorProto.FLOAT)])
    other.initializer.append(helper.make_tensor("k", TensorProto.INT64, [2], [2, 4]))
    total = g.reduce("ReduceSum", g.input([4]), [0], keepdims=0)
    g.output(g("If", [g("Greater", [total, g.constant(np.float32(0))])], then_branch=then, else_branch=other))


@form()
def branch_that_is_used(g):
    g.output(g("Neg", [g.input([4])]))


def softmax_without_nan(g, masked):
    mask = g.input_of(np.array([[1, 0, 1, 1], [0, 0, 1, 0]], bool), "bool")
    p = g("Softmax", [g("Where", [mask, g.input([2, 4]), g.constant(np.float32(masked))])], axis=-1)
    g.output(g("Where", [g("IsNaN", [p]), g.constant(np.float32(0)), p]))


@form(refused="take -1e4 for -inf")
def nan_of_a_softmax_with_a_mask_of_booleans(g):
    softmax_without_nan(g, -np.inf)


@form()
def softmax_with_a_finite_mask(g):
    softmax_without_nan(g, -1e4)


@form(refused="leave the second output out")
def max_pool_with_positions(g):
    values, positions = g("MaxPool", [g.input([1, 2, 6, 6])], 2, kernel_shape=[2, 2])
    g.output(values)
    g.output(positions, element=TensorProto.INT64)
