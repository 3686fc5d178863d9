"""Convolutions, pools, resizing, normalizations and activations as exporters write them."""
import numpy as np

from forms.registry import form

ELEMENTWISE = ["Relu", "Sigmoid", "Tanh", "Abs", "Elu", "Selu", "LeakyRelu", "HardSigmoid", "Softplus",
               "Softsign", "Exp", "Neg", "Erf", "Floor", "Ceil", "Round", "Sign", "Sin", "Cos", "Atan",
               "Sinh", "Cosh", "Asinh", "ThresholdedRelu", "Shrink"]


@form()
def functions_of_one_value(g):
    x = g.input([2, 3, 5])
    g.output(*(g(operator, [x]) for operator in ELEMENTWISE))


@form()
def functions_of_part_of_the_line(g):
    x = g.input([2, 3, 5], -0.9, 0.9)
    shifted = g("Add", [x, g.constant(np.float32(2))])
    g.output(*(g(operator, [x]) for operator in ("Asin", "Acos", "Atanh", "Tan")))
    g.output(*(g(operator, [shifted]) for operator in ("Log", "Sqrt", "Reciprocal", "Acosh")))


@form(14)
def hard_swish(g):
    g.output(g("HardSwish", [g.conv(g.input([1, 3, 6, 6]), 3, 4, 3)]))


@form()
def hard_swish_of_parts(g):
    x = g.conv(g.input([1, 3, 6, 6], -5, 5), 3, 4, 3)
    six = g.clip(g("Add", [x, g.constant(np.float32(3))]), 0, 6)
    g.output(g("Div", [g("Mul", [x, six]), g.constant(np.float32(6))]))


@form()
def gelu_of_parts(g):
    x = g.input([2, 4, 8], -4, 4)
    root = g("Erf", [g("Div", [x, g.constant(np.float32(np.sqrt(2)))])])
    one = g("Add", [root, g.constant(np.float32(1))])
    g.output(g("Mul", [g("Mul", [x, one]), g.constant(np.float32(0.5))]))


@form()
def gelu_of_tanh_of_parts(g):
    x = g.input([2, 4, 8], -4, 4)
    cube = g("Mul", [g("Pow", [x, g.constant(np.float32(3))]), g.constant(np.float32(0.044715))])
    inner = g("Mul", [g("Add", [x, cube]), g.constant(np.float32(np.sqrt(2 / np.pi)))])
    one = g("Add", [g("Tanh", [inner]), g.constant(np.float32(1))])
    g.output(g("Mul", [g("Mul", [g.constant(np.float32(0.5)), x]), one]))


@form(20)
def gelu(g):
    x = g.input([2, 4, 8], -4, 4)
    g.output(g("Gelu", [x]), g("Gelu", [x], approximate="tanh"))


@form(18)
def mish(g):
    g.output(g("Mish", [g.input([2, 4, 8], -4, 4)]))


@form()
def mish_of_parts(g):
    x = g.input([2, 4, 8], -4, 4)
    g.output(g("Mul", [x, g("Tanh", [g("Softplus", [x])])]))


@form(24)
def swish(g):
    """ONNX Runtime does not have it yet."""
    x = g.input([2, 4, 8], -4, 4)
    values = np.array(g.data[x]["data"])
    g.output(g("Swish", [x], alpha=1.5))
    g.expected = [(values / (1 + np.exp(-1.5 * values))).tolist()]


@form(12)
def celu(g):
    g.output(g("Celu", [g.input([2, 3, 4, 5])], alpha=1.5))


@form()
def prelu_of_a_slope_per_channel(g):
    g.output(g("PRelu", [g.input([1, 4, 5, 5]), g.weights([4, 1, 1])]))


# ---- Normalizations ----

@form()
def batch_normalization_after_a_conv(g):
    x = g.conv(g.input([1, 3, 8, 8]), 3, 4, 3)
    g.output(g("BatchNormalization", [x, g.weights([4]), g.weights([4]), g.weights([4]),
                                      g.weights([4], 0.5, 2)]))


