// Implements the micro-kernels of tiles.h.
#define HWY_WANT_AVX3_DL  // VBMI joins bytes by permutation
#include "ops/fast/gemm/kernels/tiles.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/fast/gemm/kernels/tiles.cc"
#include "ops/fast/dispatch/foreach_target.h"  // must come before highway.h

#include <hwy/highway.h>

#include <algorithm>

#include "ops/fast/gemm/kernels/chains-inl.h"
#include "ops/fast/gemm/kernels/coded_groups-inl.h"
#include "ops/fast/gemm/kernels/dot_bytes-inl.h"
#include "ops/fast/gemm/kernels/grouped-inl.h"
#include "ops/fast/gemm/kernels/half_columns-inl.h"
#include "ops/fast/gemm/kernels/half_row-inl.h"
#include "ops/fast/gemm/kernels/one_row-inl.h"
#include "ops/fast/gemm/kernels/pair_rows-inl.h"
#include "ops/fast/gemm/kernels/rounded_groups-inl.h"
#include "ops/fast/gemm/kernels/row_bytes-inl.h"
#include "ops/fast/gemm/kernels/scaled_tile-inl.h"
#include "ops/fast/gemm/packing/byte_cells-inl.h"
#include "ops/fast/vec/elements-inl.h"
#include "ops/fast/vec/float32-inl.h"
#include "ops/fast/vec/rounding-inl.h"
#include "ops/fast/vec/scaling-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace {

// Adds grouped sums with the kernel for coded factors, the short one for factors with normal
// products, or the general one, which checks every group.
bool Grouped(const Tile& tile, const Groups& groups) {
  GroupFactors factors{as_floats(tile.left), tile.rows, nullptr, groups.pitch};
  const int16_t* weight_codes = groups.left_codes;
  const uint8_t* later = tile.later;
  for (size_t first = 0; first < groups.channels; first += kAddTreeGroup) {
    const size_t count = std::min<size_t>(kAddTreeGroup, groups.channels - first);
    for (size_t tap = 0; tap < groups.taps; ++tap) {
      const size_t offset = first * groups.pitch + groups.tap_offset[tap];
      factors.inputs = as_floats(tile.right) + offset;
      if (groups.right_codes != nullptr) {
        AddCoded(tile, {factors, weight_codes, groups.right_codes + offset}, count);
        weight_codes += kAddTreeGroup * tile.rows;
      } else {
        groups.has_normal_products ? AddNormal(tile, factors, count)
                                   : AddGroup(tile, factors, count);
      }
      factors.weights += kAddTreeGroup * tile.rows;
      if (later == nullptr) continue;
      constexpr size_t kLine = 64;
      const uint8_t* const end = later + kAddTreeGroup * tile.rows * sizeof(uint16_t);
      for (; later < end; later += kLine) __builtin_prefetch(later, 0, 2);
    }
  }
  Floats nan = hn::Zero(F32());
  for (size_t row = 0; row < tile.rows; ++row)
    for (size_t v = 0; v < tile.vectors; ++v)
      nan = hn::Or(nan, nan_elements(hn::LoadU(
                            F32(), as_floats(tile.sums) + row * kTilePitch + v * kElements32)));
  return any_set(nan);
}

Reduction ReductionOf(const Tile& tile, const Dots& dots) {
  return {.data = tile.right,
          .group_stride = dots.pitch,
          .offsets = dots.tap_offset,
          .taps = dots.taps,
          .groups = dots.cells,
          .weights = tile.left,
          .tile_depth = dots.tile_depth};
}

// Adds sums of products, computed by `dot` (see dot_positions), to those of a tile.
template <class Dot>
HWY_INLINE void AddDots(const Tile& tile, const Dots& dots, const Dot& dot) {
  dot(ReductionOf(tile, dots), tile.vectors * kElements32,
      [&](size_t row, size_t column, Ints sum) HWY_ATTR {
        const I32 d;
        auto* at = reinterpret_cast<int32_t*>(tile.sums) + row * kTilePitch + column;
        hn::StoreU(hn::Add(hn::LoadU(d, at), sum), d, at);
      });
}

void Int16Products(const Tile& tile, const Dots& dots) {
  AddDots(tile, dots, [](const Reduction& r, size_t count, const auto& emit) HWY_ATTR {
    dot_positions<WordDot>(r, 0, count, emit);
  });
}

void Bytes(const Tile& tile, const Dots& dots) {
  AddDots(tile, dots, [&](const Reduction& r, size_t count, const auto& emit) HWY_ATTR {
    dot_byte_positions(dots.signed_left, r, 0, count, emit);
  });
}

