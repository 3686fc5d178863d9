// The register tiles of tiles.h.
#define HWY_WANT_AVX3_DL  // VBMI joins bytes by permutation
#include "ops/fast/gemm/tiles.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/fast/gemm/tiles.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include <algorithm>

#include "numerics/add_tree.h"
#include "ops/fast/gemm/pack-inl.h"
#include "ops/fast/vec/elements-inl.h"
#include "ops/fast/vec/float32-inl.h"
#include "ops/fast/vec/rounding-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace {

constexpr size_t kRows = kTileRows, kVectors = kTileVectors;
static_assert(kRows <= kMaxTileRows && kVectors * kLanes32 <= kTilePitch);

const float* as_floats(const uint32_t* cells) { return reinterpret_cast<const float*>(cells); }
float* as_floats(uint32_t* cells) { return reinterpret_cast<float*>(cells); }

// Adds up one chain of every result: in `at`, or onto what is there.
template <size_t kR, size_t kV>
HWY_INLINE void SumChain(const Tile& tile, const Chains& chains, size_t chain, const float* start,
                         float* at) {
  const F32 d;
  Floats sums[kR][kV];
#pragma GCC unroll 8
  for (size_t r = 0; r < kR; ++r)
#pragma GCC unroll 4
    for (size_t v = 0; v < kV; ++v)
      sums[r][v] =
          start == nullptr ? hn::Zero(d) : hn::LoadU(d, start + r * kTilePitch + v * kLanes32);
  const size_t step = chains.step;
  const size_t end = chains.end[chain];
  const float* row = as_floats(tile.left) + chains.begin[chain] * kR;
  for (size_t term = chains.begin[chain]; term < end; term += step, row += step * kR) {
    const float* column = as_floats(tile.right) + chains.right_offset[term];
    Floats factors[kV];
#pragma GCC unroll 4
    for (size_t v = 0; v < kV; ++v) factors[v] = hn::LoadU(d, column + v * kLanes32);
#pragma GCC unroll 8
    for (size_t r = 0; r < kR; ++r) {
      const Floats factor = hn::Set(d, row[r]);
#pragma GCC unroll 4
      for (size_t v = 0; v < kV; ++v)
        sums[r][v] = hn::Add(sums[r][v], multiply(factors[v], factor));
    }
  }
  const bool onto = chain % 2 != 0;
#pragma GCC unroll 8
  for (size_t r = 0; r < kR; ++r)
#pragma GCC unroll 4
    for (size_t v = 0; v < kV; ++v) {
      float* to = at + r * kTilePitch + v * kLanes32;
      hn::StoreU(onto ? hn::Add(hn::LoadU(d, to), sums[r][v]) : sums[r][v], d, to);
    }
}

// What follows the chains; `second` is the sum of chains 2 and 3. True if a result is NaN.
template <size_t kR, size_t kV>
HWY_INLINE bool FinishChains(float* sums, const ChainEnds& ends, const float* second) {
  const F32 d;
  Floats nan = hn::Zero(d);
#pragma GCC unroll 8
  for (size_t r = 0; r < kR; ++r)
#pragma GCC unroll 4
    for (size_t v = 0; v < kV; ++v) {
      const size_t at = r * kTilePitch + v * kLanes32;
      Floats sum = hn::LoadU(d, sums + at);
      if (second != nullptr) sum = hn::Add(sum, hn::LoadU(d, second + at));
      if (ends.row_bias != nullptr) sum = hn::Add(sum, hn::Set(d, ends.row_bias[r]));
      if (ends.column_bias != nullptr)
        sum = hn::Add(sum, hn::LoadU(d, ends.column_bias + v * kLanes32));
      if (ends.addends != nullptr) sum = hn::Add(sum, hn::LoadU(d, ends.addends + at));
      hn::StoreU(sum, d, sums + at);
      nan = hn::Or(nan, nan_lanes(sum));
    }
  return any_set(nan);
}

