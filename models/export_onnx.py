#!/usr/bin/python3
"""Writes a Caffe net as an ONNX model. A calibration table makes it a quantized model (QDQ).

    models/export_onnx.py models/resnet_fashion net.onnx
    tputwin calibrate net.onnx --data images/ --output int8
    models/export_onnx.py models/resnet_fashion qdq.onnx \\
        --table int8/bmnet_net_calibration_table.pb2
    tputwin compile qdq.onnx -o net.bmodel

Needs python3-numpy, python3-protobuf and protobuf-compiler. Outside of a checkout it also needs an
installed tputwin (libtputwin-dev). Tensors keep their names; the results of later layers in place
get a tick each. The batch is variable.
"""
import argparse
import importlib
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from google.protobuf import text_format


def protos():
    """Returns the folder of tputwin's .proto files, in the checkout or in the installation."""
    folder = Path(__file__).resolve().parents[1] / "src/bmnet/proto"
    if folder.is_dir():
        return folder
    prefix = subprocess.run(["tputwin-config", "--prefix"], check=True, stdout=subprocess.PIPE, text=True).stdout
    return Path(prefix.strip()) / "include/bmnet"


def messages(name):
    """Returns the Python module of one of these .proto files."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["protoc", f"-I{protos()}", f"--python_out={folder}",
                        *map(str, protos().glob("*.proto"))], check=True)
        sys.path.insert(0, folder)
        try:
            return importlib.import_module(f"{name}_pb2")
        finally:
            sys.path.remove(folder)


ONNX = messages("tputwin_onnx")
TYPES = {"float32": ONNX.TensorProto.FLOAT, "int8": ONNX.TensorProto.INT8,
         "int64": ONNX.TensorProto.INT64}


def make_node(kind, inputs, outputs, name="", **attributes):
    """Returns a NodeProto."""
    node = ONNX.NodeProto(op_type=kind, input=inputs, output=outputs, name=name)
    for key, value in attributes.items():
        attribute = node.attribute.add(name=key)
        if isinstance(value, list):
            attribute.type = ONNX.AttributeProto.INTS
            attribute.ints.extend(value)
        elif isinstance(value, float):
            attribute.type, attribute.f = ONNX.AttributeProto.FLOAT, value
        elif isinstance(value, str):
            attribute.type, attribute.s = ONNX.AttributeProto.STRING, value.encode()
        else:
            attribute.type, attribute.i = ONNX.AttributeProto.INT, value
    return node


def make_value(name, extents):
    """Returns the ValueInfoProto of a tensor of floats. Open extents are names, or None."""
    value = ONNX.ValueInfoProto(name=name)
    value.type.tensor_type.elem_type = ONNX.TensorProto.FLOAT
    for extent in extents:
        dim = value.type.tensor_type.shape.dim.add()
        if isinstance(extent, str):
            dim.dim_param = extent
        elif extent is not None:
            dim.dim_value = extent
    return value


def make_tensor(name, values):
    """Returns the TensorProto of an array."""
    return ONNX.TensorProto(name=name, dims=values.shape, data_type=TYPES[values.dtype.name],
                            raw_data=values.astype(values.dtype.newbyteorder("<")).tobytes())


def make_model(name, nodes, inputs, outputs, constants, opset):
    """Returns a ModelProto. `constants` are arrays by name."""
    model = ONNX.ModelProto(ir_version=7, producer_name="tputwin")
    model.opset_import.add(version=opset)
    graph = model.graph
    graph.name = name
    graph.node.extend(nodes)
    graph.input.extend(inputs)
    graph.output.extend(outputs)
    graph.initializer.extend(make_tensor(key, values) for key, values in constants.items())
    return model


def save(model, path):
    Path(path).write_bytes(model.SerializeToString())


def read_caffe(stem):
    """Returns the layers of the prototxt with the weights of the caffemodel."""
    caffe = messages("bmnet_caffe")
    net, weights = caffe.NetParameter(), caffe.NetParameter()
    text_format.Parse(Path(f"{stem}.prototxt").read_text(), net)
    weights.ParseFromString(Path(f"{stem}.caffemodel").read_bytes())
    blobs = {layer.name: layer.blobs for layer in weights.layer}
    for layer in net.layer:
        layer.blobs.extend(blobs.get(layer.name, []))
    return net


def array(blob):
    values = np.array(blob.data, np.float32)
    return values.reshape(list(blob.shape.dim)) if blob.shape.dim else values


class Exporter:
    """Builds a model from nodes that are added one after the other."""

    def __init__(self, name, opset, thresholds):
        self.name, self.opset, self.thresholds = name, opset, thresholds
        self.inputs, self.nodes, self.constants = [], [], {}
        # `now` maps a blob to its current tensor; `axes` has the number of axes of all tensors.
        self.now, self.axes = {}, {}

    def constant(self, name, values):
        self.constants[name] = np.asarray(values)
        return name

    def weights(self, name, values):
        """Adds weights. In a quantized model they are integers, with a scale for each output."""
        if not self.thresholds:
            return self.constant(name, values)
        scale = np.maximum(np.abs(values).reshape(len(values), -1).max(axis=1), 1e-9) / 127
        across = scale.reshape(-1, *[1] * (values.ndim - 1))
        integers = np.clip(np.floor(values / across + 0.5), -127, 127).astype(np.int8)
        parts = [self.constant(name + "/int8", integers),
                 self.constant(name + "/scale", scale.astype(np.float32)),
                 self.constant(name + "/zero", np.zeros(len(values), np.int8))]
        self.nodes.append(make_node("DequantizeLinear", parts, [name], name, axis=0))
        return name

    def add(self, layer, kind, extra=(), name=None, **attributes):
        """Adds a node. Its result is the layer's top from now on."""
        top = layer.top[0]
        while top in self.axes:
            top += "'"
        self.axes[top] = 2 if kind in ("Flatten", "Gemm") else self.axes[self.now[layer.bottom[0]]]
        inputs = [self.now[bottom] for bottom in layer.bottom] + list(extra)
        self.nodes.append(make_node(kind, inputs, [top], name or layer.name, **attributes))
        self.now[layer.top[0]] = top

    def model(self):
        read = {name for node in self.nodes for name in node.input}
        outputs = [name for name in self.now.values() if name not in read]
        if self.thresholds:
            self.quantize(outputs)
        return make_model(self.name, self.nodes, [make_value(*each) for each in self.inputs],
                          [make_value(name, [None] * self.axes[name]) for name in outputs], self.constants, self.opset)

    def quantize(self, outputs):
        """Adds QuantizeLinear and DequantizeLinear after every tensor of the table.

        A tensor that only a Relu reads gets none: the Relu's result gets them.
        """
        made = [name for name, shape in self.inputs] + [n.output[0] for n in self.nodes]
        for name in made:
            readers = [node for node in self.nodes if name in node.input]
            if name not in self.thresholds or name in self.constants or (
                    readers and all(node.op_type == "Relu" for node in readers)):
                continue
            pair = [self.constant(f"{name}/scale", np.float32(self.thresholds[name] / 128)),
                    self.constant(f"{name}/zero", np.int8(0))]
            real, result = name, name + "/dequantized"
            if name in outputs:  # an output keeps its name
                real, result = name + "/real", name
                producer = next(node for node in self.nodes if name in node.output)
                producer.output[0] = real
            for node in readers:
                node.input[:] = [result if each == name else each for each in node.input]
            at = 1 + max([i for i, node in enumerate(self.nodes) if real in node.output],
                         default=-1)
            self.nodes[at:at] = [
                make_node("QuantizeLinear", [real, *pair], [name + "/quantized"]),
                make_node("DequantizeLinear", [name + "/quantized", *pair], [result])]