@form()
def instance_normalization(g):
    x = g.input([2, 3, 5, 6])
    g.output(g("InstanceNormalization", [x, g.weights([3]), g.weights([3])], epsilon=1e-5))


@form()
def group_norm_of_parts(g):
    x = g.input([2, 6, 4, 4])
    groups = g("Reshape", [x, g.integers(0, 3, -1)])
    ones, zeros = g.constant(np.ones(3, np.float32)), g.constant(np.zeros(3, np.float32))
    y = g("Reshape", [g("InstanceNormalization", [groups, ones, zeros]), g("Shape", [x])])
    g.output(g("Add", [g("Mul", [y, g.weights([6, 1, 1])]), g.weights([6, 1, 1])]))


@form(18, 20)
def group_normalization_of_scales_per_group(g):
    g.output(g("GroupNormalization", [g.input([2, 6, 4, 4]), g.weights([3]), g.weights([3])],
               num_groups=3))


@form(21)
def group_normalization_of_scales_per_channel(g):
    g.output(g("GroupNormalization", [g.input([2, 6, 4, 4]), g.weights([6]), g.weights([6])],
               num_groups=3, epsilon=1e-4))


@form(17)
def layer_normalization(g):
    x = g.input([2, 4, 8])
    g.output(g("LayerNormalization", [x, g.weights([8]), g.weights([8])], axis=-1, epsilon=1e-5),
             g("LayerNormalization", [x, g.weights([4, 8])], axis=1))


@form()
def layer_normalization_of_parts(g):
    x = g.input([2, 4, 8])
    d = g("Sub", [x, g.reduce("ReduceMean", x, [-1])])
    variance = g.reduce("ReduceMean", g("Pow", [d, g.constant(np.float32(2))]), [-1])
    root = g("Sqrt", [g("Add", [variance, g.constant(np.float32(1e-5))])])
    g.output(g("Add", [g("Mul", [g("Div", [d, root]), g.weights([8])]), g.weights([8])]))


@form(17)
def layer_normalization_of_channels(g):
    x = g("Transpose", [g.input([1, 6, 4, 4])], perm=[0, 2, 3, 1])
    y = g("LayerNormalization", [x, g.weights([6]), g.weights([6])], axis=-1, epsilon=1e-6)
    g.output(g("Transpose", [y], perm=[0, 3, 1, 2]))


@form(23)
def rms_normalization(g):
    g.output(g("RMSNormalization", [g.input([2, 4, 8]), g.weights([8])], axis=-1, epsilon=1e-5))


@form()
def rms_normalization_of_parts(g):
    x = g.input([2, 4, 8])
    mean = g.reduce("ReduceMean", g("Pow", [x, g.constant(np.float32(2))]), [-1])
    root = g("Sqrt", [g("Add", [mean, g.constant(np.float32(1e-6))])])
    y = g("Mul", [x, g("Reciprocal", [root])])
    g.output(g("Mul", [g.weights([8]), y]))


@form()
def mean_variance_normalization(g):
    x = g.input([2, 3, 4, 5])
    g.output(g("MeanVarianceNormalization", [x]),
             g("MeanVarianceNormalization", [x], axes=[1, 2, 3]))


@form()
def normalize_by_a_reduction(g):
    x = g.input([2, 3, 4, 5])
    norm = g.reduce("ReduceL2", x, [1])
    least = g("Max", [norm, g.constant(np.float32(1e-12))])
    g.output(g("Div", [x, g("Expand", [least, g("Shape", [x])])]))


@form()
def local_response_normalization(g):
    g.output(g("LRN", [g.input([1, 8, 5, 5])], size=5, alpha=1e-3, beta=0.75, bias=2.0))


# ---- Windows beyond the limits of the chip's commands ----

