// The register tiles of tiles.h.
#include "ops/fast/gemm/tiles.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/fast/gemm/tiles.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include <algorithm>

#include "numerics/add_tree.h"
#include "ops/fast/gemm/dot-inl.h"
#include "ops/fast/vec/float32-inl.h"

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
  for (size_t r = 0; r < kR; ++r)
    for (size_t v = 0; v < kV; ++v)
      sums[r][v] =
          start == nullptr ? hn::Zero(d) : hn::LoadU(d, start + r * kTilePitch + v * kLanes32);
  const size_t step = chains.step;
  const size_t end = chains.end[chain];
  const float* row = as_floats(tile.left) + chains.begin[chain] * kR;
  for (size_t term = chains.begin[chain]; term < end; term += step, row += step * kR) {
    const float* column = as_floats(tile.right) + chains.right_offset[term];
    Floats factors[kV];
    for (size_t v = 0; v < kV; ++v) factors[v] = hn::LoadU(d, column + v * kLanes32);
    HWY_UNROLL(8)
    for (size_t r = 0; r < kR; ++r) {
      const Floats factor = hn::Set(d, row[r]);
      for (size_t v = 0; v < kV; ++v)
        sums[r][v] = hn::Add(sums[r][v], multiply(factors[v], factor));
    }
  }
  const bool onto = chain % 2 != 0;
  for (size_t r = 0; r < kR; ++r)
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
  for (size_t r = 0; r < kR; ++r)
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

// The sum of `count` products, lane by lane; lanes that need the reference become NaN in `doubt`.
template <size_t kV>
HWY_INLINE void GroupSum(const float* weights, size_t weight_step, const float* inputs,
                         size_t input_step, size_t count, Floats* sums, Ints* doubt) {
  const F32 d;
  const I32 di;
  HWY_ALIGN float products[kV * kLanes32 * kAddTreeGroup];
  Floats largest[kV];
  for (size_t v = 0; v < kV; ++v) largest[v] = hn::Zero(d);
  float* to = products;
  for (size_t i = 0; i < count; ++i, inputs += input_step, weights += weight_step) {
    const Floats weight = hn::Set(d, *weights);
    for (size_t v = 0; v < kV; ++v, to += kLanes32) {
      const Floats product = multiply(hn::LoadU(d, inputs + v * kLanes32), weight);
      hn::Store(product, d, to);
      // By bits: larger magnitudes are larger integers, NaN the largest.
      largest[v] =
          hn::BitCast(d, hn::Max(hn::BitCast(di, largest[v]), hn::BitCast(di, hn::Abs(product))));
    }
  }
  Floats align[kV], unit[kV];
  Ints total[kV];
  for (size_t v = 0; v < kV; ++v) {
    const Ints exponent = hn::ShiftRight<23>(hn::BitCast(di, largest[v]));
    const auto tiny =
        hn::And(hn::Lt(exponent, hn::Set(di, kLeastExponent)), hn::Gt(exponent, hn::Zero(di)));
    doubt[v] = hn::Or(doubt[v],
                      hn::VecFromMask(di, hn::Or(tiny, hn::Eq(exponent, hn::Set(di, kInfinite)))));
    const Ints e = hn::Max(exponent, hn::Set(di, kLeastExponent));
    align[v] = hn::BitCast(d, hn::ShiftLeft<23>(hn::Sub(hn::Set(di, 127 + 127 + 24), e)));
    unit[v] = hn::BitCast(d, hn::ShiftLeft<23>(hn::Sub(e, hn::Set(di, 24))));
    total[v] = hn::Zero(di);
  }
  const float* from = products;
  for (size_t i = 0; i < count; ++i)
    for (size_t v = 0; v < kV; ++v, from += kLanes32)
      total[v] = hn::Add(total[v], Truncated(hn::Mul(hn::Load(d, from), align[v])));
  for (size_t v = 0; v < kV; ++v)
    sums[v] = hn::Add(sums[v], hn::Mul(hn::ConvertTo(d, total[v]), unit[v]));
}

template <size_t kV>
bool GroupedRow(const Tile& tile, const Groups& groups, size_t row) {
  const F32 d;
  const I32 di;
  float* at = as_floats(tile.sums) + row * kTilePitch;
  Floats sums[kV];
  Ints doubt[kV];
  for (size_t v = 0; v < kV; ++v) {
    sums[v] = hn::LoadU(d, at + v * kLanes32);
    doubt[v] = hn::Zero(di);
  }
  const float* weights = as_floats(tile.left) + row;
  const float* inputs = as_floats(tile.right);
  for (size_t first = 0; first < groups.channels; first += kAddTreeGroup) {
    const size_t count = std::min<size_t>(kAddTreeGroup, groups.channels - first);
    for (size_t tap = 0; tap < groups.taps; ++tap) {
      GroupSum<kV>(weights, tile.rows, inputs, groups.pitch, count, sums, doubt);
      weights += count * tile.rows;
      inputs += count * groups.pitch;
    }
  }
  bool any = false;
  for (size_t v = 0; v < kV; ++v) {
    sums[v] = hn::Or(sums[v], hn::BitCast(d, doubt[v]));  // all bits: NaN
    any = any || !hn::AllFalse(d, hn::IsNaN(sums[v]));
    hn::StoreU(sums[v], d, at + v * kLanes32);
  }
  return any;
}

bool Grouped(const Tile& tile, const Groups& groups) {
  bool any = false;
  for (size_t row = 0; row < tile.rows; ++row) {
    if (tile.vectors == 1)
      any |= GroupedRow<1>(tile, groups, row);
    else if (kVectors > 2 && tile.vectors == 3)
      any |= GroupedRow<kVectors>(tile, groups, row);
    else
      any |= GroupedRow<2>(tile, groups, row);
  }
  return any;
}

void Integers(const Tile& tile, size_t pitch, size_t terms) {
  const I32 d;
  const uint32_t zero = 0;
  const Reduction reduction{.data = tile.right,
                            .group_stride = pitch,
                            .offsets = &zero,
                            .taps = 1,
                            .groups = terms,
                            .weights = tile.left};
  dot_positions<WordDot>(
      reduction, 0, tile.vectors * kLanes32, [&](size_t row, size_t column, Ints sum) HWY_ATTR {
        auto* at = reinterpret_cast<int32_t*>(tile.sums) + row * kTilePitch + column;
        hn::StoreU(hn::Add(hn::LoadU(d, at), sum), d, at);
      });
}

TileKernels Kernels() {
  return {kRows, kVectors, static_cast<uint32_t>(kLanes32), &SumChains, &Grouped, &Integers};
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
