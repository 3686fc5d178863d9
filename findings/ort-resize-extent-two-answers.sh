#!/usr/bin/env bash
# ONNX Runtime 1.30 gives one Resize two extents: its shape inference returns 12, its kernel 13.
# Input: 10 columns, scale 1.3, opset 13. ONNX defines floor(extent * scale), but not the precision.
# The float32 nearest to 1.3 is below it. So the product is 13 in float32 (rounded), and 12.99999952
# in double. Expected: the session's shape inference and its kernel agree. Seen: a result of 13
# columns and, in every run, a warning: "Expected shape from model of {1,1,1,12} does not match
# actual shape of {1,1,1,13}". libonnx 1.12 infers 13.
set -euo pipefail
. "$(dirname "$0")/onnxruntime.inc"
cat > model.py <<'PY'
import numpy as np, onnx
from onnx import TensorProto, helper, numpy_helper
graph = helper.make_graph([helper.make_node("Resize", ["x", "", "s"], ["y"], mode="nearest")], "g",
    [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 1, 1, 10])], [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["a", "b", "c", "d"])],
    [numpy_helper.from_array(np.float32([1, 1, 1, 1.3]), "s")])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
onnx.checker.check_model(model)
onnx.save(model, "resize.onnx")
print("onnx", onnx.__version__, "infers", onnx.shape_inference.infer_shapes(model).graph.output[0].type.tensor_type.shape.dim[3].dim_value)
PY
/usr/bin/python3 model.py
cat > run.mjs <<'JS'
import ort from 'onnxruntime-node';
const session = await ort.InferenceSession.create('resize.onnx');
const { y } = await session.run({ x: new ort.Tensor('float32', Float32Array.from({ length: 10 }, (_, i) => i), [1, 1, 1, 10]) });
console.log('kernel: ' + y.dims[3] + ' columns');
JS
node run.mjs >seen.txt 2>&1
cat seen.txt
grep -q 'kernel: 13 columns' seen.txt && grep -q 'Expected shape from model of {1,1,1,12}' seen.txt
