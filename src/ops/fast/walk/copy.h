// Byte copies that the DMA kernels share.
#pragma once

#include <cstring>
#include <span>
#include <type_traits>

#include "base/copy_run.h"
#include "ops/fast/views/views.h"
#include "ops/fast/walk/nest.h"

namespace tputwin::fast {

// Walks the first bytes (n = h = w = 0) of consecutive channels.
class ChannelCursor {
 public:
  ChannelCursor(const TensorView& view, const Memory& memory, uint32_t channel)
      : at_(memory.byte(view, 0, channel, 0, 0)), step_(view.stride.c) {
    if (view.space != Space::local) return;
    const LocalMemory& local = memory.local;
    lanes_left_ = local.lanes() - (view.address / local.lane_bytes() + channel) % local.lanes();
    lanes_ = local.lanes();
    // This goes from the last lane back to the first, in the next group of channels.
    const auto lanes_bytes = uint64_t{local.lane_stride()} * lanes_;
    wrap_ = static_cast<ptrdiff_t>(step_) - static_cast<ptrdiff_t>(lanes_bytes);
    step_ = local.lane_stride();
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

// Fills `rows` with the addresses of one byte in consecutive channels. `first` is the byte of
// channel 0.
inline void channels_from(uint8_t* first, const TensorView& view, const Memory& memory,
                          std::span<uint8_t*> rows) {
  const ptrdiff_t offset = first - memory.byte(view, 0, 0, 0, 0);
  ChannelCursor channel(view, memory, 0);
  for (uint8_t*& row : rows) {
    row = channel.at() + offset;
    channel.next();
  }
}

// Copies like memcpy, but without a call, because small planes have short runs.
inline void copy_bytes(uint8_t* dst, const uint8_t* src, size_t n) {
  auto ends = [&]<size_t kBytes>(std::integral_constant<size_t, kBytes>) {
    uint8_t first[kBytes], last[kBytes];
    std::memcpy(first, src, kBytes);
    std::memcpy(last, src + n - kBytes, kBytes);
    std::memcpy(dst, first, kBytes);
    std::memcpy(dst + n - kBytes, last, kBytes);
  };
  if (n > 256) {
    copy_run(dst, src, n);
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

// Copies every run of bytes. The operands are dst and src.
inline void copy_runs(const Nest<2>& runs, uint8_t* dst, const uint8_t* src) {
  for_each_run<2>(runs, {dst, const_cast<uint8_t*>(src)},
                  [](const std::array<uint8_t*, 2>& p, size_t n) { copy_bytes(p[0], p[1], n); });
}
// Copies like copy_runs(), on several threads if that is faster. Runs of dst must overlap neither
// each other nor src.
void copy_runs_in_parallel(const Nest<2>& runs, uint8_t* dst, const uint8_t* src);

// Copies elements in index order. dst and src must have the same number of elements.
void copy_in_index_order(const TensorView& dst, const TensorView& src, const Memory& memory);

// Returns why a copy of rows cannot go in any order, or nullptr if it can.
inline const char* rows_overlap(const TensorView& dst, const TensorView& src,
                                const Memory& memory) {
  if (!has_dense_rows(dst) || !has_dense_rows(src)) return "rows have gaps";
  return overlap(dst, {&src}, memory.local);
}

}  // namespace tputwin::fast
