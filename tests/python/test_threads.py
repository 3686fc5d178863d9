"""Runs devices in several threads. Other threads of Python must run during calls."""

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import tputwin
from test_kernels import LARGEST_BM1880, OKKERNEL_FLAGS, PLUS_ONE


def test_nets_in_parallel(fashion):
    rng = np.random.default_rng(7)
    inputs = [rng.integers(-128, 128, (1, 1, 28, 28), np.int8) for _ in range(8)]
    one = tputwin.load(fashion.model)
    expected = [one(x) for x in inputs]

    def work(x):
        return tputwin.load(fashion.model)(x)
    with ThreadPoolExecutor(4) as pool:
        assert all(np.array_equal(a, b) for a, b in zip(pool.map(work, inputs), expected))


def test_kernels_of_different_chips_in_parallel():
    def of_bm1684(seed):
        kernels = tputwin.kernel(PLUS_ONE, packed=True, flags=OKKERNEL_FLAGS)
        x = np.full((1, 2, 3, 4), seed, np.float32)
        kernels.launch("plus_one_serial", *x.shape, x, x)
        return (x == seed + 1).all()

    def of_bm1880(seed):
        kernels = tputwin.kernel(LARGEST_BM1880)
        a = np.full((1, 2, 3, 4), seed, np.int8)
        b = np.zeros_like(a)
        kernels.launch("largest", a, b, b, *a.shape)
        return (b == seed).all()
    with ThreadPoolExecutor(4) as pool:
        results = [pool.submit(f, seed) for seed in range(1, 4) for f in (of_bm1684, of_bm1880)]
        assert all(result.result() for result in results)


def test_other_threads_run_during_a_call(fashion):
    """The callback waits for another thread. It would never end if the call kept Python's lock."""
    asked, answered = threading.Event(), threading.Event()

    def answer():
        asked.wait()
        answered.set()
    other = threading.Thread(target=answer)
    other.start()

    def progress(done, total):
        asked.set()
        assert answered.wait(60)
    tputwin.evaluate(fashion.prototxt, fashion.caffemodel, fashion.model, fashion.test_images,
                     samples=2, preparation=fashion.preparation, progress=progress)
    other.join()


def test_any_thread_may_free_arrays():
    device = tputwin.Device("BM1684X")

    def work(seed):
        for i in range(50):
            block = device.array(np.full(64, seed + i, np.int32))
            assert (block.numpy() == seed + i).all()
    with ThreadPoolExecutor(4) as pool:
        for result in [pool.submit(work, seed) for seed in range(4)]:
            result.result()


def test_one_net_by_several_threads(fashion):
    rng = np.random.default_rng(11)
    inputs = [rng.integers(-128, 128, (1, 1, 28, 28), np.int8) for _ in range(64)]
    net = tputwin.load(fashion.model)
    expected = [net(x) for x in inputs]
    with ThreadPoolExecutor(8) as pool:
        assert all(np.array_equal(a, b) for a, b in zip(pool.map(net, inputs), expected))
