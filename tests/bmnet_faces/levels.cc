// Real nets, calibrated: the outputs equal the interpreter's at every level, in batches of one and
// four.
#include <gtest/gtest.h>

#include <opencv2/imgcodecs.hpp>

#include "bmnet_faces/mtcnn.h"
#include "bmnet_faces/ultraface.h"
#include "common/shared_data.h"

namespace tputwin::testing {
namespace {

constexpr int64_t kBatch = 4;

Samples digits(size_t count) {
  net::DataOptions options;
  options.shape = {1, 1, 28, 28};
  options.scale = {1 / 256.0f};
  auto data = net::open_data_set(shared_data("mnist/t10k-images-idx3-ubyte.gz"), options);
  EXPECT_TRUE(data.ok()) << data.error().message();
  Samples samples;
  if (!data.ok()) return samples;
  for (size_t i = 0; i < count; ++i) {
    net::Blob digit{{1, 1, 28, 28}, std::vector<float>(784)};
    EXPECT_TRUE((*data)->sample(i, digit.data).ok());
    samples.add(digit);
  }
  return samples;
}

struct Case {
  const char* name;
  Files files;
  std::vector<int64_t> input;  // of one sample
  Samples (*samples)(const cv::Mat& picture);
};

class RealNets : public ::testing::TestWithParam<Case> {};

// Expects that each sample of a batch gives the outputs that it gives alone.
void expect_samples_alone(const Model& alone, const Model& together) {
  const std::string input = alone.network.inputs()[0];
  const TensorBytes all = random_inputs(together.network, 5).at(input);
  auto whole = net::compile(together.network, together.integers);
  auto single = net::compile(alone.network, alone.integers);
  ASSERT_TRUE(whole.ok()) << whole.error().message();
  ASSERT_TRUE(single.ok()) << single.error().message();
  auto expected = run_compiled(*whole, together.network, {{input, all}});
  ASSERT_TRUE(expected.ok()) << expected.error().message();
  const auto size = static_cast<int64_t>(all.size()) / kBatch;
  for (int64_t i = 0; i < kBatch; ++i) {
    const TensorBytes one(all.begin() + i * size, all.begin() + (i + 1) * size);
    auto outputs = run_compiled(*single, alone.network, {{input, one}});
    ASSERT_TRUE(outputs.ok()) << outputs.error().message();
    ASSERT_EQ(outputs->size(), expected->size());
    for (size_t o = 0; o < outputs->size(); ++o) {
      const auto& part = (*outputs)[o];
      ASSERT_EQ(part.size() * kBatch, (*expected)[o].size());
      EXPECT_TRUE(std::equal(part.begin(), part.end(),
                             (*expected)[o].begin() + i * static_cast<int64_t>(part.size())))
          << "sample " << i << ", output " << o;
    }
  }
}

TEST_P(RealNets, EqualTheInterpreterAtEveryLevelAndBatch) {
  const auto& [name, files, input, samples] = GetParam();
  TW_NEED_SHARED_DATA(files.caffemodel);
  TW_NEED_SHARED_DATA("mtcnn/test1.jpg");
  TW_NEED_SHARED_DATA("mnist");
  net::CalibrationOptions options;
  options.samples = 16;
  options.input_shapes = {net::make_shape(input)};
  auto net = Int8Net::create(files, samples(cv::imread(shared_data("mtcnn/test1.jpg"))), options);
  ASSERT_TRUE(net.ok()) << net.error().message();
  auto alone = (*net)->reshaped(input);
  ASSERT_TRUE(alone.ok()) << alone.error().message();
  std::vector<int64_t> four = input;
  four[0] = kBatch;
  auto together = (*net)->reshaped(four);
  ASSERT_TRUE(together.ok()) << together.error().message();
  EXPECT_EQ(compare_levels(alone->network, alone->integers, 3).substr(0, 2000), "");
  EXPECT_EQ(compare_levels(together->network, together->integers, 4).substr(0, 2000), "");
  expect_samples_alone(*alone, *together);
}

INSTANTIATE_TEST_SUITE_P(
    All, RealNets,
    ::testing::Values(
        Case{"det1",
             kDet1,
             {1, 3, 96, 120},
             [](const cv::Mat& picture) { return pyramid_tiles(picture, 96, 120); }},
        Case{"det2",
             kDet2,
             {1, 3, 24, 24},
             [](const cv::Mat& picture) { return pyramid_tiles(picture, 24, 24); }},
        Case{"det3",
             kDet3,
             {1, 3, 48, 48},
             [](const cv::Mat& picture) { return pyramid_tiles(picture, 48, 48); }},
        Case{"ultraface",
             kUltraFace,
             {1, 3, 240, 320},
             [](const cv::Mat& picture) {
               Samples samples;
               samples.add(ultraface_input(picture));
               return samples;
             }},
        Case{"lenet", kLeNet, {1, 1, 28, 28}, [](const cv::Mat&) { return digits(16); }}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace tputwin::testing
