"""Operators whose parameters the graph computes: bounds, weights, scales and values of pads."""
import numpy as np

from forms.registry import form


@form()
def clip_to_the_largest_value(g):
    """As spectrograms are cut 80 decibels below their maximum."""
    x = g.input([2, 3, 5])
    largest = g.reduce("ReduceMax", x, [0, 1, 2], keepdims=0)
    least = g("Sub", [largest, g.constant(np.float32(1.5))])
    one = g.input([1], -1, 1)
    g.output(g("Clip", [x, least]), g("Clip", [x, "", g.squeeze(one, 0)]), g("Clip", [x, least, largest]),
             g("Clip", [x, largest, least]))


@form()
def conv_of_two_tensors(g):
    x, w = g.input([2, 4, 7, 6]), g.input([6, 4, 3, 2])
    g.output(g("Conv", [x, w]), g("Conv", [x, w, g.input([6])], pads=[1, 0, 2, 1]),
             g("Conv", [x, w, g.weights([6])], strides=[2, 3], dilations=[2, 1], kernel_shape=[3, 2]),
             g("Conv", [x, w], auto_pad="SAME_UPPER", strides=[2, 2]))


@form()
def conv_of_groups_of_two_tensors(g):
    """As trackers compare a template with a map."""
    x, w = g.input([2, 4, 7, 6]), g.input([6, 2, 3, 3])
    template = g.input([4, 1, 3, 3])
    g.output(g("Conv", [x, w], group=2), g("Conv", [x, template], group=4, pads=[1, 1, 1, 1]))


@form()
def conv_of_one_and_three_axes_of_two_tensors(g):
    line, box = g.input([2, 3, 9]), g.input([1, 2, 4, 5, 3])
    g.output(g("Conv", [line, g.input([4, 3, 3])], pads=[2, 1], strides=[2]),
             g("Conv", [line, g.input([4, 3, 1])]),
             g("Conv", [box, g.input([3, 2, 2, 3, 1])], pads=[0, 1, 0, 1, 1, 0]))


@form()
def conv_of_modulated_weights(g):
    """As generators of images scale their weights by a style, sample by sample as groups."""
    x, style, w = g.input([2, 4, 5, 5]), g.input([2, 4]), g.weights([3, 4, 3, 3])
    scaled = g("Mul", [g.unsqueeze(w, 0), g("Reshape", [style, g.integers(2, 1, 4, 1, 1)])])
    norm = g.reduce("ReduceL2", scaled, [2, 3, 4])
    weights = g("Reshape", [g("Div", [scaled, norm]), g.integers(6, 4, 3, 3)])
    y = g("Conv", [g("Reshape", [x, g.integers(1, 8, 5, 5)]), weights], group=2, pads=[1, 1, 1, 1])
    g.output(g("Reshape", [y, g.integers(2, 3, 5, 5)]))


@form()
def convs_of_computed_bias(g):
    x, bias = g.input([1, 4, 6, 5]), g.input([6])
    g.output(g("Conv", [x, g.weights([6, 2, 3, 3]), bias], group=2, pads=[1, 1, 1, 1], strides=[2, 1]),
             g("ConvTranspose", [x, g.weights([4, 3, 3, 2]), bias], group=2, strides=[2, 2],
               output_padding=[1, 0]))


@form()
def conv_transpose_of_two_tensors(g):
    x, w = g.input([2, 4, 5, 3]), g.input([4, 3, 3, 2])
    g.output(g("ConvTranspose", [x, w]), g("ConvTranspose", [x, w, g.input([3])], pads=[1, 0, 1, 1]),
             g("ConvTranspose", [x, w], strides=[2, 3], output_padding=[1, 0], pads=[1, 0, 0, 1]),
             g("ConvTranspose", [x, w], dilations=[2, 1], group=2))


@form()
def conv_transpose_of_two_lines(g):
    g.output(g("ConvTranspose", [g.input([1, 2, 6]), g.input([2, 3, 4])], strides=[2], pads=[1, 1]))


@form()
def conv_transpose_of_three_axes(g):
    x = g.input([2, 4, 3, 2, 4])
    g.output(g("ConvTranspose", [x, g.weights([4, 3, 2, 3, 2]), g.weights([3])]),
             g("ConvTranspose", [x, g.weights([4, 1, 2, 3, 2]), g.weights([2])], group=2, strides=[2, 1, 3],
               pads=[1, 0, 1, 0, 1, 0], output_padding=[1, 0, 1]),
             g("ConvTranspose", [x, g.input([4, 3, 2, 1, 1])], strides=[2, 2, 2]))


@form(15)
def batch_normalization_of_tensors(g):
    x = g.input([2, 3, 4, 2])
    g.output(g("BatchNormalization", [x, g.input([3]), g.input([3]), g.input([3]), g.input([3], 0.5, 2)]))


@form()
def instance_normalization_of_tensors(g):
    """As a style sets mean and deviation."""
    x = g.input([2, 3, 4, 5])
    g.output(g("InstanceNormalization", [x, g.input([3]), g.input([3])]),
             g("InstanceNormalization", [x, g.weights([3]), g.input([3])], epsilon=0.01))


@form(17)
def layer_normalization_of_tensors(g):
    x = g.input([2, 3, 4])
    g.output(g("LayerNormalization", [x, g.input([4])]),
             g("LayerNormalization", [x, g.weights([4]), g.input([4])], epsilon=0.01),
             g("LayerNormalization", [x, g.input([3, 4]), g.input([3, 4])], axis=1),
             g("LayerNormalization", [x, g.input([3, 1]), g.input([4])], axis=1))


@form(21)
def group_normalization_of_tensors(g):
    g.output(g("GroupNormalization", [g.input([2, 4, 3, 2]), g.input([4]), g.input([4])], num_groups=2))


@form(18, 20)
def group_normalization_of_tensors_by_group(g):
    g.output(g("GroupNormalization", [g.input([2, 4, 3, 2]), g.input([2]), g.input([2])], num_groups=2))


@form(23)
def rms_normalization_of_tensors(g):
    g.output(g("RMSNormalization", [g.input([2, 3, 4]), g.input([4])]))


@form()
def pad_by_a_computed_value(g):
    x = g.input([1, 2, 3, 4])
    least = g.reduce("ReduceMin", x, [0, 1, 2, 3], keepdims=0)
    g.output(g("Pad", [x, g.integers(0, 0, 1, 0, 0, 0, 2, 1), least]),
             g("Pad", [x, g.integers(0, 1, 0, -1, 0, 0, 0, 2), least]))


@form()
def constants_of_operators_that_expand(g):
    """Pads of channels, slopes of elements and large strides of constants."""
    x, k = g.input([1, 2, 3, 4]), g.weights([1, 2, 3, 4])
    channels = g.pad(k, [0, 1, 0, 0, 0, 0, 0, 2])
    slopes = g("PRelu", [k, g.weights([3, 4])])
    wide = g("Conv", [g.weights([1, 1, 40, 40]), g.weights([2, 1, 2, 2])], strides=[17, 17])
    g.output(g("Mul", [channels, g.reduce("ReduceMax", x, [1, 2, 3])]), g("Mul", [slopes, x]),
             g("Add", [g("Gemm", [g("Reshape", [k, g.integers(4, 6)]), g.weights([6, 3]), g.weights([4, 1])]),
                       g.input([4, 3])]),
             g("Mul", [wide, g.reduce("ReduceMax", x, [1, 2, 3])]),
             g("Mul", [g("LpNormalization", [k], axis=2, p=1), x]))
