#!/usr/bin/python3
"""Trains the example networks on Fashion-MNIST and writes them as Caffe models.

    nice python3 models/train.py lenet_fashion resnet_fashion

Needs Debian's python3-numpy and dataset-fashion-mnist; libopenblas0 makes it twenty times faster.
The same seed gives the same files on the same machine. Inside the program, values are stored in the
order n, h, w, c, so that a convolution is one matrix product; files have Caffe's order.
"""
import argparse
import gzip
import os
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
import numpy as np

DATA = "/usr/share/datasets/fashion-mnist"
PIXEL_SCALE = 0.00390625  # Caffe's usual scale: inputs are pixel / 256
BATCH = 128
MOMENTUM, DECAY = 0.9, 5e-4
F = np.float32


def column_sums(matrix):
    return np.ones(len(matrix), F) @ matrix


class Parameter:
    def __init__(self, value, decay):
        self.value, self.decay = np.asarray(value, F), decay
        self.gradient, self.step = None, np.zeros_like(self.value)

    def update(self, rate):
        gradient = self.gradient + DECAY * self.value if self.decay else self.gradient
        self.step = MOMENTUM * self.step - rate * gradient
        self.value += MOMENTUM * self.step - rate * gradient  # Nesterov


class Layer:
    """One layer of the graph. `caffe` returns its Caffe layers: (name, type, parameters, blobs)."""

    def __init__(self, name, bottoms, top):
        self.name, self.bottoms, self.top = name, bottoms, top
        self.parameters = []

    def caffe(self):
        return []


class Window:
    """The positions of a sliding window's taps in a padded map."""

    def __init__(self, kernel, stride, pad):
        self.kernel, self.stride, self.pad = kernel, stride, pad

    def output(self, size):
        return (size + 2 * self.pad - self.kernel) // self.stride + 1

    def padded(self, x):
        p = self.pad
        return np.pad(x, ((0, 0), (p, p), (p, p), (0, 0))) if p else x

    def tap(self, padded, i, rows, columns):
        y, x, s = i // self.kernel, i % self.kernel, self.stride
        return padded[:, y:y + s * (rows - 1) + 1:s, x:x + s * (columns - 1) + 1:s]

    def cropped(self, padded):
        p = self.pad
        return padded[:, p:-p, p:-p] if p else padded

    def text(self):
        values = [("kernel_size", self.kernel), ("stride", self.stride), ("pad", self.pad)]
        default = {"stride": 1, "pad": 0}
        return "".join(f" {k}: {v}" for k, v in values if default.get(k) != v)


class Convolution(Layer):
    def __init__(self, name, bottom, top, rng, inputs, outputs, kernel, stride=1, pad=0, bias=True):
        super().__init__(name, [bottom], top)
        self.window, self.inputs, self.outputs = Window(kernel, stride, pad), inputs, outputs
        taps = kernel * kernel * inputs
        self.weight = Parameter(rng.normal(0, np.sqrt(2 / taps), (taps, outputs)), True)
        self.bias = Parameter(np.zeros(outputs), False) if bias else None
        self.parameters = [self.weight] + ([self.bias] if bias else [])

    def forward(self, x, training):
        w, (n, height, width, c) = self.window, x.shape
        rows, columns = w.output(height), w.output(width)
        padded, taps = w.padded(x), w.kernel * w.kernel
        unrolled = np.empty((n, rows, columns, taps, c), F)
        for i in range(taps):
            unrolled[:, :, :, i] = w.tap(padded, i, rows, columns)
        self.unrolled, self.shape = unrolled.reshape(-1, taps * c), padded.shape
        y = self.unrolled @ self.weight.value
        if self.bias:
            y += self.bias.value
        return y.reshape(n, rows, columns, self.outputs)

    def backward(self, gradient):
        w, (n, rows, columns, _) = self.window, gradient.shape
        gradient = gradient.reshape(-1, self.outputs)
        self.weight.gradient = self.unrolled.T @ gradient
        if self.bias:
            self.bias.gradient = column_sums(gradient)
        if self.bottoms == ["data"]:
            return [None]
        taps = w.kernel * w.kernel
        unrolled = (gradient @ self.weight.value.T).reshape(n, rows, columns, taps, self.inputs)
        padded = np.zeros(self.shape, F)
        for i in range(taps):
            w.tap(padded, i, rows, columns)[...] += unrolled[:, :, :, i]
        return [w.cropped(padded)]

    def caffe(self):
        k = self.window.kernel
        weight = self.weight.value.reshape(k, k, self.inputs, self.outputs).transpose(3, 2, 0, 1)
        text = f"num_output: {self.outputs}{self.window.text()}"
        text += "" if self.bias else " bias_term: false"
        blobs = [weight] + ([self.bias.value] if self.bias else [])
        return [(self.name, "Convolution", f"convolution_param {{ {text} }}", blobs)]