template <size_t kR, size_t kV>
bool ChainTile(const Tile& tile, const Chains& chains, const ChainEnds& ends) {
  float* const sums = as_floats(tile.sums);
  float second[kR * kTilePitch];
  for (size_t chain = 0; chain < chains.count; ++chain)
    SumChain<kR, kV>(tile, chains, chain, chain < 2 ? ends.starts[chain] : nullptr,
                     chain < 2 ? sums : second);
  return FinishChains<kR, kV>(sums, ends, chains.count > 2 ? second : nullptr);
}

// Tiles of 1 to kRows rows.
template <size_t kV, size_t kR = kRows>
bool ChainRows(const Tile& tile, const Chains& chains, const ChainEnds& ends) {
  if constexpr (kR > 1)
    if (tile.rows < kR) return ChainRows<kV, kR - 1>(tile, chains, ends);
  return ChainTile<kR, kV>(tile, chains, ends);
}

bool SumChains(const Tile& tile, const Chains& chains, const ChainEnds& ends) {
  if (tile.vectors == 1) return ChainRows<1>(tile, chains, ends);
  if constexpr (kVectors > 2)
    if (tile.vectors == 3) return ChainRows<3>(tile, chains, ends);
  return ChainRows<2>(tile, chains, ends);
}

// Below this exponent the factors that align products are no fp32 numbers.
constexpr int32_t kLeastExponent = 32, kInfinite = 255;

// Towards zero, of numbers that 32 bits hold: the processor's own conversion.
HWY_INLINE Ints Truncated(Floats v) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  return Ints{_mm512_cvttps_epi32(v.raw)};
#elif HWY_ARCH_X86 && HWY_TARGET == HWY_AVX2
  return Ints{_mm256_cvttps_epi32(v.raw)};
#elif HWY_ARCH_X86 && HWY_TARGET <= HWY_SSE2
  return Ints{_mm_cvttps_epi32(v.raw)};
#else
  return hn::ConvertTo(I32(), v);
#endif
}

// Largest of magnitudes: by bits, larger magnitudes are larger integers, NaN the largest.
HWY_INLINE Ints Larger(Ints largest, Floats product) {
  return hn::Max(largest, bits(hn::Abs(product)));
}

// How products of a group are aligned to their largest exponent.
struct Alignment {
  Floats align, unit;

  // Lanes that need the reference become NaN in `doubt`.
  HWY_INLINE Alignment(Ints largest, Ints& doubt) {
    const I32 d;
    const Ints exponent = hn::ShiftRight<23>(largest), least = hn::Set(d, kLeastExponent);
    const auto tiny = hn::And(hn::Lt(exponent, least), hn::Gt(exponent, hn::Zero(d)));
    const auto infinite = hn::Eq(exponent, hn::Set(d, kInfinite));
    doubt = hn::Or(doubt, hn::VecFromMask(d, hn::Or(tiny, infinite)));
    const Ints e = hn::Max(exponent, least);
    align = floats(hn::ShiftLeft<23>(hn::Sub(hn::Set(d, 127 + 127 + 24), e)));
    unit = floats(hn::ShiftLeft<23>(hn::Sub(e, hn::Set(d, 24))));
  }
  HWY_INLINE Ints aligned(Floats product) const { return Truncated(hn::Mul(product, align)); }
  HWY_INLINE Floats sum(Ints total) const { return hn::Mul(hn::ConvertTo(F32(), total), unit); }
};

// One row's weights and one vector of inputs of a group, channel by channel.
struct GroupFactors {
  const float* weights;
  size_t weight_step;
  const float* inputs;
  size_t input_step;

  HWY_INLINE Floats product(size_t channel) const {
    return multiply(hn::LoadU(F32(), inputs + channel * input_step),
                    hn::Set(F32(), weights[channel * weight_step]));
  }
};

// The sum of a whole group, whose products stay in registers as far as they fit.
HWY_INLINE Floats WholeGroup(const GroupFactors& factors, Ints& doubt) {
  constexpr size_t kChains = 4;  // of the largest so far, as comparisons take their time
  Floats products[kAddTreeGroup];
  Ints largest[kChains], total[2];
#pragma GCC unroll 32
  for (size_t i = 0; i < kAddTreeGroup; ++i) {
    products[i] = factors.product(i);
    largest[i % kChains] =
        i < kChains ? bits(hn::Abs(products[i])) : Larger(largest[i % kChains], products[i]);
  }
  const Alignment a(hn::Max(hn::Max(largest[0], largest[1]), hn::Max(largest[2], largest[3])),
                    doubt);
#pragma GCC unroll 32
  for (size_t i = 0; i < kAddTreeGroup; ++i)
    total[i % 2] = i < 2 ? a.aligned(products[i]) : hn::Add(total[i % 2], a.aligned(products[i]));
  return a.sum(hn::Add(total[0], total[1]));
}

