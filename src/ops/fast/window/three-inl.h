// Sums under windows of 3x3 over planes of fp32, fp16 or bf16. Rows are read and results written in
// place. Included once per target (see Highway's foreach_target.h).
#if defined(TPUTWIN_FAST_THREE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TPUTWIN_FAST_THREE_INL_H
#undef TPUTWIN_FAST_THREE_INL_H
#else
#define TPUTWIN_FAST_THREE_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "ops/fast/vec/float16-inl.h"
#include "ops/fast/vec/float32-inl.h"
#include "ops/fast/window/sums.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace {

// Vectors of results go down the plane, kRows rows at a time, for which each row of inputs is read
// once. A vector of inputs that would begin or end outside of a row is loaded at the end of the row
// and shifted.
template <DType kType, size_t kStep>
class WindowsOfThree {
 public:
  WindowsOfThree(const RowsOfThree& job, const float* weights, const WindowStarts& starts)
      : job_(job), weights_(weights), starts_(starts) {}

  bool run() const {
    find_rows();
    const size_t count = std::min(kElements32, size_t{job_.out.width}),
                 last = job_.out.width - count;
    bool doubt = false;
    for (size_t next = 0; next < job_.out.width; next += kElements32)  // some are written twice
      doubt = sum_columns(std::min(next, last), count) || doubt;
    return doubt;
  }

 private:
  static constexpr size_t kSide = RowsOfThree::kSide;
  static constexpr size_t kBytes = kType == DType::f32 ? 4 : 2;  // bytes of an element
  static constexpr bool kHasManyRegisters = HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3;
  static constexpr size_t kRows = kHasManyRegisters && kStep == 1 ? 4 : 2;

  // The vectors that are loaded from a row for a vector of results: those that begin with its first
  // three columns. With stride 2, two contiguous vectors and the element after them.
  static constexpr size_t kVectors = kStep == 1 ? 3 : 2;
  static constexpr size_t kDistance = kStep == 1 ? 1 : kElements32;
  // Bits for the three columns: set if a column is shifted because it is not completely in the row.
  // kIsPart is set if results are less than a vector.
  static constexpr unsigned kNone = 0, kFirst = 1, kLast = 4, kAll = 7, kIsPart = 8;

  // The loads for one column of results, as columns of the input.
  struct Reads {
    size_t first[kVectors], next_element;
    hn::Mask<F32> inside[kVectors];
    decltype(hn::IndicesFromVec(F32(), Ints())) moved[kVectors];
    bool has_next_element;
    unsigned are_moved = kNone;

    Reads(const RowsOfThree& job, size_t x) {
      const auto width = static_cast<int32_t>(job.in.width);
      const auto begin = static_cast<int32_t>(x * kStep) - static_cast<int32_t>(job.pad_w);
      for (size_t i = 0; i < kVectors; ++i)
        set(i, begin + static_cast<int32_t>(i * kDistance), width);
      const int32_t end = begin + static_cast<int32_t>(kVectors * kDistance);
      has_next_element = end >= 0 && end < width;
      next_element = static_cast<size_t>(has_next_element ? end : 0);
      if (kStep == 2 && !has_next_element) are_moved |= kLast;
    }
    void set(size_t i, int32_t from, int32_t width) {
      const I32 d;
      constexpr auto kElements = static_cast<int32_t>(kElements32);
      const int32_t at = std::clamp(from, 0, std::max(0, width - kElements));
      const Ints column = hn::Add(hn::Iota(d, 0), ints(from));
      first[i] = static_cast<size_t>(at);
      inside[i] = of_floats(hn::And(hn::Gt(column, ints(-1)), hn::Lt(column, ints(width))));
      moved[i] = hn::IndicesFromVec(F32(), hn::And(hn::Sub(column, ints(at)), ints(kElements - 1)));
      if (!hn::AllTrue(F32(), inside[i])) are_moved |= 1u << i;
    }
  };

  // Finds all rows, including padding.
  void find_rows() const {
    const Floats padding = hn::Set(F32(), job_.padding);
    for (size_t x = 0; x < job_.in.width; x += kElements32)
      StoreAs<kType>(padding, job_.buffers.padding_row + x * kBytes);
    for (uint32_t y = 0; y < job_.rows(); ++y)
      job_.buffers.row[y] = y < job_.pad_h || y - job_.pad_h >= job_.in.height
                                ? job_.buffers.padding_row
                                : job_.in.first + size_t{y - job_.pad_h} * job_.in.stride;
  }

  // Loads the three columns under a vector of results.
  template <unsigned kMoved>
  HWY_INLINE void load_columns(const uint8_t* row, const Reads& reads, Floats padding,
                               Floats* columns) const {
    const F32 d;
#pragma GCC unroll 4
    for (size_t i = 0; i < kVectors; ++i) {
      columns[i] = LoadAs<kType>(row + reads.first[i] * kBytes);
      if constexpr ((kMoved & kAll) != 0)
        if ((kMoved >> i & 1) != 0)
          columns[i] = hn::IfThenElse(reads.inside[i],
                                      hn::TableLookupLanes(columns[i], reads.moved[i]), padding);
    }
    if constexpr (kStep == 2) {
      Floats next_element = BroadcastAs<kType>(row + reads.next_element * kBytes);
      if ((kMoved & kLast) != 0 && !reads.has_next_element) next_element = padding;
      const Floats even = hn::ConcatEven(d, columns[1], columns[0]);
      columns[1] = hn::ConcatOdd(d, columns[1], columns[0]);
      columns[0] = even;
      const Ints next = hn::And(hn::Add(hn::Iota(I32(), 0), ints(1)), ints(kElements32 - 1));
      columns[2] =
          hn::IfThenElse(hn::FirstN(d, kElements32 - 1),
                         hn::TableLookupLanes(even, hn::IndicesFromVec(d, next)), next_element);
    }
  }

