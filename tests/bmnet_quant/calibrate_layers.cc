// Every kind of layer that has its own integers, calibrated: the interpreter approximates the
// floats.
#include <gtest/gtest.h>

#include <random>

#include "base/file.h"
#include "bmnet/caffe/import.h"
#include "bmnet/pipeline/compile.h"
#include "bmnet/pipeline/prepare.h"
#include "bmnet/quantize/quantize.h"
#include "common/temporary_directory.h"

namespace tputwin::net {
namespace {

constexpr const char* kGraph = R"(name: "layers"
layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 6 dim: 12 dim: 12 } } }
layer { name: "conv" type: "Convolution" bottom: "data" top: "conv" convolution_param { num_output: 12 kernel_size: 3 pad: 1 } }
layer { name: "bn" type: "BatchNorm" bottom: "conv" top: "conv" }
layer { name: "scale" type: "Scale" bottom: "conv" top: "conv" scale_param { bias_term: true } }
layer { name: "relu" type: "ReLU" bottom: "conv" top: "conv" }
layer { name: "dw" type: "Convolution" bottom: "conv" top: "dw" convolution_param { num_output: 12 group: 12 kernel_size: 3 pad: 1 } }
layer { name: "prelu" type: "PReLU" bottom: "dw" top: "dw" }
layer { name: "lrn" type: "LRN" bottom: "dw" top: "lrn" lrn_param { local_size: 5 alpha: 0.5 beta: 0.75 } }
layer { name: "ave" type: "Pooling" bottom: "lrn" top: "ave" pooling_param { pool: AVE kernel_size: 2 stride: 2 } }
layer { name: "max" type: "Pooling" bottom: "lrn" top: "max" pooling_param { pool: MAX kernel_size: 2 stride: 2 } }
layer { name: "sum" type: "Eltwise" bottom: "ave" bottom: "max" top: "sum" eltwise_param { coeff: 1 coeff: -0.5 } }
layer { name: "most" type: "Eltwise" bottom: "ave" bottom: "sum" top: "most" eltwise_param { operation: MAX } }
layer { name: "product" type: "Eltwise" bottom: "max" bottom: "sum" top: "product" eltwise_param { operation: PROD } }
layer { name: "all" type: "Concat" bottom: "sum" bottom: "most" bottom: "product" top: "all" }
layer { name: "again" type: "Concat" bottom: "all" bottom: "sum" top: "again" }
layer { name: "leaky" type: "ReLU" bottom: "again" top: "again" relu_param { negative_slope: 0.2 } }
layer { name: "up" type: "Deconvolution" bottom: "again" top: "up" convolution_param { num_output: 4 kernel_size: 4 stride: 2 pad: 1 } }
layer { name: "norm" type: "Normalize" bottom: "again" top: "norm" norm_param { across_spatial: false channel_shared: false } }
layer { name: "local" type: "LRN" bottom: "dw" top: "local" lrn_param { norm_region: WITHIN_CHANNEL local_size: 3 alpha: 0.5 beta: 0.75 } }
layer { name: "cut" type: "Pooling" bottom: "dw" top: "cut" pooling_param { pool: AVE kernel_size: 3 stride: 2 } }
layer { name: "product3" type: "Eltwise" bottom: "ave" bottom: "max" bottom: "sum" top: "product3" eltwise_param { operation: PROD } }
layer { name: "gate" type: "Pooling" bottom: "max" top: "gate" pooling_param { pool: AVE global_pooling: true } }
layer { name: "flat" type: "Flatten" bottom: "gate" top: "flat" }
layer { name: "gated" type: "Scale" bottom: "max" bottom: "flat" top: "gated" scale_param { axis: 0 } }
layer { name: "axpy" type: "Axpy" bottom: "gate" bottom: "max" bottom: "ave" top: "axpy" }
layer { name: "bias" type: "Bias" bottom: "gated" top: "bias" }
layer { name: "tanh" type: "TanH" bottom: "up" top: "tanh" }
layer { name: "ip" type: "InnerProduct" bottom: "tanh" top: "ip" inner_product_param { num_output: 8 } }
layer { name: "prob" type: "Softmax" bottom: "ip" top: "prob" })";

