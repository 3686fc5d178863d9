"""Runs nets on pictures, with tputwin run --image and in Python."""

import json
import struct
import subprocess
from pathlib import Path

import numpy as np
import pytest

import tputwin
import tputwin.paths
from png import write_png
from test_nets import images

NAMES = "T-shirt trouser pullover dress coat sandal shirt sneaker bag boot".split()
ULTRAFACE = {
    "mean": 127, "scale": 0.0078125, "rgb": True, "labels": ["background", "face"],
    "detections": {"kind": "priors", "scores": "scores", "boxes": "boxes", "background": 0,
                   "sizes": [[10, 16, 24], [32, 48], [64, 96], [128, 192, 256]],
                   "strides": [8, 16, 32, 64], "threshold": 0.7, "overlap": 0.3}}


@pytest.fixture(scope="module")
def tool():
    return Path(tputwin.paths.libraries()).parent / "bin/tputwin"


@pytest.fixture(scope="module")
def photos(tmp_path_factory):
    folder = tmp_path_factory.mktemp("photos")
    for i, image in enumerate(images(6)):
        write_png(folder / f"{i}.png", image[0])
    return folder


def run(tool, *arguments):
    result = subprocess.run([tool, "run", *map(str, arguments)], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return result.stdout


def is_png(path):
    return path.read_bytes()[:4] == b"\x89PNG"


def test_classes_are_those_of_the_net(fashion, photos):
    net = tputwin.load(fashion.model)
    viewer = tputwin.Viewer(net, fashion.preparation, NAMES)
    seen = viewer.see(photos)
    assert [s.picture for s in seen] == [f"{i}.png" for i in range(6)]
    for one, image in zip(seen, images(6)):
        scores = net(image[None] / 256).ravel()
        assert one.classes[0].label == scores.argmax()
        assert one.classes[0].name == NAMES[scores.argmax()]
        assert one.classes[0].score == pytest.approx(scores.max())
        assert viewer.see_pixels(image[0]).classes == one.classes


def test_command_line(fashion, photos, tool, tmp_path):
    labels = tmp_path / "labels.txt"
    labels.write_text("\n".join(NAMES))
    common = [fashion.model, "--image", photos, "--scale", 1 / 256, "--labels", labels]
    text = run(tool, *common, "--top", 2, "--draw", tmp_path / "sheet.png")
    assert text.count("  boot\n") >= 1 and is_png(tmp_path / "sheet.png")
    seen = json.loads(run(tool, *common, "--format", "json"))
    net = tputwin.load(fashion.model)
    expected = tputwin.Viewer(net, fashion.preparation, NAMES).see(photos)
    assert [s["classes"][0]["name"] for s in seen] == [s.classes[0].name for s in expected]
    run(tool, *common, "--format", "npy", "--output", tmp_path / "npy")
    run(tool, *common, "--format", "bin", "--output", tmp_path / "bin")
    name = net.outputs[0].name
    image = images(1)[:1] / 256
    assert np.array_equal(np.load(tmp_path / f"npy/0.png.{name}.npy"), net(image))
    assert (tmp_path / f"bin/0.png.{name}.bin").read_bytes() == net.run(image)[name].tobytes()
    run(tool, *common, "--draw", str(tmp_path / "drawn") + "/")
    assert len(list((tmp_path / "drawn").glob("*.png"))) == 6


def test_a_description_next_to_the_model(fashion, photos, tool, tmp_path):
    model = tmp_path / "net.bmodel"
    model.write_bytes(fashion.model.read_bytes())
    (tmp_path / "net.bmodel.json").write_text(json.dumps({"scale": 1 / 256, "labels": NAMES}))
    assert "boot" in run(tool, model, "--image", photos / "0.png")
    (tmp_path / "net.bmodel.json").write_text(json.dumps({"scales": 1}))
    result = subprocess.run([tool, "run", model, "--image", photos / "0.png"], capture_output=True,
                            text=True)
    assert result.returncode == 3 and "TW-CLI-0033" in result.stderr


def test_batches(fashion, photos, tmp_path):
    model = tmp_path / "four.bmodel"
    tputwin.compile(fashion.calibrated.caffemodel, fashion.calibrated.table, model, batch=4)
    four = tputwin.Viewer(tputwin.load(model), fashion.preparation).see(photos)
    one = tputwin.Viewer(tputwin.load(fashion.model), fashion.preparation).see(photos)
    assert four == one


def test_refuses_files_that_are_no_pictures(fashion, tmp_path):
    viewer = tputwin.Viewer(tputwin.load(fashion.model))
    (tmp_path / "no.png").write_bytes(b"nothing")
    for path in (tmp_path / "no.png", tmp_path):
        if path == tmp_path:
            (tmp_path / "no.png").unlink()
        with pytest.raises(tputwin.Error) as raised:
            viewer.see(path)
        assert raised.value.id == "TW-CLI-0032"
    with pytest.raises(TypeError):
        viewer.see_pixels(np.zeros((4, 4), np.float32))


def write_avi(path, frames):
    """Writes uncompressed frames: bytes (count, height, width, 3)."""
    count, height, width, _ = frames.shape

    def chunk(kind, data):
        return kind + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2)

    def listed(kind, *chunks):
        return chunk(b"LIST", kind + b"".join(chunks))
    size = height * width * 3
    main = struct.pack("<14I", 40000, 0, 0, 16, count, 0, 1, size, width, height, 0, 0, 0, 0)
    stream = b"vidsDIB " + struct.pack("<10I4H", 0, 0, 0, 1, 25, 0, count, size, 0, 0, 0, 0, width,
                                       height)
    bitmap = struct.pack("<IiiHHIIiiII", 40, width, height, 1, 24, 0, size, 0, 0, 0, 0)
    header = listed(b"hdrl", chunk(b"avih", main),
                    listed(b"strl", chunk(b"strh", stream), chunk(b"strf", bitmap)))
    movie = listed(b"movi", *(chunk(b"00db", frame[::-1].tobytes()) for frame in frames))
    path.write_bytes(chunk(b"RIFF", b"AVI " + header + movie))


