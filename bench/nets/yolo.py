#!/usr/bin/python3
"""Writes YOLOv5s and YOLOv8s as ONNX files with random weights: yolo.py FOLDER.

The topologies are the published ones at 640 x 640 with 80 classes, batch normalization folded.
Outputs are the three maps of each scale before boxes are decoded.
"""
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "models"))
import export_onnx


class Net:
    """Nodes and weights of a graph; methods return names of tensors."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.nodes, self.weights, self.channels, self.sizes = [], {}, {}, {}

    def node(self, kind, inputs, channels, size, **attributes):
        name = f"t{len(self.nodes)}"
        self.nodes.append(export_onnx.make_node(kind, inputs, [name], name=f"{kind}_{name}", **attributes))
        self.channels[name], self.sizes[name] = channels, size
        return name

    def constant(self, values):
        name = f"w{len(self.weights)}"
        self.weights[name] = values
        return name

    def conv(self, x, channels, kernel=1, stride=1, silu=True):
        inputs = self.channels[x]
        scale = 1.6 / np.sqrt(inputs * kernel * kernel)
        w = self.random.normal(0, scale, (channels, inputs, kernel, kernel)).astype(np.float32)
        b = self.random.normal(0, 0.1, channels).astype(np.float32)
        # The first convolution of YOLOv5 has a 6x6 kernel and pads of 2; others keep the size.
        pad = 2 if kernel == 6 else kernel // 2
        y = self.node("Conv", [x, self.constant(w), self.constant(b)], channels,
                      self.sizes[x] // stride, kernel_shape=[kernel] * 2, strides=[stride] * 2,
                      pads=[pad] * 4)
        if not silu:
            return y
        gate = self.node("Sigmoid", [y], channels, self.sizes[y])
        return self.node("Mul", [y, gate], channels, self.sizes[y])

    def add(self, a, b):
        return self.node("Add", [a, b], self.channels[a], self.sizes[a])

    def concat(self, *parts):
        return self.node("Concat", list(parts), sum(self.channels[p] for p in parts),
                         self.sizes[parts[0]], axis=1)

    def pool(self, x):
        return self.node("MaxPool", [x], self.channels[x], self.sizes[x], kernel_shape=[5, 5],
                         strides=[1, 1], pads=[2, 2, 2, 2])

    def twice(self, x):
        scales = self.constant(np.array([1, 1, 2, 2], np.float32))
        return self.node("Resize", [x, "", scales], self.channels[x], 2 * self.sizes[x],
                         mode="nearest", coordinate_transformation_mode="asymmetric",
                         nearest_mode="floor")

    def halves(self, x):
        half, name = self.channels[x] // 2, f"t{len(self.nodes)}"
        parts = [name + "a", name + "b"]
        self.nodes.append(export_onnx.make_node("Split", [x], parts, name=f"Split_{name}", axis=1))
        for part in parts:
            self.channels[part], self.sizes[part] = half, self.sizes[x]
        return parts

    def spp(self, x, channels):
        a = self.conv(x, self.channels[x] // 2)
        b = self.pool(a)
        c = self.pool(b)
        return self.conv(self.concat(a, b, c, self.pool(c)), channels)

    def save(self, path, outputs):
        size = 640
        values = [export_onnx.make_value(o, [1, self.channels[o], self.sizes[o], self.sizes[o]])
                  for o in outputs]
        export_onnx.save(export_onnx.make_model(
            path.stem, self.nodes, [export_onnx.make_value("images", [1, 3, size, size])], values,
            self.weights, 13), path)


def begin(seed):
    net = Net(seed)
    net.channels["images"], net.sizes["images"] = 3, 640
    return net


def yolov5s(path):
    net = begin(5)

    def c3(x, channels, count, shortcut=True):
        hidden = channels // 2
        a, b = net.conv(x, hidden), net.conv(x, hidden)
        for _ in range(count):
            y = net.conv(net.conv(a, hidden), hidden, 3)
            a = net.add(a, y) if shortcut else y
        return net.conv(net.concat(a, b), channels)

    x = net.conv(net.conv("images", 32, 6, 2), 64, 3, 2)
    x = net.conv(c3(x, 64, 1), 128, 3, 2)
    p3 = c3(x, 128, 2)
    p4 = c3(net.conv(p3, 256, 3, 2), 256, 3)
    p5 = net.spp(c3(net.conv(p4, 512, 3, 2), 512, 1), 512)
    t5 = net.conv(p5, 256)
    t4 = net.conv(c3(net.concat(net.twice(t5), p4), 256, 1, False), 128)
    o3 = c3(net.concat(net.twice(t4), p3), 128, 1, False)
    o4 = c3(net.concat(net.conv(o3, 128, 3, 2), t4), 256, 1, False)
    o5 = c3(net.concat(net.conv(o4, 256, 3, 2), t5), 512, 1, False)
    net.save(path, [net.conv(o, 255, silu=False) for o in (o3, o4, o5)])


def yolov8s(path):
    net = begin(8)

    def c2f(x, channels, count, shortcut=True):
        parts = net.halves(net.conv(x, channels))
        for _ in range(count):
            a = parts[-1]
            y = net.conv(net.conv(a, channels // 2, 3), channels // 2, 3)
            parts.append(net.add(a, y) if shortcut else y)
        return net.conv(net.concat(*parts), channels)

    def head(x):
        box = net.conv(net.conv(net.conv(x, 64, 3), 64, 3), 64, silu=False)
        kind = net.conv(net.conv(net.conv(x, 128, 3), 128, 3), 80, silu=False)
        return net.concat(box, kind)

    x = net.conv(net.conv("images", 32, 3, 2), 64, 3, 2)
    x = net.conv(c2f(x, 64, 1), 128, 3, 2)
    p3 = c2f(x, 128, 2)
    p4 = c2f(net.conv(p3, 256, 3, 2), 256, 2)
    p5 = net.spp(c2f(net.conv(p4, 512, 3, 2), 512, 1), 512)
    t4 = c2f(net.concat(net.twice(p5), p4), 256, 1, False)
    o3 = c2f(net.concat(net.twice(t4), p3), 128, 1, False)
    o4 = c2f(net.concat(net.conv(o3, 128, 3, 2), t4), 256, 1, False)
    o5 = c2f(net.concat(net.conv(o4, 256, 3, 2), p5), 512, 1, False)
    net.save(path, [head(o) for o in (o3, o4, o5)])


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    yolov5s(folder / "yolov5s.onnx")
    yolov8s(folder / "yolov8s.onnx")
