#!/usr/bin/python3
"""export_transformers.py FOLDER [--opset N] [NET...]: exports networks of attention and recurrence.

PyTorch's exporter writes them. They have the layers, in the order, of published networks, but fewer
and narrower ones, with random weights. onnx_runtime_models --of, compare.mjs and onnx_bm1684x read
the files."""
import argparse
import json
import math
import os
import warnings

import torch
from torch import nn
from torch.nn import functional

warnings.filterwarnings("ignore")


class Attention(nn.Module):
    """Scaled products of `heads` heads; `mask` is added to the scores."""

    def __init__(self, width, heads, bias=True):
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v, self.out = (nn.Linear(width, width, bias) for _ in range(4))

    def split(self, x):
        return x.view(x.shape[0], x.shape[1], self.heads, -1).transpose(1, 2)

    def forward(self, x, mask=None, other=None):
        other = x if other is None else other
        q, k, v = self.split(self.q(x)), self.split(self.k(other)), self.split(self.v(other))
        scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
        weights = (scores if mask is None else scores + mask).softmax(-1)
        return self.out((weights @ v).transpose(1, 2).flatten(2))


def quick_gelu(x):
    return x * torch.sigmoid(1.702 * x)


class Layer(nn.Module):
    """A layer of a transformer; the norms come before (`first`) or after the parts."""

    def __init__(self, width, heads, act=functional.gelu, first=True):
        super().__init__()
        self.act, self.first, self.attention = act, first, Attention(width, heads)
        self.a, self.b = nn.LayerNorm(width), nn.LayerNorm(width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x, mask=None):
        if not self.first:
            x = self.a(x + self.attention(x, mask))
            return self.b(x + self.down(self.act(self.up(x))))
        x = x + self.attention(self.a(x), mask)
        return x + self.down(self.act(self.up(self.b(x))))


class Bert(nn.Module):
    """Embeddings of tokens and positions, layers with a mask of the padding, two heads."""

    def __init__(self, width=128, tokens=32):
        super().__init__()
        self.words, self.places = nn.Embedding(500, width), nn.Embedding(tokens, width)
        self.norm, self.pool = nn.LayerNorm(width), nn.Linear(width, width)
        self.layers = nn.ModuleList([Layer(width, 4, first=False) for _ in range(2)])
        self.starts = nn.Linear(width, 2)

    def forward(self, ids, present):
        x = self.norm(self.words(ids) + self.places.weight[None])
        mask = (1.0 - present[:, None, None, :].float()) * -10000.0
        for layer in self.layers:
            x = layer(x, mask)
        start, end = self.starts(x).split(1, -1)
        return start.squeeze(-1), end.squeeze(-1), torch.tanh(self.pool(x[:, 0]))


class Clip(nn.Module):
    """Patches and a class beside tokens with a causal mask; cosines of both."""

    def __init__(self, width=96):
        super().__init__()
        self.patches = nn.Conv2d(3, width, 16, 16, bias=False)
        self.kind, self.places = nn.Parameter(torch.randn(width)), nn.Parameter(torch.randn(17, width))
        self.words, self.order = nn.Embedding(300, width), nn.Parameter(torch.randn(12, width) * 0.1)
        self.before, self.after, self.last = (nn.LayerNorm(width) for _ in range(3))
        self.sight = nn.ModuleList([Layer(width, 3, quick_gelu) for _ in range(2)])
        self.text = nn.ModuleList([Layer(width, 3, quick_gelu) for _ in range(2)])
        self.project = nn.Linear(width, 64, bias=False)
        self.register_buffer("mask", torch.full((12, 12), float("-inf")).triu(1))

    def forward(self, image, ids):
        x = self.patches(image).flatten(2).transpose(1, 2)
        kind = self.kind + torch.zeros(x.shape[0], 1, x.shape[-1])
        x = self.before(torch.cat([kind, x], 1) + self.places)
        for layer in self.sight:
            x = layer(x)
        t = self.words(ids) + self.order
        for layer in self.text:
            t = layer(t, self.mask)
        a, b = self.project(self.after(x[:, 0])), self.project(self.last(t)[:, -1])
        a, b = a / a.norm(dim=-1, keepdim=True), b / b.norm(dim=-1, keepdim=True)
        return a, b, 20.0 * a @ b.t()


