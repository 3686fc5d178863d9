#!/usr/bin/python3
"""Trains the face detector on pictures of Debian packages and writes it as a Caffe model.

    apt-get download python3-skimage mate-backgrounds dataset-fashion-mnist
    for package in *.deb; do dpkg -x $package pictures; done
    nice /usr/bin/python3 models/train_faces.py --pictures pictures

Needs python3-numpy and python3-pil; libopenblas0 makes it faster. The hundred faces are those of
scikit-image's lfw_subset, with 25x25 pixels each: eighty for training and twenty for testing. The
program draws synthetic scenes with them: a photograph, heads with faces at random positions, and
shirts below. Size, angle, light and sharpness vary. The net reads 128x128 grey pixels. For each
cell of 8x8 pixels and each of three sizes, it predicts if a face is centred there, and its box (the
planes of YOLO: x, y, w, h, objectness, class).
"""
import argparse
import os
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
import numpy as np
from PIL import Image, ImageDraw, ImageFilter

from train import (Convolution, F, Net, Normalization, ReLU, Sum, read_set, settle_statistics,
                   write_caffe)

SIDE, CELL, ANCHORS, PLANES = 128, 8, (18, 30, 50), 6
GRID = SIDE // CELL
SMALLEST, LARGEST = 13, 62
LEARNT = 80  # faces for training; the others are for testing
BATCH = 24

# ---- Pictures ----

SKIMAGE = "usr/lib/python3/dist-packages/skimage/data"
# These photographs have no faces. astronaut.png, the example of the documents, is not one of them.
PHOTOS = ["coffee.png", "rocket.jpg", "motorcycle_left.png", "brick.png", "grass.png", "gravel.png",
          "page.png", "text.png", "hubble_deep_field.jpg", "moon.png", "retina.jpg", "ihc.png",
          "color.png", "clock_motion.png", "cell.png", "horse.png"]
MEASURING = {"motorcycle_left.png", "gravel.png", "text.png", "Garden.jpg", "LadyBird.jpg"}


def grey(path):
    image = Image.open(path).convert("L")
    image.thumbnail((700, 700))
    return image


class Pictures:
    """The faces, photographs and shirts for training, or those for testing."""

    def __init__(self, folder, learning):
        faces = np.load(os.path.join(folder, SKIMAGE, "lfw_subset.npy"))[:100]
        part = faces[:LEARNT] if learning else faces[LEARNT:]
        self.faces = [Image.fromarray((f * 255).astype(np.uint8)) for f in part]
        nature = os.path.join(folder, "usr/share/backgrounds/mate/nature")
        paths = [os.path.join(folder, SKIMAGE, name) for name in PHOTOS]
        paths += [os.path.join(nature, name) for name in sorted(os.listdir(nature))]
        self.photos = [grey(p) for p in paths if (os.path.basename(p) in MEASURING) != learning]
        images, labels = read_set("train" if learning else "t10k")
        clothes = images[np.isin(labels, (0, 2, 4, 6))][:2000, :, :, 0] * 256
        self.shirts = [Image.fromarray(c.astype(np.uint8)) for c in clothes]


def background(pictures, rng):
    photo = pictures.photos[rng.integers(len(pictures.photos))]
    side = int(rng.uniform(min(80, *photo.size), min(photo.size)))
    x, y = rng.integers(photo.width - side + 1), rng.integers(photo.height - side + 1)
    scene = photo.crop((x, y, x + side, y + side)).resize((SIDE, SIDE), Image.BILINEAR)
    if rng.random() < 0.5:
        scene = scene.transpose(Image.FLIP_LEFT_RIGHT)
    return lit(scene, rng)


def lit(image, rng, least=0.6, most=1.3):
    """Returns the image with random contrast, brightness and gamma."""
    table = (np.arange(256) / 255) ** np.exp(rng.uniform(-0.5, 0.5))
    table = (table - 0.5) * rng.uniform(least, most) + 0.5 + rng.uniform(-0.15, 0.15)
    return image.point((np.clip(table, 0, 1) * 255).astype(np.uint8).tolist())


