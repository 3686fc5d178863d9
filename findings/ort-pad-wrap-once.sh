#!/usr/bin/env bash
# ONNX Runtime 1.30's Pad with mode wrap repeats the tensor only once before its begin; elements
# farther away are 0. Input: 1, 2, 3 with 5 elements on each side.
# Expected: 2 3 1 2 3 1 2 3 1 2 3 1 2. ONNX 19 repeats the tensor without end ("as if the data
# tensor forms a torus"), and so does numpy.pad. Seen: 0 0 at the begin. The end is correct, and so
# are pads of 2.
set -euo pipefail
. "$(dirname "$0")/onnxruntime.inc"
cat > model.py <<'PY'
import numpy as np, onnx
from onnx import TensorProto, helper, numpy_helper
for name, pads in (("narrow", [2, 2]), ("wide", [5, 5])):
    graph = helper.make_graph([helper.make_node("Pad", ["x", "p"], ["y"], mode="wrap")], "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [3])], [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n"])],
        [numpy_helper.from_array(np.int64(pads), "p")])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)], ir_version=9), name + ".onnx")
PY
/usr/bin/python3 model.py
cat > run.mjs <<'JS'
import ort from 'onnxruntime-node';
for (const name of ['narrow', 'wide']) {
  const session = await ort.InferenceSession.create(name + '.onnx', { graphOptimizationLevel: 'disabled' });
  const { y } = await session.run({ x: new ort.Tensor('float32', Float32Array.of(1, 2, 3), [3]) });
  console.log(name + ': ' + Array.from(y.data).join(' '));
}
JS
node run.mjs | tee seen.txt
[ "$(tr '\n' ';' <seen.txt)" = "narrow: 2 3 1 2 3 1 2;wide: 0 0 1 2 3 1 2 3 1 2 3 1 2;" ]