class Whisper(nn.Module):
    """The encoder: two convolutions of one axis over frames, then layers."""

    def __init__(self, width=128):
        super().__init__()
        self.a, self.b = nn.Conv1d(80, width, 3, padding=1), nn.Conv1d(width, width, 3, 2, 1)
        self.register_buffer("places", torch.randn(50, width) * 0.5)
        self.layers = nn.ModuleList([Layer(width, 4) for _ in range(2)])
        self.norm = nn.LayerNorm(width)

    def forward(self, mel):
        x = functional.gelu(self.b(functional.gelu(self.a(mel))))
        x = x.permute(0, 2, 1) + self.places
        for layer in self.layers:
            x = layer(x)
        return self.norm(x)


class WhisperDecoder(nn.Module):
    """A decoder's layer: masked attention, then attention to the encoder's result."""

    def __init__(self, width=128):
        super().__init__()
        self.words = nn.Embedding(200, width)
        self.self_, self.cross = Attention(width, 4), Attention(width, 4)
        self.norms = nn.ModuleList([nn.LayerNorm(width) for _ in range(4)])
        self.up, self.down = nn.Linear(width, 256), nn.Linear(256, width)
        self.register_buffer("mask", torch.full((9, 9), float("-inf")).triu(1))

    def forward(self, ids, sound):
        x = self.words(ids)
        x = x + self.self_(self.norms[0](x), self.mask)
        x = x + self.cross(self.norms[1](x), None, sound)
        x = x + self.down(functional.gelu(self.up(self.norms[2](x))))
        return self.norms[3](x) @ self.words.weight.t()


class RmsNorm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(1 + 0.1 * torch.randn(width))

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.weight


def turned(x):
    a, b = x.chunk(2, -1)
    return torch.cat([-b, a], -1)


class Decoder(nn.Module):
    """A block of a language model: RMS norms, rotary positions, heads that share keys, a gated
    product, and its cache as inputs and outputs. `tokens` new ones follow `past` old ones."""

    def __init__(self, tokens, past, width=128, heads=4, shared=2, bits=0):
        super().__init__()
        self.heads, self.shared, self.size = heads, shared, width // heads
        self.a, self.b = RmsNorm(width), RmsNorm(width)
        self.q, self.k, self.v = (nn.Linear(width, n * self.size, False) for n in (heads, shared, shared))
        self.out = nn.Linear(width, width, False)
        self.gate, self.up, self.down = (nn.Linear(*n, False) for n in
                                         ((width, 352), (width, 352), (352, width)))
        angles = torch.outer(torch.arange(past, past + tokens).float(),
                             10000.0 ** (-torch.arange(0, self.size, 2).float() / self.size))
        angles = torch.cat([angles, angles], -1)
        self.register_buffer("cos", angles.cos())
        self.register_buffer("sin", angles.sin())
        self.register_buffer("mask", torch.full((tokens, past + tokens), float("-inf")).triu(past + 1))
        if bits:
            self.to_grid(bits)

    def to_grid(self, bits, group=32):
        """Rounds weights to a grid of `bits` bits, with a scale for each group of a row."""
        for linear in [m for m in self.modules() if isinstance(m, nn.Linear)]:
            w = linear.weight.data.view(linear.out_features, -1, group)
            most = 2 ** (bits - 1) - 1
            scale = w.abs().amax(-1, keepdim=True) / most
            linear.weight.data = ((w / scale).round().clamp(-most, most) * scale).view_as(linear.weight)

    def rotated(self, x):
        return x * self.cos + turned(x) * self.sin

    def split(self, x, heads):
        return x.view(x.shape[0], x.shape[1], heads, self.size).transpose(1, 2)

    def forward(self, x, keys=None, values=None):
        y = self.a(x)
        q = self.rotated(self.split(self.q(y), self.heads))
        k, v = self.rotated(self.split(self.k(y), self.shared)), self.split(self.v(y), self.shared)
        if keys is not None:
            k, v = torch.cat([keys, k], 2), torch.cat([values, v], 2)
        times = self.heads // self.shared
        many = [t[:, :, None].expand(-1, -1, times, -1, -1).reshape(x.shape[0], self.heads, -1, self.size)
                for t in (k, v)]
        scores = q @ many[0].transpose(-1, -2) / math.sqrt(self.size) + self.mask
        y = (scores.softmax(-1, dtype=torch.float32) @ many[1]).transpose(1, 2).flatten(2)
        x = x + self.out(y)
        y = self.b(x)
        return x + self.down(functional.silu(self.gate(y)) * self.up(y)), k, v