@form()
def conv_of_more_than_4095_channels(g):
    g.output(g.conv(g.input([1, 5000, 2, 2]), 5000, 3))


@form()
def conv_to_more_than_4095_channels(g):
    g.output(g.conv(g.input([1, 3, 2, 2]), 3, 5000))


@form()
def conv_of_more_than_1024_rows(g):
    g.output(g.conv(g.input([1, 2, 1100, 3]), 2, 3, 3, pads=[1, 1, 1, 1]))


@form()
def conv_of_more_than_1024_columns(g):
    g.output(g.conv(g.input([1, 2, 3, 1100]), 2, 3, 3, strides=[2, 2]))


@form()
def conv_of_a_stride_above_15(g):
    g.output(g.conv(g.input([1, 3, 64, 64]), 3, 4, 32, strides=[32, 32]),
             g.conv(g.input([1, 2, 50, 50]), 2, 3, 3, strides=[17, 20]))


@form()
def conv_of_a_dilation_above_16(g):
    g.output(g.conv(g.input([1, 2, 50, 50]), 2, 3, 3, dilations=[18, 20], pads=[18, 20, 18, 20]))


@form()
def conv_of_pads_above_15(g):
    g.output(g.conv(g.input([1, 2, 9, 9]), 2, 3, 3, pads=[17, 1, 20, 0]))


@form()
def conv_of_a_large_window(g):
    g.output(g.conv(g.input([1, 2, 40, 40]), 2, 2, 31, pads=[15, 15, 15, 15]))


@form()
def conv_of_one_axis(g):
    x = g.input([1, 3, 50])
    w = g.weights([4, 3, 5])
    y = g("Conv", [x, w], strides=[2], pads=[2, 2])
    y = g("MaxPool", [g("Relu", [y])], kernel_shape=[3], strides=[2], pads=[1, 1])
    g.output(g("AveragePool", [y], kernel_shape=[2]), g("GlobalAveragePool", [y]))


@form()
def conv_with_same_padding(g):
    x = g.input([1, 2, 7, 8])
    w = g.weights([3, 2, 3, 3])
    g.output(g("Conv", [x, w], auto_pad="SAME_UPPER", strides=[2, 2]),
             g("Conv", [x, w], auto_pad="SAME_LOWER", strides=[2, 2]),
             g("Conv", [x, w], auto_pad="VALID"))


@form()
def conv_transpose(g):
    x, w = g.input([1, 4, 5, 5]), g.weights([4, 2, 3, 3])
    g.output(g("ConvTranspose", [x, w, g.weights([2])], strides=[2, 2], pads=[1, 1, 1, 1],
               output_padding=[1, 1]),
             g("ConvTranspose", [x, w], group=2, strides=[3, 2], dilations=[2, 1]))


@form()
def pools_beyond_255(g):
    x = g.input([1, 2, 300, 270])
    g.output(g("GlobalAveragePool", [x]), g("GlobalMaxPool", [x]),
             g("MaxPool", [x], kernel_shape=[260, 3], strides=[20, 3]),
             g("AveragePool", [x], kernel_shape=[260, 3], strides=[20, 3]))


@form()
def max_pool_with_ceil_and_dilations(g):
    x = g.input([1, 3, 10, 10])
    g.output(g("MaxPool", [x], kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1),
             g("MaxPool", [x], kernel_shape=[2, 2], dilations=[2, 3]))


@form()
def average_pool_of_pads(g):
    x = g.input([1, 3, 10, 10])
    g.output(g("AveragePool", [x], kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1]),
             g("AveragePool", [x], kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1],
               count_include_pad=1))


@form(19)
def average_pool_of_dilations(g):
    g.output(g("AveragePool", [g.input([1, 3, 10, 10])], kernel_shape=[3, 2], dilations=[2, 3]))


@form()
def lp_pools(g):
    x = g.input([1, 3, 10, 10])
    g.output(g("GlobalLpPool", [x]), g("GlobalLpPool", [x], p=1))


