#!/usr/bin/env bash
# ONNX Runtime 1.30 reads the nodes of a model's local function with the model's opset, not with the
# function's. Input: a model of opset 13 with a function of opset 11, whose node is Softmax(axis=1),
# on zeros of (1,3,2). Expected: 1/6 each. A Softmax before opset 13 covers all axes from `axis` on,
# and opset_import of a FunctionProto applies to its nodes. Seen: 1/3, the Softmax of opset 13. The
# same node in a model of opset 11 gives 1/6.
set -euo pipefail
. "$(dirname "$0")/onnxruntime.inc"
cat > model.py <<'PY'
import onnx
from onnx import TensorProto, helper
def info(name):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 3, 2])
node = helper.make_node("Softmax", ["a"], ["b"], axis=1)
function = helper.make_function("own", "old", ["a"], ["b"], [node], [helper.make_opsetid("", 11)])
call = helper.make_node("old", ["x"], ["y"], domain="own")
for name, nodes, functions, opsets in (
        ("function", [call], [function], [helper.make_opsetid("", 13), helper.make_opsetid("own", 1)]),
        ("plain", [helper.make_node("Softmax", ["x"], ["y"], axis=1)], [], [helper.make_opsetid("", 11)])):
    graph = helper.make_graph(nodes, "g", [info("x")], [info("y")])
    onnx.save(helper.make_model(graph, opset_imports=opsets, functions=functions, ir_version=8), name + ".onnx")
PY
/usr/bin/python3 model.py
cat > run.mjs <<'JS'
import ort from 'onnxruntime-node';
for (const name of ['plain', 'function']) {
  const session = await ort.InferenceSession.create(name + '.onnx', { graphOptimizationLevel: 'disabled' });
  const { y } = await session.run({ x: new ort.Tensor('float32', new Float32Array(6), [1, 3, 2]) });
  console.log(name + ': ' + y.data[0].toFixed(4));
}
JS
node run.mjs | tee seen.txt
[ "$(tr '\n' ';' <seen.txt)" = "plain: 0.1667;function: 0.3333;" ]
