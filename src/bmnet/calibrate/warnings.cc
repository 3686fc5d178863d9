// Warnings of calibration about int8 tensors that differ much from the float net's.
#include "bmnet/calibrate/warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/errors/bmnet.h"
#include "bmnet/calibrate/shared_thresholds.h"

namespace tputwin::net {
namespace {

// More warnings than this would hide the others.
constexpr int kMostInner = 4;

using Reports = std::map<std::string, TensorReport, std::less<>>;

std::string fit(const TensorReport& report) {
  const std::string cosine = std::isnan(report.cosine) ? "none, as one of the two is 0"
                                                       : fmt::format("{:.3f}", report.cosine);
  return fmt::format("SQNR {:.1f} dB, cosine {}", report.sqnr, cosine);
}

class Warnings {
 public:
  Warnings(const Network& network, const Reports& reports, std::vector<Error>& warnings)
      : network_(network), reports_(reports), warnings_(warnings), outputs_(network.outputs()) {}

  void outputs() {
    for (const std::string& output : outputs_)
      if (const TensorReport* report = find(output); report && report->sqnr < kLeastOutputSqnr)
        warnings_.push_back(
            Error(errors::net_poor_fit)
                .in("output " + report->blob)
                .argument("fit", fit(*report))
                .detail("see the table for the first tensor that fits badly; try other samples, "
                        "--method max, or end the net before it and go on in the program"));
  }

  void inner() {
    int found = 0;
    for (const TensorOp& op : network_.ops)
      for (const std::string& top : op.top()) {
        if (!fits_badly(top) || std::ranges::find(outputs_, top) != outputs_.end()) continue;
        if (std::ranges::any_of(op.bottom(), [&](const std::string& b) { return fits_badly(b); }))
          continue;
        if (++found <= kMostInner) warn_inner(op, *find(top));
      }
  }

  void concats() {
    for (const TensorOp& op : network_.ops)
      if (is(op, Op::concat) && !holds_floats(op, 0))
        for (const std::string& bottom : op.bottom()) concat_input(op, bottom);
  }

 private:
  const TensorReport* find(const std::string& tensor) const {
    const auto found = reports_.find(tensor);
    return found == reports_.end() ? nullptr : &found->second;
  }
  // Returns true if the tensor fits badly. Values that a ReLU removes do not count.
  bool fits_badly(const std::string& tensor) const {
    const TensorReport* report = find(tensor);
    return report && report->sqnr < kLeastInnerSqnr && !feeds_relu_only(network_, tensor);
  }
  void warn_inner(const TensorOp& op, const TensorReport& report) {
    warnings_.push_back(Error(errors::net_poor_fit)
                            .in("layer " + op.name())
                            .argument("fit of " + report.blob, fit(report))
                            .detail(fmt::format("values from {:g} to {:g} with the threshold {:g}",
                                                report.least, report.largest, report.threshold)));
  }
  void concat_input(const TensorOp& op, const std::string& bottom) {
    const TensorReport *input = find(bottom), *result = find(op.top(0));
    if (!input || !result) return;
    const float largest = std::max(std::fabs(input->least), std::fabs(input->largest));
    if (largest == 0 || result->threshold <= kLargestConcatRatio * largest) return;
    const bool is_last = std::ranges::find(outputs_, op.top(0)) != outputs_.end();
    warnings_.push_back(
        Error(errors::net_mixed_concat)
            .in("layer " + op.name())
            .argument("largest value of " + input->blob, fmt::format("{:g}", largest))
            .detail(fmt::format("one step of {} is {:g}; ", result->blob, result->threshold / 128) +
                    (is_last
                         ? "cut the net before it: make its inputs the outputs (--output-names)"
                         : "multiply this input by a constant before it, and divide the weights "
                           "after it by the same")));
  }

  const Network& network_;
  const Reports& reports_;
  std::vector<Error>& warnings_;
  const std::vector<std::string> outputs_;
};

// Returns digits that differ from those of 1.
std::string cosine_text(double cosine) {
  if (cosine > 0.9999 && cosine < 1) return fmt::format("1 - {:.1g}", 1 - cosine);
  return fmt::format("{:.5f}", cosine);
}

constexpr std::string_view kNoRounding =
    ", which numbers that are rounded rarely reach: require 0.9999";

}  // namespace

void warn_of_poor_fit(const Network& network, const Reports& reports,
                      std::vector<Error>& warnings) {
  Warnings warn(network, reports, warnings);
  warn.outputs();
  warn.inner();
  warn.concats();
}

std::vector<Error> missed_outputs(const Calibration& calibration, double required) {
  std::vector<Error> missed;
  const auto& reports = calibration.tensors;
  // Without a cosine one of the two is 0. The SQNR says whether the float net's is.
  const auto is_poor = [&](const TensorReport& report) {
    return report.cosine < required || (std::isnan(report.cosine) && !std::isnan(report.sqnr));
  };
  const auto first = std::ranges::find_if(reports, is_poor);
  for (const std::string& output : calibration.network.outputs())
    for (const TensorReport& report : reports)
      if (report.blob == calibration.network.blob_name(output) && is_poor(report))
        missed.push_back(
            Error(errors::net_required)
                .in("output " + report.blob)
                .argument("cosine", cosine_text(report.cosine))
                .detail(fmt::format("{:g} is required{}; the first tensor below it is {} of layer "
                                    "{} ({})",
                                    required, required == 1 ? kNoRounding : "", first->blob,
                                    first->layer, cosine_text(first->cosine))));
  return missed;
}

}  // namespace tputwin::net
