// Sums of bytes under windows of 3x3, for processors with vectors of 64 bytes. Included once per
// target (see dispatch/foreach_target.h).
#if defined(TPUTWIN_FAST_BYTES_OF_THREE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TPUTWIN_FAST_BYTES_OF_THREE_INL_H
#undef TPUTWIN_FAST_BYTES_OF_THREE_INL_H
#else
#define TPUTWIN_FAST_BYTES_OF_THREE_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "base/prefetch.h"
#include "ops/fast/gemm/kernels/dot-inl.h"
#include "ops/fast/window/bytes_of_three.h"

#undef TPUTWIN_HAVE_BYTES_OF_THREE
#define TPUTWIN_HAVE_BYTES_OF_THREE (HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3)
#if TPUTWIN_HAVE_BYTES_OF_THREE

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {

// Copies planes to their layouts. Padding is not written. Bytes are xored with `flip` (Flip in
// byte_cells-inl.h).
class ThreeLayout {
 public:
  ThreeLayout(const BytesOfThree& job, uint32_t flip, uint8_t* layouts)
      : flip_(_mm512_set1_epi32(static_cast<int>(flip))),
        layouts_(layouts),
        bytes_(job.bytes()),
        count_(job.layouts()),
        in_pitch_(job.in_pitch()),
        pitch_(job.pitch()),
        width_(job.in_width()),
        height_(job.in_height()),
        first_row_(job.pad_h()),
        odd_rows_(job.step() * job.part_bytes()),
        splits_(job.step() == 2),
        columns_{job.pad_w() % 2 * job.part_bytes() + job.pad_w() / 2,
                 (job.pad_w() + 1) % 2 * job.part_bytes() + (job.pad_w() + 1) / 2} {
    if (!splits_) columns_[0] = job.pad_w();
  }

  // Copies what must be copied before plane number `number` is computed, and returns its layout.
  // in(i) returns a plane, or nullptr after the last one.
  template <class In>
  HWY_INLINE const uint8_t* load(size_t number, const In& in) const {
    if (count_ == 1 || number == 0) copy_plane(number, in(number));
    const uint8_t *const next = in(number + 1), *const after_next = in(number + 2);
    if (count_ == 2 && next != nullptr) copy_plane(number + 1, next);
    if (after_next != nullptr) prefetch(after_next);
    return of(number);
  }

 private:
  static constexpr size_t kBytes = BytesOfThree::kUnit;

  uint8_t* of(size_t number) const { return layouts_ + (count_ == 2 ? number % 2 * bytes_ : 0); }
  HWY_INLINE void copy_plane(size_t number, const uint8_t* plane) const {
    if (width_ == 0) return;
    uint8_t* const to = of(number);
    if (splits_)
      each_row(plane, to, [&](const uint8_t* from, uint8_t* row) HWY_ATTR {
        split(from, row + columns_[0], row + columns_[1]);
      });
    else
      each_row(plane, to,
               [&](const uint8_t* from, uint8_t* row) HWY_ATTR { copy(from, row + columns_[0]); });
  }

  // Prefetches the begin of a plane. No processor does so by itself, because planes are far apart.
  HWY_INLINE void prefetch(const uint8_t* plane) const {
    constexpr size_t kMost = 1024;
    const size_t bytes = std::min(height_ * in_pitch_, kMost);
    for (size_t at = 0; at < bytes; at += kBytes) prefetch_line(plane + at);
  }

  template <class Row>
  HWY_INLINE void each_row(const uint8_t* plane, uint8_t* to, const Row& row) const {
    for (size_t y = first_row_; y < first_row_ + height_; ++y, plane += in_pitch_)
      row(plane, to + (y % 2 != 0 ? odd_rows_ : 0) + y / 2 * pitch_);
  }
  HWY_INLINE void copy(const uint8_t* from, uint8_t* to) const {
    size_t left = width_;
    for (; left > kBytes; left -= kBytes, from += kBytes, to += kBytes)
      _mm512_storeu_si512(to, _mm512_xor_si512(_mm512_loadu_si512(from), flip_));
    const __mmask64 mask = ~uint64_t{0} >> (kBytes - left);
    _mm512_mask_storeu_epi8(to, mask, _mm512_xor_si512(_mm512_maskz_loadu_epi8(mask, from), flip_));
  }
  // Copies the bytes in even places, and those in odd places.
  HWY_INLINE void split(const uint8_t* from, uint8_t* even, uint8_t* odd) const {
    size_t left = width_;
    for (; left > kBytes; left -= kBytes, from += kBytes) {
      const __m512i parted = part(_mm512_loadu_si512(from));
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(even), _mm512_castsi512_si256(parted));
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(odd), _mm512_extracti64x4_epi64(parted, 1));
      even += kBytes / 2, odd += kBytes / 2;
    }
    const __mmask64 mask = ~uint64_t{0} >> (kBytes - left);
    const __m512i parted = part(_mm512_maskz_loadu_epi8(mask, from));
    _mm512_mask_storeu_epi8(even, (uint64_t{1} << (left + 1) / 2) - 1, parted);
    _mm512_mask_storeu_epi8(odd - kBytes / 2, ((uint64_t{1} << left / 2) - 1) << (kBytes / 2),
                            parted);
  }
  // Returns the bytes in even places, then those in odd places.
  HWY_INLINE __m512i part(__m512i bytes) const {
    const __m512i in_quarters =
        _mm512_broadcast_i32x4(_mm_setr_epi8(0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15));
    const __m512i halves = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
    return _mm512_permutexvar_epi64(
        halves, _mm512_shuffle_epi8(_mm512_xor_si512(bytes, flip_), in_quarters));
  }

  const __m512i flip_;
  uint8_t* const layouts_;
  const size_t bytes_, count_, in_pitch_, pitch_, width_, height_, first_row_, odd_rows_;
  const bool splits_;
  size_t columns_[2];  // places of the first two columns in a row
};

