#!/usr/bin/python3
"""read_text.py MODELS RUNTIME [CHECK...]: runs PP-OCRv4 on rendered text.

ONNX Runtime runs the nets in float, and tputwin in int8 on the BM1880; of the detector some layers
are left to the host in floats. The checks are `characters`
(50 lines), `directions` (50 lines), `boxes` (8 pages) and `halves` (100 lines in fp16 on the
BM1684X); by default all run. MODELS has the three ONNX files and ppocr_keys_v1.txt; RUNTIME is the
folder with the runtime's node_modules.

The script fails if one of these rules is broken. tputwin's wrong characters may exceed the
runtime's by 1 % of all characters. Both must find the same lines upside down. Their boxes must
overlap by at least 0.8. In fp16, with the layers in fp32 that `--reach` finds, both must read the
same."""
import json
import os
import random
import subprocess
import sys
import tempfile

import numpy as np
from PIL import Image, ImageDraw, ImageFont

import tputwin

HERE = os.path.dirname(os.path.abspath(__file__))
PAGE = 320
# Cosine of the detector's scores that layers on the host must bring about.
REACH = 0.995
# Cosine of the recognizer's scores that layers in fp32 must bring about in fp16. A line's result
# changes where the two best of 6,625 scores are close.
REACH_HALVES = 0.999999
FONTS = ["DejaVuSans", "DejaVuSansMono", "DejaVuSerif", "DejaVuSans-Bold", "DejaVuSerif-Bold"]
WORDS = """time year people way day man thing woman life child world school state family student
group country problem hand part place case week company system program question work government
number night point home water room mother area money story fact month lot right study book eye job
word business issue side kind head house service friend father power hour game line end member law
car city community name president team minute idea kid body information back parent face others
level office door health person art war history party result change morning reason research girl
guy moment air teacher force education""".split()


def text_of(rng):
    """Returns words and a number of at most 24 characters."""
    text = ""
    while len(text) < 16:
        word = rng.choice(WORDS) if rng.random() < 0.8 else str(rng.randrange(10000))
        text += (" " if text else "") + (word.capitalize() if rng.random() < 0.3 else word)
    return text[:24].rstrip()


def drawn(text, rng):
    """Returns the line as a picture, grey on grey."""
    font = ImageFont.truetype(rng.choice(FONTS) + ".ttf", rng.randrange(24, 34))
    left, top, right, bottom = font.getbbox(text)
    image = Image.new("L", (right - left + 16, bottom - top + 14), rng.randrange(190, 256))
    ImageDraw.Draw(image).text((8 - left, 7 - top), text, fill=rng.randrange(0, 80), font=font)
    return image


def as_input(image, height, width):
    """Returns the picture as a net's input (1, 3, height, width), with values from -1 to 1."""
    scaled = min(width, round(image.width * height / image.height))
    pixels = np.asarray(image.resize((scaled, height), Image.BILINEAR), np.float32) / 127.5 - 1
    line = np.zeros((1, 3, height, width), np.float32)
    line[0, :, :, :scaled] = pixels
    return line


def page_of(rng):
    """Returns a page of lines as the detector's input (1, 3, 320, 320)."""
    page = Image.new("L", (PAGE, PAGE), rng.randrange(200, 256))
    for y in range(12, PAGE - 60, 62):
        line = drawn(text_of(rng)[:12].rstrip(), rng)
        page.paste(line, (rng.randrange(4, 40), y + rng.randrange(0, 10)))
    pixels = np.asarray(page, np.float32)[None].repeat(3, 0) / 255
    mean, deviation = np.array([[0.485, 0.456, 0.406], [0.229, 0.224, 0.225]], np.float32)
    return ((pixels - mean[:, None, None]) / deviation[:, None, None])[None]


