// Well-known networks with random weights: calibrated on noise, compiled at every level, compared
// with the interpreter byte for byte.
#include <gtest/gtest.h>

#include "bmnet/caffe/import.h"
#include "bmnet/pipeline/prepare.h"
#include "bmnet/support.h"
#include "classics/classics.h"

namespace tputwin::testing {
namespace {

class Noise : public net::DataSet {
 public:
  explicit Noise(size_t samples) { labels_.assign(samples, -1); }
  Status sample(size_t index, std::span<float> values) const override {
    Rng rng(7, index);
    for (float& v : values) v = static_cast<float>(rng.below(2001)) / 1000.0f - 1.0f;
    return {};
  }
  Result<net::Extents> natural_shape() const override { return net::Extents{}; }
};

class Classics : public ::testing::TestWithParam<models::Classic> {};

TEST_P(Classics, EqualTheInterpreterAtEveryLevel) {
  auto caffe = models::make_classic(GetParam().name);
  ASSERT_TRUE(caffe.ok()) << caffe.error().message();
  const Noise noise(1);
  net::CalibrationOptions options;
  options.method = net::ThresholdMethod::maximum;
  options.batch = 1;
  options.report_samples = 0;
  auto calibration = net::calibrate(*caffe, {&noise}, options);
  ASSERT_TRUE(calibration.ok()) << calibration.error().message();
  auto integers = net::resolve(calibration->network, calibration->table);
  ASSERT_TRUE(integers.ok()) << integers.error().message();
  EXPECT_EQ(compare_levels(calibration->network, *integers, 3).substr(0, 2000), "");
  if (GetParam().name != "resnet50") return;
  // Groups save most of the bytes on the bus; weights cross it once with and without groups.
  auto alone = net::compile(calibration->network, *integers, {.level = net::Level::none});
  auto grouped = net::compile(calibration->network, *integers, {});
  ASSERT_TRUE(alone.ok() && grouped.ok());
  EXPECT_LE(grouped->global_bytes * 10, alone->global_bytes * 7);
}

INSTANTIATE_TEST_SUITE_P(All, Classics,
                         ::testing::ValuesIn(models::classics().begin(), models::classics().end()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace tputwin::testing
