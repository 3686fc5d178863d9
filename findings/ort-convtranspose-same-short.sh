#!/usr/bin/env bash
# ONNX Runtime 1.30 and libonnx 1.12 break ConvTranspose's rule for auto_pad SAME if the stride
# exceeds the kernel. Input: 3 columns, kernel 1, stride 2, auto_pad SAME_UPPER.
# Expected: 6 columns, since ONNX defines extent * stride columns for SAME.
# Seen: both give 5 columns, 1 0 2 0 3 for 1 2 3. They treat a total padding of -1 as 0, without a
# warning.
set -euo pipefail
. "$(dirname "$0")/onnxruntime.inc"
cat > model.py <<'PY'
import numpy as np, onnx
from onnx import TensorProto, helper, numpy_helper
node = helper.make_node("ConvTranspose", ["x", "w"], ["y"], strides=[1, 2], kernel_shape=[1, 1], auto_pad="SAME_UPPER")
graph = helper.make_graph([node], "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 1, 1, 3])],
    [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["a", "b", "c", "d"])], [numpy_helper.from_array(np.ones((1, 1, 1, 1), np.float32), "w")])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
onnx.checker.check_model(model)
onnx.save(model, "same.onnx")
columns = onnx.shape_inference.infer_shapes(model).graph.output[0].type.tensor_type.shape.dim[3].dim_value
print("onnx", onnx.__version__, "infers", columns, "columns")
assert columns == 5
PY
/usr/bin/python3 model.py
cat > run.mjs <<'JS'
import ort from 'onnxruntime-node';
const session = await ort.InferenceSession.create('same.onnx', { graphOptimizationLevel: 'disabled' });
const { y } = await session.run({ x: new ort.Tensor('float32', Float32Array.of(1, 2, 3), [1, 1, 1, 3]) });
console.log('kernel: ' + y.dims[3] + ' columns, ' + Array.from(y.data).join(' '));
JS
node run.mjs | tee seen.txt
[ "$(cat seen.txt)" = "kernel: 5 columns, 1 0 2 0 3" ]
