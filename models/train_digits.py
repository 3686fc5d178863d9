#!/usr/bin/python3
"""Trains the net of digits and writes it as a Caffe model, with its data set as idx files.

    apt-get download python3-sklearn && dpkg -x python3-sklearn_*.deb pictures
    /usr/bin/python3 models/train_digits.py --pictures pictures

The data come with scikit-learn: 1,797 digits of 13 writers in 8x8 pixels (E. Alpaydin, C. Kaynak:
Optical Recognition of Handwritten Digits, UCI Machine Learning Repository, CC BY 4.0). The net is
trained on the first 1,300 digits, and tested on the others. Needs python3-numpy.
"""
import argparse
import gzip
import os
import struct

import numpy as np

from train import Convolution, InnerProduct, MaxPool2, Net, ReLU, read_set, train, write_caffe

HERE = os.path.dirname(os.path.abspath(__file__))
DIGITS = "usr/lib/python3/dist-packages/sklearn/datasets/data/digits.csv.gz"
LEARNT = 1300


def write_idx(path, values):
    with gzip.GzipFile(path, "wb", mtime=0) as file:
        file.write(struct.pack(f">HBB{values.ndim}I", 0, 8, values.ndim, *values.shape))
        file.write(values.astype(np.uint8).tobytes())


def write_sets(pictures):
    with gzip.open(os.path.join(pictures, DIGITS)) as file:
        rows = np.loadtxt(file, delimiter=",")
    images, labels = np.minimum(rows[:, :64] * 16, 255).reshape(-1, 8, 8), rows[:, 64]
    for name, part in (("train", slice(LEARNT)), ("test", slice(LEARNT, None))):
        write_idx(f"{HERE}/digits-{name}-images-idx3-ubyte.gz", images[part])
        write_idx(f"{HERE}/digits-{name}-labels-idx1-ubyte.gz", labels[part])


def layers(rng):
    return [
        Convolution("conv1", "data", "conv1", rng, 1, 16, 3, pad=1),
        ReLU("relu1", "conv1"),
        MaxPool2("pool1", "conv1"),
        Convolution("conv2", "pool1", "conv2", rng, 16, 32, 3, pad=1),
        ReLU("relu2", "conv2"),
        MaxPool2("pool2", "conv2"),
        InnerProduct("ip1", "pool2", rng, (2, 2, 32), 64),
        ReLU("relu3", "ip1"),
        InnerProduct("ip2", "ip1", rng, (1, 1, 64), 10),
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--pictures", help="folder of the unpacked package; without it, the idx files are read")
    parser.add_argument("--epochs", type=int, default=30)
    options = parser.parse_args()
    if options.pictures:
        write_sets(options.pictures)
    net = Net("digits", layers(np.random.default_rng(1)))
    sets = [read_set(f"digits-{name}", HERE, 8) for name in ("train", "test")]
    result = train(net, options.epochs, 0.05, False, 1, sets)
    write_caffe(net, os.path.join(HERE, "digits"), [
        f"Trained by models/train_digits.py; {100 * result:.2f} % of the test digits.",
        "Input: grey value / 256."], (1, 8, 8))


if __name__ == "__main__":
    main()
