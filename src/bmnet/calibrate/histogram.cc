// Histograms of tensors, and the threshold that each method chooses from them.
#include "bmnet/calibrate/histogram.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <numeric>

#include "base/parallel.h"

namespace tputwin::net {
namespace {

constexpr size_t kSteps = 128;

// Returns the sum of P * (log P - log Q). Q is the first `used` bins merged to 128 groups; each
// group's sum is spread over its non-empty bins.
double divergence(std::span<const uint64_t> counts, size_t used, double total) {
  double outliers = 0, kept = 0;
  for (size_t b = used; b < counts.size(); ++b) outliers += static_cast<double>(counts[b]);
  for (size_t b = 0; b < used; ++b) kept += static_cast<double>(counts[b]);
  if (kept == 0) return std::numeric_limits<double>::infinity();
  const size_t group = used / kSteps;
  double result = 0;
  for (size_t g = 0; g < kSteps; ++g) {
    const auto bins = counts.subspan(g * group, group);
    double sum = 0, filled = 0;
    for (const uint64_t count : bins) {
      sum += static_cast<double>(count);
      filled += count != 0;
    }
    for (size_t b = 0; b < group; ++b) {
      const bool last = g * group + b == used - 1;
      const double p = (static_cast<double>(bins[b]) + (last ? outliers : 0)) / total;
      const double q = bins[b] == 0 ? 0 : sum / filled / kept;
      result += p * (std::log10(p + 1e-30) - std::log10(q + 1e-30));
    }
  }
  return result;
}

double squared_error(std::span<const uint64_t> counts, double width, double threshold,
                     const ByteSteps& bytes) {
  const double step = threshold / bytes.steps;
  double error = 0;
  for (size_t b = 1; b < counts.size(); ++b) {
    if (counts[b] == 0) continue;
    const double value = static_cast<double>(b) * width;
    const double quantized = std::min(bytes.most, std::floor(value / step + 0.5)) * step;
    error += static_cast<double>(counts[b]) * (value - quantized) * (value - quantized);
  }
  return error;
}

}  // namespace

Histogram::Histogram(float largest, int bins)
    : largest_(largest), width_(largest / static_cast<float>(bins - 1)), counts_(bins) {}

void Histogram::add(std::span<const float> values, bool positive) {
  const float scale = 1 / width_;
  if (!std::isfinite(scale)) {  // all values are practically 0
    counts_[0] += values.size();
    return;
  }
  std::mutex mutex;
  const size_t last = counts_.size() - 1;
  parallel_for(values.size(), 65536, [&](size_t begin, size_t end) {
    std::vector<uint64_t> counts(counts_.size());
    for (size_t i = begin; i < end; ++i) {
      const float x = positive ? std::max(values[i], 0.0f) : std::fabs(values[i]);
      // Compared as a float: beyond `largest` it may exceed the range of integers.
      const float bin = x * scale + 0.5f;
      ++counts[bin < static_cast<float>(last) ? static_cast<size_t>(bin) : last];
    }
    const std::lock_guard lock(mutex);
    std::ranges::transform(counts, counts_, counts_.begin(), std::plus<>());
  });
}

uint64_t Histogram::total() const {
  return std::accumulate(counts_.begin(), counts_.end(), uint64_t{0});
}

float percentile_threshold(const Histogram& histogram, double percent) {
  const double wanted = static_cast<double>(histogram.total()) * percent / 100;
  double seen = 0;
  for (size_t b = 0; b < histogram.counts().size(); ++b) {
    seen += static_cast<double>(histogram.counts()[b]);
    if (seen >= wanted && b > 0) return histogram.width() * static_cast<float>(b);
  }
  return histogram.largest();
}

float divergence_threshold(const Histogram& histogram) {
  const auto counts = histogram.counts();
  const auto total = static_cast<double>(histogram.total());
  double least = std::numeric_limits<double>::infinity();
  size_t best = counts.size();
  for (size_t used = kSteps; used <= counts.size(); used += kSteps) {
    const double value = divergence(counts, used, total);
    if (value < least) {
      least = value;
      best = used;
    }
  }
  return histogram.width() * static_cast<float>(best);
}

float squared_error_threshold(const Histogram& histogram, const ByteSteps& bytes) {
  constexpr int kCandidates = 256;
  double least = std::numeric_limits<double>::infinity(), best = histogram.largest();
  for (int i = kCandidates; i > kCandidates / 32; --i) {
    const double threshold = static_cast<double>(histogram.largest()) * i / kCandidates;
    const double error = squared_error(histogram.counts(), histogram.width(), threshold, bytes);
    if (error < least) {
      least = error;
      best = threshold;
    }
  }
  return static_cast<float>(best);
}

}  // namespace tputwin::net