// The same of a group of `count`.
HWY_INLINE Floats PartOfGroup(const GroupFactors& factors, size_t count, Ints& doubt) {
  const F32 d;
  HWY_ALIGN float products[kLanes32 * kAddTreeGroup];
  Ints largest = hn::Zero(I32()), total = hn::Zero(I32());
  for (size_t i = 0; i < count; ++i) {
    const Floats product = factors.product(i);
    hn::Store(product, d, products + i * kLanes32);
    largest = Larger(largest, product);
  }
  const Alignment a(largest, doubt);
  for (size_t i = 0; i < count; ++i)
    total = hn::Add(total, a.aligned(hn::Load(d, products + i * kLanes32)));
  return a.sum(total);
}

// One group of one tap for all rows and vectors of a tile, whose inputs stay in the cache.
HWY_NOINLINE void AddGroup(const Tile& tile, GroupFactors factors, size_t count) {
  const F32 d;
  const float* const inputs = factors.inputs;
  for (size_t row = 0; row < tile.rows; ++row, ++factors.weights)
    for (size_t v = 0; v < tile.vectors; ++v) {
      factors.inputs = inputs + v * kLanes32;
      float* at = as_floats(tile.sums) + row * kTilePitch + v * kLanes32;
      Ints doubt = hn::Zero(I32());
      const Floats group =
          count == kAddTreeGroup ? WholeGroup(factors, doubt) : PartOfGroup(factors, count, doubt);
      const Floats sum = hn::Add(hn::LoadU(d, at), group);
      hn::StoreU(hn::Or(sum, floats(doubt)), d, at);  // all bits: NaN
    }
}

bool Grouped(const Tile& tile, const Groups& groups) {
  GroupFactors factors{as_floats(tile.left), tile.rows, nullptr, groups.pitch};
  for (size_t first = 0; first < groups.channels; first += kAddTreeGroup) {
    const size_t count = std::min<size_t>(kAddTreeGroup, groups.channels - first);
    for (size_t tap = 0; tap < groups.taps; ++tap) {
      factors.inputs = as_floats(tile.right) + first * groups.pitch + groups.tap_offset[tap];
      AddGroup(tile, factors, count);
      factors.weights += kAddTreeGroup * tile.rows;
    }
  }
  Floats nan = hn::Zero(F32());
  for (size_t row = 0; row < tile.rows; ++row)
    for (size_t v = 0; v < tile.vectors; ++v)
      nan = hn::Or(
          nan, nan_lanes(hn::LoadU(F32(), as_floats(tile.sums) + row * kTilePitch + v * kLanes32)));
  return any_set(nan);
}

// Adds the sums of products, the dot_positions of `dot`, to a tile's.
template <class Dot>
HWY_INLINE void AddDots(const Tile& tile, const Dots& dots, const Dot& dot) {
  const Reduction reduction{.data = tile.right,
                            .group_stride = dots.pitch,
                            .offsets = dots.tap_offset,
                            .taps = dots.taps,
                            .groups = dots.cells,
                            .weights = tile.left};
  dot(reduction, tile.vectors * kLanes32, [&](size_t row, size_t column, Ints sum) HWY_ATTR {
    const I32 d;
    auto* at = reinterpret_cast<int32_t*>(tile.sums) + row * kTilePitch + column;
    hn::StoreU(hn::Add(hn::LoadU(d, at), sum), d, at);
  });
}

void Words(const Tile& tile, const Dots& dots) {
  AddDots(tile, dots, [](const Reduction& r, size_t count, const auto& emit) HWY_ATTR {
    dot_positions<WordDot>(r, 0, count, emit);
  });
}

