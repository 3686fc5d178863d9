#!/usr/bin/env bash
# ONNX Runtime 1.30 pads MaxPool, AveragePool and LpPool with auto_pad SAME_UPPER and dilations as if
# the windows were not dilated. Input: 8 columns, a window of 3 with dilation 2 (5 columns wide),
# stride 1. Expected: 8 columns, as ONNX defines SAME (the extent divided by the stride, rounded up)
# and as the library's own shape inference says, or an error, as its Conv raises for such a window.
# Seen: 6 columns, and a warning that the shape differs.
set -euo pipefail
. "$(dirname "$0")/onnxruntime.inc"
cat > model.py <<'PY'
import numpy as np, onnx
from onnx import TensorProto, helper, numpy_helper
def save(name, op, constants, **attributes):
    node = helper.make_node(op, ["x", *constants], ["y"], kernel_shape=[3], dilations=[2], **attributes)
    graph = helper.make_graph([node], "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 1, 8])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["a", "b", "c"])], [numpy_helper.from_array(a, n) for n, a in constants.items()])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)], ir_version=8), name + ".onnx")
for op in ["MaxPool", "AveragePool", "LpPool"]:
    save(op, op, {}, auto_pad="SAME_UPPER")
save("pads", "MaxPool", {}, pads=[2, 2])
save("Conv", "Conv", {"w": np.ones([1, 1, 3], np.float32)}, auto_pad="SAME_UPPER")
PY
/usr/bin/python3 model.py
cat > run.mjs <<'JS'
import ort from 'onnxruntime-node';
const x = new ort.Tensor('float32', Float32Array.from({ length: 8 }, (_, i) => i + 1), [1, 1, 8]);
for (const name of ['MaxPool', 'AveragePool', 'LpPool', 'pads', 'Conv'])
  try {
    const session = await ort.InferenceSession.create(name + '.onnx', { graphOptimizationLevel: 'disabled', logSeverityLevel: 3 });
    const { y } = await session.run({ x });
    console.log(name + ': ' + y.dims[2] + ' columns' + (name === 'LpPool' ? '' : ', ' + Array.from(y.data).join(' ')));
  } catch (error) {
    console.log(name + ': ' + (String(error).includes('Dilation not supported') ? 'refused' : error));
  }
JS
node run.mjs 2>/dev/null | tee seen.txt
[ "$(tr '\n' ';' <seen.txt)" = "MaxPool: 6 columns, 4 5 6 7 8 7;AveragePool: 6 columns, 3 3 4 5 6 6;LpPool: 6 columns;pads: 8 columns, 3 4 5 6 7 8 7 8;Conv: refused;" ]
