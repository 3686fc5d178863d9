#!/usr/bin/env bash
# ONNX Runtime 1.30 computes negative pads for pools with auto_pad SAME_UPPER or SAME_LOWER if the
# window is smaller than its stride. Input: 9 columns, 1 to 9, a window of 1 with stride 3. Expected:
# windows that begin at the first column, 1 4 7, as Conv with the same attributes computes, since
# SAME adds pads and never removes columns. Seen: AveragePool and LpPool give 2 5 8 with SAME_UPPER
# (a pad of -1) and 1 4 7 with SAME_LOWER, MaxPool raises an error about its own pads.
set -euo pipefail
. "$(dirname "$0")/onnxruntime.inc"
cat > model.py <<'PY'
import numpy as np, onnx
from onnx import TensorProto, helper, numpy_helper
for op in ["Conv", "AveragePool", "LpPool", "MaxPool"]:
    weights = [numpy_helper.from_array(np.ones([1, 1, 1], np.float32), "w")] if op == "Conv" else []
    for pad in ["SAME_UPPER", "SAME_LOWER"]:
        node = helper.make_node(op, ["x"] + [w.name for w in weights], ["y"], kernel_shape=[1], strides=[3], auto_pad=pad)
        graph = helper.make_graph([node], "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 1, 9])],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["a", "b", "c"])], weights)
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 22)], ir_version=8), op + " " + pad)
PY
/usr/bin/python3 model.py
cat > run.mjs <<'JS'
import ort from 'onnxruntime-node';
const x = new ort.Tensor('float32', Float32Array.from({ length: 9 }, (_, i) => i + 1), [1, 1, 9]);
for (const op of ['Conv', 'AveragePool', 'LpPool', 'MaxPool'])
  for (const pad of ['SAME_UPPER', 'SAME_LOWER'])
    try {
      const session = await ort.InferenceSession.create(op + ' ' + pad, { graphOptimizationLevel: 'disabled', logSeverityLevel: 3 });
      console.log(op, pad, Array.from((await session.run({ x })).y.data).join(' '));
    } catch (error) {
      console.log(op, pad, String(error).includes('padding values must be non-negative') ? 'refused' : error);
    }
JS
node run.mjs 2>/dev/null | tee seen.txt
[ "$(tr '\n' ';' <seen.txt)" = "Conv SAME_UPPER 1 4 7;Conv SAME_LOWER 1 4 7;AveragePool SAME_UPPER 2 5 8;AveragePool SAME_LOWER 1 4 7;LpPool SAME_UPPER 2 5 8;LpPool SAME_LOWER 1 4 7;MaxPool SAME_UPPER refused;MaxPool SAME_LOWER refused;" ]
