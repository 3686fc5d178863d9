// The register tile of sum_tile.h.
#include "ops/fast/gemm/sum_tile.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/fast/gemm/sum_tile.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include "ops/fast/vec/multiply-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

// Sums, a vector of factors per column and one to broadcast must fit into the registers: 32 with
// AVX-512, else 16. Enough sums hide the latency of an addition.
constexpr bool kWide = hn::MaxLanes(D()) >= 16;
constexpr size_t kRows = kWide ? 8 : 4, kVectors = kWide ? 3 : 2;
static_assert(kRows <= kMaxTileRows && kVectors * hn::MaxLanes(D()) <= kTilePitch);

// Adds up one chain of every result: in `at`, or onto what is there.
template <size_t kR, size_t kV>
HWY_INLINE void SumChain(const Chains& chains, const SumTile& tile, size_t chain, float* at) {
  const D d;
  const size_t lanes = hn::Lanes(d);
  V sums[kR][kV];
  for (size_t r = 0; r < kR; ++r)
    for (size_t v = 0; v < kV; ++v) sums[r][v] = hn::Zero(d);
  const uint32_t* offset = chains.column_offset.data() + chains.begin[chain];
  const uint32_t* const end = chains.column_offset.data() + chains.begin[chain + 1];
  const float* row = tile.row_factors + chains.begin[chain] * kR;
  for (; offset != end; ++offset, row += kR) {
    const float* column = tile.column_factors + *offset;
    V factors[kV];
    for (size_t v = 0; v < kV; ++v) factors[v] = hn::LoadU(d, column + v * lanes);
    HWY_UNROLL(8)
    for (size_t r = 0; r < kR; ++r) {
      const V factor = hn::Set(d, row[r]);
      for (size_t v = 0; v < kV; ++v)
        sums[r][v] = hn::Add(sums[r][v], multiply(factors[v], factor));
    }
  }
  const bool onto = chain % 2 != 0;
  for (size_t r = 0; r < kR; ++r)
    for (size_t v = 0; v < kV; ++v) {
      float* to = at + r * kTilePitch + v * lanes;
      hn::StoreU(onto ? hn::Add(hn::LoadU(d, to), sums[r][v]) : sums[r][v], d, to);
    }
}

// What follows the chains; `second` is the sum of chains 2 and 3. True if a result is NaN.
template <size_t kR, size_t kV>
HWY_INLINE bool Finish(const SumTile& tile, const float* second) {
  const D d;
  const size_t lanes = hn::Lanes(d);
  V nan = hn::Zero(d);  // not 0 where a result was NaN
  for (size_t r = 0; r < kR; ++r)
    for (size_t v = 0; v < kV; ++v) {
      const size_t at = r * kTilePitch + v * lanes;
      V sum = hn::LoadU(d, tile.sums + at);
      if (second != nullptr) sum = hn::Add(sum, hn::LoadU(d, second + at));
      if (tile.row_bias != nullptr) sum = hn::Add(sum, hn::Set(d, tile.row_bias[r]));
      if (tile.column_bias != nullptr)
        sum = hn::Add(sum, hn::LoadU(d, tile.column_bias + v * lanes));
      if (tile.addends != nullptr) sum = hn::Add(sum, hn::LoadU(d, tile.addends + at));
      hn::StoreU(sum, d, tile.sums + at);
      nan = hn::Or(nan, hn::VecFromMask(d, hn::IsNaN(sum)));
    }
  const hn::RebindToUnsigned<D> du;
  return !hn::AllTrue(du, hn::Eq(hn::BitCast(du, nan), hn::Zero(du)));
}

template <size_t kR, size_t kV>
bool Tile(const Chains& chains, const SumTile& tile) {
  float second[kR * kTilePitch];
  for (size_t chain = 0; chain < chains.count; ++chain)
    SumChain<kR, kV>(chains, tile, chain, chain < 2 ? tile.sums : second);
  return Finish<kR, kV>(tile, chains.count > 2 ? second : nullptr);
}

template <size_t kV>
bool TileOfRows(const Chains& chains, const SumTile& tile) {
  switch (tile.rows) {
    case 1:
      return Tile<1, kV>(chains, tile);
    case 2:
      return Tile<2, kV>(chains, tile);
    case 3:
      return Tile<3, kV>(chains, tile);
    case 4:
      return Tile<4, kV>(chains, tile);
#if HWY_TARGET <= HWY_AVX3
    case 5:
      return Tile<5, kV>(chains, tile);
    case 6:
      return Tile<6, kV>(chains, tile);
    case 7:
      return Tile<7, kV>(chains, tile);
    case 8:
      return Tile<8, kV>(chains, tile);
#endif
  }
  return false;
}

bool AnyTile(const Chains& chains, const SumTile& tile) {
  switch (tile.vectors) {
    case 1:
      return TileOfRows<1>(chains, tile);
    case 2:
      return TileOfRows<2>(chains, tile);
#if HWY_TARGET <= HWY_AVX3
    case 3:
      return TileOfRows<3>(chains, tile);
#endif
  }
  return false;
}

TileKernel Kernel() { return {kRows, kVectors, static_cast<uint32_t>(hn::Lanes(D())), &AnyTile}; }

}  // namespace
}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tputwin::fast {

HWY_EXPORT(Kernel);

TileKernel tile_kernel() { return HWY_DYNAMIC_DISPATCH(Kernel)(); }

}  // namespace tputwin::fast
#endif
