// Sums of products of bytes by matrix tiles (AMX), for one Highway target (include in a
// foreach_target file, after dot-inl.h).
//
// A tile register has up to 16 rows of 64 bytes. The product updates the int32 C[i][j] for each row
// i of A and each column j of B. For each cell k, it adds the four products of bytes of A[i][k] and
// B[k][j]. Here A holds the weights of kTileRows output channels, and B the data of `depth` groups
// at 16 positions, whose cells are stored group_stride apart. So data need no other layout than for
// vectors, and sums come out planar. Sums wrap at 32 bits, so their order does not matter.
#if defined(TPUTWIN_FAST_TILE_UNIT_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TPUTWIN_FAST_TILE_UNIT_INL_H
#undef TPUTWIN_FAST_TILE_UNIT_INL_H
#else
#define TPUTWIN_FAST_TILE_UNIT_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "ops/fast/dispatch/isa.h"
#include "ops/fast/dispatch/tile_scope.h"
#include "ops/fast/gemm/kernels/dot-inl.h"

#undef TPUTWIN_HAVE_TILES
#define TPUTWIN_HAVE_TILES (HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3)

#if TPUTWIN_HAVE_TILES
HWY_BEFORE_NAMESPACE();
namespace tputwin::fast {
namespace HWY_NAMESPACE {

static_assert(kElements32 == kTileColumns && kTileVectors == kSumTileCount);
// Keeps tiles in memory and multiplies them with vectors. Tests use it to compute the same sums on
// processors without tiles.
class EmulatedTiles {
 public:
  explicit EmulatedTiles(const TileConfiguration& configuration) : configuration_(configuration) {}

  template <int kTile>
  void clear() {
    std::memset(tiles_[kTile], 0, sizeof tiles_[kTile]);
  }
  template <int kTile>
  void load(const uint32_t* from, size_t stride_bytes) {
    for (size_t row = 0; row < configuration_.rows[kTile]; ++row)
      std::memcpy(tiles_[kTile][row], reinterpret_cast<const uint8_t*>(from) + row * stride_bytes,
                  configuration_.row_bytes[kTile]);
  }
  template <int kTile>
  void store(int32_t* to, size_t stride_bytes) {
    for (size_t row = 0; row < configuration_.rows[kTile]; ++row)
      std::memcpy(reinterpret_cast<uint8_t*>(to) + row * stride_bytes, tiles_[kTile][row],
                  configuration_.row_bytes[kTile]);
  }
  template <bool kSignedWeights, int kSums, int kData>
  void multiply() {
    using Dot = std::conditional_t<kSignedWeights, SignedWeightsDot, UnsignedWeightsDot>;
    const I32 d;
    for (size_t row = 0; row < configuration_.rows[kSums]; ++row) {
      Ints sum = hn::Load(d, tiles_[kSums][row]);
      for (size_t k = 0; k < configuration_.rows[kData]; ++k)
        sum =
            Dot::step(sum, hn::Load(d, tiles_[kData][k]), hn::Set(d, tiles_[kWeightTile][row][k]));
      hn::Store(sum, d, tiles_[kSums][row]);
    }
  }

 private:
  TileConfiguration configuration_;
  alignas(64) int32_t tiles_[8][16][kTileColumns];
};

// Computes sums like dot_tile(), from weights in the order for tiles.
template <bool kSignedWeights, size_t kVectors, class Tiles>
HWY_NOINLINE void multiply_tiles(Tiles& tiles, const Reduction& r, size_t position,
                                 int32_t* HWY_RESTRICT sums) {
  const size_t data_stride = r.group_stride * sizeof *r.data,
               weight_stride = r.tile_depth * sizeof *r.weights,
               sum_stride = kVectors * kTileColumns * sizeof *sums;
  tiles.template clear<kSumTiles>();
  if constexpr (kVectors > 1) tiles.template clear<kSumTiles + 1>();
  if constexpr (kVectors > 2) tiles.template clear<kSumTiles + 2>();
  const uint32_t *weights = r.weights, *group = r.data + position;
  for (size_t g = 0; g < r.groups; g += r.tile_depth, group += r.tile_depth * r.group_stride)
    for (size_t t = 0; t < r.taps; ++t, weights += kTileRows * r.tile_depth) {
      const uint32_t* const data = group + r.offsets[t];
      tiles.template load<kWeightTile>(weights, weight_stride);
      tiles.template load<kDataTiles>(data, data_stride);
      tiles.template multiply<kSignedWeights, kSumTiles, kDataTiles>();
      if constexpr (kVectors > 1) {
        tiles.template load<kDataTiles + 1>(data + kTileColumns, data_stride);
        tiles.template multiply<kSignedWeights, kSumTiles + 1, kDataTiles + 1>();
      }
      if constexpr (kVectors > 2) {
        tiles.template load<kDataTiles + 2>(data + 2 * kTileColumns, data_stride);
        tiles.template multiply<kSignedWeights, kSumTiles + 2, kDataTiles + 2>();
      }
    }
  tiles.template store<kSumTiles>(sums, sum_stride);
  if constexpr (kVectors > 1) tiles.template store<kSumTiles + 1>(sums + kTileColumns, sum_stride);
  if constexpr (kVectors > 2)
    tiles.template store<kSumTiles + 2>(sums + 2 * kTileColumns, sum_stride);
}

// Calls emit like dot_blocks().
template <bool kSignedWeights, class Tiles, class Emit>
HWY_INLINE void tile_blocks(Tiles& tiles, const Reduction& r, size_t begin, size_t end,
                            const Emit& emit) {
  static_assert(kTileVectors == 3);
  HWY_ALIGN int32_t sums[kTileRows * kTileVectors * kElements32];
  for (size_t p = begin; p < end;) {
    const size_t vectors = std::min((end - p + kElements32 - 1) / kElements32, kTileVectors);
    if (vectors == 3)
      multiply_tiles<kSignedWeights, 3>(tiles, r, p, sums);
    else if (vectors == 2)
      multiply_tiles<kSignedWeights, 2>(tiles, r, p, sums);
    else
      multiply_tiles<kSignedWeights, 1>(tiles, r, p, sums);
    emit(p, vectors, sums);
    p += vectors * kElements32;
  }
}

// Calls emit like dot_blocks(). Computes the sums with the tiles of the processor, or with emulated
// ones.
template <class Emit>
HWY_INLINE void tile_blocks(bool signed_weights, const Reduction& r, size_t begin, size_t end,
                            const Emit& emit) {
  const auto run = [&](auto&& tiles) HWY_ATTR {
    signed_weights ? tile_blocks<true>(tiles, r, begin, end, emit)
                   : tile_blocks<false>(tiles, r, begin, end, emit);
  };
  if (tile_unit() != TileUnit::processor)
    run(EmulatedTiles({kTileRows, r.tile_depth}));
  else if (TileScope::configured_depth() == r.tile_depth)
    run(TileInstructions());
  else
    run(ProcessorTiles({kTileRows, r.tile_depth}));
}

}  // namespace HWY_NAMESPACE
}  // namespace tputwin::fast
HWY_AFTER_NAMESPACE();
#endif

#endif  // per-target include guard
