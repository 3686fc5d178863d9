"""Compares the repository's nets as ONNX files, float and quantized, with their Caffe files."""

import importlib.util
import json
import os
import shutil
import subprocess

import numpy as np
import pytest

import tputwin
from conftest import FASHION, ROOT

if shutil.which("protoc") is None:
    pytest.skip("protobuf-compiler is not installed", allow_module_level=True)
pytest.importorskip("google.protobuf", reason="python3-protobuf is not installed")

TOOL = os.environ.get("TPUTWIN_TOOL", str(ROOT / "build/bin/tputwin"))
IMAGES = FASHION / "train-images-idx3-ubyte.gz"
NETS = ["lenet_fashion", "resnet_fashion"]


def exporter():
    spec = importlib.util.spec_from_file_location("export_onnx", ROOT / "models/export_onnx.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def tool(*arguments):
    ran = subprocess.run([TOOL, *map(str, arguments)], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def cosine(a, b):
    a, b = np.ravel(a).astype(float), np.ravel(b).astype(float)
    return a @ b / np.linalg.norm(a) / np.linalg.norm(b)


class Exported:
    """A net that is calibrated and compiled from Caffe's files, and from the ONNX file."""

    def __init__(self, name, folder):
        script = exporter()
        self.script, self.folder = script, folder
        self.stem = ROOT / f"models/{name}"
        self.onnx = folder / "net.onnx"
        script.save(script.export(script.read_caffe(self.stem)), self.onnx)
        self.data = ["--data", IMAGES, "--scale", 1 / 256, "--samples", 64]
        tool("calibrate", self.onnx, *self.data, "--output", folder / "onnx")
        tool("calibrate", f"{self.stem}.prototxt", f"{self.stem}.caffemodel", *self.data,
             "--name", "net", "--output", folder / "caffe")
        for kind in ("onnx", "caffe"):
            tool("compile", "--caffemodel", folder / kind / "bmnet_net_int8.caffemodel", "--table",
                 self.table(kind), "--batch", 10, "-o", folder / f"{kind}.bmodel")

    def table(self, kind):
        return self.folder / kind / "bmnet_net_calibration_table.pb2"

    def scores(self, kind):
        net = tputwin.load(self.folder / f"{kind}.bmodel")
        rng = np.random.default_rng(1)
        output, = net.run(rng.random(net.inputs[0].shape, np.float32), dequantize=True).values()
        return output

    def figures(self, *net):
        return json.loads(tool("eval", *net, "--json", "--data",
                               FASHION / "t10k-images-idx3-ubyte.gz", "--scale", 1 / 256,
                               "--samples", 200))


@pytest.fixture(scope="module", params=NETS)
def exported(request, tmp_path_factory):
    return Exported(request.param, tmp_path_factory.mktemp(request.param))


def test_the_float_net_equals_caffes(exported):
    by_onnx = exported.figures(exported.onnx, "--bmodel", exported.folder / "onnx.bmodel")
    by_caffe = exported.figures("--prototxt", f"{exported.stem}.prototxt", "--caffemodel",
                                f"{exported.stem}.caffemodel", "--bmodel",
                                exported.folder / "caffe.bmodel")
    assert by_onnx["float"]["right"] == by_caffe["float"]["right"] > 170
    assert abs(by_onnx["int8"]["right"] - by_caffe["int8"]["right"]) <= 2


def test_the_int8_net_gives_similar_results(exported):
    assert cosine(exported.scores("onnx"), exported.scores("caffe")) > 0.99


def test_a_quantized_model_needs_no_table(exported):
    script, folder = exported.script, exported.folder
    thresholds = script.read_thresholds(exported.table("onnx"))
    model = script.export(script.read_caffe(exported.stem), thresholds=thresholds)
    kinds = {node.op_type for node in model.graph.node}
    assert {"QuantizeLinear", "DequantizeLinear"} <= kinds
    script.save(model, folder / "qdq.onnx")
    tool("compile", folder / "qdq.onnx", "--batch", 10, "-o", folder / "qdq.bmodel")
    assert cosine(exported.scores("qdq"), exported.scores("caffe")) > 0.98
    figures = exported.figures(folder / "qdq.onnx", "--bmodel", folder / "qdq.bmodel")
    assert figures["int8"]["right"] > 170
    # `tputwin run` also takes the ONNX file, and compiles it in memory.
    np.full(784, 32, np.int8).tofile(folder / "image.bin")
    tool("run", folder / "qdq.onnx", "--input", folder / "image.bin", "--output", folder / "direct")
    tool("compile", folder / "qdq.onnx", "-o", folder / "one.bmodel")
    tool("run", folder / "one.bmodel", "--input", folder / "image.bin", "--compare",
         folder / "direct")


def test_the_module_accepts_onnx(exported):
    made = tputwin.compile(exported.onnx, exported.table("onnx"), exported.folder / "module.bmodel")
    assert made.predicted_cycles > 0
    accuracy = tputwin.evaluate("", exported.onnx, made.model,
                                FASHION / "t10k-images-idx3-ubyte.gz", samples=50,
                                preparation=tputwin.Preparation(scale=[1 / 256]))
    assert accuracy.samples == 50 and accuracy.float_right > 40


def test_the_files_of_pytorch_have_the_accuracy_of_the_caffe_net(tmp_path):
    """models/export_torch.py wrote them with the weights of the caffemodel."""
    stem, bmodel = ROOT / "models/resnet_fashion", tmp_path / "qdq.bmodel"
    tool("compile", f"{stem}_qdq.onnx", "--batch", 10, "-o", bmodel)
    nets = ([f"{stem}.onnx"], [f"{stem}_qdq.onnx"],
            ["--prototxt", f"{stem}.prototxt", "--caffemodel", f"{stem}.caffemodel"])
    plain, quantized, caffe = (
        json.loads(tool("eval", *net, "--json", "--bmodel", bmodel, "--data",
                        FASHION / "t10k-images-idx3-ubyte.gz", "--scale", 1 / 256,
                        "--samples", 300)) for net in nets)
    assert plain["float"]["right"] == caffe["float"]["right"] > 270
    assert abs(quantized["float"]["right"] - caffe["float"]["right"]) <= 3
    assert quantized["int8"]["right"] > 270


def two_inputs(folder):
    """Returns the path of a net y = conv(x) * z, and arrays of samples for its inputs."""
    script = exporter()
    inputs = [script.make_value("x", ["N", 2, 3, 3]), script.make_value("z", ["N", 2, 1, 1])]
    weights = np.array([[.5, .25], [-.5, 1]], np.float32).reshape(2, 2, 1, 1)
    nodes = [script.make_node("Conv", ["x", "w"], ["c"]),
             script.make_node("Mul", ["c", "z"], ["y"])]
    path = folder / "two.onnx"
    script.save(script.make_model("two", nodes, inputs, [script.make_value("y", [None] * 4)],
                                  {"w": weights}, 13), path)
    random = np.random.default_rng(1)
    return path, {"x": random.uniform(-1, 1, (4, 2, 3, 3)).astype(np.float32),
                  "z": random.uniform(-20, 20, (4, 2, 1, 1)).astype(np.float32)}


def test_samples_for_several_inputs(tmp_path):
    net, samples = two_inputs(tmp_path)
    np.savez(tmp_path / "all.npz", **samples)
    for name, array in samples.items():
        np.save(tmp_path / f"{name}.npy", array)
    paths = {name: tmp_path / f"{name}.npy" for name in samples}
    tables = []
    for kind, data in (("npz", tmp_path / "all.npz"), ("dict", paths),
                       ("list", list(paths.values()))):
        made = tputwin.calibrate("", net, data, tmp_path / kind)
        tables.append(open(made.table_text, encoding="ascii").read())
    assert tables[0] == tables[1] == tables[2]
    with pytest.raises(tputwin.Error, match="INPUT=PATH"):
        tputwin.calibrate("", net, tmp_path / "x.npy", tmp_path / "bad")


@pytest.mark.parametrize("batch", [1, 3])
def test_accuracy_of_a_net_of_several_inputs(tmp_path, batch):
    net, samples = two_inputs(tmp_path)
    weights = np.array([[.5, .25], [-.5, 1]])
    scores = np.einsum("oc,nchw->nohw", weights, samples["x"]) * samples["z"]
    labels = scores.reshape(len(scores), -1).argmax(1)
    labels[0] += 1  # a sample that the float net has wrong
    np.savez(tmp_path / "all.npz", labels=labels, **samples)
    made = tputwin.calibrate("", net, tmp_path / "all.npz", tmp_path / "int8")
    model = tputwin.compile(made.caffemodel, made.table, tmp_path / "net.bmodel",
                            batch=batch).model
    paths = {name: tmp_path / f"{name}.npy" for name in (*samples, "labels")}
    for name, path in paths.items():
        np.save(path, {"labels": labels, **samples}[name])
    for data in (tmp_path / "all.npz", paths):
        accuracy = tputwin.evaluate("", net, model, data)
        assert (accuracy.samples, accuracy.float_right) == (4, 3)
        assert accuracy.int8_right >= 2
    with pytest.raises(tputwin.Error, match="samples with a label"):
        tputwin.evaluate("", net, model, {name: paths[name] for name in samples})
    np.save(paths["labels"], labels[:3])
    with pytest.raises(tputwin.Error, match="there are 4 samples"):
        tputwin.evaluate("", net, model, paths)
    np.save(paths["labels"], labels - 1.5)
    with pytest.raises(tputwin.Error, match="whole numbers"):
        tputwin.evaluate("", net, model, paths)


def test_samples_of_inputs_whose_first_extents_differ(tmp_path):
    """A sample of a state (2,1,1,4) is all of it."""
    script, path = exporter(), tmp_path / "state.onnx"
    nodes = [script.make_node("Transpose", ["s"], ["t"], perm=[1, 0, 2, 3]),
             script.make_node("Add", ["x", "t"], ["y"])]
    inputs = [script.make_value("x", [1, 2, 1, 4]), script.make_value("s", [2, 1, 1, 4])]
    script.save(script.make_model("state", nodes, inputs, [script.make_value("y", [None] * 4)], {},
                                  13), path)
    random = np.random.default_rng(1)
    samples = {"x": random.uniform(-1, 1, (5, 2, 1, 4)).astype(np.float32),
               "s": random.uniform(-4, 4, (5, 2, 1, 1, 4)).astype(np.float32)}
    np.savez(tmp_path / "all.npz", **samples)
    made = tputwin.calibrate("", path, tmp_path / "all.npz", tmp_path / "int8", method="max")
    largest = {"s": np.abs(samples["s"]).max(), "y": np.abs(
        samples["x"] + samples["s"].reshape(5, 2, 1, 4)).max()}
    reported = {tensor["blob"]: tensor for tensor in made.report["tensors"]}
    for name, value in largest.items():
        tensor = reported[name]
        assert max(-tensor["least"], tensor["largest"]) == pytest.approx(value)
    with pytest.raises(tputwin.Error, match="samples of the input s"):
        np.savez(tmp_path / "all.npz", **{**samples, "s": samples["s"].reshape(5, 1, 2, 1, 4)})
        tputwin.calibrate("", path, tmp_path / "all.npz", tmp_path / "bad")