// The cells of 16 columns in each quarter of a vector, four to a group: those in row and plane of a
// cell's first byte. The last group are the cells after these.
struct ThreeCells {
  static constexpr size_t kGroups = 4;
  __m512i group[kGroups + 1];

  // Joins four rows. The last group is made only if windows need it.
  template <bool kHasLast>
  static HWY_INLINE ThreeCells of(const uint8_t* a, const uint8_t* b, const uint8_t* c,
                                  const uint8_t* d) {
    const __m512i a0 = _mm512_loadu_si512(a), b0 = _mm512_loadu_si512(b),
                  c0 = _mm512_loadu_si512(c), d0 = _mm512_loadu_si512(d);
    const __m512i ab = _mm512_unpacklo_epi8(a0, b0), cd = _mm512_unpacklo_epi8(c0, d0);
    const __m512i ab1 = _mm512_unpackhi_epi8(a0, b0), cd1 = _mm512_unpackhi_epi8(c0, d0);
    ThreeCells cells;
    cells.group[0] = _mm512_unpacklo_epi16(ab, cd);
    cells.group[1] = _mm512_unpackhi_epi16(ab, cd);
    cells.group[2] = _mm512_unpacklo_epi16(ab1, cd1);
    cells.group[3] = _mm512_unpackhi_epi16(ab1, cd1);
    if constexpr (kHasLast) {
      constexpr size_t kNext = BytesOfThree::kQuarter;
      cells.group[4] = _mm512_unpacklo_epi16(
          _mm512_unpacklo_epi8(_mm512_loadu_si512(a + kNext), _mm512_loadu_si512(b + kNext)),
          _mm512_unpacklo_epi8(_mm512_loadu_si512(c + kNext), _mm512_loadu_si512(d + kNext)));
    }
    return cells;
  }
  // Returns a group of the cells kColumns further on.
  template <size_t kColumns>
  HWY_INLINE Ints moved(size_t i) const {
    if constexpr (kColumns == 0)
      return Ints{group[i]};
    else
      return Ints{_mm512_alignr_epi8(group[i + 1], group[i], 4 * kColumns)};
  }
};

// The weights of a column of the window, as a cell: those of three rows. kRows later, the cell's
// first bytes have the weight 0.
template <size_t kRows>
HWY_INLINE Ints weight_cell(const uint32_t* rows, size_t column) {
  uint32_t cell = 0;
  for (size_t row = 0; row < BytesOfThree::kSide; ++row)
    cell |= (rows[row] >> (8 * column) & 0xff) << (8 * row);
  return ints(static_cast<int32_t>(cell << (8 * kRows)));
}

