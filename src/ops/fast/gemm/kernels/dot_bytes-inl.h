// Dot products of bytes with the product for the signedness and the range of the factors. Included
// once per target (see Highway's foreach_target.h).
#if defined(TPUTWIN_FAST_DOT_BYTES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TPUTWIN_FAST_DOT_BYTES_INL_H
#undef TPUTWIN_FAST_DOT_BYTES_INL_H
#else
#define TPUTWIN_FAST_DOT_BYTES_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>

#include "ops/fast/gemm/kernels/dot-inl.h"
#include "ops/fast/gemm/kernels/tile_unit-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast {
namespace HWY_NAMESPACE {

#if TPUTWIN_HAVE_NARROW_STEPS
// Returns true if -128 is among the weights of a reduction.
inline bool has_least_weight(const Reduction& r) {
  const hn::ScalableTag<uint8_t> d;
  constexpr size_t kCells = hn::MaxLanes(d) / sizeof *r.weights;
  const size_t count = r.groups * r.taps * kTileRows, whole = count / kCells * kCells;
  auto found = hn::Zero(d);
  const auto look = [&](const uint32_t* at) HWY_ATTR {
    const auto is_least =
        hn::Eq(hn::LoadU(d, reinterpret_cast<const uint8_t*>(at)), hn::Set(d, 0x80));
    found = hn::Or(found, hn::VecFromMask(d, is_least));
  };
  for (size_t i = 0; i < whole; i += kCells) look(r.weights + i);
  uint32_t left[kCells] = {};
  std::copy_n(r.weights + whole, count - whole, left);
  look(left);
  return !hn::AllTrue(d, hn::Eq(found, hn::Zero(d)));
}
#endif

// Runs dot_blocks() with the product for the signedness of the weights, or tile_blocks() if the
// weights are in the order for tiles. Tiles<product>{args...} runs the tiles of dot_blocks().
template <template <class> class Tiles = PlainTiles, class Emit, class... Args>
HWY_INLINE void dot_byte_blocks(bool signed_weights, const Reduction& r, size_t begin, size_t end,
                                const Emit& emit, const Args&... args) {
#if TPUTWIN_HAVE_TILES
  if (r.tile_depth != 0) return tile_blocks(signed_weights, r, begin, end, emit);
#endif
#if TPUTWIN_HAVE_BYTE_STEPS
#if TPUTWIN_HAVE_NARROW_STEPS
  if (signed_weights && r.is_narrow)
    return dot_blocks<NarrowDot>(r, begin, end, emit, Tiles<NarrowDot>{args...});
  if (signed_weights && !has_least_weight(r))
    return dot_blocks<MovedSignDot>(r, begin, end, emit, Tiles<MovedSignDot>{args...});
#endif
  if (signed_weights)
    dot_blocks<SignedWeightsDot>(r, begin, end, emit, Tiles<SignedWeightsDot>{args...});
  else
    dot_blocks<UnsignedWeightsDot>(r, begin, end, emit, Tiles<UnsignedWeightsDot>{args...});
#else
  static_cast<void>(signed_weights);
  dot_blocks<WordDot>(r, begin, end, emit, Tiles<WordDot>{args...});
#endif
}

// Runs dot_byte_blocks(), and calls emit like dot_positions().
template <class Emit>
HWY_INLINE void dot_byte_positions(bool signed_weights, const Reduction& r, size_t begin,
                                   size_t end, const Emit& emit) {
  dot_byte_blocks(signed_weights, r, begin, end,
                  [&](size_t p, size_t vectors, const int32_t* sums)
                      HWY_ATTR { each_vector(p, vectors, sums, emit); });
}

}  // namespace HWY_NAMESPACE
}  // namespace tputwin::fast
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
