#!/usr/bin/env bash
# ONNX Runtime 1.30 copies the input of a Resize whose extents do not change, for every scale.
# Input: 0 1 2, scale 1.1, linear, asymmetric, opset 13: floor(3 * 1.1) = 3 columns at positions
# i / 1.1. Expected by ONNX: 0 0.909 1.818. The same scale gives these values for the first columns
# of a wider input. Seen: 0 1 2 for three columns, but 0 0.909 1.818 and so on for twelve columns
# (thirteen results).
set -euo pipefail
. "$(dirname "$0")/onnxruntime.inc"
cat > model.py <<'PY'
import numpy as np, onnx
from onnx import TensorProto, helper, numpy_helper
node = helper.make_node("Resize", ["x", "", "s"], ["y"], mode="linear", coordinate_transformation_mode="asymmetric")
for columns in (3, 12):
    graph = helper.make_graph([node], "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 1, 1, columns])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["a", "b", "c", "d"])], [numpy_helper.from_array(np.float32([1, 1, 1, 1.1]), "s")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.checker.check_model(model)
    onnx.save(model, f"resize{columns}.onnx")
PY
/usr/bin/python3 model.py
cat > run.mjs <<'JS'
import ort from 'onnxruntime-node';
for (const columns of [3, 12]) {
  const session = await ort.InferenceSession.create(`resize${columns}.onnx`, { graphOptimizationLevel: 'disabled' });
  const { y } = await session.run({ x: new ort.Tensor('float32', Float32Array.from({ length: columns }, (_, i) => i), [1, 1, 1, columns]) });
  console.log(columns + ' columns: ' + Array.from(y.data).slice(0, 3).map((v) => v.toFixed(3)).join(' '));
}
JS
node run.mjs 2>/dev/null | tee seen.txt
[ "$(tr '\n' ';' <seen.txt)" = "3 columns: 0.000 1.000 2.000;12 columns: 0.000 0.909 1.818;" ]
