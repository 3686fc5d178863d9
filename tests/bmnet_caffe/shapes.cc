// Shapes and parameters of every layer.
#include "bmnet_caffe/nets.h"

namespace tputwin::net::testing {
namespace {

// The shape of layer "x" of a type, for an input.
struct Rule {
  const char *type, *input, *parameters, *shape;
};

class Shapes : public ::testing::TestWithParam<Rule> {};

void PrintTo(const Rule& rule, std::ostream* out) {
  *out << rule.type << " (" << rule.input << ") " << rule.parameters;
}

TEST_P(Shapes, Follow) {
  const Rule& rule = GetParam();
  auto network = import_text(input(rule.input) + layer("x", rule.type, "data", rule.parameters));
  EXPECT_EQ(shape_in(network, "x"), rule.shape);
}

#define CONV "convolution_param { num_output: 8 "
#define POOL "pooling_param { "

INSTANTIATE_TEST_SUITE_P(
    Convolution, Shapes,
    ::testing::Values(
        Rule{"Convolution", "2 3 12 10", CONV "kernel_size: 3 }", "(2,8,10,8)"},
        Rule{"Convolution", "2 3 12 10", CONV "kernel_size: 3 pad: 1 stride: 2 }", "(2,8,6,5)"},
        Rule{"Convolution", "1 3 12 10", CONV "kernel_size: 3 kernel_size: 1 }", "(1,8,10,10)"},
        Rule{"Convolution", "1 3 12 10", CONV "kernel_h: 1 kernel_w: 3 pad_w: 1 stride_h: 2 }",
             "(1,8,6,10)"},
        Rule{"Convolution", "1 3 12 10", CONV "kernel_size: 3 dilation: 2 }", "(1,8,8,6)"},
        Rule{"Convolution", "1 4 5 5", CONV "kernel_size: 1 group: 4 axis: -3 }", "(1,8,5,5)"},
        Rule{"Convolution", "3 4 5", CONV "kernel_h: 2 kernel_w: 1 }", "(3,8,4,1)"},
        Rule{"DepthwiseConvolution", "1 8 5 5", CONV "kernel_size: 3 }", "(1,8,3,3)"},
        Rule{"ConvolutionDepthwise", "1 8 5 5", CONV "kernel_size: 3 }", "(1,8,3,3)"},
        Rule{"Deconvolution", "1 4 5 6", CONV "kernel_size: 4 stride: 2 pad: 1 }", "(1,8,10,12)"},
        Rule{"Deconvolution", "1 4 5 6", CONV "kernel_size: 3 dilation: 2 }", "(1,8,9,10)"},
        Rule{"InnerProduct", "2 3 4 5", "inner_product_param { num_output: 7 }", "(2,7)"},
        Rule{"InnerProduct", "2 3", "inner_product_param { num_output: 7 axis: -1 }", "(2,7)"},
        Rule{"InnerProduct", "2", "inner_product_param { num_output: 7 }", "(2,7)"}));

INSTANTIATE_TEST_SUITE_P(
    Pooling, Shapes,
    ::testing::Values(
        Rule{"Pooling", "1 2 5 6", POOL "kernel_size: 2 stride: 2 }", "(1,2,3,3)"},
        Rule{"Pooling", "1 2 5 6", POOL "kernel_size: 2 stride: 2 ceil_mode: false }", "(1,2,2,3)"},
        Rule{"Pooling", "1 2 5 6", POOL "kernel_size: 2 stride: 2 round_mode: FLOOR }",
             "(1,2,2,3)"},
        Rule{"Pooling", "1 2 4 4", POOL "kernel_size: 3 stride: 2 pad: 1 }", "(1,2,3,3)"},
        // Caffe removes a window that starts in the padding.
        Rule{"Pooling", "1 2 3 3", POOL "kernel_size: 2 stride: 2 pad: 1 }", "(1,2,2,2)"},
        Rule{"Pooling", "1 2 4 4", POOL "kernel_size: 2 stride: 3 pad: 1 }", "(1,2,2,2)"},
        // A pad on one axis drops last windows on both.
        Rule{"Pooling", "1 1 3 4", POOL "kernel_h: 1 kernel_w: 2 stride: 3 pad_h: 0 pad_w: 1 }",
             "(1,1,1,2)"},
        Rule{"Pooling", "1 1 3 5",
             POOL "kernel_h: 1 kernel_w: 3 stride_h: 3 stride_w: 2 pad_h: 0 pad_w: 1 }",
             "(1,1,1,3)"},
        Rule{"Pooling", "1 2 7 9", POOL "pool: AVE global_pooling: true }", "(1,2,1,1)"},
        Rule{"Pooling", "1 2 2 2", POOL "kernel_size: 3 stride: 2 }", "(1,2,1,1)"},
        Rule{"Pooling", "1 2 6 9", POOL "kernel_h: 2 kernel_w: 3 stride_h: 2 stride_w: 3 }",
             "(1,2,3,3)"}));

INSTANTIATE_TEST_SUITE_P(
    SameShape, Shapes,
    ::testing::Values(
        Rule{"ReLU", "1 2 3 4", "", "(1,2,3,4)"}, Rule{"ReLU6", "1 2", "", "(1,2)"},
        Rule{"Clip", "1 2", "clip_param { min: -1 max: 1 }", "(1,2)"},
        Rule{"Sigmoid", "1 2 3", "", "(1,2,3)"}, Rule{"TanH", "1 2", "", "(1,2)"},
        Rule{"ELU", "1 2", "", "(1,2)"}, Rule{"AbsVal", "1 2", "", "(1,2)"},
        Rule{"Power", "1 2", "power_param { power: 2 scale: 0.5 shift: 1 }", "(1,2)"},
        Rule{"PReLU", "1 2 3 4", "", "(1,2,3,4)"}, Rule{"BatchNorm", "1 2 3 4", "", "(1,2,3,4)"},
        Rule{"Scale", "1 2 3 4", "scale_param { bias_term: true }", "(1,2,3,4)"},
        Rule{"Scale", "1 2 1 1", "scale_param { num_axes: -1 }", "(1,2,1,1)"},
        Rule{"Scale", "1 2 3 4", "scale_param { num_axes: 0 }", "(1,2,3,4)"},
        Rule{"Bias", "1 2 3 4", "", "(1,2,3,4)"}, Rule{"LRN", "1 2 3 4", "", "(1,2,3,4)"},
        Rule{"Normalize", "1 2 3 4", "norm_param { across_spatial: false }", "(1,2,3,4)"},
        Rule{"Softmax", "1 2 3", "softmax_param { axis: -1 }", "(1,2,3)"},
        Rule{"ShuffleChannel", "1 6 3 4", "shuffle_channel_param { group: 3 }", "(1,6,3,4)"},
        Rule{"Reverse", "1 2", "reverse_param { axis: 1 }", "(1,2)"}));

INSTANTIATE_TEST_SUITE_P(
    Moves, Shapes,
    ::testing::Values(
        Rule{"Flatten", "2 3 4 5", "", "(2,60)"},
        Rule{"Flatten", "2 3 4 5", "flatten_param { axis: 0 end_axis: -2 }", "(24,5)"},
        Rule{"Reshape", "2 3 4 5", "reshape_param { shape { dim: 0 dim: -1 } }", "(2,60)"},
        Rule{"Reshape", "2 3 4 5", "reshape_param { shape { dim: 0 dim: 4 dim: -1 dim: 5 } }",
             "(2,4,3,5)"},
        Rule{"Reshape", "2 3 4 5", "reshape_param { shape { dim: 12 } axis: 1 num_axes: 2 }",
             "(2,12,5)"},
        Rule{"Reshape", "2 6", "reshape_param { shape { dim: 1 dim: 1 } axis: -1 }", "(2,6,1,1)"},
        Rule{"Reshape", "2 6", "reshape_param { shape { dim: 1 } axis: 1 num_axes: 0 }", "(2,1,6)"},
        Rule{"Permute", "2 3 4 5", "permute_param { order: 0 order: 2 order: 3 order: 1 }",
             "(2,4,5,3)"},
        Rule{"Permute", "2 3 4 5", "permute_param { order: 1 }", "(3,2,4,5)"},
        Rule{"Permute", "2 3 4", "permute_param { order: 2 order: 0 }", "(4,2,3)"},
        Rule{"Reduction", "2 3 4", "reduction_param { axis: 1 operation: MEAN }", "(2)"},
        Rule{"Reduction", "2 3 4", "", "(1)"},
        Rule{"Upsample", "1 2 3 4", "upsample_param { size: 2 }", "(1,2,6,8)"},
        Rule{"Upsample", "1 2 3 4", "upsample_param { size: 1 size: 3 }", "(1,2,3,12)"},
        Rule{"Upsample", "1 2 3 4", "upsample_param { scale: 2 }", "(1,2,6,8)"},
        Rule{"Reorg", "1 2 4 6", "reorg_param { stride: 2 }", "(1,8,2,3)"},
        Rule{"Tile", "1 2 3", "tile_param { axis: 2 tiles: 4 }", "(1,2,12)"},
        Rule{"Interp", "1 2 5 7", "interp_param { height: 10 width: 3 }", "(1,2,10,3)"},
        Rule{"Interp", "1 2 5 7", "interp_param { zoom_factor: 2 }", "(1,2,9,13)"},
        Rule{"Interp", "1 2 5 7", "interp_param { shrink_factor: 2 pad_beg: -1 }", "(1,2,2,3)"}));

INSTANTIATE_TEST_SUITE_P(
    Heads, Shapes,
    ::testing::Values(Rule{"Region", "1 125 3 3", "region_param { classes: 20 }", "(1,125,3,3) f"},
                      Rule{"Yolo", "1 255 3 3", "", "(1,255,3,3) f"},
                      Rule{"YoloPost", "2 21 3 3",
                           "yolopost_param { classes: 2 num: 3 yolomask { mask: 0 mask: 1 mask: 2 }"
                           " anchors { anchor: 1 anchor: 2 anchor: 3 anchor: 4 anchor: 5"
                           " anchor: 6 } }",
                           "(1,1,400,7) f"}));

// ---- Several inputs or outputs ----

TEST(Shapes2, Eltwise) {
  const std::string two = input("1 2 3 4") + input("1 2 3 4", "b");
  EXPECT_EQ(shape_in(import_text(two + layer("x", "Eltwise", "data", "bottom: 'b'")), "x"),
            "(1,2,3,4)");
}

TEST(Shapes2, Concat) {
  const std::string two = input("1 2 3 4") + input("1 5 3 4", "b");
  EXPECT_EQ(shape_in(import_text(two + layer("x", "Concat", "data", "bottom: 'b'")), "x"),
            "(1,7,3,4)");
  EXPECT_EQ(shape_in(import_text(two + layer("x", "Join", "data", "bottom: 'b'")), "x"),
            "(1,7,3,4)");
  EXPECT_EQ(
      shape_in(import_text(input("1 2 3 4") + input("1 2 3 5", "b") +
                           layer("x", "Concat", "data", "bottom: 'b' concat_param { axis: -1 }")),
               "x"),
      "(1,2,3,9)");
}

TEST(Shapes2, Slice) {
  auto network = import_text(input("1 9 3") + layer("x", "Slice", "data", "top: 'y' top: 'z'"));
  EXPECT_EQ(shape_in(network, "y"), "(1,3,3)");
  network = import_text(input("1 9 3") +
                        layer("x", "Slice", "data",
                              "top: 'y' top: 'z' slice_param { slice_point: 2 slice_point: 3 }"));
  EXPECT_EQ(shape_in(network, "x"), "(1,2,3)");
  EXPECT_EQ(shape_in(network, "y"), "(1,1,3)");
  EXPECT_EQ(shape_in(network, "z"), "(1,6,3)");
}

TEST(Shapes2, Crop) {
  auto network = import_text(
      input("1 2 8 9") + input("1 7 5 6", "b") +
      layer("x", "Crop", "data", "bottom: 'b' crop_param { axis: 2 offset: 1 offset: 3 }"));
  EXPECT_EQ(shape_in(network, "x"), "(1,2,5,6)");
  const auto& offset = op_of(*network, "x").tg_crop_param().offset();
  EXPECT_EQ(std::vector<uint32_t>(offset.begin(), offset.end()),
            (std::vector<uint32_t>{0, 0, 1, 3}));
}

TEST(Shapes2, SsdHead) {
  const std::string priors =
      layer("p", "PriorBox", "f",
            "bottom: 'data' prior_box_param { min_size: 30 max_size: 60 aspect_ratio: 2"
            " aspect_ratio: 3 variance: 0.1 variance: 0.1 variance: 0.2 variance: 0.2 }");
  const std::string head =
      input("2 3 300 300") + input("2 8 4 5", "f") + input("2 480", "loc") +
      input("2 360", "conf") + priors +
      layer("out", "DetectionOutput", "loc",
            "bottom: 'conf' bottom: 'p' detection_output_param { num_classes: 3 keep_top_k: 50"
            " share_location: true code_type: CENTER_SIZE confidence_threshold: 0.3"
            " nms_param { nms_threshold: 0.45 top_k: 100 } save_output_param { "
            "output_directory: 'x' } }");
  auto network = import_text(head);
  EXPECT_EQ(shape_in(network, "p"), "(1,2,480) f");
  EXPECT_EQ(shape_in(network, "out"), "(1,1,100,7) f");
  const auto& prior = op_of(*network, "p").tg_prior_box_param();
  EXPECT_EQ(prior.aspect_ratio_size(), 5);
  EXPECT_EQ(prior.num_priors(), 6);
  EXPECT_FLOAT_EQ(prior.step_h(), 75);
  EXPECT_FLOAT_EQ(prior.step_w(), 60);
  EXPECT_EQ(op_of(*network, "out").tg_detectoutput_param().top_k(), 100);
  // Priors of two maps are joined as floats.
  network = import_text(head + layer("q", "Concat", "p", "bottom: 'p' concat_param { axis: 2 }"));
  EXPECT_EQ(shape_in(network, "q"), "(1,2,960) f");
}

TEST(Shapes2, Regions) {
  const std::string head =
      input("1 18 4 5", "scores") + input("1 36 4 5", "deltas") + input("1 3", "info") +
      input("1 196 8 8", "f") +
      layer("rois", "Proposal", "scores",
            "bottom: 'deltas' bottom: 'info' proposal_param { post_nms_topN: 100 }");
  auto network =
      import_text(head + layer("x", "ROIPooling", "f",
                               "bottom: 'rois' roi_pooling_param { pooled_h: 6 pooled_w: 7 }"));
  EXPECT_EQ(shape_in(network, "rois"), "(100,5) f");
  EXPECT_EQ(shape_in(network, "info"), "(1,3) f");
  EXPECT_EQ(shape_in(network, "x"), "(100,196,6,7)");
  network = import_text(head + layer("x", "PSROIPooling", "f",
                                     "bottom: 'rois' psroi_pooling_param { output_dim: 4"
                                     " group_size: 7 spatial_scale: 0.0625 }"));
  EXPECT_EQ(shape_in(network, "x"), "(100,4,7,7)");
  network = import_text(input("1 3 8 8", "f") + input("9 5", "rois") +
                        layer("x", "ROIPooling", "f",
                              "bottom: 'rois' roi_pooling_param { pooled_h: 2 pooled_w: 2 }"));
  EXPECT_EQ(shape_in(network, "rois"), "(9,5) f");
}

// ---- Parameters of the IR ----

TEST(Parameters, PoolingPadsCoverTheLastWindow) {
  for (const char* size : {"4", "5", "6", "7", "8", "11"})
    for (const char* text :
         {"kernel_size: 2 stride: 2", "kernel_size: 3 stride: 2", "kernel_size: 3 stride: 2 pad: 1",
          "kernel_size: 2 stride: 2 pad: 1", "kernel_size: 3 stride: 3 pad: 2",
          "kernel_size: 3 stride: 2 pad: 1 ceil_mode: false"}) {
      auto network = import_text(input("1 1 " + std::string(size) + " 9") +
                                 layer("x", "Pooling", "data", POOL + std::string(text) + " }"));
      ASSERT_TRUE(network.ok()) << network.error().message();
      const TensorOp& op = op_of(*network, "x");
      const Window2d window = pooling_window(op);
      auto windows = [](int64_t size, int before, int after, int kernel, int stride) {
        return (size + before + after - kernel) / stride + 1;
      };
      const Extents in = extents(op.input_shape(0)), out = extents(op.output_shape(0));
      EXPECT_EQ(windows(in.h, window.pad_top, window.pad_bottom, window.kernel_h, window.stride_h),
                out.h)
          << size << " " << text;
      EXPECT_EQ(windows(in.w, window.pad_left, window.pad_right, window.kernel_w, window.stride_w),
                out.w)
          << text;
    }
}

TEST(Parameters, DeconvolutionIsAConvolutionOfTheExpandedInput) {
  auto network =
      import_text(input("1 4 5 6") + layer("x", "Deconvolution", "data",
                                           CONV "kernel_size: 4 stride: 2 pad: 1 group: 2 }"));
  ASSERT_TRUE(network.ok());
  const TensorOp& op = op_of(*network, "x");
  ASSERT_TRUE(is_deconvolution(op));
  const Window2d w = convolution_window(op);
  EXPECT_EQ(w.ins_h, 1);
  EXPECT_EQ(w.stride_h, 1);
  EXPECT_EQ(w.pad_top, 2);
  const int expanded = (5 - 1) * (w.ins_h + 1) + 1 + w.pad_top + w.pad_bottom;
  EXPECT_EQ(expanded - w.kernel_h + 1, 10);
}

TEST(Parameters, KernelOfADeconvolutionIsFlippedAndTransposed) {
  auto network =
      import_text(input("1 2 3 3") + layer("x", "Deconvolution", "data",
                                           "convolution_param { num_output: 3 kernel_size: 2 }"));
  ASSERT_TRUE(network.ok());
  Blob blob{{2, 3, 2, 2}, {}};
  for (int i = 0; i < 24; ++i) blob.data.push_back(static_cast<float>(i));
  const auto kernel = convolution_kernel(op_of(*network, "x"), blob);
  // (oc 1, ic 0) is blob (0, 1) = 4 5 6 7 backwards, (oc 0, ic 1) blob (1, 0) = 12 ...
  EXPECT_EQ(std::vector<float>(kernel.begin(), kernel.begin() + 8),
            (std::vector<float>{3, 2, 1, 0, 15, 14, 13, 12}));
  EXPECT_EQ(kernel[8], 7);
}

TEST(Parameters, NormalizeHasItsScale) {
  caffe::NetParameter net = parse(
      input("1 2 3 3") + layer("x", "Normalize", "data", "norm_param { channel_shared: false }"));
  add_blob(layer_of(net, "x"), {2}, {20, 10});
  auto network = import_caffe(net);
  ASSERT_TRUE(network.ok()) << network.error().message();
  ASSERT_EQ(op_of(*network, "x").tg_norm_param().scale_size(), 2);
  EXPECT_EQ(op_of(*network, "x").tg_norm_param().scale(1), 10);
}

TEST(Parameters, Activations) {
  auto network =
      import_text(input("1 2") + layer("a", "ReLU", "data", "relu_param { negative_slope: 0.1 }") +
                  layer("b", "ReLU", "a") + layer("c", "ELU", "b") + layer("d", "ReLU6", "c") +
                  layer("e", "Clip", "d", "clip_param { min: -2 max: 3 }"));
  ASSERT_TRUE(network.ok());
  EXPECT_FLOAT_EQ(op_of(*network, "a").tg_activation_param().activation_arg(0), 0.1F);
  EXPECT_EQ(op_of(*network, "b").tg_activation_param().activation_arg_size(), 0);
  EXPECT_FLOAT_EQ(op_of(*network, "c").tg_activation_param().activation_arg(0), 1);
  EXPECT_FLOAT_EQ(op_of(*network, "d").tg_clip_param().max(), 6);
  EXPECT_FLOAT_EQ(op_of(*network, "e").tg_clip_param().min(), -2);
}

}  // namespace
}  // namespace tputwin::net::testing
