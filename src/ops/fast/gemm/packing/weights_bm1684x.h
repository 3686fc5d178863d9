// Runs of bytes of the weights of a BM1684X convolution as they are stored, and rows of its inputs.
#pragma once

#include "ops/conv/weights_bm1684x.h"
#include "ops/fast/views/views.h"

namespace tputwin::fast {

// Walks over the weights of an output channel. Memory stores the groups of input channels, in each
// group the taps, and for each tap one weight of each channel.
class WeightRows {
 public:
  WeightRows(uint32_t channels, const Window& window, DType dtype, bool is_rotated)
      : group_(weight_group(dtype)),
        taps_(taps_of(window)),
        groups_((channels + group_ - 1) / group_),
        bytes_(element_bytes(dtype)),
        is_rotated_(is_rotated) {}

  // Returns true if the weights of an output channel are one run of bytes.
  static bool are_dense(const TensorView& weight) {
    const uint32_t row = weight.shape.w * element_bytes(weight.dtype);
    return has_dense_rows(weight) && (weight.shape.h == 1 || weight.stride.h == row);
  }

  // Calls f(bytes, count) for each run of weights of one output channel whose taps are in order.
  template <class F>
  void for_each_run(const TensorView& weight, const Memory& memory, uint32_t oc, F&& f) const {
    const uint8_t* from = memory.byte(weight, 0, oc, 0, 0);
    if (!is_rotated_) return f(from, size_t{groups_} * taps_ * group_);
    for (uint32_t group = 0; group < groups_; ++group)
      for (uint32_t tap = taps_; tap-- > 0;)
        f(from + (size_t{group} * taps_ + tap) * group_ * bytes_, size_t{group_});
  }

 private:
  uint32_t group_, taps_, groups_, bytes_;
  bool is_rotated_;
};

// Calls f(bytes, count) for each contiguous run of elements of some rows of an input channel.
template <class F>
void for_each_row_run(const TensorView& in, const Memory& memory, uint32_t n, uint32_t channel,
                      uint32_t y, uint32_t rows, F&& f) {
  const uint8_t* from = memory.byte(in, n, channel, y, 0);
  const size_t width = in.shape.w;
  if (in.stride.h == width * element_bytes(in.dtype)) return f(from, rows * width);
  for (uint32_t row = 0; row < rows; ++row, from += in.stride.h) f(from, width);
}

}  // namespace tputwin::fast