def pair(values, otherwise):
    return ([values[0], values[-1]] if len(values) else [otherwise, otherwise])


def convolution(exporter, layer):
    p = layer.convolution_param
    extra = [exporter.weights(layer.name + ".weight", array(layer.blobs[0]))]
    if p.bias_term:
        extra.append(exporter.constant(layer.name + ".bias", array(layer.blobs[1]).ravel()))
    exporter.add(layer, "Conv", extra, strides=pair(p.stride, 1), pads=pair(p.pad, 0) * 2,
                 dilations=pair(p.dilation, 1), group=p.group)


def batch_norm(exporter, layer):
    mean, variance, factor = (array(blob).ravel() for blob in layer.blobs)
    factor = 0 if factor[0] == 0 else 1 / factor[0]
    ones = np.ones_like(mean)
    extra = [exporter.constant(f"{layer.name}.{what}", values.astype(np.float32))
             for what, values in (("one", ones), ("none", 0 * ones), ("mean", mean * factor),
                                  ("variance", variance * factor))]
    exporter.add(layer, "BatchNormalization", extra, epsilon=layer.batch_norm_param.eps)


def scale(exporter, layer):
    for kind, blob in zip(("Mul", "Add"), layer.blobs):
        values = exporter.constant(f"{layer.name}.{kind}", array(blob).reshape(1, -1, 1, 1))
        exporter.add(layer, kind, [values], f"{layer.name}/{kind}")
        del layer.bottom[:]
        layer.bottom.append(layer.top[0])


