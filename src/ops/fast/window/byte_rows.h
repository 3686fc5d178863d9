// Sliding windows over one channel without edge cases: its rows are laid out with their padding
// and inserted zeros, split by column modulo the stride, so that under every tap the inputs of
// consecutive outputs lie side by side.
#pragma once

#include <cstring>
#include <span>
#include <vector>

#include "base/bits.h"
#include "memory/memory.h"
#include "ops/contract/window.h"

namespace tputwin::fast {

// The inputs of an output row under one tap (number kh * KW + kw), from that of output 0 on.
struct Tap {
  const uint8_t* in;
  uint32_t number;
};

class WindowRows {
 public:
  // Bytes that may be read past the inputs of the last output.
  static constexpr size_t kSlack = 64;

  // padding: the value that has no effect on a result.
  WindowRows(const Window& window, const Shape& in, uint8_t padding)
      : window_(window),
        height_(in.h),
        width_(in.w),
        phase_bytes_(ceil_div<size_t>(window.w.padded(in.w) + window.w.reach(), window.w.stride) +
                     kSlack),
        row_bytes_(phase_bytes_ * window.w.stride),
        bytes_(row_bytes_ * in.h, padding) {
    for (uint32_t y = 0; y < window.h.output(in.h); ++y) {
      first_tap_.push_back(taps_.size());
      add_taps(y);
    }
    first_tap_.push_back(taps_.size());
  }

  // Takes the rows of one channel; padding stays where it is.
  void load(const uint8_t* plane, size_t row_stride) {
    for (size_t y = 0; y < height_; ++y)
      lay_out(bytes_.data() + y * row_bytes_, plane + y * row_stride);
  }

  // The taps of output row y, less those on padding and inserted rows.
  std::span<const Tap> taps(size_t y) const {
    return {taps_.data() + first_tap_[y], taps_.data() + first_tap_[y + 1]};
  }

 private:
  void add_taps(uint32_t y) {
    for (uint32_t kh = 0; kh < window_.h.kernel; ++kh) {
      int64_t row = window_.h.source(y, kh, height_);
      if (row < 0) continue;
      const uint8_t* start = bytes_.data() + static_cast<size_t>(row) * row_bytes_;
      for (uint32_t kw = 0; kw < window_.w.kernel; ++kw) {
        uint32_t position = kw * window_.w.dilation;
        taps_.push_back(
            {start + position % window_.w.stride * phase_bytes_ + position / window_.w.stride,
             kh * window_.w.kernel + kw});
      }
    }
  }

  void lay_out(uint8_t* row, const uint8_t* in) const {
    const Axis& axis = window_.w;
    if (axis.insert == 0 && axis.stride == 1) {
      std::memcpy(row + axis.pad_before, in, width_);
    } else if (axis.insert == 0 && axis.stride == 2) {
      split<2>(row, in);
    } else {
      for (size_t x = 0; x < width_; ++x) {
        size_t position = axis.pad_before + x * (axis.insert + 1);
        row[position % axis.stride * phase_bytes_ + position / axis.stride] = in[x];
      }
    }
  }

  template <size_t kStride>
  void split(uint8_t* row, const uint8_t* in) const {
    for (size_t first = 0; first < kStride && first < width_; ++first) {
      size_t position = window_.w.pad_before + first;
      uint8_t* out = row + position % kStride * phase_bytes_ + position / kStride;
      const size_t count = (width_ - first + kStride - 1) / kStride;
      for (size_t i = 0; i < count; ++i) out[i] = in[first + i * kStride];
    }
  }

  Window window_;
  uint32_t height_, width_;
  size_t phase_bytes_, row_bytes_;
  std::vector<uint8_t> bytes_;
  std::vector<Tap> taps_;
  std::vector<size_t> first_tap_;  // of every output row, and the end
};

// Operands that WindowRows covers: bytes in lanes, dense rows, the extents that the window gives.
inline bool window_fits(const Window& window, const TensorView& in, const TensorView& out) {
  auto plain = [](const TensorView& v) {
    return v.space == Space::local && !is_16bit(v.dtype) && v.shape.count() != 0 &&
           (v.stride.w == 1 || v.shape.w == 1);
  };
  auto whole = [](const Axis& axis) {
    return axis.stride != 0 && axis.kernel != 0 && axis.dilation != 0;
  };
  return plain(in) && plain(out) && whole(window.h) && whole(window.w) &&
         out.shape == Shape{in.shape.n, in.shape.c, window.h.output(in.shape.h),
                            window.w.output(in.shape.w)};
}

}  // namespace tputwin::fast
