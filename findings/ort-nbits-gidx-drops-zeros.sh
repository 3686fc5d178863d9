#!/usr/bin/env bash
# ONNX Runtime 1.30 drops the zero points of MatMulNBits if the node has a g_idx. Input: 32 ones,
# four-bit weights that are all 3, scales 1, zero points 1, and a g_idx that names each column's own
# block.
# Expected: 64 = 32 * (3 - 1) with and without g_idx, since that g_idx changes nothing.
# Seen: -160 = 32 * (3 - 8) with g_idx, the result for no zero points, without a warning.
set -euo pipefail
. "$(dirname "$0")/onnxruntime.inc"
cat > model.py <<'PY'
import numpy as np, onnx
from onnx import TensorProto, helper, numpy_helper
constants = {"b": np.full((1, 2, 8), 0x33, np.uint8), "s": np.ones(2, np.float32), "z": np.full(1, 0x11, np.uint8),
             "g": np.repeat(np.arange(2), 16).astype(np.int32)}
nodes = [helper.make_node("MatMulNBits", ["x", "b", "s", "z"] + more, [y], domain="com.microsoft", K=32, N=1, bits=4,
                          block_size=16) for y, more in (("without", []), ("with", ["g"]))]
graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 32])],
    [helper.make_tensor_value_info(y, TensorProto.FLOAT, [1, 1]) for y in ("without", "with")],
    [numpy_helper.from_array(values, name) for name, values in constants.items()])
opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), "nbits.onnx")
PY
/usr/bin/python3 model.py
cat > run.mjs <<'JS'
import ort from 'onnxruntime-node';
const session = await ort.InferenceSession.create('nbits.onnx', { graphOptimizationLevel: 'disabled' });
const r = await session.run({ x: new ort.Tensor('float32', new Float32Array(32).fill(1), [1, 32]) });
console.log('without g_idx ' + r.without.data[0] + ', with g_idx ' + r.with.data[0]);
JS
node run.mjs | tee seen.txt
[ "$(cat seen.txt)" = "without g_idx 64, with g_idx -160" ]