def test_a_video_is_its_frames(fashion, tmp_path):
    viewer = tputwin.Viewer(tputwin.load(fashion.model), fashion.preparation)
    frames = np.repeat(images(3)[:, 0, :, :, None], 3, axis=3)
    write_avi(tmp_path / "clip.avi", frames)
    try:
        seen = viewer.see(tmp_path / "clip.avi")
    except tputwin.Error as error:
        if "no reader of videos" in str(error):
            pytest.skip("libopencv-videoio is not installed")
        raise
    assert [s.picture for s in seen] == ["clip.avi-1", "clip.avi-2", "clip.avi-3"]
    for one, frame in zip(seen, frames):
        assert one.classes == viewer.see_pixels(np.ascontiguousarray(frame)).classes


def test_refuses_files_that_are_no_videos(fashion, tmp_path):
    viewer = tputwin.Viewer(tputwin.load(fashion.model))
    (tmp_path / "clip.avi").write_bytes(b"RIFF")
    with pytest.raises(tputwin.Error) as raised:
        viewer.see(tmp_path / "clip.avi")
    assert raised.value.id == "TW-CLI-0032"


def test_finds_faces_in_a_photograph(shared, tool, tmp_path):
    prototxt, weights = shared("ultraface/RFB-320.prototxt"), shared("ultraface/RFB-320.caffemodel")
    photo = shared("mtcnn/test1.jpg")
    (tmp_path / "data").mkdir()
    (tmp_path / "data/photo.jpg").write_bytes(photo.read_bytes())
    preparation = tputwin.Preparation(mean=[127], scale=[1 / 128], rgb=True)
    int8 = tputwin.calibrate(prototxt, weights, tmp_path / "data", tmp_path,
                             preparation=preparation)
    model = tmp_path / "faces.bmodel"
    tputwin.compile(int8.caffemodel, int8.table, model)
    (tmp_path / "faces.bmodel.json").write_text(json.dumps(ULTRAFACE))
    drawn = tmp_path / "faces.png"
    seen, = json.loads(run(tool, model, "--image", photo, "--draw", drawn, "--format", "json"))
    assert len(seen["boxes"]) == 2 and is_png(drawn)
    detections = tputwin.Detections(**ULTRAFACE["detections"])
    viewer = tputwin.Viewer(tputwin.load(model), preparation, ULTRAFACE["labels"], detections)
    faces, = viewer.see(photo)
    assert [[b.x1, b.y1, b.x2, b.y2] for b in faces.boxes] == [
        pytest.approx(box["box"], abs=1e-2) for box in seen["boxes"]]


def test_proposes_faces_as_mtcnn(shared, tmp_path):
    prototxt, weights = shared("mtcnn/det1.prototxt"), shared("mtcnn/det1.caffemodel")
    photo = shared("mtcnn/test1.jpg")
    (tmp_path / "data").mkdir()
    (tmp_path / "data/photo.jpg").write_bytes(photo.read_bytes())
    preparation = tputwin.Preparation(mean=[127.5], scale=[1 / 128], rgb=True)
    shape = (1, 3, 48, 48)
    int8 = tputwin.calibrate(prototxt, weights, tmp_path / "data", tmp_path, shape=shape,
                             preparation=preparation)
    model = tmp_path / "det1.bmodel"
    tputwin.compile(int8.caffemodel, int8.table, model, shapes=[shape])
    viewer = tputwin.Viewer(
        tputwin.load(model), tputwin.Preparation(mean=[127.5], scale=[1 / 128], rgb=True,
                                                 letterbox=True),
        ["", "face"], tputwin.Detections("mtcnn", transposed=True, threshold=0.6))
    seen, = viewer.see(photo)
    assert seen.boxes
