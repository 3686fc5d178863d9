// Calibration of real nets: the tables compile, and the integers approximate the floats.
#include "bmnet/pipeline/prepare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "bmnet/caffe/import.h"
#include "bmnet/integers/rules.h"
#include "bmnet/reference/execute.h"
#include "common/shared_data.h"

namespace tputwin::net {
namespace {

using tputwin::testing::shared_data;

std::unique_ptr<DataSet> open(const std::string& path, const DataOptions& options) {
  auto data = open_data_set(shared_data(path), options);
  EXPECT_TRUE(data.ok()) << data.status().message();
  return data.ok() ? std::move(*data) : nullptr;
}

class CalibrateLeNet : public ::testing::TestWithParam<ThresholdMethod> {};

TEST_P(CalibrateLeNet, KeepsItsAccuracy) {
  TW_NEED_SHARED_DATA("lenet/lenet.prototxt");
  TW_NEED_SHARED_DATA("mnist");
  auto net = load_caffe(shared_data("lenet/lenet.prototxt"),
                        shared_data("lenet/lenet_iter_10000.caffemodel"));
  ASSERT_TRUE(net.ok()) << net.status().message();
  const auto data =
      open("mnist/t10k-images-idx3-ubyte.gz", {.shape = {1, 1, 28, 28}, .scale = {1 / 256.0f}});
  CalibrationOptions options;
  options.method = GetParam();
  options.samples = 100;
  size_t steps = 0, total = 0;
  options.progress = [&](size_t done, size_t all) {
    EXPECT_EQ(done, ++steps);
    total = all;
  };
  auto result = calibrate(*net, {data.get()}, options);
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(steps, total);

  auto integers = resolve(result->network, result->table);
  ASSERT_TRUE(integers.ok()) << integers.status().message();
  const std::string input = result->network.inputs()[0], output = result->network.outputs()[0];
  const float threshold = (*integers)[0].threshold_y[0];
  size_t right = 0;
  constexpr size_t kFirst = 1000, kTested = 200;
  for (size_t i = kFirst; i < kFirst + kTested; ++i) {
    std::vector<float> values(784);
    ASSERT_TRUE(data->sample(i, values).ok());
    TensorBytes bytes;
    for (const float x : values)
      bytes.push_back(static_cast<uint8_t>(round_to_int8(x * 128 / threshold)));
    auto tensors = run_int8(result->network, *integers, {{input, bytes}});
    ASSERT_TRUE(tensors.ok()) << tensors.status().message();
    const TensorBytes& y = tensors->at(output);
    const auto best = std::max_element(y.begin(), y.end(), [](uint8_t a, uint8_t b) {
      return static_cast<int8_t>(a) < static_cast<int8_t>(b);
    });
    right += best - y.begin() == data->label(i);
  }
  EXPECT_GE(right, kTested * 97 / 100);
  for (const TensorReport& tensor : result->tensors) {
    EXPECT_GT(tensor.sqnr, GetParam() == ThresholdMethod::divergence ? 10 : 25) << tensor.blob;
  }
  const auto json = nlohmann::json::parse(report_json(*result));
  EXPECT_EQ(json["tensors"].size(), result->tensors.size());
  EXPECT_NE(report_text(*result).find("conv1"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Methods, CalibrateLeNet,
                         ::testing::Values(ThresholdMethod::maximum, ThresholdMethod::percentile,
                                           ThresholdMethod::divergence,
                                           ThresholdMethod::squared_error));

// Calibrates nets of a face detector on crops of one photograph.
void expect_calibrates(const std::string& prototxt, const std::string& caffemodel,
                       const DataOptions& given, double least_cosine) {
  auto net = load_caffe(shared_data(prototxt), shared_data(caffemodel));
  ASSERT_TRUE(net.ok()) << net.status().message();
  DataOptions data_options = given;
  auto inputs = sample_inputs(*net);
  ASSERT_TRUE(inputs.ok()) << inputs.status().message();
  data_options.shape = inputs->front().shape;
  const auto data = open("mtcnn", data_options);
  CalibrationOptions options;
  auto result = calibrate(*net, {data.get()}, options);
  ASSERT_TRUE(result.ok()) << result.status().message();
  auto integers = resolve(result->network, result->table);
  ASSERT_TRUE(integers.ok()) << integers.status().message();
  for (const std::string& output : result->network.outputs())
    for (const TensorReport& tensor : result->tensors)
      if (tensor.blob == output) {
        EXPECT_GT(tensor.cosine, least_cosine) << report_text(*result);
      }
  // The written net reads back as an int8 net.
  auto again = read_caffemodel([&] {
    static std::string bytes;
    bytes = to_caffemodel(result->net);
    return std::span(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  }());
  ASSERT_TRUE(again.ok()) << again.status().message();
  for (const caffe::LayerParameter& layer : again->layer())
    for (const caffe::BlobProto& blob : layer.blobs())
      for (const float value : blob.data()) {
        ASSERT_EQ(value, std::floor(value)) << layer.name();
        ASSERT_LE(std::fabs(value), 32768) << layer.name();
      }
}

const DataOptions kFaces{.mean = {127.5f}, .scale = {0.0078125f}, .rgb = true};

TEST(Calibrate, Det1) {
  TW_NEED_SHARED_DATA("mtcnn/det1.caffemodel");
  expect_calibrates("mtcnn/det1.prototxt", "mtcnn/det1.caffemodel", kFaces, 0.97);
}
TEST(Calibrate, Det2) {
  TW_NEED_SHARED_DATA("mtcnn/det2.caffemodel");
  expect_calibrates("mtcnn/det2.prototxt", "mtcnn/det2.caffemodel", kFaces, 0.99);
}
TEST(Calibrate, Det3) {
  TW_NEED_SHARED_DATA("mtcnn/det3.caffemodel");
  expect_calibrates("mtcnn/det3.prototxt", "mtcnn/det3.caffemodel", kFaces, 0.99);
}
TEST(Calibrate, UltraFace) {
  TW_NEED_SHARED_DATA("ultraface/RFB-320.caffemodel");
  expect_calibrates("ultraface/RFB-320.prototxt", "ultraface/RFB-320.caffemodel",
                    {.mean = {127}, .scale = {1 / 128.0f}, .rgb = true}, 0.95);
}

}  // namespace
}  // namespace tputwin::net