class Depthwise(Layer):
    """A convolution with one group per channel."""

    def __init__(self, name, bottom, top, rng, channels, kernel, stride=1, pad=0):
        super().__init__(name, [bottom], top)
        self.window, self.channels = Window(kernel, stride, pad), channels
        taps = kernel * kernel
        self.weight = Parameter(rng.normal(0, np.sqrt(2 / taps), (taps, channels)), True)
        self.parameters = [self.weight]

    def forward(self, x, training):
        w, (n, height, width, c) = self.window, x.shape
        rows, columns = w.output(height), w.output(width)
        self.padded = w.padded(x)
        y, product = np.zeros((n, rows, columns, c), F), np.empty((n, rows, columns, c), F)
        for i, tap in enumerate(self.weight.value):
            np.multiply(w.tap(self.padded, i, rows, columns), tap, out=product)
            y += product
        return y

    def backward(self, gradient):
        w, (n, rows, columns, c) = self.window, gradient.shape
        padded, product = np.zeros(self.padded.shape, F), np.empty(gradient.shape, F)
        self.weight.gradient = np.empty_like(self.weight.value)
        for i, tap in enumerate(self.weight.value):
            np.multiply(w.tap(self.padded, i, rows, columns), gradient, out=product)
            self.weight.gradient[i] = column_sums(product.reshape(-1, c))
            np.multiply(gradient, tap, out=product)
            w.tap(padded, i, rows, columns)[...] += product
        return [w.cropped(padded)]

    def caffe(self):
        k, c = self.window.kernel, self.channels
        weight = self.weight.value.reshape(k, k, 1, c).transpose(3, 2, 0, 1)
        text = f"num_output: {c}{self.window.text()} group: {c} bias_term: false"
        return [(self.name, "Convolution", f"convolution_param {{ {text} }}", [weight])]


class Normalization(Layer):
    """A BatchNorm and a Scale, which are two layers in Caffe. Works in place."""

    EPSILON = 1e-5

    def __init__(self, name, blob, channels):
        super().__init__(name, [blob], blob)
        self.gamma = Parameter(np.ones(channels), False)
        self.beta = Parameter(np.zeros(channels), False)
        self.parameters = [self.gamma, self.beta]
        self.mean, self.variance = np.zeros(channels, F), np.ones(channels, F)
        self.follow = 0.1  # weight of a batch in the running statistics

    def forward(self, x, training):
        flat = x.reshape(-1, x.shape[-1])
        if not training:
            factor = self.gamma.value / np.sqrt(self.variance + self.EPSILON)
            return x * factor + (self.beta.value - self.mean * factor)
        mean = column_sums(flat) / len(flat)
        self.centred = flat - mean
        variance = column_sums(self.centred * self.centred) / len(flat)
        self.inverse = 1 / np.sqrt(variance + self.EPSILON)
        self.mean += self.follow * (mean - self.mean)
        self.variance += self.follow * (variance - self.variance)
        return (self.centred * (self.gamma.value * self.inverse) + self.beta.value).reshape(x.shape)

    def backward(self, gradient):
        flat = gradient.reshape(self.centred.shape)
        count = len(flat)
        self.beta.gradient = column_sums(flat)
        correlation = column_sums(flat * self.centred)
        self.gamma.gradient = correlation * self.inverse
        factor = self.gamma.value * self.inverse
        slope = factor * self.inverse * self.inverse * correlation / count
        out = flat * factor - self.centred * slope - factor * self.beta.gradient / count
        return [out.reshape(gradient.shape)]

    def caffe(self):
        name = self.name
        return [("bn_" + name, "BatchNorm", "batch_norm_param { use_global_stats: true }",
                 [self.mean, self.variance, np.ones(1)]),
                ("scale_" + name, "Scale", "scale_param { bias_term: true }",
                 [self.gamma.value, self.beta.value])]