def clutter(scene, pictures, rng):
    """Draws objects that are no faces: shirts, ellipses, strips, faces upside down or cropped."""
    draw = ImageDraw.Draw(scene)
    for _ in range(rng.integers(0, 5)):
        w, h = np.exp(rng.uniform(np.log(8), np.log(60), 2)).astype(int)
        x, y = rng.integers(-10, SIDE - 5, 2)
        kind = rng.integers(5)
        if kind == 0:
            draw.ellipse((x, y, x + w, y + h), fill=int(rng.integers(256)))
        elif kind == 1:
            draw.rectangle((x, y, x + w, y + h // 3), fill=int(rng.integers(256)))
        elif kind == 2:
            shirt = pictures.shirts[rng.integers(len(pictures.shirts))].resize((w, h))
            scene.paste(lit(shirt, rng), (x, y), shirt.point([0] * 8 + [255] * 248))
        elif kind == 3:
            face = pictures.faces[rng.integers(len(pictures.faces))].resize((w, w), Image.BICUBIC)
            cut = face.rotate(180) if rng.random() < 0.5 else face.crop((0, 0, w // 3, w))
            scene.paste(lit(cut, rng), (x, y))
        else:
            noise = rng.integers(0, 256, (max(h // 4, 1), max(w // 4, 1))).astype(np.uint8)
            scene.paste(Image.fromarray(noise).resize((w, h), Image.BICUBIC), (x, y))


def put_face(scene, box, pictures, rng):
    """Draws a head with a shirt below it; its face is in the box."""
    x, y, w, h = box
    draw = ImageDraw.Draw(scene)
    if rng.random() < 0.7:
        wide, high = int(w * rng.uniform(1.6, 2.6)), int(h * rng.uniform(1.6, 2.6))
        shirt = pictures.shirts[rng.integers(len(pictures.shirts))].resize((wide, high))
        place = int(x + w / 2 - wide / 2), int(y + h * rng.uniform(0.85, 1.05))
        scene.paste(lit(shirt, rng), place, shirt.point([0] * 8 + [255] * 248))
    if rng.random() < 0.6:  # hair
        side, up = rng.uniform(0, 0.25, 2)
        draw.ellipse((x - side * w, y - up * h, x + w + side * w, y + h * rng.uniform(0.7, 1.4)),
                     fill=int(rng.integers(256)))
    face = lit(pictures.faces[rng.integers(len(pictures.faces))], rng, 0.6, 1.5)
    if rng.random() < 0.5:
        face = face.transpose(Image.FLIP_LEFT_RIGHT)
    turned = face.resize((int(w), int(h)), Image.BICUBIC if rng.random() < 0.7 else Image.BILINEAR)
    angle = rng.normal(0, 8)
    mask = Image.new("L", turned.size, 0)
    soft, inset = max(1.0, w * rng.uniform(0.02, 0.08)), w * rng.uniform(0.0, 0.07)
    edge = (inset, inset, turned.width - 1 - inset, turned.height - 1 - inset)
    shape = ImageDraw.Draw(mask)
    (shape.ellipse if rng.random() < 0.6 else shape.rectangle)(edge, fill=255)
    mask = mask.rotate(angle, Image.BILINEAR).filter(ImageFilter.GaussianBlur(soft))
    scene.paste(turned.rotate(angle, Image.BICUBIC), (int(x), int(y)), mask)


def overlap(a, b):
    """Returns the intersection of two boxes (x, y, w, h) over their union."""
    w = np.minimum(a[0] + a[2], b[0] + b[2]) - np.maximum(a[0], b[0])
    h = np.minimum(a[1] + a[3], b[1] + b[3]) - np.maximum(a[1], b[1])
    common = np.maximum(w, 0) * np.maximum(h, 0)
    return common / (a[2] * a[3] + b[2] * b[3] - common)


def make_scene(pictures, rng):
    """Returns the grey values of a random scene, and the boxes of its faces."""
    scene, boxes = background(pictures, rng), []
    clutter(scene, pictures, rng)
    for _ in range(rng.integers(0, 5)):
        w = np.exp(rng.uniform(np.log(SMALLEST), np.log(LARGEST)))
        h = w * np.exp(rng.normal(0.06, 0.08))
        box = (*np.floor(rng.uniform(0, [SIDE - w, SIDE - h])), int(w), int(h))
        if all(overlap(box, other) < 0.01 for other in boxes):
            put_face(scene, box, pictures, rng)
            boxes.append(box)
    if rng.random() < 0.4:
        scene = scene.filter(ImageFilter.GaussianBlur(rng.uniform(0, 0.9)))
    pixels = np.asarray(scene, F) + rng.normal(0, rng.uniform(0, 7), (SIDE, SIDE))
    return np.clip(np.rint(pixels), 0, 255), boxes


# ---- The net ----


def detector(rng):
    layers = []

    def conv(name, bottom, inputs, outputs, stride=1, relu=True):
        layers.append(Convolution(name, bottom, name, rng, inputs, outputs, 3, stride, 1, bias=False))
        layers.append(Normalization(name, name, outputs))
        if relu:
            layers.append(ReLU(name + "_relu", name))
        return name

    def block(name, bottom, channels):
        deep = conv(name + "_branch2a", bottom, channels, channels)
        deep = conv(name + "_branch2b", deep, channels, channels, relu=False)
        layers.extend([Sum(name, bottom, deep), ReLU(name + "_relu", name)])
        return name

    x = conv("conv1", "data", 1, 12, 2)
    x = conv("conv2", x, 12, 24, 2)
    x = conv("conv3", x, 24, 48, 2)
    x = block("res1", x, 48)
    x = block("res2", x, 48)
    head = Convolution("boxes", x, "boxes", rng, 48, len(ANCHORS) * PLANES, 1)
    head.weight.value *= F(0.3)
    head.bias.value.reshape(-1, PLANES)[:, 4] = -4  # faces are rare
    return layers + [head]


def logistic(x):
    return 1 / (1 + np.exp(-x))


class Targets:
    """The values that the net should predict for a batch."""

    def __init__(self, boxes):
        shape = (len(boxes), GRID, GRID, len(ANCHORS))
        self.present, self.ignored = np.zeros(shape, bool), np.zeros(shape, bool)
        self.place = np.zeros(shape + (4,), F)
        centre = (np.arange(GRID) + 0.5) * CELL
        for i, of_scene in enumerate(boxes):
            for x, y, w, h in of_scene:
                cx, cy = (x + w / 2) / CELL, (y + h / 2) / CELL
                column, row = int(cx), int(cy)
                fits = [abs(np.log(np.sqrt(w * h) / size)) for size in ANCHORS]
                for k, size in enumerate(ANCHORS):
                    at = (centre[None, :] - size / 2, centre[:, None] - size / 2, size, size)
                    self.ignored[i, :, :, k] |= overlap(at, (x, y, w, h)) > 0.4
                    if fits[k] == min(fits) or fits[k] < 0.3:
                        self.present[i, row, column, k] = True
                        self.place[i, row, column, k] = (
                            cx - column, cy - row, np.log(w / size), np.log(h / size))


def gradient_of(planes, targets):
    """Returns the loss, and its gradient with respect to the planes."""
    p = planes.reshape(*planes.shape[:3], len(ANCHORS), PLANES)
    out, present = np.zeros_like(p), targets.present
    chance, count = logistic(p[..., 4]), max(1, present.sum())
    absent = ~present & ~targets.ignored
    # The loss is focal: correct predictions have little weight.
    out[..., 4] = np.where(present, (chance - 1) * 2, np.where(absent, chance * chance * 1.5, 0))
    xy, cls = logistic(p[..., :2]), logistic(p[..., 5])
    out[present, :2] = 2 * (xy - targets.place[..., :2])[present]
    out[present, 2:4] = np.clip(p[present, 2:4] - targets.place[present, 2:4], -1, 1)
    out[present, 5] = cls[present] - 1
    loss = (-np.log(chance[present] + 1e-9).sum()
            - (chance ** 2 * np.log(1 - chance + 1e-9))[absent].sum()
            + np.abs(p[present, 2:4] - targets.place[present, 2:4]).sum()) / count
    return loss, (out / count).reshape(planes.shape).astype(F)


def found(planes, threshold):
    """Returns boxes and scores of one scene, without boxes that overlap a better one."""
    p = planes.reshape(GRID, GRID, len(ANCHORS), PLANES)
    score = logistic(p[..., 4]) * logistic(p[..., 5])
    boxes = []
    for row, column, k in zip(*np.nonzero(score > threshold)):
        x, y = logistic(p[row, column, k, :2])
        w, h = np.exp(p[row, column, k, 2:4]) * ANCHORS[k]
        cx, cy = (column + x) * CELL, (row + y) * CELL
        boxes.append((score[row, column, k], (cx - w / 2, cy - h / 2, w, h)))
    kept = []
    for s, box in sorted(boxes, reverse=True):
        if all(overlap(box, other) < 0.45 for _, other in kept):
            kept.append((s, box))
    return kept


def measure(net, scenes, threshold=0.5):
    """Returns the fraction of faces that are found, and the number of false ones in a scene."""
    faces = hits = false = 0
    for pixels, boxes in scenes:
        planes = net.forward(prepared(pixels[None]), False)[0]
        left = list(boxes)
        for _, box in found(planes, threshold):
            best = max(left, key=lambda b: overlap(box, b), default=None)
            if best is not None and overlap(box, best) > 0.5:
                left.remove(best)
            else:
                false += 1
        faces, hits = faces + len(boxes), hits + len(boxes) - len(left)
    return hits / faces, false / len(scenes)


def prepared(pixels):
    return ((pixels - 128) / 128).astype(F)[..., None]


# ---- Training ----


def train(net, folder, steps, top_rate, seed):
    rng = np.random.default_rng(seed)
    learning, measuring = Pictures(folder, True), Pictures(folder, False)
    other = np.random.default_rng(seed + 1)
    test = [make_scene(measuring, other) for _ in range(300)]
    start, loss = time.time(), 0.0
    for step in range(steps):
        scenes = [make_scene(learning, rng) for _ in range(BATCH)]
        rate = top_rate * (min(1, step / 100) * 0.5 * (1 + np.cos(np.pi * step / steps)))
        planes = net.forward(prepared(np.stack([p for p, _ in scenes])), True)
        one, gradient = gradient_of(planes, Targets([b for _, b in scenes]))
        net.backward(gradient)
        for parameter in net.parameters():
            parameter.gradient = np.clip(parameter.gradient, -1, 1)
            parameter.update(F(rate))
        loss = 0.98 * loss + 0.02 * one
        if step % 200 == 199:
            hits, false = measure(net, test[:60])
            print(f"step {step + 1}/{steps}: loss {loss:.3f}, {100 * hits:.1f} % found, "
                  f"{false:.2f} false in a scene, {time.time() - start:.0f} s", flush=True)
    # The statistics are those of new training scenes, not those of the last steps.
    settle_statistics(net, prepared(np.stack([make_scene(learning, rng)[0] for _ in range(1000)])))
    return measure(net, test)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--pictures", default="/", help="folder of the unpacked packages")
    parser.add_argument("--steps", type=int, default=3000)
    parser.add_argument("--rate", type=float, default=0.03)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", default=os.path.dirname(os.path.abspath(__file__)))
    options = parser.parse_args()
    net = Net("faces", detector(np.random.default_rng(options.seed)))
    hits, false = train(net, options.pictures, options.steps, options.rate, options.seed)
    summary = (f"{100 * hits:.1f} % of the faces in 300 made scenes of faces not learnt from, "
               f"{false:.2f} false ones in a scene")
    print(summary)
    write_caffe(net, os.path.join(options.out, "faces"), [
        "Faces in 128x128 grey pixels: planes of YOLO for anchors of 18, 30 and 50 pixels.",
        f"Trained by models/train_faces.py: {summary}.",
        "Input: (grey value - 128) / 128."], (1, SIDE, SIDE), softmax=False)


if __name__ == "__main__":
    main()