void Bytes(const Tile& tile, const Dots& dots) {
  AddDots(tile, dots, [&](const Reduction& r, size_t count, const auto& emit) HWY_ATTR {
    dot_byte_positions(dots.signed_left, r, 0, count, emit);
  });
}

SignFlip FlipOf(bool signed_right, bool signed_left) {
  const Flip flip(signed_right, signed_left);
  return {flip.mask, flip.correction};
}

void SumRows(const uint32_t* left, size_t terms, bool is_signed, int32_t* sums) {
  constexpr size_t kUnit = 16;  // dwords
  const size_t dwords = terms * kRows, whole = dwords / kUnit * kUnit;
  sum_weights(left, whole, is_signed, sums);
  uint32_t rest[kUnit] = {};
  int32_t more[kRows];
  std::copy_n(left + whole, dwords - whole, rest);
  sum_weights(rest, kUnit, is_signed, more);
  for (size_t row = 0; row < kRows; ++row) sums[row] += more[row];
}

void JoinWords(const uint8_t* const* rows, size_t count, bool is_signed, uint32_t* to) {
  const I32 d;
  const auto load = [&](const uint8_t* p) HWY_ATTR {
    const auto* as_signed = reinterpret_cast<const int8_t*>(p);
    return is_signed ? hn::PromoteTo(d, hn::LoadU(hn::Rebind<int8_t, I32>(), as_signed))
                     : hn::PromoteTo(d, hn::LoadU(hn::Rebind<uint8_t, I32>(), p));
  };
  for (size_t i = 0; i < count; i += kLanes32)
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

void Narrow(const uint32_t* sums, size_t count, DType dtype, uint8_t* to) {
  NarrowElements(dtype, reinterpret_cast<const int32_t*>(sums), count, to);
}

// kV vectors of a row from result `at` on, to `out`; nothing if the first `count` hold a NaN.
template <size_t kV>
HWY_INLINE bool ShortVectors(const ShortRow& row, size_t at, float* out,
                             size_t count = kV * kLanes32) {
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
        sums[v] = hn::Add(sums[v], multiply(hn::LoadU(d, right + v * kLanes32), factor));
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
    if (row.accumulate) sum = hn::Add(sum, hn::LoadU(d, out + v * kLanes32));
    nan = hn::Or(nan, nan_lanes(sum));
  }
  if (count < kLanes32) nan = hn::IfThenElseZero(hn::FirstN(d, count), nan);
  if (any_set(nan)) return false;
#pragma GCC unroll 4
  for (size_t v = 0; v < kV; ++v) hn::StoreU(halves[0][v], d, out + v * kLanes32);
  return true;
}

size_t SumShortRow(const ShortRow& row) {
  constexpr size_t kV = 4;
  size_t at = 0;
  for (; at + kV * kLanes32 <= row.count; at += kV * kLanes32)
    if (!ShortVectors<kV>(row, at, row.out + at)) return at;
  for (; at + kLanes32 <= row.count; at += kLanes32)
    if (!ShortVectors<1>(row, at, row.out + at)) return at;
  if (at == row.count) return at;
  HWY_ALIGN float rest[kLanes32] = {};
  const size_t count = row.count - at;
  std::copy_n(row.out + at, count, rest);
  if (!ShortVectors<1>(row, at, rest, count)) return at;
  std::copy_n(rest, count, row.out + at);
  return row.count;
}

TileKernels Kernels() {
  return {.rows = kRows,
          .vectors = kVectors,
          .lanes = static_cast<uint32_t>(kLanes32),
          .in_cell = static_cast<uint32_t>(kElements),
          .chains = &SumChains,
          .grouped = &Grouped,
          .words = &Words,
          .bytes = &Bytes,
          .sign_flip = &FlipOf,
          .sum_rows = &SumRows,
          .join = &join_run,
          .join_words = &JoinWords,
          .quantize = &Quantize,
          .narrow = &Narrow,
          .short_row = &SumShortRow};
}

}  // namespace
}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tputwin::fast {

HWY_EXPORT(Kernels);

TileKernels tile_kernels() { return HWY_DYNAMIC_DISPATCH(Kernels)(); }

}  // namespace tputwin::fast
#endif
