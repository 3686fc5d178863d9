#!/usr/bin/python3
"""Writes resnet_fashion as PyTorch exports it: in floats, and quantized (QDQ).

    models/export_torch.py models/resnet_fashion models/resnet_fashion.onnx
    models/export_torch.py models/resnet_fashion models/resnet_fashion_qdq.onnx --quantize
    models/export_torch.py --determinant models/determinant.onnx

The last file is a small net with a node that tputwin refuses (docs/onnx.md). Needs Debian's
python3-torch, python3-protobuf, protobuf-compiler and, for --quantize, dataset-fashion-mnist.
"""
import argparse
import gzip
import warnings

import numpy as np
import torch
from torch import nn
from torch.ao import quantization

import export_onnx

IMAGES = "/usr/share/datasets/fashion-mnist/train-images-idx3-ubyte.gz"
PIXEL_SCALE = 1 / 256
OPSET = 16


def convolution(inputs, outputs, kernel, stride=1, groups=1, relu=True):
    layers = [nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False),
              nn.BatchNorm2d(outputs)]
    return nn.Sequential(*layers, nn.ReLU()) if relu else nn.Sequential(*layers)


class Block(nn.Module):
    """Two convolutions beside a shortcut, and the ReLU of their sum."""

    def __init__(self, first, second, shortcut=None):
        super().__init__()
        self.branch2a, self.branch2b = first, second
        self.branch1 = shortcut or nn.Identity()
        self.sum = nn.quantized.FloatFunctional()

    def forward(self, x):
        return self.sum.add_relu(self.branch1(x), self.branch2b(self.branch2a(x)))


class ResNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.data = quantization.QuantStub()
        self.conv1 = convolution(1, 32, 5, 2)
        self.res2a = Block(convolution(32, 32, 3, groups=32), convolution(32, 32, 1, relu=False))
        self.res3a = Block(convolution(32, 64, 3, 2), convolution(64, 64, 3, relu=False),
                           convolution(32, 64, 1, 2, relu=False))
        self.res3b = Block(convolution(64, 64, 3, groups=64), convolution(64, 64, 1, relu=False))
        self.conv4_dw = convolution(64, 64, 3, groups=64)
        self.conv4_sep = convolution(64, 128, 1)
        self.pool5 = nn.AdaptiveAvgPool2d(1)
        self.fc10 = nn.Linear(128, 10)

    def forward(self, x):
        x = self.res3b(self.res3a(self.res2a(self.conv1(self.data(x)))))
        x = self.pool5(self.conv4_sep(self.conv4_dw(x)))
        return torch.softmax(self.fc10(torch.flatten(x, 1)), 1)

    def convolutions(self):
        """Returns the parts that convolution() made, by the names of their Caffe layers."""
        parts = {}
        for name, part in self.named_modules():
            if isinstance(part, nn.Sequential):
                parts[name.replace(".", "_")] = part
        return parts


def load(stem):
    """Returns the net with the weights of a caffemodel."""
    layers = {layer.name: layer for layer in export_onnx.read_caffe(stem).layer}

    def blobs(name):
        return [torch.from_numpy(export_onnx.array(blob).copy()) for blob in layers[name].blobs]

    net = ResNet()
    for name, part in net.convolutions().items():
        part[0].weight.data, = blobs(name)
        mean, variance, factor = blobs("bn_" + name)
        norm = part[1]
        norm.running_mean, norm.running_var = mean.ravel() / factor, variance.ravel() / factor
        norm.eps = layers["bn_" + name].batch_norm_param.eps
        norm.weight.data, norm.bias.data = (blob.ravel() for blob in blobs("scale_" + name))
    weight, bias = blobs("fc10")
    net.fc10.weight.data, net.fc10.bias.data = weight.reshape(10, 128), bias.ravel()
    return net.eval()


def quantize(net, samples):
    """Returns the net with PyTorch's quantizers, whose scales are those of the samples."""
    for part in net.convolutions().values():
        quantization.fuse_modules(part, [str(i) for i in range(len(part))], inplace=True)
    activations = quantization.FakeQuantize.with_args(
        observer=quantization.MovingAverageMinMaxObserver, dtype=torch.qint8,
        quant_min=-128, quant_max=127, qscheme=torch.per_tensor_symmetric)
    net.qconfig = quantization.QConfig(
        activation=activations, weight=quantization.default_per_channel_weight_fake_quant)
    net = quantization.prepare_qat(net.train())
    net.apply(quantization.disable_fake_quant)
    with torch.no_grad():
        for batch in samples.split(50):
            net(batch)
    net.apply(quantization.disable_observer)
    net.apply(quantization.enable_fake_quant)
    return net.eval()


def images(count):
    with gzip.open(IMAGES) as file:
        pixels = np.frombuffer(file.read(16 + count * 784)[16:], np.uint8)
    return torch.from_numpy(pixels.reshape(count, 1, 28, 28).astype(np.float32) * PIXEL_SCALE)


class Determinant(nn.Module):
    def forward(self, x):
        return torch.relu(torch.linalg.det(x))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("net", nargs="?", help="path of NET.prototxt and NET.caffemodel")
    parser.add_argument("output", help="the ONNX file")
    parser.add_argument("--quantize", action="store_true", help="add quantizers")
    parser.add_argument("--determinant", action="store_true", help="write the net that is refused")
    options = parser.parse_args()
    torch.manual_seed(1)
    if options.determinant:
        net, example = Determinant().eval(), torch.zeros(1, 3, 8, 8)
    else:
        net, example = load(options.net), images(1)
        if options.quantize:
            net = quantize(net, images(500))
    warnings.filterwarnings("ignore")
    torch.onnx.export(net, example, options.output, opset_version=OPSET, input_names=["data"],
                      output_names=["prob"], dynamic_axes={"data": {0: "N"}, "prob": {0: "N"}})


if __name__ == "__main__":
    main()