def boxes_of(scores):
    """Returns the boxes (left, top, right, bottom) around connected scores above 0.3."""
    text = scores.reshape(PAGE, PAGE) > 0.3
    boxes = []
    for y, x in zip(*np.nonzero(text)):
        if not text[y, x]:
            continue
        text[y, x], todo, seen = False, [(y, x)], []
        while todo:
            seen.append(todo.pop())
            for row in range(max(seen[-1][0] - 1, 0), min(seen[-1][0] + 2, PAGE)):
                for column in range(max(seen[-1][1] - 1, 0), min(seen[-1][1] + 2, PAGE)):
                    if text[row, column]:
                        text[row, column] = False
                        todo.append((row, column))
        rows, columns = zip(*seen)
        if len(seen) > 16:
            boxes.append((min(columns), min(rows), max(columns) + 1, max(rows) + 1))
    return boxes


def overlap(a, b):
    """Returns the common area of two boxes over that of both."""
    width = min(a[2], b[2]) - max(a[0], b[0])
    height = min(a[3], b[3]) - max(a[1], b[1])
    common = max(width, 0) * max(height, 0)
    return common / (sum((c[2] - c[0]) * (c[3] - c[1]) for c in (a, b)) - common)


def decoded(scores, keys):
    """Returns the best character of each step without repetitions and blanks (index 0)."""
    text, last = "", 0
    for index in scores.reshape(-1, len(keys)).argmax(1):
        if index != last and index != 0:
            text += keys[index]
        last = index
    return text


