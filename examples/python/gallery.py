#!/usr/bin/env python3
"""Draws docs/gallery.md: what the example networks see. Run by `make gallery`."""

import gzip
import sys
import tempfile
from pathlib import Path

import numpy as np

import tputwin
from png import write_png

ROOT = Path(__file__).resolve().parents[2]
FASHION = Path("/usr/share/datasets/fashion-mnist")
NAMES = "T-shirt trouser pullover dress coat sandal shirt sneaker bag boot".split()
PIXELS = tputwin.Preparation(scale=[1 / 256])
SHOWN, FIRST, MEASURED = 24, 40, 2000

NETS = {
    "resnet_fashion": "A small ResNet: 27 layers, residuals, depthwise convolutions.",
    "lenet_fashion": "LeNet: two convolutions, two inner products.",
}

HEAD = """# Gallery

What the networks of this repository see on the twin: each calibrated on 500 training images of Fashion-MNIST (Debian's
dataset-fashion-mnist), compiled for the BM1880, and shown test images {first} to {last}. Below an image are the two best
classes with the values that the network gives them. `make gallery` draws this page.
"""

SECTION = """
## {name}

{text}
Of the first {samples} test images float gets {float_right:.1f} % right, int8 on the twin {int8_right:.1f} %; a batch
of 10 images is predicted to take {milliseconds:.2f} ms on the chip.

![what {name} sees](gallery/{name}.png)
"""


def test_images(count, first):
    with gzip.open(FASHION / "t10k-images-idx3-ubyte.gz") as file:
        pixels = np.frombuffer(file.read(16 + (first + count) * 784), np.uint8)[16:]
    return pixels.reshape(-1, 28, 28)[first:]


def section(name, text, photos, output, folder):
    """Compiles a net, measures it, draws what it sees; the section of the page."""
    prototxt, weights = ROOT / f"models/{name}.prototxt", ROOT / f"models/{name}.caffemodel"
    int8 = tputwin.calibrate(prototxt, weights, FASHION / "train-images-idx3-ubyte.gz", folder,
                             samples=500, preparation=PIXELS)
    model = folder / f"{name}.bmodel"
    tputwin.compile(int8.caffemodel, int8.table, model, batch=10)
    accuracy = tputwin.evaluate(prototxt, weights, model, FASHION / "t10k-images-idx3-ubyte.gz",
                                samples=MEASURED, preparation=PIXELS)
    net = tputwin.load(model)
    tputwin.Viewer(net, PIXELS, NAMES).see(photos, draw=output / f"{name}.png")
    return SECTION.format(name=name, text=text, samples=accuracy.samples,
                          float_right=100 * accuracy.float_right / accuracy.samples,
                          int8_right=100 * accuracy.int8_right / accuracy.samples,
                          milliseconds=net.predicted()["milliseconds"])


def main(output):
    output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        photos = folder / "photos"
        photos.mkdir()
        for i, image in enumerate(test_images(SHOWN, FIRST)):
            write_png(photos / f"{i:02}.png", image)
        page = HEAD.format(first=FIRST, last=FIRST + SHOWN - 1)
        for net, text in NETS.items():
            page += section(net, text, photos, output, folder)
    output.with_suffix(".md").write_text(page)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
