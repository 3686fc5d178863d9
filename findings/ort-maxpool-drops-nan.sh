#!/usr/bin/env bash
# ONNX Runtime 1.30's MaxPool drops NaN, although its Max, ReduceMax and Relu keep them. Input: NaN,
# 1, 2 with a window of two. Expected: NaN, 2. Max(NaN, 1) in the same library gives NaN, and so
# does PyTorch's max_pool1d, from which such nets are exported. Seen: 1, 2. A net whose activations
# became NaN looks correct after a pool.
set -euo pipefail
. "$(dirname "$0")/onnxruntime.inc"
cat > model.py <<'PY'
import numpy as np, onnx
from onnx import TensorProto, helper, numpy_helper
def save(name, node, constants={}, rank=3):
    graph = helper.make_graph([node], "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 1, 3])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["a", "b", "c", "d"][:rank])], [numpy_helper.from_array(a, n) for n, a in constants.items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.checker.check_model(model)
    onnx.save(model, name + ".onnx")
save("pool", helper.make_node("MaxPool", ["x"], ["y"], kernel_shape=[2]))
save("max", helper.make_node("Max", ["x", "c"], ["y"]), {"c": np.float32([[[1, 1, 1]]])})
save("reduce", helper.make_node("ReduceMax", ["x"], ["y"], axes=[2]))
save("relu", helper.make_node("Relu", ["x"], ["y"]))
PY
/usr/bin/python3 model.py
cat > run.mjs <<'JS'
import ort from 'onnxruntime-node';
for (const name of ['pool', 'max', 'reduce', 'relu']) {
  const session = await ort.InferenceSession.create(name + '.onnx', { graphOptimizationLevel: 'disabled' });
  const { y } = await session.run({ x: new ort.Tensor('float32', Float32Array.of(NaN, 1, 2), [1, 1, 3]) });
  console.log(name + ': ' + Array.from(y.data).join(' '));
}
JS
node run.mjs | tee seen.txt
[ "$(tr '\n' ';' <seen.txt)" = "pool: 1 2;max: NaN 1 2;reduce: NaN;relu: NaN 1 2;" ]