def pooling(exporter, layer):
    p = layer.pooling_param
    kind = "MaxPool" if p.pool == p.MAX else "AveragePool"
    if p.global_pooling:
        exporter.add(layer, "Global" + kind)
        return
    attributes = {} if kind == "MaxPool" else {"count_include_pad": 1}
    exporter.add(layer, kind, kernel_shape=[p.kernel_size] * 2, strides=[p.stride] * 2,
                 pads=[p.pad] * 4, ceil_mode=1, **attributes)


def inner_product(exporter, layer):
    flat = layer.name + ".flat"
    exporter.nodes.append(make_node("Flatten", [exporter.now[layer.bottom[0]]], [flat], flat))
    exporter.now[layer.bottom[0] + "/flat"] = flat
    exporter.axes[flat] = 2
    layer.bottom[0] += "/flat"
    extra = [exporter.weights(layer.name + ".weight", array(layer.blobs[0]).reshape(
        layer.inner_product_param.num_output, -1))]
    if layer.inner_product_param.bias_term:
        extra.append(exporter.constant(layer.name + ".bias", array(layer.blobs[1]).ravel()))
    exporter.add(layer, "Gemm", extra, transB=1)


def plain(kind, **attributes):
    return lambda exporter, layer: exporter.add(layer, kind, **attributes)


LAYERS = {
    "Convolution": convolution, "BatchNorm": batch_norm, "Scale": scale, "Pooling": pooling,
    "InnerProduct": inner_product, "ReLU": plain("Relu"), "Sigmoid": plain("Sigmoid"),
    "Eltwise": plain("Add"), "Dropout": plain("Dropout"), "Flatten": plain("Flatten"),
    "Concat": plain("Concat", axis=1), "Softmax": plain("Softmax", axis=1),
}


def export(net, opset=13, thresholds=None):
    """Returns the ModelProto of a NetParameter with weights."""
    exporter = Exporter(net.name, opset, thresholds or {})
    for layer in net.layer:
        if layer.type == "Input":
            extents = list(layer.input_param.shape[0].dim)
            exporter.inputs.append((layer.top[0], ["N", *extents[1:]]))
            exporter.now[layer.top[0]] = layer.top[0]
            exporter.axes[layer.top[0]] = len(extents)
        elif layer.type in LAYERS:
            LAYERS[layer.type](exporter, layer)
        else:
            sys.exit(f"layer {layer.name}: this script has no ONNX operator for the type {layer.type}")
    return exporter.model()


def read_thresholds(path):
    """Returns the threshold of every tensor of a calibration table."""
    table = messages("calibration").NetCalibrationParameter()
    table.ParseFromString(Path(path).read_bytes())
    return {blob.name: blob.threshold_y for layer in table.layer for blob in layer.blob_param}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("net", help="path of NET.prototxt and NET.caffemodel without the extension")
    parser.add_argument("output", help="the ONNX file")
    parser.add_argument("--opset", type=int, default=13)
    parser.add_argument("--table", help="calibration table of the ONNX net; makes a quantized model")
    options = parser.parse_args()
    thresholds = read_thresholds(options.table) if options.table else None
    save(export(read_caffe(options.net), options.opset, thresholds), options.output)


if __name__ == "__main__":
    main()