void ScaledBytes(const Tile& tile, const Dots& dots, size_t columns, const RowScales& scales,
                 const ByteRows& to) {
  scaled_blocks(dots.signed_left, ReductionOf(tile, dots), columns, scales, to);
}

SignFlip FlipOf(bool signed_right, bool signed_left) {
  const Flip flip(signed_right, signed_left);
  return {flip.mask, flip.correction};
}

void SumRows(const uint32_t* left, size_t terms, bool is_signed, int32_t* sums) {
  constexpr size_t kUnit = 16;  // uint32 cells
  const size_t cells = terms * kRows, whole = cells / kUnit * kUnit;
  sum_weights(left, whole, is_signed, sums);
  uint32_t rest[kUnit] = {};
  int32_t more[kRows];
  std::copy_n(left + whole, cells - whole, rest);
  sum_weights(rest, kUnit, is_signed, more);
  for (size_t row = 0; row < kRows; ++row) sums[row] += more[row];
}

void JoinInt16(const uint8_t* const* rows, size_t count, bool is_signed, uint32_t* to) {
  const I32 d;
  const auto load = [&](const uint8_t* p) HWY_ATTR {
    const auto* as_signed = reinterpret_cast<const int8_t*>(p);
    return is_signed ? hn::PromoteTo(d, hn::LoadU(hn::Rebind<int8_t, I32>(), as_signed))
                     : hn::PromoteTo(d, hn::LoadU(hn::Rebind<uint8_t, I32>(), p));
  };
  for (size_t i = 0; i < count; i += kElements32)
    hn::StoreU(
        hn::Or(hn::And(load(rows[0] + i), ints(0xffff)), hn::ShiftLeft<16>(load(rows[1] + i))), d,
        reinterpret_cast<int32_t*>(to + i));
}

template <class T>
void QuantizeTo(const uint32_t* sums, size_t count, const Quantizing& q, T* to) {
  const I32 d;
  const Ints low = ints(q.relu ? std::max(q.low, 0) : q.low), high = ints(q.high);
  NarrowWith(reinterpret_cast<const int32_t*>(sums), count, to, [&](Ints v) HWY_ATTR {
    if (q.relu) v = hn::Max(v, hn::Zero(d));
    if (q.rshift != 0) v = RoundShift(d, v, static_cast<int>(q.rshift), q.rounding);
    return hn::Min(hn::Max(v, low), high);
  });
}

void Quantize(const uint32_t* sums, size_t count, const Quantizing& q, uint32_t bytes,
              uint8_t* to) {
  if (bytes == 1) return QuantizeTo(sums, count, q, to);
  QuantizeTo(sums, count, q, reinterpret_cast<uint16_t*>(to));
}

template <class T>
void ScaleTo(const uint32_t* sums, size_t count, const Scale& scale, T* to) {
  const SameScaling same(scale);
  same.with_rounding([&]<Rounding kRounding>() HWY_ATTR {
    NarrowWith(reinterpret_cast<const int32_t*>(sums), count, to,
               [&](Ints v) HWY_ATTR { return same.scaled<kRounding>(v); });
  });
}

void ScaleSums(const uint32_t* sums, size_t count, const Scale& scale, uint32_t bytes,
               uint8_t* to) {
  if (bytes == 1) return ScaleTo(sums, count, scale, to);
  ScaleTo(sums, count, scale, reinterpret_cast<uint16_t*>(to));
}