  // Computes `count` results of every row, at most a vector. Returns true if one is NaN.
  bool sum_columns(size_t x, size_t count) const {
    const Reads reads(job_, x);
    if (count < kElements32) return sum_columns<kAll | kIsPart>(x, count, reads);
    switch (reads.are_moved) {
      case kNone:
        return sum_columns<kNone>(x, count, reads);
      case kFirst:
        return sum_columns<kFirst>(x, count, reads);
      case kLast:
        return sum_columns<kLast>(x, count, reads);
      default:
        return sum_columns<kAll>(x, count, reads);
    }
  }

  // Values that stay the same down the plane, in registers.
  struct Constants {
    Floats weights[kSide * kSide], first, second, bias, padding;

    Constants(const RowsOfThree& job, const float* weight, const WindowStarts& starts)
        : first(hn::Set(F32(), starts.first)),
          second(hn::Set(F32(), starts.second)),
          bias(hn::Set(F32(), starts.bias != nullptr ? *starts.bias : -0.0f)),  // adds nothing
          padding(hn::Set(F32(), job.padding)) {
      for (size_t tap = 0; tap < kSide * kSide; ++tap) weights[tap] = hn::Set(F32(), weight[tap]);
    }
  };

  template <unsigned kMoved>
  HWY_NOINLINE bool sum_columns(size_t x, size_t count, const Reads& reads) const {
    const Constants constants(job_, weights_, starts_);
    const size_t height = job_.out.height, stride = job_.out.stride;
    const uint8_t** rows = job_.buffers.row;
    uint8_t* to = job_.out.first + x * kBytes;
    auto doubt = hn::FirstN(F32(), 0);
    size_t y = 0;
    for (; y + kRows <= height; y += kRows, rows += kRows * kStep, to += kRows * stride)
      sum_rows<kRows, kMoved>(rows, reads, constants, to, stride, count, doubt);
    for (; y < height; ++y, rows += kStep, to += stride)
      sum_rows<1, kMoved>(rows, reads, constants, to, stride, count, doubt);
    return !hn::AllFalse(F32(), doubt);
  }

  template <size_t kR, unsigned kMoved>
  HWY_INLINE void sum_rows(const uint8_t* const* rows, const Reads& reads,
                           const Constants& constants, uint8_t* to, size_t stride, size_t count,
                           hn::Mask<F32>& doubt) const {
    Floats sums[2][kR];
#pragma GCC unroll 4
    for (size_t r = 0; r < kR; ++r) sums[0][r] = constants.first, sums[1][r] = constants.second;
#pragma GCC unroll 16
    for (size_t i = 0; i < (kR - 1) * kStep + kSide; ++i) {
      Floats columns[kSide];
      load_columns<kMoved>(rows[i], reads, constants.padding, columns);
#pragma GCC unroll 4
      for (size_t column = 0; column < kSide; ++column)
#pragma GCC unroll 4
        for (size_t r = 0; r < kR; ++r) {
          if (i < r * kStep || i - r * kStep >= kSide) continue;
          const size_t tap = (i - r * kStep) * kSide + column;
          Floats& sum = sums[tap % 2][r];
          const Floats product = RoundTo<kType>(multiply(columns[column], constants.weights[tap]));
          sum = RoundTo<kType>(hn::Add(sum, product));
        }
    }
#pragma GCC unroll 4
    for (size_t r = 0; r < kR; ++r, to += stride) {
      const Floats sum = hn::Add(hn::Add(sums[0][r], sums[1][r]), constants.bias);
      doubt = hn::Or(doubt, hn::IsNaN(sum));
      if constexpr ((kMoved & kIsPart) != 0) {
        HWY_ALIGN uint8_t buffer[kElements32 * kBytes];
        StoreAs<kType>(sum, buffer);
        std::memcpy(to, buffer, count * kBytes);
      } else {
        StoreAs<kType>(sum, to);
      }
    }
  }

  const RowsOfThree& job_;
  const float* const weights_;
  const WindowStarts& starts_;
};

bool SumThree(const RowsOfThree& job, const float* weights, const WindowStarts& starts,
              DType dtype) {
  return ForFloatType(dtype, [&]<DType kType>(std::integral_constant<DType, kType>) HWY_ATTR {
#if HWY_TARGET != HWY_SCALAR
    if (job.step == 2) return WindowsOfThree<kType, 2>(job, weights, starts).run();
#endif
    return WindowsOfThree<kType, 1>(job, weights, starts).run();
  });
}

}  // namespace
}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
