// Well-known networks, detectors among them, run on both chips in every type of these, and agree
// with float execution. Runs are checked as `tputwin check` does.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "bmnet/caffe/import.h"
#include "bmnet/calibrate/compare_tensors.h"
#include "bmnet/targets/bm1684/target.h"
#include "bmnet_bm1684x/support.h"
#include "classics/classics.h"

namespace tputwin::net::testing {
namespace {

struct Numbers {
  const bm1684x::Target& target;
  DType type;
  double cosine, found;  // at least
};
const Numbers kNumbers[] = {{bm1684x::bm1684x_target(), DType::f32, 0.99999, 0.99},
                            {bm1684x::bm1684x_target(), DType::f16, 0.9999, 0.95},
                            {bm1684x::bm1684x_target(), DType::bf16, 0.999, 0.9},
                            {bm1684x::bm1684x_target(), DType::i8, 0.99, 0.75},
                            {bm1684::bm1684_target(), DType::f32, 0.99999, 0.99},
                            {bm1684::bm1684_target(), DType::i8, 0.99, 0.75}};

constexpr size_t kRow = 7;  // image, label, score, and a box

double overlap(const float* a, const float* b) {
  const double w = std::min(a[5], b[5]) - std::max(a[3], b[3]),
               h = std::min(a[6], b[6]) - std::max(a[4], b[4]);
  if (w <= 0 || h <= 0) return 0;
  const auto area = [](const float* r) { return (double{r[5]} - r[3]) * (double{r[6]} - r[4]); };
  return w * h / (area(a) + area(b) - w * h);
}

// Returns the part of the detections that have one of the same label at their place. Rows without a
// detection are -1, or 0 in memory that nothing wrote.
double found_detections(const std::vector<float>& expected, const std::vector<float>& actual) {
  double found = 0, all = 0;
  for (size_t i = 0; i + kRow <= expected.size(); i += kRow) {
    const float* row = expected.data() + i;
    if (row[0] < 0) continue;
    all += 1;
    bool is_there = false;
    for (size_t k = 0; k + kRow <= actual.size(); k += kRow) {
      const float* other = actual.data() + k;
      is_there |= other[0] == row[0] && other[1] == row[1] && other[2] > 0 &&
                  std::abs(other[2] - row[2]) < 0.2f && overlap(row, other) > 0.5;
    }
    found += is_there ? 1 : 0;
  }
  EXPECT_GT(all, 4) << "the net finds too little to compare";
  return found / all;
}

// VGG, AlexNet and ResNet-50 have the layers of the others, and take longer than all of them.
std::vector<models::Classic> compared_classics() {
  std::vector<models::Classic> some;
  for (const models::Classic& classic : models::classics())
    if (classic.name != "vgg16" && classic.name != "alexnet" && classic.name != "resnet50")
      some.push_back(classic);
  return some;
}

class Classics168x : public ::testing::TestWithParam<models::Classic> {};

TEST_P(Classics168x, AgreeWithFloatsInEveryType) {
  auto caffe = models::make_classic(GetParam().name);
  ASSERT_TRUE(caffe.ok()) << caffe.status().message();
  auto folded = fold_batch_norm(*caffe);
  ASSERT_TRUE(folded.ok()) << folded.status().message();
  auto network = import_caffe(*folded, {});
  ASSERT_TRUE(network.ok()) << network.status().message();
  const Values inputs = random_inputs(*network, 1);
  const NetCalibrationParameter table = largest_values(*network, inputs);
  auto executor = FloatExecutor::create(*network);
  ASSERT_TRUE(executor.ok()) << executor.status().message();
  auto floats = (*executor)->run(inputs);
  ASSERT_TRUE(floats.ok()) << floats.status().message();
  const std::vector<float>& expected = floats->at(network->outputs()[0]).data;
  const auto shape = dims(*network->shape_of(network->outputs()[0]));
  const bool are_detections = shape.back() == static_cast<int64_t>(kRow);
  for (const auto& [target, type, cosine, found] : kNumbers) {
    SCOPED_TRACE(fmt::format("{} {}", target.chip.name, to_string(type)));
    const bm1684x::ScopedTarget scope(target);
    auto compiled =
        bm1684x::compile(*network, {.type = type, .table = type == DType::i8 ? &table : nullptr});
    ASSERT_TRUE(compiled.ok()) << compiled.status().message();
    auto actual = run(*compiled, *network, inputs);
    ASSERT_TRUE(actual.ok()) << actual.status().message();
    Fit fit;
    if (!are_detections) fit.add(expected, (*actual)[0]);
    const double reached = are_detections ? found_detections(expected, (*actual)[0]) : fit.cosine();
    EXPECT_GE(reached, are_detections ? found : cosine);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Classics168x, ::testing::ValuesIn(compared_classics()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace tputwin::net::testing
