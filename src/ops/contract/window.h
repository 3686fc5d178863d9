// The sliding window of convolutions and pooling, with the chip's zero insertion.
#pragma once

#include <cstdint>

namespace tputwin {

// The window along one axis (BMKernel 1880 Guide 4.41): `insert` zeros after every element but the
// last, `insert_last` zeros after the last, then padding on both sides, then a dilated, strided
// kernel.
struct Axis {
  uint32_t kernel = 1, stride = 1, dilation = 1;
  uint32_t pad_before = 0, pad_after = 0;
  uint32_t insert = 0, insert_last = 0;

  constexpr uint32_t padded(uint32_t extent) const {
    return pad_before + (extent - 1) * (insert + 1) + 1 + insert_last + pad_after;
  }
  constexpr uint32_t reach() const { return (kernel - 1) * dilation + 1; }
  // Returns the output extent; 0 if the kernel does not fit.
  constexpr uint32_t output(uint32_t extent) const {
    return padded(extent) < reach() ? 0 : (padded(extent) - reach()) / stride + 1;
  }
  // Returns the input index under kernel tap `tap` of output `out`; -1 for padding and inserted
  // zeros.
  constexpr int64_t source(uint32_t out, uint32_t tap, uint32_t extent) const {
    int64_t position = int64_t{out} * stride + int64_t{tap} * dilation - pad_before;
    if (position < 0 || position % (insert + 1) != 0) return -1;
    position /= insert + 1;
    return position < extent ? position : -1;
  }
  bool operator==(const Axis&) const = default;
};

// Values of the padding: constants or, in commands of the BM1684X, elements of the input. Inputs
// 1 2 3 4 with two pads become 3 2 | 1 2 3 4 | 3 2 (reflected); 1 1 | 1 2 3 4 | 4 4 (edge); or
// 3 4 | 1 2 3 4 | 1 2 (circular).
enum class PadMode : uint8_t { constant, reflected, edge, circular };

struct Window {
  Axis h, w;
  PadMode pads = PadMode::constant;
  bool operator==(const Window&) const = default;
};

}  // namespace tputwin
