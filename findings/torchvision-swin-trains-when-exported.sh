#!/usr/bin/env bash
# PyTorch 1.13 exports torchvision 0.14's swin_t, in eval(), with Dropout nodes whose training_mode
# is true. Expected: a network exported in eval() has no Dropout (as vit_b_16), or one without
# training mode. Seen: every attention has a Dropout with training_mode true. Its ratio is 0, so
# results do not change. But readers that refuse networks in training mode refuse the file. The
# cause: torchvision's shifted_window_attention calls dropout() without `training`.
set -euo pipefail
/usr/bin/python3 -c 'import onnx, torch, torchvision' 2>/dev/null || { echo "python3-onnx, python3-torch and python3-torchvision are needed"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat > export.py <<'PY'
import warnings
import onnx, torch, torchvision
from onnx import numpy_helper
warnings.filterwarnings("ignore")
print("torch", torch.__version__, "torchvision", torchvision.__version__)
for name in ("vit_b_16", "swin_t"):
    net = getattr(torchvision.models, name)(weights=None).eval()
    torch.onnx.export(net, torch.zeros(1, 3, 224, 224), "net.onnx", opset_version=13)
    graph = onnx.load("net.onnx").graph
    constants = {n.output[0]: numpy_helper.to_array(n.attribute[0].t) for n in graph.node if n.op_type == "Constant"}
    constants.update({t.name: numpy_helper.to_array(t) for t in graph.initializer})
    modes = {(float(constants[n.input[1]]), bool(constants[n.input[2]])) for n in graph.node if n.op_type == "Dropout"}
    print(name + ": (ratio, training_mode) of Dropout:", sorted(modes))
PY
/usr/bin/python3 export.py | tee seen.txt
[ "$(tail -n 2 seen.txt | tr '\n' ';')" = "vit_b_16: (ratio, training_mode) of Dropout: [];swin_t: (ratio, training_mode) of Dropout: [(0.0, True)];" ]