using Shapes = std::vector<std::vector<int64_t>>;

caffe::NetParameter net_with_weights() {
  auto net = read_prototxt(kGraph);
  EXPECT_TRUE(net.ok()) << net.status().message();
  const std::map<std::string, Shapes> blobs{
      {"conv", {{12, 6, 3, 3}, {12}}}, {"bn", {{12}, {12}, {1}}}, {"scale", {{12}, {12}}},
      {"dw", {{12, 1, 3, 3}, {12}}},   {"prelu", {{12}}},         {"up", {{48, 4, 4, 4}, {4}}},
      {"ip", {{8, 576}, {8}}},         {"norm", {{48}}},          {"bias", {{12}}}};
  std::mt19937_64 random(3);
  for (caffe::LayerParameter& layer : *net->mutable_layer()) {
    const auto shapes = blobs.find(layer.name());
    if (shapes == blobs.end()) continue;
    std::uniform_real_distribution<float> value(layer.name() == "bn" ? 0.5f : -0.7f, 1);
    for (const auto& shape : shapes->second) {
      caffe::BlobProto& blob = *layer.add_blobs();
      int64_t size = 1;
      for (const int64_t dim : shape) {
        blob.mutable_shape()->add_dim(dim);
        size *= dim;
      }
      for (int64_t i = 0; i < size; ++i) blob.add_data(value(random));
    }
  }
  return *net;
}

TEST(CalibrateLayers, ComeCloseToTheFloats) {
  const tputwin::testing::TemporaryDirectory folder;
  std::mt19937_64 random(4);
  std::vector<uint8_t> bytes(32 * 864);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
  ASSERT_TRUE(write_bytes(folder / "raw", bytes).ok());
  auto data = open_data_set(
      folder / "raw", {.shape = {1, 6, 12, 12}, .scale = {1 / 64.0f}, .raw_type = RawType::i8});
  ASSERT_TRUE(data.ok()) << data.status().message();
  for (const ThresholdMethod method :
       {ThresholdMethod::maximum, ThresholdMethod::squared_error, ThresholdMethod::percentile}) {
    CalibrationOptions options;
    options.method = method;
    auto result = calibrate(net_with_weights(), {data->get()}, options);
    ASSERT_TRUE(result.ok()) << result.status().message();
    for (const TensorReport& tensor : result->tensors) {
      EXPECT_GT(tensor.sqnr, 12) << tensor.layer << "\n" << report_text(*result);
    }
  }
}

// The int8 net, read again, is recognized as int8 although its Normalize has floats. All its layers
// find their integers.
TEST(CalibrateLayers, TheInt8NetIsNotQuantizedAgain) {
  const tputwin::testing::TemporaryDirectory folder;
  std::mt19937_64 random(4);
  std::vector<uint8_t> bytes(8 * 864);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
  ASSERT_TRUE(write_bytes(folder / "raw", bytes).ok());
  auto data = open_data_set(
      folder / "raw", {.shape = {1, 6, 12, 12}, .scale = {1 / 64.0f}, .raw_type = RawType::i8});
  ASSERT_TRUE(data.ok()) << data.status().message();
  const caffe::NetParameter floats = net_with_weights();
  auto float_network = import_caffe(floats);
  ASSERT_TRUE(float_network.ok()) << float_network.status().message();
  EXPECT_TRUE(has_float_weights(*float_network));
  auto result = calibrate(floats, {data->get()}, {});
  ASSERT_TRUE(result.ok()) << result.status().message();
  auto network = import_caffe(result->net);
  ASSERT_TRUE(network.ok()) << network.status().message();
  EXPECT_FALSE(has_float_weights(*network));
  for (const auto& [layer, blobs] : result->network.blobs)
    for (size_t i = 0; i < blobs.size(); ++i)
      EXPECT_EQ(network->blobs.at(layer).at(i).data, blobs[i].data) << layer << " blob " << i;
  auto compiled = compile(*network, result->table);
  EXPECT_TRUE(compiled.ok()) << compiled.status().message();
}

}  // namespace
}  // namespace tputwin::net
