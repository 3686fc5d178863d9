#!/usr/bin/python3
"""published.py FOLDER [NET...]: writes networks with published times as ONNX files.

The topologies and inputs are those of the networks' authors, in PyTorch, with random weights.
Outputs are those before boxes are decoded. yolo.py writes YOLOv5s and YOLOv8s."""
import pathlib
import sys
import warnings

import torch
import torchvision
from torch import nn
from torch.nn import functional

warnings.filterwarnings("ignore")


def conv(inputs, outputs, kernel=1, stride=1, act=nn.SiLU):
    parts = [nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2)]
    return nn.Sequential(*parts, *([act()] if act else []))


def leaky(inputs, outputs, kernel=1, stride=1):
    return conv(inputs, outputs, kernel, stride, lambda: nn.LeakyReLU(0.1))


def twice(x):
    return functional.interpolate(x, scale_factor=2.0, mode="nearest")


class Residual(nn.Module):
    def __init__(self, *parts, adds=True):
        super().__init__()
        self.parts, self.adds = nn.Sequential(*parts), adds

    def forward(self, x):
        return x + self.parts(x) if self.adds else self.parts(x)


class Csp(nn.Module):
    """Two branches of half the channels, one with bottlenecks (C3)."""

    def __init__(self, inputs, outputs, count, adds=True):
        super().__init__()
        half = outputs // 2
        self.a, self.b, self.last = conv(inputs, half), conv(inputs, half), conv(outputs, outputs)
        self.blocks = nn.Sequential(*[Residual(conv(half, half), conv(half, half, 3), adds=adds) for _ in range(count)])

    def forward(self, x):
        return self.last(torch.cat([self.blocks(self.a(x)), self.b(x)], 1))


