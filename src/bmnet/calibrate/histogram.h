// Distribution of a tensor's magnitudes, and methods that choose thresholds from it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/error.h"

namespace tputwin::net {

// Bin i counts the values with floor(|x| / width + 0.5) == i. The last bin also counts larger
// values. width = largest / (bins - 1).
class Histogram {
 public:
  Histogram(float largest, int bins);
  // If `positive`, negative values count as zeros.
  void add(std::span<const float> values, bool positive = false);
  // Adds `count` values to bin `index`.
  void add_bin(size_t index, uint64_t count) { counts_[index] += count; }

  float width() const { return width_; }
  float largest() const { return largest_; }
  uint64_t total() const;
  std::span<const uint64_t> counts() const { return counts_; }

 private:
  float largest_, width_;
  std::vector<uint64_t> counts_;
};

enum class ThresholdMethod { maximum, percentile, divergence, squared_error };

// Returns the threshold that `percent` of the values do not exceed.
float percentile_threshold(const Histogram& histogram, double percent);
// Returns width * i for one i of 128, 256 ... bins: the first whose distribution, merged to 128
// steps, has the least Kullback-Leibler divergence from the original.
float divergence_threshold(const Histogram& histogram);
// The steps from 0 to the threshold, and the largest number of steps.
struct ByteSteps {
  double steps = 128, most = 127;
};
constexpr ByteSteps kUnsignedSteps{255, 255};
// Returns the threshold with the least squared error of quantization and saturation.
float squared_error_threshold(const Histogram& histogram, const ByteSteps& bytes = {});

}  // namespace tputwin::net
