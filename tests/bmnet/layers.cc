// Every layer of the TPU, compiled at every level, against the interpreter.
#include <gtest/gtest.h>

#include "bmnet/support.h"

namespace tputwin::testing {
namespace {

struct LayerCase {
  const char* name;
  std::string layers;  // after the input "data"
  const char* input = "1 20 19 23";
};

std::string input_layer(const std::string& dims) {
  std::string text = "layer { name: 'data' type: 'Input' top: 'data' input_param { shape {";
  size_t begin = 0;
  while (begin < dims.size()) {
    size_t end = dims.find(' ', begin);
    if (end == std::string::npos) end = dims.size();
    text += " dim: " + dims.substr(begin, end - begin);
    begin = end + 1;
  }
  return text + " } } }\n";
}

std::string layer(const std::string& name, const std::string& type, const std::string& bottom,
                  const std::string& rest = "") {
  std::string text = "layer { name: '" + name + "' type: '" + type + "'";
  size_t begin = 0;
  while (begin < bottom.size()) {
    size_t end = bottom.find(' ', begin);
    if (end == std::string::npos) end = bottom.size();
    text += " bottom: '" + bottom.substr(begin, end - begin) + "'";
    begin = end + 1;
  }
  return text + (rest.find("top:") == std::string::npos ? " top: '" + name + "' " : " ") + rest +
         " }\n";
}

std::string conv(const std::string& name, const std::string& bottom, const std::string& param) {
  return layer(name, "Convolution", bottom, "convolution_param { " + param + " }");
}

class Layers : public ::testing::TestWithParam<LayerCase> {};

TEST_P(Layers, EqualTheInterpreterAtEveryLevel) {
  const LayerCase& c = GetParam();
  for (int64_t batch : {0, 3})
    for (uint64_t seed = 1; seed <= 2; ++seed) {
      auto model = random_model(input_layer(c.input) + c.layers, seed, batch);
      ASSERT_TRUE(model.ok()) << model.error().message();
      EXPECT_EQ(compare_levels(model->network, model->integers, seed), "")
          << "batch " << batch << ", seed " << seed;
    }
}

const LayerCase kCases[] = {
    {"conv", conv("c", "data", "num_output: 40 kernel_size: 3 pad: 1")},
    {"conv_stride", conv("c", "data", "num_output: 7 kernel_size: 3 stride: 2")},
    {"conv_big", conv("c", "data", "num_output: 100 kernel_h: 5 kernel_w: 1 stride_w: 3 pad_h: 2")},
    {"conv_dilation",
     conv("c", "data", "num_output: 33 kernel_size: 3 pad: 2 dilation: 2 bias_term: false")},
    {"conv_group", conv("c", "data", "num_output: 30 kernel_size: 3 group: 5 pad: 1")},
    {"conv_group_32",
     conv("c", "data", "num_output: 128 kernel_size: 3 group: 2 pad: 1") +
         conv("d", "c", "num_output: 64 kernel_size: 1 group: 2"),
     "1 64 14 14"},
    {"depthwise", conv("c", "data", "num_output: 20 kernel_size: 3 group: 20 pad: 1 stride: 2")},
    {"depthwise_dilation",
     conv("c", "data", "num_output: 20 kernel_size: 3 group: 20 pad: 2 dilation: 2")},
    {"deconv", layer("c", "Deconvolution", "data",
                     "convolution_param { num_output: 9 kernel_size: 4 stride: 2 pad: 1 }")},
    {"deconv_group", layer("c", "Deconvolution", "data",
                           "convolution_param { num_output: 20 kernel_size: 4 stride: 2 pad: 1 "
                           "group: 20 bias_term: false }")},
    {"deconv_gap", layer("c", "Deconvolution", "data",
                         "convolution_param { num_output: 5 kernel_size: 2 stride: 4 }")},
    {"large_weights", conv("c", "data", "num_output: 700 kernel_size: 3 pad: 1"), "1 512 7 7"},
    {"large_map", conv("c", "data", "num_output: 64 kernel_size: 3 pad: 1"), "1 64 120 110"},
    {"inner_product", layer("c", "InnerProduct", "data", "inner_product_param { num_output: 50 }"),
     "1 8 5 5"},
    {"inner_product_long",
     layer("c", "InnerProduct", "data", "inner_product_param { num_output: 300 bias_term: false }"),
     "1 512 7 7"},
    {"inner_product_prime",
     layer("c", "InnerProduct", "data", "inner_product_param { num_output: 33 }"), "1 5003 1 1"},
    {"inner_product_relu",
     layer("c", "InnerProduct", "data", "inner_product_param { num_output: 1200 }") +
         layer("r", "ReLU", "c") +
         layer("d", "InnerProduct", "r", "inner_product_param { num_output: 10 }"),
     "1 64 1 1"},
    {"pool_max",
     layer("p", "Pooling", "data", "pooling_param { pool: MAX kernel_size: 3 stride: 2 }")},
    {"pool_max_pad",
     layer("p", "Pooling", "data", "pooling_param { pool: MAX kernel_size: 3 stride: 2 pad: 1 }")},
    {"pool_average",
     layer("p", "Pooling", "data", "pooling_param { pool: AVE kernel_size: 3 stride: 2 pad: 1 }")},
    {"pool_average_cut",
     layer("p", "Pooling", "data", "pooling_param { pool: AVE kernel_size: 3 stride: 2 }"),
     "1 40 20 22"},
    {"pool_average_cut_right",
     conv("c", "data", "num_output: 9 kernel_size: 1") +
         layer("p", "Pooling", "c",
               "pooling_param { pool: AVE kernel_h: 3 kernel_w: 2 stride: 2 }") +
         conv("d", "p", "num_output: 5 kernel_size: 1")},
    {"pool_average_cut_bottom",
     layer("p", "Pooling", "data",
           "pooling_param { pool: AVE kernel_h: 4 kernel_w: 3 stride_h: 4 stride_w: 2 pad: 1 }"),
     "1 33 20 23"},
    {"pool_average_cut_large",
     conv("c", "data", "num_output: 64 kernel_size: 3 pad: 1") +
         layer("p", "Pooling", "c", "pooling_param { pool: AVE kernel_size: 3 stride: 2 }"),
     "1 64 120 110"},
    {"pool_global",
     layer("p", "Pooling", "data", "pooling_param { pool: AVE global_pooling: true }")},
    {"pool_single",
     layer("p", "Pooling", "data", "pooling_param { pool: MAX kernel_size: 1 stride: 2 }")},
    // One window along an axis, and rows or columns after it.
    {"pool_rest",
     layer("p", "Pooling", "data",
           "pooling_param { pool: MAX kernel_size: 2 stride: 2 round_mode: FLOOR }"),
     "1 3 3 3"},
    {"pool_rest_columns",
     layer("p", "Pooling", "data",
           "pooling_param { pool: AVE kernel_size: 2 stride: 2 ceil_mode: false }"),
     "1 40 8 3"},
    {"pool_rest_large",
     layer("p", "Pooling", "data",
           "pooling_param { pool: AVE kernel_size: 17 stride: 17 ceil_mode: false }"),
     "1 5 20 30"},
    {"pool_rest_cut",
     conv("c", "data", "num_output: 5 kernel_size: 1") +
         layer("p", "Pooling", "c",
               "pooling_param { pool: MAX kernel_size: 20 stride: 20 ceil_mode: false }"),
     "1 5 39 37"},
    {"conv_rest_cut", conv("c", "data", "num_output: 7 kernel_size: 17 stride: 30"), "1 5 33 40"},
    {"pool_rest_single",
     layer("p", "Pooling", "data",
           "pooling_param { pool: MAX kernel_size: 1 stride: 2 ceil_mode: false }"),
     "1 3 2 2"},
    {"pool_rest_padded",
     layer("p", "Pooling", "data", "pooling_param { pool: AVE kernel_size: 2 stride: 3 pad: 1 }"),
     "1 3 2 9"},
    // Windows and tiles entirely in the padding.
    {"conv_padding_group", conv("c", "data", "num_output: 9 kernel_size: 1 pad: 2 group: 3"),
     "1 9 4 4"},
    {"conv_padding_stride", conv("c", "data", "num_output: 4 kernel_size: 1 pad: 1 stride: 3"),
     "1 4 1 4"},
    {"conv_padding_depthwise", conv("c", "data", "num_output: 3 kernel_size: 1 pad: 2 group: 3"),
     "1 3 4 4"},
    {"conv_padding_large",
     conv("c", "data", "num_output: 70 kernel_size: 1 pad: 1") +
         conv("d", "c", "num_output: 8 kernel_h: 2 kernel_w: 1 pad: 5"),
     "1 2048 2 40"},
    {"conv_padding_alone", conv("c", "data", "num_output: 4 kernel_size: 2 pad: 4 stride: 12"),
     "1 4 5 5"},
    {"relu", layer("r", "ReLU", "data")},
    {"leaky", layer("r", "ReLU", "data", "relu_param { negative_slope: 0.1 }")},
    {"prelu", layer("r", "PReLU", "data")},
    {"prelu_shared", layer("r", "PReLU", "data", "prelu_param { channel_shared: true }")},
    {"sigmoid", layer("r", "Sigmoid", "data")},
    {"many_channels", layer("r", "ReLU", "data"), "1 9216 1 1"},
    {"sum", conv("c", "data", "num_output: 20 kernel_size: 3 pad: 1") +
                layer("e", "Eltwise", "data c") + layer("r", "ReLU", "e")},
    {"sum_3", conv("c", "data", "num_output: 20 kernel_size: 3 pad: 1") +
                  conv("d", "data", "num_output: 20 kernel_size: 1") +
                  layer("e", "Eltwise", "c data d")},
    {"eltwise_max", conv("c", "data", "num_output: 20 kernel_size: 1") +
                        layer("e", "Eltwise", "c data", "eltwise_param { operation: MAX }")},
    {"eltwise_prod", conv("c", "data", "num_output: 20 kernel_size: 1") +
                         layer("e", "Eltwise", "c data", "eltwise_param { operation: PROD }")},
    {"eltwise_prod_4",
     conv("c", "data", "num_output: 20 kernel_size: 1") + layer("r", "ReLU", "data") +
         layer("e", "Eltwise", "c data r c", "eltwise_param { operation: PROD }")},
    {"scale_by_channel",
     conv("c", "data", "num_output: 40 kernel_size: 3 pad: 1") +
         layer("p", "Pooling", "c", "pooling_param { pool: AVE global_pooling: true }") +
         layer("f", "InnerProduct", "p", "inner_product_param { num_output: 40 }") +
         layer("s", "Scale", "c f", "scale_param { axis: 0 }") +
         conv("d", "s", "num_output: 5 kernel_size: 3") + layer("r", "ReLU", "d")},
    {"scale_by_channel_large",
     layer("p", "Pooling", "data", "pooling_param { pool: MAX kernel_h: 130 kernel_w: 120 }") +
         layer("f", "Flatten", "p") + layer("c", "ReLU", "data") +
         layer("s", "Scale", "c f", "scale_param { axis: 0 }"),
     "1 70 130 120"},
    {"scale_by_sample",
     layer("f", "InnerProduct", "data", "inner_product_param { num_output: 1 }") +
         layer("g", "Reshape", "f", "reshape_param { shape { dim: -1 } }") +
         layer("s", "Scale", "data g", "scale_param { axis: 0 }")},
    {"scale_by_row",
     layer("p", "Pooling", "data", "pooling_param { pool: AVE kernel_h: 1 kernel_w: 23 }") +
         layer("f", "Reshape", "p", "reshape_param { shape { dim: 0 dim: 20 dim: 19 } }") +
         layer("s", "Scale", "data f", "scale_param { axis: 0 }")},
    {"scale_by_all", conv("c", "data", "num_output: 20 kernel_size: 1") +
                         layer("s", "Scale", "data c", "scale_param { axis: 0 }")},
    {"axpy", conv("c", "data", "num_output: 20 kernel_size: 3 pad: 1") +
                 layer("p", "Pooling", "c", "pooling_param { pool: AVE global_pooling: true }") +
                 layer("a", "Axpy", "p c data")},
    {"scale", layer("s", "Scale", "data", "scale_param { bias_term: true }")},
    {"lrn", layer("l", "LRN", "data", "lrn_param { local_size: 5 alpha: 0.0001 beta: 0.75 }")},
    {"lrn_within",
     layer("l", "LRN", "data",
           "lrn_param { norm_region: WITHIN_CHANNEL local_size: 3 alpha: 0.5 beta: 0.75 }")},
    {"upsample", layer("u", "Upsample", "data", "upsample_param { size: 2 size: 2 }")},
    {"concat", conv("c", "data", "num_output: 9 kernel_size: 1") +
                   conv("d", "data", "num_output: 40 kernel_size: 3 pad: 1") +
                   layer("k", "Concat", "c data d") +
                   conv("e", "k", "num_output: 8 kernel_size: 1")},
    {"concat_nested", conv("c", "data", "num_output: 9 kernel_size: 1") +
                          conv("d", "c", "num_output: 4 kernel_size: 3 pad: 1") +
                          layer("k", "Concat", "c d") + layer("m", "Concat", "k c k") +
                          layer("r", "ReLU", "m")},
    {"permute",
     layer("p", "Permute", "data", "permute_param { order: 0 order: 2 order: 3 order: 1 }")},
    {"permute_any",
     layer("p", "Permute", "data", "permute_param { order: 0 order: 3 order: 1 order: 2 }") +
         layer("q", "Permute", "p", "permute_param { order: 0 order: 3 order: 2 order: 1 }")},
    {"reshape",
     conv("c", "data", "num_output: 12 kernel_size: 1") +
         layer("p", "Permute", "c", "permute_param { order: 0 order: 2 order: 3 order: 1 }") +
         layer("f", "Flatten", "p") + conv("d", "data", "num_output: 8 kernel_size: 3") +
         layer("q", "Permute", "d", "permute_param { order: 0 order: 2 order: 3 order: 1 }") +
         layer("g", "Flatten", "q") + layer("k", "Concat", "f g") +
         layer("h", "Reshape", "k", "reshape_param { shape { dim: 0 dim: -1 dim: 4 } }")},
    {"slice",
     layer("s", "Slice", "data",
           "top: 's0' top: 's1' top: 's2' slice_param { slice_point: 3 slice_point: 11 }") +
         conv("c", "s1", "num_output: 5 kernel_size: 3")},
    {"crop", conv("c", "data", "num_output: 6 kernel_size: 5") +
                 layer("k", "Crop", "data c", "crop_param { axis: 2 offset: 1 offset: 3 }")},
    {"shuffle", layer("s", "ShuffleChannel", "data", "shuffle_channel_param { group: 4 }")},
    {"reorg", layer("s", "Reorg", "data", "reorg_param { stride: 2 }"), "1 5 12 18"},
    {"tile", layer("s", "Tile", "data", "tile_param { axis: 1 tiles: 3 }")},
    {"reverse", layer("s", "Reverse", "data", "reverse_param { axis: 1 }")},
    // The sum reads fewer rows of "c" than the convolution that also reads it.
    {"residual_halo",
     conv("c", "data", "num_output: 40 kernel_size: 1") +
         conv("d", "c", "num_output: 40 kernel_size: 3 pad: 1") + layer("e", "Eltwise", "c d") +
         layer("f", "Eltwise", "d c", "eltwise_param { operation: PROD }"),
     "1 3 80 90"},
    {"residual_chain",
     conv("a", "data", "num_output: 64 kernel_size: 7 stride: 2 pad: 3") +
         layer("ar", "ReLU", "a") +
         layer("p", "Pooling", "ar", "pooling_param { pool: MAX kernel_size: 3 stride: 2 }") +
         conv("b1", "p", "num_output: 64 kernel_size: 1") + layer("b1r", "ReLU", "b1") +
         conv("b2", "b1r", "num_output: 64 kernel_size: 3 pad: 1") + layer("b2r", "ReLU", "b2") +
         conv("b3", "b2r", "num_output: 256 kernel_size: 1") +
         conv("bs", "p", "num_output: 256 kernel_size: 1") + layer("e", "Eltwise", "b3 bs") +
         layer("er", "ReLU", "e") + conv("d1", "er", "num_output: 128 kernel_size: 1 stride: 2") +
         conv("ds", "er", "num_output: 128 kernel_size: 1 stride: 2") +
         layer("f", "Eltwise", "d1 ds"),
     "1 3 150 140"},
};

// Inputs of a concatenation whose thresholds differ from the result's, along every axis. No kernel
// can rescale rows, columns or samples during the copy.
class Rescaled : public ::testing::TestWithParam<int> {};

TEST_P(Rescaled, ConcatEqualsTheInterpreterAtEveryLevel) {
  const std::string nets = conv("c", "data", "num_output: 20 kernel_size: 1") +
                           layer("r", "ReLU", "data") +
                           layer("k", "Concat", "c data r c",
                                 "concat_param { axis: " + std::to_string(GetParam()) + " }") +
                           layer("s", "Sigmoid", "k");
  auto model = random_model(input_layer("2 20 19 23") + nets, 1, 0);
  ASSERT_TRUE(model.ok()) << model.error().message();
  const auto inputs = random_inputs(model->network, 1);
  auto& integers = model->integers.at(3);
  ASSERT_EQ(model->network.ops.at(3).type(), "tg_concat");
  integers.multiplier.clear();
  integers.shift.clear();
  auto plain = net::run_int8(model->network, model->integers, inputs);
  ASSERT_TRUE(plain.ok()) << plain.error().message();
  integers.threshold_x = {0.5f, 0.75f, 1, 0.25f};
  integers.multiplier = {128, 192, 255, 130};
  integers.shift = {8, 8, 8, 9};
  auto rescaled = net::run_int8(model->network, model->integers, inputs);
  ASSERT_TRUE(rescaled.ok()) << rescaled.error().message();
  EXPECT_NE(plain->at("k"), rescaled->at("k"));
  EXPECT_EQ(compare_levels(model->network, model->integers, 1), "");
}

INSTANTIATE_TEST_SUITE_P(Axes, Rescaled, ::testing::Range(0, 4),
                         [](const auto& info) { return "Axis" + std::to_string(info.param); });

INSTANTIATE_TEST_SUITE_P(All, Layers, ::testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace tputwin::testing