class ReLU(Layer):
    def __init__(self, name, blob):
        super().__init__(name, [blob], blob)

    def forward(self, x, training):
        self.positive = x > 0
        return np.maximum(x, 0)

    def backward(self, gradient):
        return [gradient * self.positive]

    def caffe(self):
        return [(self.name, "ReLU", "", [])]


class MaxPool2(Layer):
    PARTS = [(0, 0), (0, 1), (1, 0), (1, 1)]

    def __init__(self, name, bottom):
        super().__init__(name, [bottom], name)

    def forward(self, x, training):
        self.x = x
        parts = [x[:, i::2, j::2] for i, j in self.PARTS]
        self.y = np.maximum(np.maximum(parts[0], parts[1]), np.maximum(parts[2], parts[3]))
        return self.y

    def backward(self, gradient):
        out, open_ = np.zeros_like(self.x), np.ones(gradient.shape, bool)
        for i, j in self.PARTS:  # the first of equal values gets the whole gradient
            chosen = open_ & (self.x[:, i::2, j::2] == self.y)
            out[:, i::2, j::2] = gradient * chosen
            open_ &= ~chosen
        return [out]

    def caffe(self):
        return [(self.name, "Pooling", "pooling_param { pool: MAX kernel_size: 2 stride: 2 }", [])]


class GlobalAverage(Layer):
    def __init__(self, name, bottom):
        super().__init__(name, [bottom], name)

    def forward(self, x, training):
        self.shape = x.shape
        return x.mean((1, 2), keepdims=True, dtype=F)

    def backward(self, gradient):
        return [np.broadcast_to(gradient / F(self.shape[1] * self.shape[2]), self.shape)]

    def caffe(self):
        return [(self.name, "Pooling", "pooling_param { pool: AVE global_pooling: true }", [])]


class Sum(Layer):
    def __init__(self, name, left, right):
        super().__init__(name, [left, right], name)

    def forward(self, left, right, training):
        return left + right

    def backward(self, gradient):
        return [gradient, gradient]

    def caffe(self):
        return [(self.name, "Eltwise", "eltwise_param { operation: SUM }", [])]


class InnerProduct(Layer):
    def __init__(self, name, bottom, rng, extents, outputs):
        super().__init__(name, [bottom], name)
        self.extents, count = extents, int(np.prod(extents))  # extents: height, width, channels
        self.weight = Parameter(rng.normal(0, np.sqrt(1 / count), (count, outputs)), True)
        self.bias = Parameter(np.zeros(outputs), False)
        self.parameters = [self.weight, self.bias]

    def forward(self, x, training):
        self.shape, self.x = x.shape, x.reshape(len(x), -1)
        return self.x @ self.weight.value + self.bias.value

    def backward(self, gradient):
        self.weight.gradient = self.x.T @ gradient
        self.bias.gradient = column_sums(gradient)
        return [(gradient @ self.weight.value.T).reshape(self.shape)]

    def caffe(self):
        outputs = len(self.bias.value)
        weight = self.weight.value.reshape(*self.extents, outputs).transpose(3, 2, 0, 1)
        text = f"inner_product_param {{ num_output: {outputs} }}"
        return [(self.name, "InnerProduct", text, [weight.reshape(outputs, -1), self.bias.value])]


class Net:
    def __init__(self, name, layers):
        self.name, self.layers = name, layers

    def forward(self, x, training):
        blobs = {"data": x}
        for layer in self.layers:
            blobs[layer.top] = layer.forward(*[blobs[b] for b in layer.bottoms], training)
        return blobs[self.layers[-1].top]

    def backward(self, gradient):
        gradients = {self.layers[-1].top: gradient}
        for layer in reversed(self.layers):
            for blob, part in zip(layer.bottoms, layer.backward(gradients.pop(layer.top))):
                if part is not None:
                    gradients[blob] = gradients[blob] + part if blob in gradients else part

    def parameters(self):
        return [p for layer in self.layers for p in layer.parameters]


