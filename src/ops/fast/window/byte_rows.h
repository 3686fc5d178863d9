// Sliding windows over one channel without edge cases. Rows are laid out with their padding and
// inserted zeros, split by column modulo the stride. Under every tap, the inputs of consecutive
// outputs are then contiguous.
#pragma once

#include <cstring>
#include <functional>
#include <span>
#include <vector>

#include "base/bits.h"
#include "memory/memory.h"
#include "ops/contract/window.h"
#include "ops/fast/dispatch/fast_kernel.h"
#include "ops/fast/views/views.h"
#include "ops/fast/walk/nest.h"

namespace tputwin::fast {

// The inputs of an output row under one tap (number kh * KW + kw), from the input of output 0 on.
struct TapRow {
  const uint8_t* in;
  uint32_t number;
};

class WindowRows {
 public:
  // Bytes that may be read past the inputs of the last output.
  static constexpr size_t kSlack = 64;

  // Prepares for a window. `padding` must be a value that has no effect on a result. The buffers of
  // earlier windows are reused.
  void set_up(const Window& window, const Shape& in, uint8_t padding) {
    window_ = window;
    height_ = in.h, width_ = in.w;
    phase_bytes_ =
        ceil_div<size_t>(window.w.padded(in.w) + window.w.reach(), window.w.stride) + kSlack;
    row_bytes_ = phase_bytes_ * window.w.stride;
    bytes_.assign(row_bytes_ * in.h, padding);
    taps_.clear();
    first_tap_.clear();
    for (uint32_t y = 0; y < window.h.output(in.h); ++y) {
      first_tap_.push_back(taps_.size());
      add_taps(y);
    }
    first_tap_.push_back(taps_.size());
  }

  // Copies the rows of one channel into the layout. The padding stays.
  void load(const uint8_t* plane, size_t row_stride) {
    for (size_t y = 0; y < height_; ++y)
      lay_out(bytes_.data() + y * row_bytes_, plane + y * row_stride);
  }

  // Returns the taps of output row y, without those on padding and inserted rows.
  std::span<const TapRow> taps(size_t y) const {
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
  uint32_t height_ = 0, width_ = 0;
  size_t phase_bytes_ = 0, row_bytes_ = 0;
  std::vector<uint8_t> bytes_;
  std::vector<TapRow> taps_;
  std::vector<size_t> first_tap_;  // first tap of every output row, and the end
};

// out(x) = clamp(round_shift(start + sum over taps of in[x] * weights[number], rshift)), in 32
// bits.
struct WeightedSum {
  std::vector<int32_t> weights;  // by number of tap
  int32_t start = 0;
  int rshift = 0;
  int32_t low = 0, high = 0;  // bounds of the clamp
};

// Returns why WindowRows does not cover the operands, or nullptr if it does. Operands must be bytes
// in local memory, in dense rows, with the extents that the window gives.
inline Declined byte_rows_decline(const Window& window, const TensorView& in,
                                  const TensorView& out) {
  auto whole = [](const Axis& axis) {
    return axis.stride != 0 && axis.kernel != 0 && axis.dilation != 0;
  };
  if (is_empty(in.shape) || is_empty(out.shape) || !has_byte_rows(in) || !has_byte_rows(out))
    return "no rows of bytes in lanes";
  if (!whole(window.h) || !whole(window.w) ||
      out.shape !=
          Shape{in.shape.n, in.shape.c, window.h.output(in.shape.h), window.w.output(in.shape.w)})
    return "the window does not give the result";
  return kRan;
}

// Calls channel(n, c, rows) for all channels, with the rows of the input channel loaded. Threads
// share the lanes, and channels of a lane come in index order. `padding` must be a value that has
// no effect on a result.
template <class Channel>
void for_each_byte_channel(const Window& window, const TensorView& in, const Shape& out,
                           uint8_t padding, uint64_t taps_per_task, const Memory& memory,
                           const Channel& channel) {
  const Slots slots = local_slots(out, memory.local);
  const uint64_t taps = out.count() * window.h.kernel * window.w.kernel;
  const auto lanes = [&](size_t begin, size_t end) {
    thread_local WindowRows rows;
    rows.set_up(window, in.shape, padding);
    for (size_t slot = begin; slot < end; ++slot)
      for (uint32_t n = 0; n < out.n; ++n)
        for (auto c = static_cast<uint32_t>(slot); c < out.c; c += slots.lanes) {
          rows.load(memory.byte(in, n, c, 0, 0), in.stride.h);
          channel(n, c, rows);
        }
  };
  parallel_for(slots.count, grain_of(taps / slots.count, taps_per_task), std::cref(lanes));
}

}  // namespace tputwin::fast
