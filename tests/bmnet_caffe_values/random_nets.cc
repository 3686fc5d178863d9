// Random nets against Caffe's semantics: in float, folded, and calibrated to int8.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bmnet_caffe_values/random_net.h"
#include "common/rng.h"

namespace tputwin::net::testing {
namespace {

constexpr uint64_t kNets = 2000;
constexpr uint64_t kInt8Samples = 3;
// The worst of these nets has 20 dB; a net with a layer that loses its bias has 0 to 6 dB.
constexpr double kLeastRatio = 18;
// Outputs with few values, such as a mean, may be near zero although their inputs are not.
constexpr size_t kFew = 24;
constexpr double kLeastOfFew = 8;

std::string describe_net(const RandomNet& net) {
  std::string text = net.text;
  for (const LayerBlob& blob : net.file)
    text += fmt::format("blob of {}: {} values\n", blob.layer, blob.values.size());
  return text;
}

// Removes the unused rows of detections, which hold -1.
Floats without_extra_rows(Floats found, size_t wanted) {
  while (found.size() > wanted && found.size() >= 7 && found[found.size() - 7] == -1)
    found.resize(found.size() - 7);
  return found;
}

// Returns the largest difference, relative to the largest value.
double difference(const Floats& right, const Floats& found) {
  if (right.size() != found.size()) return INFINITY;
  double most = 1e-3, error = 0;
  for (size_t i = 0; i < right.size(); ++i) {
    most = std::max(most, std::fabs(double{right[i]}));
    const double d = std::fabs(double{right[i]} - found[i]);
    error = std::isnan(d) ? INFINITY : std::max(error, d);
  }
  return error / most;
}

void expect_as_caffe(const RandomNet& net, const std::map<std::string, Tensor>& right,
                     const Result<Values>& values, const char* how) {
  ASSERT_TRUE(values.ok()) << how << ": " << values.status().message();
  EXPECT_EQ(values->size(), net.outputs.size()) << how;
  for (const std::string& output : net.outputs) {
    const auto found = values->find(output);
    ASSERT_NE(found, values->end()) << how << ": no output " << output;
    const Floats& wanted = right.at(output).data;
    EXPECT_LT(difference(wanted, without_extra_rows(found->second, wanted.size())), 1e-4)
        << how << ": output " << output;
  }
}

class RandomNets {
 public:
  void check(uint64_t seed) {
    const RandomNet net = random_net(seed);
    SCOPED_TRACE(describe_net(net));
    const auto merged = try_net(net.text, net.file);
    ASSERT_TRUE(merged.ok()) << merged.status().message();
    const auto right = run_caffe(net.right, net.inputs);
    expect_as_caffe(net, right, run_float(*merged, net.inputs), "float");
    expect_as_caffe(net, right, run_folded(*merged, net.inputs), "folded");
    if (net.is_stable) check_int8(net, *merged);
  }

  void report() {
    if (ratios_.empty()) return;
    std::sort(ratios_.begin(), ratios_.end());
    std::printf("%zu int8 outputs: SQNR %.1f dB at least, %.1f dB of 1%%, %.1f dB of half\n",
                ratios_.size(), ratios_.front(), ratios_[ratios_.size() / 100],
                ratios_[ratios_.size() / 2]);
  }

 private:
  void check_int8(const RandomNet& net, const caffe::NetParameter& merged) {
    std::vector<Values> samples;
    for (uint64_t i = 1; i <= kInt8Samples; ++i) samples.push_back(random_inputs(net, i));
    const auto int8 = run_int8(merged, samples);
    ASSERT_TRUE(int8.ok()) << int8.status().message();
    std::map<std::string, std::pair<Floats, Floats>> all;  // right and found, of all samples
    for (size_t i = 0; i < samples.size(); ++i) {
      const auto right = run_caffe(net.right, samples[i]);
      for (const std::string& output : net.outputs) {
        const Floats& wanted = right.at(output).data;
        ASSERT_TRUE(int8->outputs[i].contains(output)) << output;
        const Floats& found = int8->outputs[i].at(output);
        all[output].first.insert(all[output].first.end(), wanted.begin(), wanted.end());
        all[output].second.insert(all[output].second.end(), found.begin(), found.end());
      }
    }
    for (const auto& [output, values] : all) {
      const double ratio = sqnr(values.first, values.second);
      if (std::isfinite(ratio)) ratios_.push_back(ratio);
      EXPECT_GT(ratio, values.first.size() < kFew ? kLeastOfFew : kLeastRatio)
          << "output " << output;
    }
  }

  std::vector<double> ratios_;
};

TEST(RandomNets, AreAsInCaffe) {
  const tputwin::testing::RandomCases cases(kNets);
  RandomNets nets;
  for (uint64_t i = cases.first; i < cases.end(); ++i) {
    SCOPED_TRACE(cases.rerun(i));
    nets.check(cases.seed * 1000003 + i);
    if (::testing::Test::HasFailure()) return;
  }
  nets.report();
}

}  // namespace
}  // namespace tputwin::net::testing