// Includes the exponents of fp32 values that are not 0 in `range`.
void Exponents(const uint32_t* words, size_t count, ExponentRange& range) {
  const I32 d;
  const Ints none = ints(ExponentRange::kNoMagnitude);
  Ints largest = hn::Zero(d), least = none;
  const auto take = [&](Ints word) HWY_ATTR {
    const Ints magnitude = hn::And(word, ints(0x7fff'ffff));
    largest = hn::Max(largest, magnitude);
    least = hn::Min(least, hn::IfThenElse(hn::Eq(magnitude, hn::Zero(d)), none, magnitude));
  };
  const size_t whole = count / kElements32 * kElements32;
  for (size_t i = 0; i < whole; i += kElements32)
    take(hn::LoadU(d, reinterpret_cast<const int32_t*>(words + i)));
  for (size_t i = whole; i < count; ++i) take(ints(static_cast<int32_t>(words[i])));
  HWY_ALIGN int32_t found[2][kElements32];
  hn::Store(largest, d, found[0]);
  hn::Store(least, d, found[1]);
  range.include(*std::max_element(found[0], found[0] + kElements32),
                *std::min_element(found[1], found[1] + kElements32));
}

void Narrow(const uint32_t* sums, size_t count, DType dtype, uint8_t* to) {
  NarrowElements(dtype, reinterpret_cast<const int32_t*>(sums), count, to);
}

// Computes kV vectors of a row from result `at` on to `out`. Writes nothing and returns false if
// the first `count` hold a NaN.
template <size_t kV>
HWY_INLINE bool ShortVectors(const ShortRow& row, size_t at, float* out,
                             size_t count = kV * kElements32) {
  const F32 d;
  const Chains& chains = *row.chains;
  Floats halves[2][kV];
  for (size_t chain = 0; chain < chains.count; ++chain) {
    Floats sums[kV];
#pragma GCC unroll 4
    for (size_t v = 0; v < kV; ++v) sums[v] = hn::Zero(d);
    for (size_t term = chains.begin[chain]; term < chains.end[chain]; term += chains.step) {
      const Floats factor = hn::Set(d, row.left[term]);
      const float* right = row.right[term] + at;
#pragma GCC unroll 4
      for (size_t v = 0; v < kV; ++v)
        sums[v] = hn::Add(sums[v], multiply(hn::LoadU(d, right + v * kElements32), factor));
    }
#pragma GCC unroll 4
    for (size_t v = 0; v < kV; ++v) {
      Floats& half = halves[chain / 2][v];
      half = chain % 2 != 0 ? hn::Add(half, sums[v]) : sums[v];
    }
  }
  Floats nan = hn::Zero(d);
#pragma GCC unroll 4
  for (size_t v = 0; v < kV; ++v) {
    Floats& sum = halves[0][v];
    if (chains.count > 2) sum = hn::Add(sum, halves[1][v]);
    if (row.bias != nullptr) sum = hn::Add(sum, hn::Set(d, *row.bias));
    if (row.accumulate) sum = hn::Add(sum, hn::LoadU(d, out + v * kElements32));
    nan = hn::Or(nan, nan_elements(sum));
  }
  if (count < kElements32) nan = hn::IfThenElseZero(hn::FirstN(d, count), nan);
  if (any_set(nan)) return false;
#pragma GCC unroll 4
  for (size_t v = 0; v < kV; ++v) hn::StoreU(halves[0][v], d, out + v * kElements32);
  return true;
}

size_t SumShortRow(const ShortRow& row) {
  constexpr size_t kV = 4;
  size_t at = 0;
  for (; at + kV * kElements32 <= row.count; at += kV * kElements32)
    if (!ShortVectors<kV>(row, at, row.out + at)) return at;
  for (; at + kElements32 <= row.count; at += kElements32)
    if (!ShortVectors<1>(row, at, row.out + at)) return at;
  if (at == row.count) return at;
  HWY_ALIGN float rest[kElements32] = {};
  const size_t count = row.count - at;
  std::copy_n(row.out + at, count, rest);
  if (!ShortVectors<1>(row, at, rest, count)) return at;
  std::copy_n(rest, count, row.out + at);
  return row.count;
}

TileKernels Kernels() {
  return {TileExtents{.rows = kRows,
                      .vectors = kVectors,
                      .few_rows = kFewRows,
                      .wide_vectors = kWideVectors,
                      .vector_elements = static_cast<uint32_t>(kElements32),
                      .in_cell = static_cast<uint32_t>(kElements),
                      .has_matrix_tiles = TPUTWIN_HAVE_TILES && tile_unit() != TileUnit::none},
          PackingKernels{.sign_flip = &FlipOf,
                         .sum_rows = &SumRows,
                         .join = &join_run,
                         .join_int16 = &JoinInt16,
                         .exponents = &Exponents,
                         // the kernels of codes need two vectors of 16-bit elements
                         .code = HWY_TARGET == HWY_SCALAR ? nullptr : &Code,
                         .sizes = &Sizes,
                         .pairs = TPUTWIN_HAVE_BF16_PAIRS && has_bf16_pairs() ? &Pairs : nullptr},
          ProductKernels{.chains = &SumChains,
                         .grouped = &Grouped,
                         .rounded = &Rounded,
                         .int16 = &Int16Products,
                         .bytes = &Bytes,
                         .scaled_bytes = &ScaledBytes,
                         .short_row = &SumShortRow,
                         .row_of_bytes = RowKernel(),
                         .pair_rows = PairRowsKernel()},
          HalfRowKernels{.magnitudes = &MagnitudesOfGroup,
                         .thresholds = &ThresholdsOfGroup,
                         .row_of_float16 = &RowOfFloat16,
                         .columns_of_float16 = &ColumnsOfFloat16},
          EpilogueKernels{.quantize = &Quantize, .scale = &ScaleSums, .narrow = &Narrow}};
}

}  // namespace
}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tputwin::fast {

HWY_EXPORT(Kernels);

TileKernels tile_kernels() { return TPUTWIN_DISPATCH(Kernels)(); }

}  // namespace tputwin::fast
#endif
