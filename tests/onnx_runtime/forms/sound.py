"""Transforms of sound, and rows that constants choose."""
import numpy as np

from forms.registry import form


@form(17, 19)
def dft(g):
    real, both = g.input([2, 5, 1]), g.input([2, 6, 3, 2])
    g.output(g("DFT", [real]), g("DFT", [real, g.constant(np.array(8))], onesided=1),
             g("DFT", [real, g.constant(np.array(4))], onesided=1), g("DFT", [both], axis=1),
             g("DFT", [both], axis=2, inverse=1), g("DFT", [both, g.constant(np.array(4))], axis=-3))


@form(20)
def dft_with_axis_as_input(g):
    real, both = g.input([2, 5, 1]), g.input([2, 6, 3, 2])
    g.output(g("DFT", [real]), g("DFT", [real, g.constant(np.array(8)), g.constant(np.array(1))], onesided=1),
             g("DFT", [both, "", g.constant(np.array(1))]), g("DFT", [both, "", g.constant(np.array(2))], inverse=1))


@form(17)
def stft(g):
    """As torch.stft exports: frames of a padded signal, and their magnitudes."""
    x, step = g.input([2, 64]), g.constant(np.array(6))
    window = g.constant(np.hanning(17)[:16].astype(np.float32))
    y = g("STFT", [x, step, window, g.constant(np.array(16))], onesided=1)
    g.output(y, g.reduce("ReduceSumSquare", y, [3], keepdims=0))
    g.output(g("STFT", [x, step, "", g.constant(np.array(15))], onesided=0))


@form(17)
def mel_spectrogram(g):
    x = g.input([1, 400])
    scalars = [g.constant(np.array(v)) for v in (20, 64, 8000)]
    edges = [g.constant(np.float32(v)) for v in (20, 3800)]
    mels = g("MelWeightMatrix", scalars + edges)
    window = g("HannWindow", [g.constant(np.array(64))])
    y = g("STFT", [x, g.constant(np.array(20)), window], onesided=1)
    power = g.reduce("ReduceSumSquare", y, [3], keepdims=0)
    g.output(g("Log", [g("Add", [g("MatMul", [power, mels]), g.constant(np.float32(1e-3))])]))


@form()
def hardmax(g):
    x = g.input([2, 3, 4])
    ties = g("Round", [g.input([4, 6])])
    g.output(*(g("Hardmax", [x], axis=axis) for axis in (0, 1, 2, -1)), g("Hardmax", [x]), g("Hardmax", [ties]))


@form()
def compress(g):
    x = g.input([3, 4])
    g.output(g("Compress", [x, g.constant(np.array([True, False, True]))], axis=0),
             g("Compress", [x, g.constant(np.array([False, True, True, False, True]))]),
             g("Compress", [x, g.constant(np.array([False, True]))], axis=-1))


@form()
def reverse_sequence(g):
    x = g.input([3, 4, 2])
    g.output(g("ReverseSequence", [x, g.integers(3, 1, 2, 3)]),
             g("ReverseSequence", [x, g.integers(4, 0, 3)], batch_axis=0, time_axis=1))
