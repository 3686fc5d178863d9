// Random nets, quantized in all ways of the tools, compared with their float nets: the loss of int8
// must be of the size of its steps.
//
// 400 cases by default; TPUTWIN_CASES=2000 runs as many. A failure prints the line that reruns it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "bmnet/support.h"
#include "bmnet_onnx/random_net.h"
#include "common/rng.h"

namespace tputwin::test {
namespace {

// In dB; a lost Relu, a saturated mean or lost small scores give less.
constexpr double kLeastSqnr = 10;

struct Fit {
  std::string error;
  double worst = INFINITY;  // SQNR of an output over the samples
  std::string tensor;
  // First values of the float net and of the int8 net.
  std::string values;
};

// "(24) 0 0.5 ... and 0 0.49 ..."
std::string first_values(const std::vector<float>& expected, const std::vector<float>& actual) {
  const size_t count = std::min<size_t>(12, std::min(expected.size(), actual.size()));
  return fmt::format("({}) {:.4g} and {:.4g}", expected.size(),
                     fmt::join(expected.begin(), expected.begin() + count, " "),
                     fmt::join(actual.begin(), actual.begin() + count, " "));
}

// Returns true if a Relu or Clip leaves nearly only zeros. The rare other values are then of the
// size of one step of the tensor before it, and do not measure the output.
bool is_nearly_dead(const std::vector<float>& values) {
  const auto others = std::ranges::count_if(values, [&](float v) { return v != values.front(); });
  return static_cast<size_t>(others) * 8 < values.size() && values.front() == 0;
}

Fit no_fit(const Status& status) { return {status.message(), 0, "", ""}; }

// Compares `net` with the float net, over all samples.
Fit compare_with_float(const Int8& net, const RandomNet& original) {
  auto network = import(original.model);
  if (!network.ok()) return no_fit(network.status());
  std::map<std::string, std::vector<float>> expected, actual;
  for (const Blobs& sample : original.samples) {
    auto floats = run_float(*network, sample);
    auto bytes = run_int8(net, sample);
    if (!floats.ok()) return no_fit(floats.status());
    if (!bytes.ok()) return no_fit(bytes.status());
    for (const auto& [output, blob] : *floats)
      expected[output].insert(expected[output].end(), blob.data.begin(), blob.data.end());
    for (const auto& [output, blob] : *bytes)
      actual[output].insert(actual[output].end(), blob.data.begin(), blob.data.end());
  }
  Fit outcome;
  for (const auto& [output, values] : expected) {
    if (is_nearly_dead(values)) continue;
    const double fit = sqnr(values, actual[output]);
    if (fit >= outcome.worst) continue;
    outcome.worst = fit;
    outcome.tensor = output;
    outcome.values = first_values(values, actual[output]);
  }
  return outcome;
}

enum class Way { own, own_calibrated, calibrated };

Fit run(const RandomNet& net, Way way, const QuantizerStyle& style) {
  if (way == Way::calibrated) {
    auto int8 = calibrated(net.model, net.samples);
    return int8.ok() ? compare_with_float(int8->net, net) : no_fit(int8.status());
  }
  auto model = quantized_model(net, style);
  if (!model.ok()) return no_fit(model.status());
  if (way == Way::own_calibrated) {
    auto int8 = calibrated(*model, net.samples);
    return int8.ok() ? compare_with_float(int8->net, net) : no_fit(int8.status());
  }
  auto int8 = own_int8(*model);
  return int8.ok() ? compare_with_float(*int8, net) : no_fit(int8.status());
}

// In these nets means and boxes have no scales: their ranges follow only from samples.
bool needs_samples(const RandomNet& net) {
  return net.about.find("mean") != std::string::npos ||
         net.about.find("detector") != std::string::npos;
}

TEST(RandomNets, FitTheirFloatNets) {
  const testing::RandomCases cases(400);
  std::vector<double> fits;
  for (uint64_t index = cases.first; index < cases.end(); ++index) {
    SCOPED_TRACE(cases.rerun(index));
    testing::Rng rng = cases.rng(index);
    const RandomNet net = random_net(rng);
    const QuantizerStyle style = random_style(rng);
    const Way quantized = needs_samples(net) ? Way::own_calibrated : Way::own;
    const Way way = rng.chance(1, 3) ? Way::calibrated : quantized;
    const Fit outcome = run(net, way, style);
    fits.push_back(outcome.worst);
    EXPECT_TRUE(outcome.error.empty() && outcome.worst > kLeastSqnr)
        << outcome.error
        << fmt::format("SQNR {:.1f} dB of {} {}, way {}, types {}, operators {}:{}", outcome.worst,
                       outcome.tensor, outcome.values, static_cast<int>(way),
                       static_cast<int>(style.types), style.operators, net.about);
  }
  std::ranges::sort(fits);
  RecordProperty("least_sqnr", fmt::format("{:.1f}", fits.front()));
  RecordProperty("median_sqnr", fmt::format("{:.1f}", fits[fits.size() / 2]));
}

}  // namespace
}  // namespace tputwin::test