class Pools(nn.Module):
    """Spatial pyramid of maxima over 5, 9 and 13."""

    def __init__(self, channels):
        super().__init__()
        self.first, self.last = conv(channels, channels // 2), conv(2 * channels, channels)

    def forward(self, x):
        x = self.first(x)
        return self.last(torch.cat([x] + [functional.max_pool2d(x, k, 1, k // 2) for k in (5, 9, 13)], 1))


class YoloX(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = conv(12, 32, 3)
        self.dark = nn.ModuleList([
            nn.Sequential(conv(32, 64, 3, 2), Csp(64, 64, 1)), nn.Sequential(conv(64, 128, 3, 2), Csp(128, 128, 3)),
            nn.Sequential(conv(128, 256, 3, 2), Csp(256, 256, 3)),
            nn.Sequential(conv(256, 512, 3, 2), Pools(512), Csp(512, 512, 1, False))])
        self.lateral, self.p4, self.reduce, self.p3 = (conv(512, 256), Csp(512, 256, 1, False), conv(256, 128),
                                                       Csp(256, 128, 1, False))
        self.down3, self.n3, self.down4, self.n4 = (conv(128, 128, 3, 2), Csp(256, 256, 1, False),
                                                    conv(256, 256, 3, 2), Csp(512, 512, 1, False))
        self.heads = nn.ModuleList([nn.ModuleList([
            conv(c, 128), nn.Sequential(conv(128, 128, 3), conv(128, 128, 3)),
            nn.Sequential(conv(128, 128, 3), conv(128, 128, 3)),
            nn.Conv2d(128, 80, 1), nn.Conv2d(128, 4, 1), nn.Conv2d(128, 1, 1)]) for c in (128, 256, 512)])

    def forward(self, x):
        x = torch.cat([x[..., i::2, j::2] for j in (0, 1) for i in (0, 1)], 1)
        c3 = self.dark[1](self.dark[0](self.stem(x)))
        c4 = self.dark[2](c3)
        t5 = self.lateral(self.dark[3](c4))
        t4 = self.reduce(self.p4(torch.cat([twice(t5), c4], 1)))
        o3 = self.p3(torch.cat([twice(t4), c3], 1))
        o4 = self.n3(torch.cat([self.down3(o3), t4], 1))
        o5 = self.n4(torch.cat([self.down4(o4), t5], 1))
        results = []
        for (stem, kinds, boxes, kind, box, is_object), o in zip(self.heads, (o3, o4, o5)):
            y = stem(o)
            k, b = kinds(y), boxes(y)
            results.append(torch.cat([box(b), is_object(b), kind(k)], 1))
        return tuple(results)


class Elan(nn.Module):
    """YOLOv7's block: results of a chain of convolutions, taken after every `every` of them."""

    def __init__(self, inputs, branch, middle, outputs, every):
        super().__init__()
        self.a, self.b, self.every = conv(inputs, branch), conv(inputs, branch), every
        self.chain = nn.ModuleList([conv(branch if i == 0 else middle, middle, 3) for i in range(4)])
        self.last = conv(2 * branch + 4 // every * middle, outputs)

    def forward(self, x):
        parts = [self.a(x), self.b(x)]
        y = parts[-1]
        for i, layer in enumerate(self.chain):
            y = layer(y)
            if (i + 1) % self.every == 0:
                parts.append(y)
        return self.last(torch.cat(parts[::-1], 1))


class Halve(nn.Module):
    """A maximum and a convolution, both of stride 2."""

    def __init__(self, inputs, branch):
        super().__init__()
        self.pooled = nn.Sequential(nn.MaxPool2d(2, 2), conv(inputs, branch))
        self.strided = nn.Sequential(conv(inputs, branch), conv(branch, branch, 3, 2))

    def forward(self, x):
        return torch.cat([self.strided(x), self.pooled(x)], 1)


class PoolsOfSeven(nn.Module):
    def __init__(self):
        super().__init__()
        self.before = nn.Sequential(conv(1024, 512), conv(512, 512, 3), conv(512, 512))
        self.after = nn.Sequential(conv(2048, 512), conv(512, 512, 3))
        self.beside, self.last = conv(1024, 512), conv(1024, 512)

    def forward(self, x):
        y = self.before(x)
        y = self.after(torch.cat([y] + [functional.max_pool2d(y, k, 1, k // 2) for k in (5, 9, 13)], 1))
        return self.last(torch.cat([y, self.beside(x)], 1))


class Yolo7(nn.Module):
    def __init__(self):
        super().__init__()
        self.p3 = nn.Sequential(conv(3, 32, 3), conv(32, 64, 3, 2), conv(64, 64, 3), conv(64, 128, 3, 2),
                                Elan(128, 64, 64, 256, 2), Halve(256, 128), Elan(256, 128, 128, 512, 2))
        self.p4 = nn.Sequential(Halve(512, 256), Elan(512, 256, 256, 1024, 2))
        self.p5 = nn.Sequential(Halve(1024, 512), Elan(1024, 256, 256, 1024, 2), PoolsOfSeven())
        self.side4, self.side3, self.up4, self.up3 = conv(1024, 256), conv(512, 128), conv(512, 256), conv(256, 128)
        self.e4, self.e3 = Elan(512, 256, 128, 256, 1), Elan(256, 128, 64, 128, 1)
        self.down3, self.d4 = Halve(128, 128), Elan(512, 256, 128, 256, 1)
        self.down4, self.d5 = Halve(256, 256), Elan(1024, 512, 256, 512, 1)
        self.heads = nn.ModuleList([nn.Sequential(conv(c, 2 * c, 3), nn.Conv2d(2 * c, 255, 1)) for c in (128, 256, 512)])

    def forward(self, x):
        c3 = self.p3(x)
        c4 = self.p4(c3)
        c5 = self.p5(c4)
        t4 = self.e4(torch.cat([self.side4(c4), twice(self.up4(c5))], 1))
        o3 = self.e3(torch.cat([self.side3(c3), twice(self.up3(t4))], 1))
        o4 = self.d4(torch.cat([self.down3(o3), t4], 1))
        o5 = self.d5(torch.cat([self.down4(o4), c5], 1))
        return tuple(head(o) for head, o in zip(self.heads, (o3, o4, o5)))


class Yolo3(nn.Module):
    """DarkNet-53 with three heads."""

    def __init__(self):
        super().__init__()

        def stage(channels, count):
            blocks = [Residual(leaky(2 * channels, channels), leaky(channels, 2 * channels, 3)) for _ in range(count)]
            return nn.Sequential(leaky(channels, 2 * channels, 3, 2), *blocks)

        def five(inputs, c):
            return nn.Sequential(leaky(inputs, c), leaky(c, 2 * c, 3), leaky(2 * c, c), leaky(c, 2 * c, 3), leaky(2 * c, c))

        self.c3 = nn.Sequential(leaky(3, 32, 3), stage(32, 1), stage(64, 2), stage(128, 8))
        self.c4, self.c5 = stage(256, 8), stage(512, 4)
        self.sets = nn.ModuleList([five(1024, 512), five(768, 256), five(384, 128)])
        self.ups = nn.ModuleList([leaky(512, 256), leaky(256, 128)])
        self.heads = nn.ModuleList([nn.Sequential(leaky(c, 2 * c, 3), nn.Conv2d(2 * c, 255, 1)) for c in (512, 256, 128)])

    def forward(self, x):
        c3 = self.c3(x)
        c4 = self.c4(c3)
        y = self.sets[0](self.c5(c4))
        results = [self.heads[0](y)]
        for i, c in enumerate((c4, c3)):
            y = self.sets[i + 1](torch.cat([twice(self.ups[i](y)), c], 1))
            results.append(self.heads[i + 1](y))
        return tuple(results)


def relu(inputs, outputs, kernel=1, stride=1):
    return conv(inputs, outputs, kernel, stride, nn.ReLU)


def plain(inputs, outputs, kernel=1, stride=1):
    return conv(inputs, outputs, kernel, stride, None)


def basic(c):
    return nn.Sequential(Residual(relu(c, c, 3), plain(c, c, 3)), nn.ReLU())


class Exchange(nn.Module):
    """HRNet's module: four blocks in each branch, then every branch gets the sum of all."""

    def __init__(self, channels):
        super().__init__()
        self.branches = nn.ModuleList([nn.Sequential(*[basic(c) for _ in range(4)]) for c in channels])

        def way(i, j):
            if i == j:
                return nn.Identity()
            if i < j:
                return nn.Sequential(plain(channels[j], channels[i]), nn.Upsample(scale_factor=float(2 ** (j - i))))
            steps = [relu(channels[j], channels[j], 3, 2) for _ in range(i - j - 1)]
            return nn.Sequential(*steps, plain(channels[j], channels[i], 3, 2))

        self.ways = nn.ModuleList([nn.ModuleList([way(i, j) for j in range(len(channels))]) for i in range(len(channels))])

    def forward(self, inputs):
        parts = [branch(x) for branch, x in zip(self.branches, inputs)]
        return [torch.relu(sum(way(p) for way, p in zip(ways, parts))) for ways in self.ways]


class HighResolution(nn.Module):
    """HRNet-W32 for 17 joints."""

    def __init__(self):
        super().__init__()

        def bottleneck(inputs):
            body = nn.Sequential(relu(inputs, 64), relu(64, 64, 3), plain(64, 256))
            return nn.ModuleList([body, plain(inputs, 256) if inputs != 256 else nn.Identity()])

        self.stem = nn.Sequential(relu(3, 64, 3, 2), relu(64, 64, 3, 2))
        self.blocks = nn.ModuleList([bottleneck(64 if i == 0 else 256) for i in range(4)])
        self.first = nn.ModuleList([relu(256, 32, 3), relu(256, 64, 3, 2)])
        self.second, self.third = relu(64, 128, 3, 2), relu(128, 256, 3, 2)
        self.stages = nn.ModuleList([nn.ModuleList([Exchange([32 * 2**i for i in range(n)]) for _ in range(count)])
                                     for n, count in ((2, 1), (3, 4), (4, 3))])
        self.last = nn.Conv2d(32, 17, 1)

    def forward(self, x):
        x = self.stem(x)
        for body, shortcut in self.blocks:
            x = torch.relu(body(x) + shortcut(x))
        parts = [layer(x) for layer in self.first]
        for modules, more in zip(self.stages, (self.second, self.third, None)):
            for module in modules:
                parts = module(parts)
            if more:
                parts = parts + [more(parts[-1])]
        return self.last(parts[0])


class Bert(nn.Module):
    """The encoder of BERT base, from embeddings on."""

    def __init__(self, width=768, heads=12, layers=12):
        super().__init__()
        self.heads, self.size = heads, width // heads
        self.layers = nn.ModuleList([nn.ModuleDict({
            "q": nn.Linear(width, width), "k": nn.Linear(width, width), "v": nn.Linear(width, width),
            "o": nn.Linear(width, width), "a": nn.Linear(width, 4 * width), "b": nn.Linear(4 * width, width),
            "first": nn.LayerNorm(width), "second": nn.LayerNorm(width)}) for _ in range(layers)])

    def forward(self, x):
        n, tokens, width = x.shape
        for layer in self.layers:
            q, k, v = (layer[i](x).reshape(n, tokens, self.heads, self.size).transpose(1, 2) for i in "qkv")
            p = torch.softmax(q @ k.transpose(2, 3) * self.size**-0.5, -1) @ v
            x = layer["first"](x + layer["o"](p.transpose(1, 2).reshape(n, tokens, width)))
            x = layer["second"](x + layer["b"](functional.gelu(layer["a"](x))))
        return x


NETS = {
    "resnet50": (lambda: torchvision.models.resnet50(weights=None), (1, 3, 224, 224)),
    "yolox_s": (YoloX, (1, 3, 640, 640)),
    "yolov7": (Yolo7, (1, 3, 640, 640)),
    "yolov3": (Yolo3, (1, 3, 608, 608)),
    "hrnet_w32": (HighResolution, (1, 3, 256, 192)),
    "bert": (Bert, (1, 256, 768)),
}


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[2:] or NETS:
        torch.manual_seed(1)
        make, shape = NETS[name]
        torch.onnx.export(make().eval(), torch.randn(shape), folder / f"{name}.onnx", opset_version=13)


if __name__ == "__main__":
    main()
