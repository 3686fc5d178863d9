#!/usr/bin/env bash
# ONNX Runtime 1.30 accepts models of opset 22, but has no implementation of its GlobalLpPool for
# the CPU. That version only accepts more types. A model of opset 21 runs; the same model of opset
# 22 cannot be loaded. Expected: 5 for the values 3 and 4 in both. Seen: 5, and "Could not find an
# implementation for GlobalLpPool(22)".
set -euo pipefail
. "$(dirname "$0")/onnxruntime.inc"
cat > model.py <<'PY'
import onnx
from onnx import TensorProto, helper
for opset in (21, 22):
    graph = helper.make_graph([helper.make_node("GlobalLpPool", ["x"], ["y"])], "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 1, 2])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 1, 1])])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10), f"{opset}.onnx")
PY
/usr/bin/python3 model.py
cat > run.mjs <<'JS'
import ort from 'onnxruntime-node';
for (const opset of [21, 22]) {
  let seen;
  try {
    const session = await ort.InferenceSession.create(opset + '.onnx', { logSeverityLevel: 4 });
    const { y } = await session.run({ x: new ort.Tensor('float32', Float32Array.of(3, 4), [1, 1, 2]) });
    seen = y.data[0];
  } catch (error) {
    seen = /Could not find an implementation for GlobalLpPool\(22\)/.test(error.message) ? 'no implementation' : error.message;
  }
  console.log(opset + ': ' + seen);
}
JS
node run.mjs | tee seen.txt
[ "$(tr '\n' ';' <seen.txt)" = "21: 5;22: no implementation;" ]