@form()
def lp_pool_of_windows(g):
    x = g.input([1, 3, 10, 10])
    g.output(g("LpPool", [x], kernel_shape=[3, 3], strides=[2, 2]),
             g("LpPool", [x], kernel_shape=[2, 3], p=1, pads=[0, 1, 1, 2]),
             g("LpPool", [x], kernel_shape=[3, 2], p=3, auto_pad="SAME_LOWER", strides=[2, 2]),
             g("LpPool", [g.input([1, 3, 10])], kernel_shape=[3], strides=[2]))


@form(18)
def lp_pool_of_dilations_and_a_rest(g):
    x = g.input([1, 3, 10, 10])
    g.output(g("LpPool", [x], kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1),
             g("LpPool", [x], kernel_shape=[3, 2], dilations=[2, 3]))


# ---- Maps of three axes ----

def deep_conv(g, x, weights, **attributes):
    return g("Conv", [x, g.weights(weights), g.weights(weights[:1])], **attributes)


@form()
def conv_of_three_axes(g):
    x = g.input([2, 4, 6, 7, 8])
    g.output(deep_conv(g, x, [3, 4, 3, 3, 3], pads=[1, 1, 1, 1, 1, 1]),
             deep_conv(g, x, [6, 2, 2, 3, 1], group=2, strides=[2, 1, 2], pads=[0, 1, 0, 1, 0, 2]),
             deep_conv(g, x, [4, 1, 2, 2, 2], group=4, dilations=[2, 1, 3]),
             deep_conv(g, x, [2, 4, 1, 3, 3], auto_pad="SAME_UPPER", strides=[1, 2, 2]))


@form()
def patches_of_three_axes(g):
    """The embedding of video transformers: the kernel is the stride."""
    y = deep_conv(g, g.input([1, 3, 4, 32, 32]), [8, 3, 2, 16, 16], strides=[2, 16, 16])
    g.output(g("Transpose", [g("Reshape", [y, g.integers(1, 8, -1)])], perm=[0, 2, 1]))


@form()
def pools_of_three_axes(g):
    x = g.input([2, 3, 6, 7, 8])
    window = {"kernel_shape": [3, 3, 2], "strides": [2, 2, 1], "pads": [1, 1, 0, 1, 0, 1]}
    g.output(g("MaxPool", [x], **window), g("MaxPool", [x], kernel_shape=[2, 2, 2], strides=[2, 2, 2]),
             g("MaxPool", [x], kernel_shape=[2, 3, 3], strides=[2, 2, 2], ceil_mode=1),
             g("AveragePool", [x], **window), g("AveragePool", [x], count_include_pad=1, **window),
             g("AveragePool", [x], kernel_shape=[2, 3, 3], strides=[2, 2, 2], ceil_mode=1),
             g("MaxPool", [x], kernel_shape=[2, 2, 2], dilations=[2, 1, 3]),
             g("GlobalAveragePool", [x]), g("GlobalMaxPool", [x]))


# ---- Resize ----

def resize(g, dims, sizes=None, scales=None, **attributes):
    none = "" if g.opset >= 13 else g.constant(np.zeros(0, np.float32))
    inputs = [g.input(dims), none]
    inputs += [none, g.integers(*sizes)] if sizes else [g.constant(np.array(scales, np.float32))]
    g.output(g("Resize", inputs, **attributes))


@form()
def resize_nearest_by_two(g):
    resize(g, [1, 3, 4, 5], scales=[1, 1, 2, 2], mode="nearest", nearest_mode="floor",
           coordinate_transformation_mode="asymmetric")


@form()
def resize_linear_to_sizes(g):
    resize(g, [1, 3, 4, 5], sizes=[1, 3, 9, 7], mode="linear",
           coordinate_transformation_mode="pytorch_half_pixel")


