// Byte copies that the DMA bodies share.
#pragma once

#include <cstring>
#include <type_traits>

#include "ops/fast/views/views.h"

namespace tputwin::fast {

// Walks the first bytes (n = h = w = 0) of consecutive channels.
class ChannelCursor {
 public:
  ChannelCursor(const TensorView& view, const Memory& memory, uint32_t channel)
      : at_(memory.byte(view, 0, channel, 0, 0)), step_(view.stride.c) {
    if (view.space == Space::global) return;
    const LocalMemory& local = memory.local;
    lanes_left_ = local.lanes() - (view.address / local.lane_bytes() + channel) % local.lanes();
    lanes_ = local.lanes();
    // from the last lane back to the first, one channel group on
    wrap_ = static_cast<ptrdiff_t>(step_) - static_cast<ptrdiff_t>(local.size());
    step_ = local.lane_bytes();
  }
  uint8_t* at() const { return at_; }
  void next() {
    at_ += step_;
    if (lanes_ != 0 && --lanes_left_ == 0) {
      at_ += wrap_;
      lanes_left_ = lanes_;
    }
  }

 private:
  uint8_t* at_;
  size_t step_;
  ptrdiff_t wrap_ = 0;
  uint32_t lanes_ = 0, lanes_left_ = 0;
};

// The elements of a row lie side by side.
inline bool has_dense_rows(const TensorView& v) {
  return v.shape.w == 1 || v.stride.w == element_bytes(v.dtype);
}

// memcpy without a call for the short runs that small planes are made of.
inline void copy_bytes(uint8_t* dst, const uint8_t* src, size_t n) {
  auto ends = [&]<size_t kBytes>(std::integral_constant<size_t, kBytes>) {
    uint8_t first[kBytes], last[kBytes];
    std::memcpy(first, src, kBytes);
    std::memcpy(last, src + n - kBytes, kBytes);
    std::memcpy(dst, first, kBytes);
    std::memcpy(dst + n - kBytes, last, kBytes);
  };
  if (n > 256) {
    std::memcpy(dst, src, n);
  } else if (n > 32) {
    for (size_t i = 0; i + 32 < n; i += 32) std::memcpy(dst + i, src + i, 32);
    std::memcpy(dst + n - 32, src + n - 32, 32);
  } else if (n >= 16) {
    ends(std::integral_constant<size_t, 16>());
  } else if (n >= 8) {
    ends(std::integral_constant<size_t, 8>());
  } else if (n >= 4) {
    ends(std::integral_constant<size_t, 4>());
  } else {
    for (size_t i = 0; i < n; ++i) dst[i] = src[i];
  }
}

// Copies or fills every run; operands are dst and src.
inline void copy_runs(const Runs<2>& runs, uint8_t* dst, const uint8_t* src) {
  for_each_run(runs, {dst, const_cast<uint8_t*>(src)},
               [](const std::array<uint8_t*, 2>& p, size_t n) { copy_bytes(p[0], p[1], n); });
}
inline void zero_runs(const Runs<1>& runs, uint8_t* dst) {
  for_each_run(runs, {dst},
               [](const std::array<uint8_t*, 1>& p, size_t n) { std::memset(p[0], 0, n); });
}

// Below this, one thread is faster than two.
constexpr uint64_t kCopyBytesPerTask = 256 << 10;

// As copy_runs, over threads where it pays. Runs of dst must not overlap.
void copy_runs_in_parallel(const Runs<2>& runs, uint8_t* dst, const uint8_t* src);

// dst and src hold equally many elements, taken and placed in index order.
void copy_in_index_order(const TensorView& dst, const TensorView& src, const Memory& memory);

// A copy may go in any order if dst has a byte for every element and shares none with src.
inline bool any_order(const TensorView& dst, const TensorView& src, const Memory& memory) {
  return dense_rows(dst) && dense_rows(src) && distinct_elements(dst, memory.local) &&
         disjoint({&dst}, {&src}, memory.local);
}

}  // namespace tputwin::fast