// Calls emit(runs, sums) for both rows of each unit. `rows` are the weights of the window's rows, a
// byte each. sums[i] has the sums at positions 4 * i to 4 * i + 3 of each quarter.
template <class Dot, class Emit>
HWY_INLINE void SumTwoRows(const BytesOfThree& job, const uint8_t* layout, const uint32_t* rows,
                           int32_t start, const Emit& emit) {
  constexpr size_t kGroups = ThreeCells::kGroups;
  const uint8_t *even = layout, *odd = layout + job.part_bytes();
  const size_t pitch = job.pitch();
  Ints weights[2][BytesOfThree::kSide];
  for (size_t column = 0; column < BytesOfThree::kSide; ++column) {
    weights[0][column] = weight_cell<0>(rows, column);
    weights[1][column] = weight_cell<1>(rows, column);
  }
  for (size_t unit = 0; unit < job.units(); ++unit) {
    const size_t at = unit * BytesOfThree::kUnit;
    const auto cells =
        ThreeCells::of<true>(even + at, odd + at, even + at + pitch, odd + at + pitch);
    Ints sums[2][kGroups];
#pragma GCC unroll 4
    for (size_t i = 0; i < kGroups; ++i) {
      const Ints columns[] = {cells.moved<0>(i), cells.moved<1>(i), cells.moved<2>(i)};
#pragma GCC unroll 2
      for (size_t r = 0; r < 2; ++r) {
        sums[r][i] = ints(start);
#pragma GCC unroll 3
        for (size_t c = 0; c < 3; ++c)
          sums[r][i] = Dot::step(sums[r][i], columns[c], weights[r][c]);
      }
    }
    emit(job.runs(unit, 0), sums[0]);
    emit(job.runs(unit, 1), sums[1]);
  }
}

// Does the same with a stride of 2.
template <class Dot, class Emit>
HWY_INLINE void SumSecondRows(const BytesOfThree& job, const uint8_t* layout, const uint32_t* rows,
                              int32_t start, const Emit& emit) {
  constexpr size_t kGroups = ThreeCells::kGroups;
  const size_t part = job.part_bytes(), pitch = job.pitch();
  const Ints weights[] = {weight_cell<0>(rows, 0), weight_cell<0>(rows, 1),
                          weight_cell<0>(rows, 2)};
  for (size_t unit = 0; unit < job.units(); ++unit) {
    const uint8_t* const at = layout + unit * BytesOfThree::kUnit;
    const auto cells = [&]<bool kHasLast>(size_t column, std::bool_constant<kHasLast>) HWY_ATTR {
      const uint8_t *const even = at + column * part, *const odd = even + 2 * part;
      return ThreeCells::of<kHasLast>(even, odd, even + pitch, even + pitch);
    };
    const ThreeCells even = cells(0, std::true_type()), odd = cells(1, std::false_type());
    Ints sums[kGroups];
#pragma GCC unroll 4
    for (size_t i = 0; i < kGroups; ++i) {
      sums[i] = Dot::step(ints(start), even.moved<0>(i), weights[0]);
      sums[i] = Dot::step(sums[i], odd.moved<0>(i), weights[1]);
      sums[i] = Dot::step(sums[i], even.moved<1>(i), weights[2]);
    }
    emit(job.runs(unit, 0), sums);
  }
}

// Returns sums of a unit, shifted to the right and saturated to signed bytes, in order.
HWY_INLINE __m512i BytesInOrder(const Ints* sums, __m512i shift) {
  const auto pair = [&](size_t i) HWY_ATTR {
    return _mm512_packs_epi32(_mm512_srav_epi32(sums[i].raw, shift),
                              _mm512_srav_epi32(sums[i + 1].raw, shift));
  };
  return _mm512_packs_epi16(pair(0), pair(2));
}

// Puts the sums of a unit into order.
HWY_INLINE void SumsInOrder(const Ints* sums, __m512i* quarters) {
  const __m512i low = _mm512_shuffle_i32x4(sums[0].raw, sums[1].raw, 0x44),
                low1 = _mm512_shuffle_i32x4(sums[2].raw, sums[3].raw, 0x44),
                high = _mm512_shuffle_i32x4(sums[0].raw, sums[1].raw, 0xee),
                high1 = _mm512_shuffle_i32x4(sums[2].raw, sums[3].raw, 0xee);
  quarters[0] = _mm512_shuffle_i32x4(low, low1, 0x88);
  quarters[1] = _mm512_shuffle_i32x4(low, low1, 0xdd);
  quarters[2] = _mm512_shuffle_i32x4(high, high1, 0x88);
  quarters[3] = _mm512_shuffle_i32x4(high, high1, 0xdd);
}

// Computes the sums of a plane in its layout.
template <class Dot, class Emit>
HWY_INLINE void SumsOfThree(const BytesOfThree& job, const uint8_t* layout, const uint32_t* rows,
                            int32_t start, const Emit& emit) {
  if (job.step() == 1)
    SumTwoRows<Dot>(job, layout, rows, start, emit);
  else
    SumSecondRows<Dot>(job, layout, rows, start, emit);
}

}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
#endif  // per-target include guard