@form()
def resize_cubic(g):
    resize(g, [1, 3, 6, 5], sizes=[1, 3, 9, 11], mode="cubic", cubic_coeff_a=-0.75)


@form()
def resize_of_aligned_corners(g):
    resize(g, [1, 3, 4, 5], sizes=[1, 3, 8, 10], mode="linear",
           coordinate_transformation_mode="align_corners")


@form(18)
def resize_with_axes_and_no_antialias(g):
    x = g.input([1, 3, 4, 5])
    g.output(g("Resize", [x, "", "", g.integers(8, 10)], mode="linear", axes=[2, 3], antialias=0),
             g("Resize", [x, "", g.constant(np.array([1.5, 2], np.float32))], mode="nearest",
               axes=[-2, -1]))


@form(18)
def resize_with_an_aspect_ratio_policy(g):
    x = g.input([1, 3, 4, 6])
    g.output(*(g("Resize", [x, "", "", g.integers(8, 9)], mode="linear", axes=[2, 3],
                 keep_aspect_ratio_policy=policy)
               for policy in ("stretch", "not_larger", "not_smaller")))


@form(18)
def resize_with_antialias(g):
    x = g.input([1, 3, 12, 10])
    g.output(*(g("Resize", [x, "", "", g.integers(5, 4)], mode=mode, axes=[2, 3], antialias=1,
                 exclude_outside=outside) for mode in ("linear", "cubic") for outside in (0, 1)))
    g.output(*(g("Resize", [x, "", "", g.integers(7, 20)], mode="linear", axes=[2, 3], antialias=1,
                 coordinate_transformation_mode=mode)
               for mode in ("asymmetric", "align_corners", "pytorch_half_pixel")))


@form(19)
def resize_symmetric(g):
    x = g.input([1, 3, 4, 5])
    g.output(g("Resize", [x, "", g.constant(np.array([1, 1, 1.7, 2.3], np.float32))], mode="linear",
               coordinate_transformation_mode="half_pixel_symmetric"))


@form()
def resize_of_one_axis(g):
    resize(g, [1, 3, 7], scales=[1, 1, 2], mode="linear")


@form(16)
def grid_sample(g):
    grid = g.constant(g.draw([1, 3, 3, 2]))
    modes = ("bilinear", "nearest") if g.opset < 20 else ("linear", "nearest")
    g.output(*(g("GridSample", [g.input([1, 2, 4, 4]), grid], mode=m, padding_mode="border")
               for m in modes))


@form()
def pixel_shuffle_of_parts(g):
    x = g("Reshape", [g.input([1, 8, 3, 4]), g.integers(1, 2, 2, 2, 3, 4)])
    x = g("Transpose", [x], perm=[0, 1, 4, 2, 5, 3])
    g.output(g("Reshape", [x, g.integers(1, 2, 6, 8)]))


@form()
def depth_to_space_and_back(g):
    x = g.input([1, 8, 4, 6])
    g.output(g("DepthToSpace", [x], blocksize=2, mode="CRD"), g("DepthToSpace", [x], blocksize=2),
             g("SpaceToDepth", [x], blocksize=2))


@form()
def channel_shuffle(g):
    x = g("Reshape", [g.input([1, 6, 3, 4]), g.integers(1, 2, 3, 3, 4)])
    x = g("Transpose", [x], perm=[0, 2, 1, 3, 4])
    g.output(g("Reshape", [x, g.integers(1, 6, 3, 4)]))


@form()
def normalizations_of_six_axes(g):
    x = g.input([2, 6, 2, 3, 2, 4])
    scale, offset = g.weights([6]), g.weights([6])
    g.output(g("BatchNormalization", [x, scale, offset, g.weights([6]), g.weights([6], 0.5, 1)]),
             g("InstanceNormalization", [x, scale, offset]))
    if g.opset >= 21:
        g.output(g("GroupNormalization", [x, scale, offset], num_groups=3))
