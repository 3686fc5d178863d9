// Whole nets against OpenCV.
#include <gtest/gtest.h>

#include <cmath>

#include "bmnet/caffe/import.h"
#include "bmnet_float/against_opencv.h"
#include "common/shared_data.h"

namespace tputwin::net::testing {
namespace {

void expect_net(const std::string& prototxt, const std::string& caffemodel) {
  using tputwin::testing::shared_data;
  auto net = load_caffe(shared_data(prototxt), shared_data(caffemodel));
  ASSERT_TRUE(net.ok()) << net.status().message();
  expect_as_opencv(*net, 7, 1e-4f, 1);
  auto folded = fold_batch_norm(*net);
  ASSERT_TRUE(folded.ok()) << folded.status().message();
  expect_as_opencv(*folded, 8, 1e-4f, 1);
}

TEST(RealNets, LeNet) {
  TW_NEED_SHARED_DATA("lenet/lenet_iter_10000.caffemodel");
  expect_net("lenet/lenet.prototxt", "lenet/lenet_iter_10000.caffemodel");
}
TEST(RealNets, Det1) {
  TW_NEED_SHARED_DATA("mtcnn/det1.caffemodel");
  expect_net("mtcnn/det1.prototxt", "mtcnn/det1.caffemodel");
}
TEST(RealNets, Det2) {
  TW_NEED_SHARED_DATA("mtcnn/det2.caffemodel");
  expect_net("mtcnn/det2.prototxt", "mtcnn/det2.caffemodel");
}
TEST(RealNets, Det3) {
  TW_NEED_SHARED_DATA("mtcnn/det3.caffemodel");
  expect_net("mtcnn/det3.prototxt", "mtcnn/det3.caffemodel");
}
TEST(RealNets, UltraFace) {
  TW_NEED_SHARED_DATA("ultraface/RFB-320.caffemodel");
  expect_net("ultraface/RFB-320.prototxt", "ultraface/RFB-320.caffemodel");
}

// Compares tensors of a public net with recorded results of OpenCV 4.6.
void expect_recorded(const std::string& prototxt, const std::string& caffemodel,
                     const std::vector<int64_t>& shape, const std::string& input,
                     const std::map<std::string, std::string>& tensors) {
  using tputwin::testing::recorded_floats;
  using tputwin::testing::shared_data;
  auto net = load_caffe(shared_data(prototxt), shared_data(caffemodel));
  ASSERT_TRUE(net.ok()) << net.status().message();
  auto network = import_caffe(*net, {.input_shapes = {make_shape(shape)}});
  ASSERT_TRUE(network.ok()) << network.status().message();
  auto executor = FloatExecutor::create(*network);
  ASSERT_TRUE(executor.ok()) << executor.status().message();
  // By Caffe's name; for in-place layers, the result of the last one.
  std::map<std::string, Blob> values;
  auto results = (*executor)->run({{"data", {shape, recorded_floats(input)}}},
                                  [&](const std::string& tensor, const Blob& value) {
                                    values[network->blob_name(tensor)] = value;
                                  });
  ASSERT_TRUE(results.ok()) << results.status().message();
  for (const auto& [tensor, file] : tensors) {
    const std::vector<float> expected = recorded_floats(file);
    ASSERT_EQ(values[tensor].data.size(), expected.size()) << tensor;
    for (size_t i = 0; i < expected.size(); ++i)
      ASSERT_NEAR(values[tensor].data[i], expected[i],
                  1e-4F * std::max(1.0F, std::abs(expected[i])))
          << tensor << " at " << i;
  }
}

TEST(RecordedNets, CifarQuick) {
  const std::string folder = "bm1880-real/cifar10/";
  TW_NEED_SHARED_DATA(folder + "input_1_3_32_32.f32");
  expect_recorded(folder + "cifar10_quick.prototxt", folder + "cifar10_quick_iter_5000.caffemodel",
                  {1, 3, 32, 32}, folder + "input_1_3_32_32.f32",
                  {{"pool2", folder + "pool2_1_32_8_8.f32"},
                   {"pool3", folder + "pool3_1_64_4_4.f32"},
                   {"ip2", folder + "ip2_1_10.f32"},
                   {"prob", folder + "prob_1_10.f32"}});
}

TEST(RecordedNets, YuFaceDetect) {
  const std::string folder = "bm1880-real/yufacedetect/", name = folder + "yufacedetectnet-open-v1";
  TW_NEED_SHARED_DATA(folder + "input_1_3_64_64.f32");
  expect_recorded(name + ".prototxt", name + ".caffemodel", {1, 3, 64, 64},
                  folder + "input_1_3_64_64.f32",
                  {{"conv3_3", folder + "conv3_3_1_32_8_8.f32"},
                   {"conv3_3_norm", folder + "conv3_3_norm_1_32_8_8.f32"}});
}

}  // namespace
}  // namespace tputwin::net::testing
