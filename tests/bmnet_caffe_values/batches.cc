// Inputs with labels, and layers whose results depend on the batch. Expected values are from Caffe
// (BVLC's master 9b891540).
#include <gmock/gmock.h>

#include <cmath>

#include "bmnet_caffe_values/values.h"

namespace tputwin::net::testing {
namespace {

Shape shape_of_data(const std::string& text) {
  const auto net = try_net(text + "layer { name: 'r' type: 'ReLU' bottom: 'data' top: 'r' }\n");
  EXPECT_TRUE(net.ok()) << net.status().message();
  if (!net.ok()) return {};
  const auto network = import_caffe(*net);
  EXPECT_TRUE(network.ok()) << network.status().message();
  if (!network.ok()) return {};
  EXPECT_EQ(network->inputs(), std::vector<std::string>{"data"});
  return dims(*network->shape_of("data"));
}

TEST(Labels, AreDroppedWithTheirShapes) {
  const Shape right{1, 1, 4, 4};
  const std::string data = "shape { dim: 1 dim: 1 dim: 4 dim: 4 }", label = "shape { dim: 7 }";
  EXPECT_EQ(
      shape_of_data("layer { name: 'i' type: 'Input' top: 'data' top: 'label' input_param { " +
                    data + label + " } }\n"),
      right);
  EXPECT_EQ(
      shape_of_data("layer { name: 'i' type: 'Input' top: 'label' top: 'data' input_param { " +
                    label + data + " } }\n"),
      right);
  EXPECT_EQ(
      shape_of_data("layer { name: 'i' type: 'DummyData' top: 'data' top: 'label'"
                    " dummy_data_param { " +
                    data + label + " data_filler { value: 1 } data_filler { value: 2 } } }\n"),
      right);
  EXPECT_EQ(shape_of_data("layer { name: 'i' type: 'DummyData' top: 'label' top: 'data'"
                          " dummy_data_param { num: 1 num: 1 channels: 1 channels: 1"
                          " height: 1 height: 4 width: 1 width: 4 } }\n"),
            right);
  // A list of one value applies to all tops.
  EXPECT_EQ(
      shape_of_data("layer { name: 'i' type: 'DummyData' top: 'label' top: 'data'"
                    " dummy_data_param { num: 1 channels: 1 height: 1 height: 4 width: 4 } }\n"),
      right);
  EXPECT_EQ(shape_of_data("layer { name: 'i' type: 'DummyData' top: 'label' top: 'data'"
                          " dummy_data_param { " +
                          data + " } }\n"),
            right);
}

// A label that a layer reads is an input, with its shape.
TEST(Labels, StayIfALayerReadsThem) {
  const auto net = make_net(
      "layer { name: 'i' type: 'Input' top: 'data' top: 'label' input_param {"
      " shape { dim: 1 dim: 2 } shape { dim: 1 dim: 3 } } }\n"
      "layer { name: 'c' type: 'Concat' bottom: 'data' bottom: 'label' top: 'c' }\n");
  const auto values = run_float(net, {{"data", {1, 2}}, {"label", {3, 4, 5}}});
  ASSERT_TRUE(values.ok()) << values.status().message();
  EXPECT_EQ(values->at("c"), (Floats{1, 2, 3, 4, 5}));
}

// ---- Statistics of the batch ----

TEST(BatchNorm, TakesTheBatchsOwnStatisticsIfSet) {
  const std::string layer =
      "layer { name: 'y' type: 'BatchNorm' bottom: 'x' top: 'y' batch_norm_param {"
      " use_global_stats: false } }\n";
  const std::vector<LayerBlob> blobs{{"y", {2}, {6, 6}}, {"y", {2}, {8, 8}}, {"y", {1}, {2}}};
  const Floats x{0, 1, 2, 3, 4, 5, 6, 7};
  const Floats right{-1.21267676F, -0.727606058F, -1.21267676F, -0.727606058F,
                     0.727606058F, 1.21267676F,   0.727606058F, 1.21267676F};
  for (const auto& stored : {blobs, std::vector<LayerBlob>{}}) {
    const auto net = make_net(input_text("x", {2, 2, 1, 2}) + layer, stored);
    const auto values = run_float(net, {{"x", x}}), folded = run_folded(net, {{"x", x}});
    ASSERT_TRUE(values.ok() && folded.ok()) << values.status().message();
    expect_floats(values->at("y"), right);
    expect_floats(folded->at("y"), right);
    const auto int8 = run_int8(net, {{{"x", x}}});
    ASSERT_TRUE(int8.ok()) << int8.status().message();
    EXPECT_GT(sqnr(right, int8->outputs[0].at("y")), 35);
  }
}

// BatchNorm is not folded into the Scale after it, nor into the convolution before it.
TEST(BatchNorm, OfOwnStatisticsIsNotFolded) {
  const auto net =
      make_net(input_text("x", {2, 1, 1, 2}) +
                   "layer { name: 'c' type: 'Convolution' bottom: 'x' top: 'c' convolution_param {"
                   " num_output: 1 kernel_size: 1 } }\n"
                   "layer { name: 'n' type: 'BatchNorm' bottom: 'c' top: 'n' batch_norm_param {"
                   " use_global_stats: false eps: 0 } }\n"
                   "layer { name: 'y' type: 'Scale' bottom: 'n' top: 'y' scale_param { bias_term: "
                   "true } }\n",
               {{"c", {1, 1, 1, 1}, {2}}, {"c", {1}, {1}}, {"y", {1}, {3}}, {"y", {1}, {1}}});
  // c = 1 3 5 7: mean 4, variance 5
  const double d = std::sqrt(5.0);
  const auto of = [&](double c) { return static_cast<float>((c - 4) / d * 3 + 1); };
  const auto folded = run_folded(net, {{"x", {0, 1, 2, 3}}});
  ASSERT_TRUE(folded.ok()) << folded.status().message();
  expect_floats(folded->at("y"), {of(1), of(3), of(5), of(7)});
}

struct Mixing {
  const char* name;
  std::string layers;
};
void PrintTo(const Mixing& m, std::ostream* out) { *out << m.name; }

class MixedSamples : public ::testing::TestWithParam<Mixing> {};

// The calibration's batch option does not change results of layers that mix samples of a batch.
TEST_P(MixedSamples, AreCalibratedInTheNetsOwnBatch) {
  const auto net = make_net(input_text("x", {4, 3, 1, 2}) + GetParam().layers);
  std::vector<Values> samples;
  float v = 0.1F;
  for (int s = 0; s < 3; ++s) {
    Floats x;
    for (int i = 0; i < 24; ++i) x.push_back(v = std::fmod(v * 7.3F + 0.9F, 2.0F));
    samples.push_back({{"x", x}});
  }
  std::optional<Int8Run> first;
  for (size_t batch : {1, 2, 4, 12}) {
    CalibrationOptions options;
    options.batch = batch;
    const auto run = run_int8(net, samples, options);
    ASSERT_TRUE(run.ok()) << run.status().message();
    if (!first) first = *run;
    EXPECT_EQ(run->thresholds, first->thresholds) << "batch " << batch;
    for (size_t s = 0; s < samples.size(); ++s) {
      const auto right = run_float(net, samples[s]);
      ASSERT_TRUE(right.ok());
      EXPECT_GT(sqnr(right->at("y"), run->outputs[s].at("y")), 30) << "batch " << batch;
    }
  }
}

std::string one_layer(const std::string& type, const std::string& parameters,
                      const std::string& bottom = "x", const std::string& top = "y") {
  return "layer { name: '" + top + "' type: '" + type + "' bottom: '" + bottom + "' top: '" + top +
         "' " + parameters + " }\n";
}

INSTANTIATE_TEST_SUITE_P(
    Layers, MixedSamples,
    ::testing::Values(
        Mixing{"reduction", one_layer("Reduction", "reduction_param { axis: 0 }")},
        Mixing{"reduction of axis -4",
               one_layer("Reduction", "reduction_param { axis: -4 operation: SUMSQ }")},
        Mixing{"softmax", one_layer("Softmax", "softmax_param { axis: 0 }")},
        Mixing{"batch norm",
               one_layer("BatchNorm", "batch_norm_param { use_global_stats: false }")},
        Mixing{"permuted", one_layer("Permute", "permute_param { order: 1 order: 0 }", "x", "p") +
                               one_layer("Reduction", "reduction_param { axis: 1 }", "p")},
        Mixing{"flattened", one_layer("Flatten", "flatten_param { axis: 0 }", "x", "f") +
                                one_layer("Reduction", "reduction_param { axis: 0 }", "f")},
        Mixing{"alone", one_layer("Reduction", "reduction_param { axis: 1 }")}),
    [](const auto& info) {
      std::string name = info.param.name;
      std::erase_if(name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); });
      return name;
    });

}  // namespace
}  // namespace tputwin::net::testing
