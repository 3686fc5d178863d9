#!/usr/bin/env python3
"""Writes docs/gallery.md and its pictures, the results of the example networks (`make gallery`)."""

import gzip
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import tputwin
from png import write_png

ROOT = Path(__file__).resolve().parents[2]
MODELS = ROOT / "models"
PHOTOGRAPHS = ROOT / "examples/pictures"
FASHION = Path("/usr/share/datasets/fashion-mnist")
CLOTHES = "T-shirt trouser pullover dress coat sandal shirt sneaker bag boot".split()
PIXELS = tputwin.Preparation(scale=[1 / 256])
SHOWN, MEASURED = 24, 2000

HEAD = """# Gallery

This page shows the results of this repository's networks in the simulator. Each network is
calibrated and compiled for the BM1880, and was trained here ([models](../models/README.md)).
`make gallery` draws this page.
"""

FACES = """
## Faces

A detector of 8 convolutions on 128x128 grey pixels, trained on scenes made of 80 faces, calibrated
on the four photographs themselves. In scenes with new faces it finds 72 % of them at this
threshold, with 3 false ones in 1,000 scenes. Here it finds the astronaut's face, and rightly none
in the cup and the rocket. It misses the photographer's face, from the side: it finds faces from
the front only. A picture is predicted to take {milliseconds:.2f} ms on the chip. The photographs are of
NASA, Lav Varshney, Rachel Michetti and SpaceX ([origins](../examples/pictures/README.md)).

![a face in a box, and three photographs without one](gallery/faces.png)

These commands do the same in a checkout; `seen.png` is the picture below:

    tputwin calibrate models/faces.prototxt models/faces.caffemodel --data examples/pictures \\
        --letterbox --mean 128 --scale 0.0078125 --output int8
    tputwin compile --caffemodel int8/bmnet_faces_int8.caffemodel \\
        --table int8/bmnet_faces_calibration_table.pb2 -o faces.bmodel
    tputwin run faces.bmodel --image examples/pictures/astronaut.jpg --describe models/faces.json --draw seen.png

![the astronaut's face in a box](astronaut.png)
"""

CLASSES = """
## {title}

{text}
Float gets {float_right:.1f} % of {samples} test images right, int8 in the simulator
{int8_right:.1f} %. A batch of 10 is predicted to take {milliseconds:.2f} ms on the chip. Below an
image are the two best classes and their values.

![what {name} sees](gallery/{name}.png)
"""

SPEED = """
## ResNet-50, for speed

The network as published, 224x224 pixels in colour, with random weights
(`build/bin/generate_classics`), so its results mean nothing. One image in int8:

| | |
|---|---|
| commands | {instructions:,} |
| multiplications and additions | {macs:.2f} G |
| between global and local memory | {moved:.0f} MB |
| on the chip, predicted | {chip:.1f} ms |

The prices of each operation's commands, in cycles:

| operation | commands | price |
|---|---|---|
{rows}
[performance.md](performance.md) has the time of the simulator, and how it is measured.
"""


def idx(path, count, first=0):
    """Returns the images of an idx file."""
    with gzip.open(path) as file:
        extents = np.frombuffer(file.read(16), ">u4")[2:]
        size = int(extents.prod())
        pixels = np.frombuffer(file.read((first + count) * size), np.uint8)
    return pixels.reshape(-1, *extents)[first:]


def compiled(name, data, folder, preparation, **options):
    """Compiles a net of the repository, calibrated on this data; returns the path of the bmodel."""
    int8 = tputwin.calibrate(MODELS / f"{name}.prototxt", MODELS / f"{name}.caffemodel", data,
                             folder, samples=500, preparation=preparation)
    model = folder / f"{name}.bmodel"
    tputwin.compile(int8.caffemodel, int8.table, model, **options)
    return model


def faces(output, folder):
    description = json.loads((MODELS / "faces.json").read_text())
    preparation = tputwin.Preparation(mean=[description["mean"]], scale=[description["scale"]],
                                      letterbox=description["letterbox"])
    net = tputwin.load(compiled("faces", PHOTOGRAPHS, folder, preparation))
    viewer = tputwin.Viewer(net, preparation, description["labels"],
                            tputwin.Detections(**description["detections"]))
    viewer.see(*sorted(PHOTOGRAPHS.glob("*.jpg")), draw=output / "faces.png")
    return FACES.format(milliseconds=net.predicted()["milliseconds"])


def classes(name, title, text, labels, train, test, first, output, folder):
    model = compiled(name, train, folder, PIXELS, batch=10)
    accuracy = tputwin.evaluate(MODELS / f"{name}.prototxt", MODELS / f"{name}.caffemodel", model,
                                test, samples=MEASURED, preparation=PIXELS)
    photos = folder / name
    photos.mkdir()
    for i, image in enumerate(idx(test, SHOWN, first)):
        write_png(photos / f"{i:02}.png", image)
    net = tputwin.load(model)
    tputwin.Viewer(net, PIXELS, labels).see(photos, draw=output / f"{name}.png")
    return CLASSES.format(name=name, title=title, text=text, samples=accuracy.samples,
                          float_right=100 * accuracy.float_right / accuracy.samples,
                          int8_right=100 * accuracy.int8_right / accuracy.samples,
                          milliseconds=net.predicted()["milliseconds"])


def speed(generate, folder):
    subprocess.run([generate, folder, "resnet50"], check=True)
    preparation = tputwin.Preparation(mean=[104, 117, 123], scale=[1 / 58])
    int8 = tputwin.calibrate(folder / "resnet50.prototxt", folder / "resnet50.caffemodel",
                             PHOTOGRAPHS, folder, samples=4, preparation=preparation)
    tputwin.compile(int8.caffemodel, int8.table, folder / "resnet50.bmodel")
    net = tputwin.load(folder / "resnet50.bmodel")
    cost = net.predicted()
    operations = sorted(cost["operations"].items(), key=lambda item: -item[1]["cycles"])
    return SPEED.format(
        instructions=cost["instructions"], chip=cost["milliseconds"],
        macs=sum(row["macs"] for _, row in operations) / 1e9,
        moved=sum(row["global_bytes"] for _, row in operations) / 1e6,
        rows="".join(f"| {kind} | {row['count']:,} | {row['cycles']:,} |\n"
                     for kind, row in operations if row["cycles"]))


def main(output, generate):
    output.mkdir(parents=True, exist_ok=True)
    fashion = FASHION / "train-images-idx3-ubyte.gz", FASHION / "t10k-images-idx3-ubyte.gz"
    digits = MODELS / "digits-train-images-idx3-ubyte.gz", MODELS / "digits-test-images-idx3-ubyte.gz"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        page = HEAD + faces(output, folder)
        page += classes("digits", "Digits", "Handwritten, in 8x8 pixels: two convolutions, two inner "
                        "products.", "0123456789", *digits,
                        0, output, folder)
        page += classes("resnet_fashion", "Clothes", "Fashion-MNIST (Debian's dataset-fashion-mnist): a "
                        "small ResNet of 27 layers,\nresiduals, depthwise convolutions.", CLOTHES,
                        *fashion, 40, output, folder)
        page += classes("lenet_fashion", "Clothes by LeNet", "The same images: two convolutions, two "
                        "inner products.", CLOTHES, *fashion, 40, output, folder)
        page += speed(generate, folder)
    output.with_suffix(".md").write_text(page)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
