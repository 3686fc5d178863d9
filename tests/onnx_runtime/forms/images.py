"""Grids, blocks and parts of images, and convolutions of computed offsets."""
import numpy as np

from forms.registry import form


@form(20)
def affine_grids(g):
    for align in (0, 1):
        g.output(g("AffineGrid", [g.input([2, 2, 3]), g.integers(2, 3, 4, 5)], align_corners=align),
                 g("AffineGrid", [g.input([1, 2, 3]), g.integers(1, 1, 1 + align, 7)], align_corners=align),
                 g("AffineGrid", [g.input([2, 3, 4]), g.integers(2, 3, 2, 4, 5)], align_corners=align),
                 g("AffineGrid", [g.weights([1, 2, 3]), g.integers(1, 3, 2, 2)], align_corners=align))


@form(20)
def affine_grid_of_one_row_of_aligned_corners(g):
    """ONNX leaves open where the row is. It is at 0 as in PyTorch; ONNX Runtime puts it at 1."""
    theta = g.input([1, 2, 3])
    a = np.array(g.data[theta]["data"]).reshape(2, 3)
    g.output(g("AffineGrid", [theta, g.integers(1, 1, 1, 3)], align_corners=1))
    g.expected = [[float(a[i] @ [x, 0, 1]) for x in (-1, 0, 1) for i in range(2)]]


@form(20)
def spatial_transformer(g):
    theta = g("Add", [g("Mul", [g.input([2, 2, 3]), g.constant(np.float32(0.1))]),
                      g.constant(np.float32([[1, 0, 0], [0, 1, 0]]))])
    grid = g("AffineGrid", [theta, g.integers(2, 3, 6, 5)], align_corners=0)
    g.output(g("GridSample", [g.input([2, 3, 6, 5]), grid], mode="linear", align_corners=0))


@form(18)
def parts_around_the_center(g):
    x = g.input([2, 3, 7, 6])
    g.output(g("CenterCropPad", [x, g.integers(2, 3, 4, 4)]), g("CenterCropPad", [x, g.integers(3, 9)], axes=[2, 3]),
             g("CenterCropPad", [x, g.integers(10, 11)], axes=[-2, -1]), g("CenterCropPad", [x, g.integers(2)], axes=[3]),
             g("CenterCropPad", [x, g.integers(3, 2, 7, 6)]), g("CenterCropPad", [x, g.integers(2, 3, 7, 6)]))


@form(18)
def images_of_blocks(g):
    def image(channels, blocks, shape, block, **attributes):
        x = g.input([2, channels * int(np.prod(block)), blocks])
        g.output(g("Col2Im", [x, g.integers(*shape), g.integers(*block)], **attributes))
    image(1, 5, (5, 5), (1, 5))
    image(3, 9, (6, 6), (2, 2), strides=[2, 2])
    image(2, 16, (5, 5), (3, 3), pads=[0, 1, 1, 0])
    image(2, 4, (7, 6), (2, 3), strides=[3, 2], dilations=[2, 1])
    image(3, 3, (7,), (3,), strides=[2])
    image(2, 12, (3, 4, 3), (2, 2, 2))
    image(1, 18, (5, 7), (1, 1), strides=[2, 2], pads=[1, 2, 0, 2])
    image(2, 20, (4, 3), (2, 1), strides=[2, 1], pads=[3, 0, 2, 2])


@form(19)
def deformable_convolutions(g):
    def of(c, m, group, offset_groups, kernel, out, has_mask=True, far=2, **attributes):
        taps = kernel[0] * kernel[1]
        x, offsets = g.input([2, c, 5, 4]), g.input([2, offset_groups * taps * 2, *out], -far, far)
        inputs = [x, g.weights([m, c // group, *kernel]), offsets, g.weights([m])]
        if has_mask:
            inputs.append(g.input([2, offset_groups * taps, *out], 0, 1))
        g.output(g("DeformConv", inputs, group=group, offset_group=offset_groups, **attributes))
    of(2, 3, 1, 1, (2, 2), (4, 3), has_mask=False)
    of(4, 4, 2, 2, (3, 3), (5, 4), pads=[1, 1, 1, 1])
    of(2, 2, 1, 1, (3, 2), (2, 3), pads=[1, 0, 0, 2], strides=[2, 2])
    of(2, 4, 2, 1, (2, 2), (3, 2), has_mask=False, dilations=[2, 2])
    of(3, 1, 1, 3, (1, 1), (5, 4), far=9)


@form(19)
def deformable_convolution_of_tensors(g):
    g.output(g("DeformConv", [g.input([1, 2, 5, 4]), g.input([3, 2, 2, 2]), g.constant(np.zeros((1, 8, 4, 3), np.float32))]))