def lenet(rng):
    return [
        Convolution("conv1", "data", "conv1", rng, 1, 20, 5),
        MaxPool2("pool1", "conv1"),
        Convolution("conv2", "pool1", "conv2", rng, 20, 50, 5),
        MaxPool2("pool2", "conv2"),
        InnerProduct("ip1", "pool2", rng, (4, 4, 50), 256),
        ReLU("relu1", "ip1"),
        InnerProduct("ip2", "ip1", rng, (1, 1, 256), 10),
    ]


def resnet(rng):
    layers = []

    def add(layer, channels, relu=True):
        layers.extend([layer, Normalization(layer.name, layer.top, channels)])
        if relu:
            layers.append(ReLU(layer.name + "_relu", layer.top))
        return layer.top

    def conv(name, bottom, inputs, outputs, kernel, stride=1, relu=True):
        return add(Convolution(name, bottom, name, rng, inputs, outputs, kernel, stride,
                               kernel // 2, bias=False), outputs, relu)

    def depthwise(name, bottom, channels):
        return add(Depthwise(name, bottom, name, rng, channels, 3, 1, 1), channels)

    def join(name, left, right):
        layers.extend([Sum(name, left, right), ReLU(name + "_relu", name)])
        return name

    def separable(name, bottom, channels):
        deep = depthwise(name + "_branch2a", bottom, channels)
        return join(name, bottom, conv(name + "_branch2b", deep, channels, channels, 1, relu=False))

    x = conv("conv1", "data", 1, 32, 5, 2)
    x = separable("res2a", x, 32)
    short = conv("res3a_branch1", x, 32, 64, 1, 2, relu=False)
    deep = conv("res3a_branch2a", x, 32, 64, 3, 2)
    x = join("res3a", short, conv("res3a_branch2b", deep, 64, 64, 3, relu=False))
    x = separable("res3b", x, 64)
    x = conv("conv4_sep", depthwise("conv4_dw", x, 64), 64, 128, 1)
    return layers + [GlobalAverage("pool5", x), InnerProduct("fc10", "pool5", rng, (1, 1, 128), 10)]


# ---- Caffe's files ----


def varint(value):
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def field(number, payload):
    """Returns a length-delimited field."""
    return varint(number << 3 | 2) + varint(len(payload)) + payload


def blob_message(values):
    shape = field(1, b"".join(varint(extent) for extent in values.shape))
    return field(7, shape) + field(5, np.ascontiguousarray(values, "<f4").tobytes())


def write_caffe(net, path, comment, sample=(1, 28, 28), softmax=True):
    """Writes the prototxt and the caffemodel. `sample`: channels, height, width of the input."""
    extents = " ".join(f"dim: {extent}" for extent in (1, *sample))
    text = [f"# {line}" for line in comment] + [
        f'name: "{net.name}"',
        'layer { name: "data" type: "Input" top: "data"',
        f"  input_param {{ shape {{ {extents} }} }} }}"]
    message = field(1, net.name.encode())
    layers = [(c, layer.bottoms, layer.top) for layer in net.layers for c in layer.caffe()]
    if softmax:
        layers.append((("prob", "Softmax", "", []), [net.layers[-1].top], "prob"))
    for (name, kind, parameters, blobs), bottoms, top in layers:
        bottom_text = "".join(f' bottom: "{b}"' for b in bottoms)
        line = f'layer {{ name: "{name}" type: "{kind}"{bottom_text} top: "{top}"'
        text.append(f"{line}\n  {parameters} }}" if parameters else line + " }")
        body = field(1, name.encode()) + field(2, kind.encode())
        body += b"".join(field(3, b.encode()) for b in bottoms) + field(4, top.encode())
        body += b"".join(field(7, blob_message(blob)) for blob in blobs)
        message += field(100, body)
    with open(path + ".prototxt", "w") as file:
        file.write("\n".join(text) + "\n")
    with open(path + ".caffemodel", "wb") as file:
        file.write(message)


# ---- Training ----


def read_set(prefix, folder=DATA, side=28):
    def read(name, header):
        with gzip.open(f"{folder}/{prefix}-{name}.gz") as file:
            return np.frombuffer(file.read(), np.uint8, offset=header)

    images = read("images-idx3-ubyte", 16).reshape(-1, side, side, 1)
    return images.astype(F) * F(PIXEL_SCALE), read("labels-idx1-ubyte", 8)


def varied(images, rng):
    """Returns the images moved by up to two pixels, half of them mirrored."""
    padded = np.pad(images[..., 0], ((0, 0), (2, 2), (2, 2)))
    moved = np.lib.stride_tricks.sliding_window_view(padded, (28, 28), (1, 2))
    index = np.arange(len(images))
    out = moved[index, rng.integers(0, 5, len(images)), rng.integers(0, 5, len(images))]
    mirrored = rng.random(len(images)) < 0.5
    out[mirrored] = out[mirrored, :, ::-1]
    return out[..., None]


def learn(net, images, labels, rate):
    logits = net.forward(images, True)
    power = np.exp(logits - logits.max(1, keepdims=True))
    chance = power / power.sum(1, keepdims=True)
    rows = np.arange(len(labels))
    loss = -np.log(chance[rows, labels] + 1e-9).mean()
    chance[rows, labels] -= 1
    net.backward(chance.astype(F) / F(len(labels)))
    for parameter in net.parameters():
        parameter.update(F(rate))
    return loss


def accuracy(net, images, labels):
    right = 0
    for i in range(0, len(labels), 500):
        right += (net.forward(images[i:i + 500], False).argmax(1) == labels[i:i + 500]).sum()
    return right / len(labels)


def settle_statistics(net, images):
    """Replaces the running statistics by those of the final weights on unchanged images."""
    norms = [layer for layer in net.layers if isinstance(layer, Normalization)]
    for k, i in enumerate(range(0, min(10000, len(images)), 500)):
        for norm in norms:
            norm.follow = 1 / (k + 1)
        net.forward(images[i:i + 500], True)


def silence_dead_channels(net):
    """Sets the factors of channels that never change to 0.

    BatchNorm would give them large factors, and all int8 weights of a layer share one scale.
    """
    for layer in net.layers:
        if isinstance(layer, Normalization):
            layer.gamma.value[layer.variance < layer.EPSILON] = 0


def train(net, epochs, top_rate, vary, seed, sets=None):
    rng = np.random.default_rng(seed)
    (images, labels), (test_images, test_labels) = sets or (read_set("train"), read_set("t10k"))
    per_epoch = len(labels) // BATCH
    steps, warm = epochs * per_epoch, per_epoch
    start, step = time.time(), 0
    for epoch in range(epochs):
        order, loss = rng.permutation(len(labels)), 0.0
        for i in range(per_epoch):
            rate = top_rate * (step / warm if step < warm else
                               0.5 * (1 + np.cos(np.pi * (step - warm) / (steps - warm))))
            chosen = order[i * BATCH:(i + 1) * BATCH]
            batch = varied(images[chosen], rng) if vary else images[chosen]
            loss += learn(net, batch, labels[chosen], rate)
            step += 1
        print(f"{net.name} epoch {epoch + 1}/{epochs}: loss {loss / per_epoch:.4f}, "
              f"test {accuracy(net, test_images, test_labels):.4f}, "
              f"{time.time() - start:.0f} s", flush=True)
    settle_statistics(net, images)
    silence_dead_channels(net)
    result = accuracy(net, test_images, test_labels)
    print(f"{net.name}: test accuracy {result:.4f}", flush=True)
    return result


# Layers, epochs, highest learning rate, true if images are varied. Few epochs need no variation.
NETS = {
    "lenet_fashion": (lenet, 4, 0.05, False),
    "resnet_fashion": (resnet, 10, 0.1, True),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("nets", nargs="+", choices=sorted(NETS))
    parser.add_argument("--epochs", type=int, help="instead of the net's own number")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", default=os.path.dirname(os.path.abspath(__file__)))
    options = parser.parse_args()
    for name in options.nets:
        make, epochs, rate, vary = NETS[name]
        net = Net(name, make(np.random.default_rng(options.seed)))
        epochs = epochs if options.epochs is None else options.epochs
        result = train(net, epochs, rate, vary, options.seed)
        write_caffe(net, os.path.join(options.out, name), [
            f"Trained by models/train.py on Fashion-MNIST; {100 * result:.2f} % of the test images.",
            "Input: grey value / 256."])


if __name__ == "__main__":
    main()
