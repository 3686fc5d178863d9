// The register tiles of patch_tile.h.
#include "ops/fast/gemm/patch_tile.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/fast/gemm/patch_tile.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include <algorithm>
#include <bit>

#include "numerics/add_tree.h"
#include "ops/fast/gemm/dot-inl.h"
#include "ops/fast/vec/multiply-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace {

using DF = hn::ScalableTag<float>;
using VF = hn::Vec<DF>;
using DI = hn::RebindToSigned<DF>;
using VI = hn::Vec<DI>;

constexpr size_t kRows = kTileRows, kVectors = kTileVectors;
static_assert(kRows <= kMaxPatchRows && kVectors * kLanes32 <= kPatchPitch);

const float* floats(const uint32_t* cells) { return reinterpret_cast<const float*>(cells); }
float* floats(uint32_t* cells) { return reinterpret_cast<float*>(cells); }

// Adds every other term, from term `turn` on, to sums[row * kPatchPitch + column].
template <size_t kR, size_t kV>
HWY_INLINE void SumTurn(const PatchTile& tile, size_t turn, float* at) {
  const DF d;
  VF sums[kR][kV];
  for (size_t r = 0; r < kR; ++r)
    for (size_t v = 0; v < kV; ++v) sums[r][v] = hn::LoadU(d, at + r * kPatchPitch + v * kLanes32);
  const float* weights = floats(tile.weights) + turn * kR;
  const float* inputs = floats(tile.inputs) + turn * tile.pitch;
  for (size_t term = turn; term < tile.terms; term += 2) {
    VF x[kV];
    for (size_t v = 0; v < kV; ++v) x[v] = hn::LoadU(d, inputs + v * kLanes32);
    HWY_UNROLL(8)
    for (size_t r = 0; r < kR; ++r) {
      const VF weight = hn::Set(d, weights[r]);
      for (size_t v = 0; v < kV; ++v) sums[r][v] = hn::Add(sums[r][v], multiply(x[v], weight));
    }
    weights += 2 * kR;
    inputs += 2 * tile.pitch;
  }
  for (size_t r = 0; r < kR; ++r)
    for (size_t v = 0; v < kV; ++v) hn::StoreU(sums[r][v], d, at + r * kPatchPitch + v * kLanes32);
}

template <size_t kR, size_t kV>
bool AlternatingTile(const PatchTile& tile) {
  const DF d;
  SumTurn<kR, kV>(tile, 0, floats(tile.first));
  SumTurn<kR, kV>(tile, 1, floats(tile.second));
  auto nan = hn::FirstN(d, 0);
  for (size_t r = 0; r < kR; ++r)
    for (size_t v = 0; v < kV; ++v) {
      float* at = floats(tile.first) + r * kPatchPitch + v * kLanes32;
      const float* second = floats(tile.second) + r * kPatchPitch + v * kLanes32;
      const VF sum = hn::Add(hn::LoadU(d, at), hn::LoadU(d, second));
      hn::StoreU(sum, d, at);
      nan = hn::Or(nan, hn::IsNaN(sum));
    }
  return !hn::AllFalse(d, nan);
}

template <size_t kV>
bool AlternatingRows(const PatchTile& tile) {
  switch (tile.rows) {
    case 1:
      return AlternatingTile<1, kV>(tile);
    case 2:
      return AlternatingTile<2, kV>(tile);
    case 3:
      return AlternatingTile<3, kV>(tile);
    case 4:
      return AlternatingTile<4, kV>(tile);
  }
  if constexpr (kRows > 4) {
    switch (tile.rows) {
      case 5:
        return AlternatingTile<5, kV>(tile);
      case 6:
        return AlternatingTile<6, kV>(tile);
      case 7:
        return AlternatingTile<7, kV>(tile);
      case 8:
        return AlternatingTile<8, kV>(tile);
    }
  }
  return false;
}

bool Alternating(const PatchTile& tile) {
  if (tile.vectors == 1) return AlternatingRows<1>(tile);
  if constexpr (kVectors > 2)
    if (tile.vectors == 3) return AlternatingRows<3>(tile);
  return AlternatingRows<2>(tile);
}

// Below this exponent the factors that align products are no fp32 numbers.
constexpr int32_t kLeastExponent = 32, kInfinite = 255;

// Towards zero, of numbers that 32 bits hold: the processor's own conversion.
HWY_INLINE VI Truncated(VF v) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  return VI{_mm512_cvttps_epi32(v.raw)};
#elif HWY_ARCH_X86 && HWY_TARGET == HWY_AVX2
  return VI{_mm256_cvttps_epi32(v.raw)};