def distance(a, b):
    """Returns the number of characters to insert, remove or replace to change `a` to `b`."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        before, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (x != y))
    return row[-1]


class Models:
    """The nets by file name, and both ways to run them."""

    def __init__(self, models, runtime, folder):
        self.models, self.runtime, self.folder = models, runtime, folder

    def by_runtime(self, name, inputs):
        samples, results = (os.path.join(self.folder, f) for f in ("in.json", "out.json"))
        with open(samples, "w", encoding="ascii") as file:
            json.dump([{"dims": x.shape, "data": x.ravel().tolist()} for x in inputs], file)
        subprocess.run(["node", os.path.join(HERE, "infer.mjs"), self.path(name), "x", samples,
                        results], cwd=self.runtime, check=True)
        with open(results, encoding="ascii") as file:
            return [np.array(one["data"], np.float32) for one in json.load(file)]

    def by_tputwin(self, name, inputs, calibration, reach=0):
        data = os.path.join(self.folder, "samples.npy")
        np.save(data, np.concatenate(calibration))
        made = tputwin.calibrate("", self.path(name), data, self.folder, name="net",
                                 shape=inputs[0].shape, reach=reach)
        if reach:
            host = made.report["host"]
            work = host["trials"] and sum(one["operations"] for one in host["layers"])
            print(f"{name}: {len(host['layers'])} layers on the host, "
                  f"{100 * work / host['all_operations']:.1f} % of the operations")
        bmodel = os.path.join(self.folder, "net.bmodel")
        tputwin.compile(made.caffemodel, made.table, bmodel, prototxt=made.prototxt,
                        dequantized=True)
        net = tputwin.load(bmodel)
        return [np.asarray(net(x)) for x in inputs]

    def path(self, name):
        return os.path.join(self.models, name)


def read_characters(models, rng, keys):
    """Returns true if tputwin reads as well as the runtime."""
    def line(text):
        return as_input(drawn(text, rng), 48, 320)
    name = "ch_PP-OCRv4_rec_infer.onnx"
    calibration = [line(text_of(rng)) for _ in range(64)]
    texts = [text_of(rng) for _ in range(50)]
    lines = [line(text) for text in texts]
    wrong = []
    for side, results in (("ONNX Runtime", models.by_runtime(name, lines)),
                          ("tputwin in int8", models.by_tputwin(name, lines, calibration))):
        read = [decoded(scores, keys) for scores in results]
        wrong.append(sum(distance(a, b) for a, b in zip(read, texts)))
        print(f"{side}: {wrong[-1]} of {sum(map(len, texts))} characters wrong")
    return wrong[1] - wrong[0] <= sum(map(len, texts)) / 100


def read_halves(models, rng, keys):
    """Returns true if tputwin reads in fp16 what the runtime reads."""
    name = "ch_PP-OCRv4_rec_infer.onnx"
    lines = [as_input(drawn(text_of(rng), rng), 48, 320) for _ in range(100)]
    data = os.path.join(models.folder, "halves.npy")
    np.save(data, np.concatenate([as_input(drawn(text_of(rng), rng), 48, 320) for _ in range(8)]))
    made = tputwin.calibrate("", models.path(name), data, models.folder, name="halves",
                             shape=lines[0].shape, chip="bm1684x", type="fp16", reach=REACH_HALVES)
    equal, runtime = {}, []
    for first in range(0, len(lines), 25):  # JSON of more lines is longer than a string may be
        runtime += models.by_runtime(name, lines[first:first + 25])
    for kind, table in (("fp16", ""), ("fp16, some layers in fp32", made.table)):
        built = tputwin.compile(models.path(name), table, os.path.join(models.folder, "half.bmodel"),
                                shapes=[lines[0].shape], chip="bm1684x", type="fp16")
        net, equal[kind] = tputwin.load(built.model), 0
        for line, wanted in zip(lines, runtime):
            wanted = wanted.reshape(-1, len(keys))
            read = np.asarray(net(line)).reshape(wanted.shape)
            equal[kind] += decoded(read, keys) == decoded(wanted, keys)
        print(f"tputwin in {kind}: {equal[kind]} of {len(lines)} lines equal, "
              f"{built.predicted_cycles / 1e6:.2f} ms predicted")
    return equal["fp16"] >= 98 and equal["fp16, some layers in fp32"] == len(lines)


def find_directions(models, rng):
    """Returns true if tputwin finds the same lines upside down as the runtime."""
    def line(index):
        image = drawn(text_of(rng), rng)
        return as_input(image.rotate(180) if index % 2 else image, 48, 192)
    name = "ch_ppocr_mobile_v2.0_cls_infer.onnx"
    calibration, lines = [line(i) for i in range(64)], [line(i) for i in range(50)]
    expected = [scores.argmax() for scores in models.by_runtime(name, lines)]
    found = [scores.argmax() for scores in models.by_tputwin(name, lines, calibration)]
    same = sum(a == b for a, b in zip(expected, found))
    print(f"directions: {same} of {len(lines)} lines as ONNX Runtime")
    return same == len(lines)


def find_boxes(models, rng):
    """Returns true if tputwin finds the boxes of the runtime."""
    name = "ch_PP-OCRv4_det_infer.onnx"
    calibration, pages = [page_of(rng) for _ in range(16)], [page_of(rng) for _ in range(8)]
    least, count, same = 1.0, 0, True
    for expected, found in zip(models.by_runtime(name, pages),
                               models.by_tputwin(name, pages, calibration, REACH)):
        theirs, ours = boxes_of(expected), boxes_of(found)
        same = same and len(theirs) == len(ours)
        count += len(theirs)
        for box in theirs:
            least = min(least, max((overlap(box, other) for other in ours), default=0.0))
    print(f"boxes: {count}, least overlap {least:.3f}, {'as' if same else 'NOT as'} many")
    return same and least >= 0.8


def main():
    models, runtime = map(os.path.abspath, sys.argv[1:3])
    with open(os.path.join(models, "ppocr_keys_v1.txt"), encoding="utf-8") as file:
        keys = [""] + [line.rstrip("\n") for line in file] + [" "]
    rng = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        nets = Models(models, runtime, folder)
        checks = {"characters": lambda: read_characters(nets, rng, keys),
                  "directions": lambda: find_directions(nets, rng),
                  "boxes": lambda: find_boxes(nets, rng),
                  "halves": lambda: read_halves(nets, rng, keys)}
        held = [checks[name]() for name in sys.argv[3:] or checks]
    sys.exit(not all(held))


if __name__ == "__main__":
    main()
