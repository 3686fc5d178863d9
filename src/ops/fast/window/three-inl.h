// Sums under windows of 3x3 over planes of fp32, from rows where they lie to rows of results.
// Included once per target (see Highway's foreach_target.h).
#if defined(TPUTWIN_FAST_THREE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TPUTWIN_FAST_THREE_INL_H
#undef TPUTWIN_FAST_THREE_INL_H
#else
#define TPUTWIN_FAST_THREE_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>

#include "ops/fast/vec/bytes-inl.h"
#include "ops/fast/vec/float32-inl.h"
#include "ops/fast/window/sums.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace {

// Rows of inputs lie with their padding in scratch memory, each read once for all of kRowsOfThree
// rows of results.
class WindowsOfThree {
 public:
  WindowsOfThree(const RowsOfThree& job, const float* weights, const WindowStarts& starts)
      : job_(job), weights_(weights), starts_(starts) {}

  bool run() {
    constexpr uint32_t kR = HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3 ? 4 : 2;  // by registers
    uint32_t y = 0;
    for (; y + kR <= job_.height; y += kR) sum_rows<kR>(y);
    for (; y < job_.height; ++y) sum_rows<1>(y);
    return any_set(doubt_);
  }

 private:
  static constexpr size_t kSide = RowsOfThree::kSide;

  float* row(uint32_t y) const { return job_.scratch + y * job_.pitch(); }

  // Input row y - pad_h with its padding. What vectors write behind it becomes padding after.
  void lay_out(uint32_t y) const {
    const F32 d;
    float* const to = row(y);
    const Floats padding = hn::Set(d, job_.padding);
    const auto fill = [&](size_t first, size_t last) HWY_ATTR {
      for (size_t x = first; x < last; x += kLanes32) hn::StoreU(padding, d, to + x);
    };
    const size_t all = job_.width + kSide - 1;
    if (y < job_.pad_h || y - job_.pad_h >= job_.in_height) return fill(0, all);
    const auto* from =
        reinterpret_cast<const float*>(job_.in + size_t{y - job_.pad_h} * job_.in_stride);
    fill(0, job_.pad_w);
    for (size_t x = 0; x < job_.in_width; x += kLanes32)
      hn::StoreU(hn::LoadU(d, from + x), d, to + job_.pad_w + x);
    fill(job_.pad_w + job_.in_width, all);
  }

  template <size_t kR>
  void sum_rows(uint32_t y) {
    for (; laid_out_ < y + kR + kSide - 1; ++laid_out_) lay_out(laid_out_);
    size_t x = 0;
    for (; x + kLanes32 <= job_.width; x += kLanes32)
      sum_vector<kR>(y, x, [](Floats sum, float* to) HWY_ATTR { hn::StoreU(sum, F32(), to); });
    if (x == job_.width) return;
    const size_t rest = job_.width - x;
    sum_vector<kR>(y, x, [&](Floats sum, float* to) HWY_ATTR { StoreFirst(F32(), sum, to, rest); });
  }

  template <size_t kR, class Store>
  HWY_INLINE void sum_vector(uint32_t y, size_t x, const Store& store) {
    const F32 d;
    const float* const inputs = row(y) + x;
    const size_t pitch = job_.pitch();
    Floats sums[2][kR];
#pragma GCC unroll 4
    for (size_t r = 0; r < kR; ++r)
      sums[0][r] = hn::Set(d, starts_.first), sums[1][r] = hn::Set(d, starts_.second);
#pragma GCC unroll 8
    for (size_t i = 0; i < kR + kSide - 1; ++i)
#pragma GCC unroll 4
      for (size_t column = 0; column < kSide; ++column) {
        const Floats input = hn::LoadU(d, inputs + i * pitch + column);
#pragma GCC unroll 4
        for (size_t r = 0; r < kR; ++r) {
          if (i < r || i - r >= kSide) continue;
          const size_t tap = (i - r) * kSide + column;
          Floats& sum = sums[tap % 2][r];
          sum = hn::Add(sum, multiply(input, hn::Set(d, weights_[tap])));
        }
      }
#pragma GCC unroll 4
    for (size_t r = 0; r < kR; ++r) {
      Floats sum = hn::Add(sums[0][r], sums[1][r]);
      if (starts_.bias != nullptr) sum = hn::Add(sum, hn::Set(d, *starts_.bias));
      doubt_ = hn::Or(doubt_, nan_lanes(sum));
      store(sum, reinterpret_cast<float*>(job_.out + (y + r) * size_t{job_.out_stride}) + x);
    }
  }

  const RowsOfThree& job_;
  const float* const weights_;
  const WindowStarts& starts_;
  uint32_t laid_out_ = 0;
  Floats doubt_ = hn::Zero(F32());
};

bool SumThree(const RowsOfThree& job, const float* weights, const WindowStarts& starts) {
  return WindowsOfThree(job, weights, starts).run();
}

}  // namespace
}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