class T5(nn.Module):
    """An encoder's layer with biases by distance, and no scale of the scores."""

    def __init__(self, width=128, tokens=24):
        super().__init__()
        self.q, self.k, self.v, self.out = (nn.Linear(width, width, False) for _ in range(4))
        self.near = nn.Embedding(2 * tokens, 4)
        self.a, self.b = RmsNorm(width), RmsNorm(width)
        self.up, self.gate, self.down = (nn.Linear(*n, False) for n in ((width, 256), (width, 256), (256, width)))
        places = torch.arange(tokens)
        self.register_buffer("distance", places[None] - places[:, None] + tokens)

    def forward(self, x):
        y = self.a(x)
        q, k, v = (f(y).view(1, -1, 4, 32).transpose(1, 2) for f in (self.q, self.k, self.v))
        scores = q @ k.transpose(2, 3) * 0.2 + self.near(self.distance).permute(2, 0, 1)[None]
        x = x + self.out((scores.softmax(-1) @ v).transpose(1, 2).reshape(1, -1, 128))
        y = self.b(x)
        return x + self.down(functional.gelu(self.gate(y)) * self.up(y))


class Conformer(nn.Module):
    """A block for speech: half steps around attention and a gated depthwise convolution."""

    def __init__(self, width=96):
        super().__init__()
        self.parts = nn.ModuleList([nn.Sequential(nn.LayerNorm(width), nn.Linear(width, 384), nn.SiLU(),
                                                  nn.Linear(384, width)) for _ in range(2)])
        self.norms = nn.ModuleList([nn.LayerNorm(width) for _ in range(3)])
        self.attention = Attention(width, 3)
        self.wide, self.deep = nn.Conv1d(width, 2 * width, 1), nn.Conv1d(width, width, 15, padding=7, groups=width)
        self.statistics, self.narrow = nn.BatchNorm1d(width), nn.Conv1d(width, width, 1)

    def forward(self, x):
        x = x + 0.5 * self.parts[0](x)
        x = x + self.attention(self.norms[0](x))
        y = functional.glu(self.wide(self.norms[1](x).transpose(1, 2)), 1)
        x = x + self.narrow(functional.silu(self.statistics(self.deep(y)))).transpose(1, 2)
        return self.norms[2](x + 0.5 * self.parts[1](x))


class Recurrent(nn.Module):
    """A reader of lines: convolutions, two layers of a recurrence in both directions, a softmax."""

    def __init__(self, kind):
        super().__init__()
        self.maps = nn.Sequential(nn.Conv2d(1, 32, 3, 2, 1), nn.ReLU(), nn.Conv2d(32, 64, 3, 2, 1), nn.ReLU(),
                                  nn.MaxPool2d((4, 1)))
        self.cells = kind(128, 48, 2, bidirectional=True, batch_first=True)
        self.out = nn.Linear(96, 40)

    def forward(self, x):
        x = self.maps(x)
        x = x.permute(0, 3, 1, 2).flatten(2)
        y = self.cells(x)[0]
        return self.out(y).log_softmax(-1)


class Translator(nn.Module):
    """PyTorch's own encoder and decoder of the first transformer."""

    def __init__(self):
        super().__init__()
        self.net = nn.Transformer(64, 4, 1, 1, 128, batch_first=True)

    def forward(self, x, y):
        return self.net(x, y)


