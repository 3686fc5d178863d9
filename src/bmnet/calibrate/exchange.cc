// Conversion of statistics to bytes and back. Bytes may come from files, so every value is checked.
#include <bmnet/statistics.pb.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/errors/bmnet.h"
#include "bmnet/calibrate/statistics.h"

namespace tputwin::net {
namespace {

using Tensor = UnitStatistics::Tensor;

Error not_of_this_net(std::string_view what) {
  return Error(errors::net_statistics).in("calibration").detail(std::string(what));
}

// Parses a message. It must have the tensors of `names`, in their order.
template <class Names, class NameOf>
Result<UnitStatistics> parse(const std::string& bytes, const Names& names, NameOf name_of) {
  UnitStatistics message;
  if (!message.ParseFromString(bytes)) return not_of_this_net("bytes that are no statistics");
  const auto is_own = [&](const Tensor& tensor, const auto& own) {
    return tensor.name() == name_of(own);
  };
  if (!std::equal(message.tensor().begin(), message.tensor().end(), names.begin(), names.end(),
                  is_own))
    return not_of_this_net(
        fmt::format("{} tensors, not the net's {}", message.tensor_size(), names.size()));
  return message;
}

bool is_range(const Tensor& tensor) {
  return std::isfinite(tensor.least()) && std::isfinite(tensor.largest()) &&
         std::isfinite(tensor.sum_of_squares()) && tensor.least() <= 0 && tensor.largest() >= 0 &&
         tensor.sum_of_squares() >= 0;
}

}  // namespace

std::string to_bytes(const TensorRanges& ranges) {
  UnitStatistics message;
  for (const auto& [name, range] : ranges) {
    Tensor& tensor = *message.add_tensor();
    tensor.set_name(name);
    tensor.set_least(range.least);
    tensor.set_largest(range.largest);
    tensor.set_sum_of_squares(range.sum_of_squares);
    tensor.set_has_infinite(range.has_infinite);
  }
  return message.SerializeAsString();
}

std::string to_bytes(const Distributions& distributions) {
  UnitStatistics message;
  for (const auto& [name, histogram] : distributions.histograms) {
    Tensor& tensor = *message.add_tensor();
    tensor.set_name(name);
    const std::span<const uint64_t> counts = histogram.counts();
    // Number of bins up to the last with values.
    size_t used = counts.size();
    while (used > 0 && counts[used - 1] == 0) --used;
    tensor.mutable_counts()->Add(counts.begin(), counts.begin() + static_cast<ptrdiff_t>(used));
    const auto mean = distributions.means.tensors().find(name);
    if (mean == distributions.means.tensors().end()) continue;
    tensor.mutable_sums()->Add(mean->second.sums.begin(), mean->second.sums.end());
    tensor.set_count(mean->second.count);
  }
  return message.SerializeAsString();
}

Result<TensorRanges> ranges_of(const std::string& bytes, const Network& network) {
  std::set<std::string> names;
  for (const TensorOp& op : network.ops) names.insert(op.top().begin(), op.top().end());
  TW_ASSIGN_OR_RETURN(message, parse(bytes, names, [](const std::string& name) { return name; }));
  TensorRanges ranges;
  for (const Tensor& tensor : message.tensor()) {
    if (!is_range(tensor)) return not_of_this_net("range of " + tensor.name());
    ranges[tensor.name()] = {tensor.least(), tensor.largest(), tensor.sum_of_squares(),
                             tensor.has_infinite()};
  }
  return ranges;
}

Status add_bytes(Distributions& distributions, const std::string& bytes) {
  TW_ASSIGN_OR_RETURN(
      message, parse(bytes, distributions.histograms, [](const auto& own) { return own.first; }));
  for (const Tensor& tensor : message.tensor()) {
    Histogram& histogram = distributions.histograms.find(tensor.name())->second;
    const auto bins = static_cast<size_t>(tensor.counts_size());
    if (bins > histogram.counts().size())
      return not_of_this_net(fmt::format("{}: {} bins", tensor.name(), bins));
    for (size_t i = 0; i < bins; ++i) histogram.add_bin(i, tensor.counts(static_cast<int>(i)));
    const std::span<const double> sums(tensor.sums().data(), tensor.sums().size());
    if (!distributions.means.add(tensor.name(), sums, tensor.count()))
      return not_of_this_net(fmt::format("{}: {} sums", tensor.name(), sums.size()));
  }
  return {};
}

}  // namespace tputwin::net
