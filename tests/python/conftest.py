"""Fixtures of the tests: recorded models, and a net of the repository, calibrated and compiled."""

import os
import sys
from pathlib import Path

import pytest

import tputwin

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "examples/python"))
FASHION = Path("/usr/share/datasets/fashion-mnist")


@pytest.fixture(scope="session")
def recorded():
    return ROOT / "tests/conformance/bm168x/bm1684x"


@pytest.fixture(scope="session")
def shared():
    """Returns a function that finds a file of ../shared/data. If CI is set, it must exist."""
    def find(name):
        path = ROOT.parent / "shared/data" / name
        if not path.exists():
            message = f"{path} does not exist"
            pytest.fail(message) if os.environ.get("CI") else pytest.skip(message)
        return path
    return find


class Fashion:
    """The files of models/resnet_fashion: float net, int8 net and bmodel."""

    prototxt = ROOT / "models/resnet_fashion.prototxt"
    caffemodel = ROOT / "models/resnet_fashion.caffemodel"
    test_images = FASHION / "t10k-images-idx3-ubyte.gz"
    preparation = tputwin.Preparation(scale=[1 / 256])

    def __init__(self, folder):
        self.progress = []
        self.calibrated = tputwin.calibrate(
            self.prototxt, self.caffemodel, FASHION / "train-images-idx3-ubyte.gz", folder,
            samples=64, preparation=self.preparation,
            progress=lambda done, total: self.progress.append((done, total)))
        self.model = folder / "fashion.bmodel"
        self.compiled = tputwin.compile(self.calibrated.caffemodel, self.calibrated.table,
                                        self.model, batch=1)


@pytest.fixture(scope="session")
def fashion(tmp_path_factory):
    return Fashion(tmp_path_factory.mktemp("fashion"))