class Diffusion(nn.Module):
    """A block of a denoiser: group norms, a time added, attention of an image to a text."""

    def __init__(self, width=64):
        super().__init__()
        self.norms = nn.ModuleList([nn.GroupNorm(8, width) for _ in range(3)])
        self.convs = nn.ModuleList([nn.Conv2d(width, width, 3, padding=1) for _ in range(2)])
        self.time, self.enter, self.leave = nn.Linear(32, width), nn.Conv2d(width, width, 1), nn.Conv2d(width, width, 1)
        self.layers = nn.ModuleList([nn.LayerNorm(width) for _ in range(2)])
        self.own, self.text = Attention(width, 4), Attention(width, 4)
        self.wide, self.last = nn.Linear(width, 8 * width), nn.Linear(4 * width, width)

    def forward(self, x, time, text):
        y = self.convs[0](functional.silu(self.norms[0](x)))
        y = y + self.time(functional.silu(time))[:, :, None, None]
        x = x + self.convs[1](functional.silu(self.norms[1](y)))
        y = self.enter(self.norms[2](x)).flatten(2).transpose(1, 2)
        y = y + self.own(self.layers[0](y))
        y = y + self.text(self.layers[1](y), None, text)
        a, b = self.wide(y).chunk(2, -1)
        y = y + self.last(a * functional.gelu(b))
        return x + self.leave(y.transpose(1, 2).reshape(x.shape))


def ids(most, *shape):
    return torch.randint(0, most, shape)


def token_and_cache(past):
    return {"x": torch.randn(1, 1, 128), "keys": torch.randn(1, 2, past, 32),
            "values": torch.randn(1, 2, past, 32)}


# The net, and its inputs by name.
NETS = {
    "bert": lambda: (Bert(), {"ids": ids(500, 1, 32), "present": (torch.arange(32) < 27).long()[None]}),
    "clip": lambda: (Clip(), {"image": torch.randn(1, 3, 64, 64), "ids": ids(300, 2, 12)}),
    "whisper_encoder": lambda: (Whisper(), {"mel": torch.randn(1, 80, 100)}),
    "whisper_decoder": lambda: (WhisperDecoder(), {"ids": ids(200, 1, 9), "sound": torch.randn(1, 50, 128)}),
    "decoder_prompt": lambda: (Decoder(16, 0), {"x": torch.randn(1, 16, 128)}),
    "decoder_step": lambda: (Decoder(1, 40), token_and_cache(40)),
    "decoder_step_4_bits": lambda: (Decoder(1, 40, bits=4), token_and_cache(40)),
    "t5": lambda: (T5(), {"x": torch.randn(1, 24, 128)}),
    "conformer": lambda: (Conformer(), {"x": torch.randn(1, 40, 96)}),
    "lstm_reader": lambda: (Recurrent(nn.LSTM), {"x": torch.randn(1, 1, 32, 96)}),
    "gru_reader": lambda: (Recurrent(nn.GRU), {"x": torch.randn(1, 1, 32, 96)}),
    "translator": lambda: (Translator(), {"x": torch.randn(1, 20, 64), "y": torch.randn(1, 11, 64)}),
    "diffusion": lambda: (Diffusion(), {"x": torch.randn(1, 64, 16, 16), "time": torch.randn(1, 32), "text": torch.randn(1, 10, 64)}),
}


def entry(x):
    """Returns an input as JSON. Its type is fp32 where none is given."""
    kind = {} if x.is_floating_point() else {"type": "int64"}
    return {"dims": list(x.shape), "data": x.flatten().tolist()} | kind


def export(name, folder, opset):
    torch.manual_seed(1)
    net, inputs = NETS[name]()
    net.eval()
    stem = os.path.join(folder, f"{name}-{opset}")
    torch.onnx.export(net, tuple(inputs.values()), stem + ".onnx", opset_version=opset,
                      input_names=list(inputs))
    with open(stem + ".json", "w", encoding="ascii") as file:
        json.dump({"about": f"{name} opset {opset}", "relative": True,
                   "inputs": {key: entry(x) for key, x in inputs.items()}}, file)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--opset", type=int, default=17)
    parser.add_argument("nets", nargs="*", help="default: all")
    options = parser.parse_intermixed_args()
    os.makedirs(options.folder, exist_ok=True)
    for name in options.nets or NETS:
        export(name, options.folder, options.opset)


if __name__ == "__main__":
    main()