#elif HWY_ARCH_X86 && HWY_TARGET <= HWY_SSE2
  return VI{_mm_cvttps_epi32(v.raw)};
#else
  return hn::ConvertTo(DI(), v);
#endif
}

// The sum of `count` products, lane by lane; lanes that need the reference become NaN in `doubt`.
template <size_t kV>
HWY_INLINE void GroupSum(const float* weights, size_t weight_step, const float* inputs,
                         size_t input_step, size_t count, VF* sums, VI* doubt) {
  const DF d;
  const DI di;
  HWY_ALIGN float products[kV * kLanes32 * kAddTreeGroup];
  VF largest[kV];
  for (size_t v = 0; v < kV; ++v) largest[v] = hn::Zero(d);
  float* to = products;
  for (size_t i = 0; i < count; ++i, inputs += input_step, weights += weight_step) {
    const VF weight = hn::Set(d, *weights);
    for (size_t v = 0; v < kV; ++v, to += kLanes32) {
      const VF product = multiply(hn::LoadU(d, inputs + v * kLanes32), weight);
      hn::Store(product, d, to);
      // By bits: larger magnitudes are larger integers, NaN the largest.
      largest[v] =
          hn::BitCast(d, hn::Max(hn::BitCast(di, largest[v]), hn::BitCast(di, hn::Abs(product))));
    }
  }
  VF align[kV], unit[kV];
  VI total[kV];
  for (size_t v = 0; v < kV; ++v) {
    const VI exponent = hn::ShiftRight<23>(hn::BitCast(di, largest[v]));
    const auto tiny =
        hn::And(hn::Lt(exponent, hn::Set(di, kLeastExponent)), hn::Gt(exponent, hn::Zero(di)));
    doubt[v] = hn::Or(doubt[v],
                      hn::VecFromMask(di, hn::Or(tiny, hn::Eq(exponent, hn::Set(di, kInfinite)))));
    const VI e = hn::Max(exponent, hn::Set(di, kLeastExponent));
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
bool GroupedRow(const PatchTile& tile, size_t row) {
  const DF d;
  const DI di;
  float* at = floats(tile.first) + row * kPatchPitch;
  VF sums[kV];
  VI doubt[kV];
  for (size_t v = 0; v < kV; ++v) {
    sums[v] = hn::LoadU(d, at + v * kLanes32);
    doubt[v] = hn::Zero(di);
  }
  const float* weights = floats(tile.weights) + row;
  const float* inputs = floats(tile.inputs);
  for (size_t first = 0; first < tile.channels; first += kAddTreeGroup) {
    const size_t count = std::min<size_t>(kAddTreeGroup, tile.channels - first);
    for (size_t tap = 0; tap < tile.taps; ++tap) {
      GroupSum<kV>(weights, tile.rows, inputs, tile.pitch, count, sums, doubt);
      weights += count * tile.rows;
      inputs += count * tile.pitch;
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

bool Grouped(const PatchTile& tile) {
  bool any = false;
  for (size_t row = 0; row < tile.rows; ++row) {
    if (tile.vectors == 1)
      any |= GroupedRow<1>(tile, row);
    else if (kVectors > 2 && tile.vectors == 3)
      any |= GroupedRow<kVectors>(tile, row);
    else
      any |= GroupedRow<2>(tile, row);
  }
  return any;
}

void Integers(const PatchTile& tile) {
  const D32 d;
  const uint32_t zero = 0;
  const Reduction reduction{.data = tile.inputs,
                            .group_stride = tile.pitch,
                            .offsets = &zero,
                            .taps = 1,
                            .groups = tile.terms,
                            .weights = tile.weights};
  dot_positions<WordDot>(
      reduction, 0, tile.vectors * kLanes32, [&](size_t row, size_t column, V32 sum) HWY_ATTR {
        auto* at = reinterpret_cast<int32_t*>(tile.first) + row * kPatchPitch + column;
        hn::StoreU(hn::Add(hn::LoadU(d, at), sum), d, at);
      });
}

PatchKernels Kernels() {
  return {kRows, kVectors, static_cast<uint32_t>(kLanes32), &Alternating, &Grouped, &Integers};
}

}  // namespace
}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tputwin::fast {

HWY_EXPORT(Kernels);

PatchKernels patch_kernels() { return HWY_DYNAMIC_DISPATCH(Kernels)(); }

}  // namespace tputwin::fast
#endif
