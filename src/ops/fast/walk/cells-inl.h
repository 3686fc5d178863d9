// Vectors over blocks of cells. Included once per target (see Highway's foreach_target.h).
#if defined(TPUTWIN_FAST_CELLS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TPUTWIN_FAST_CELLS_INL_H
#undef TPUTWIN_FAST_CELLS_INL_H
#else
#define TPUTWIN_FAST_CELLS_INL_H
#endif

#include <hwy/highway.h>

#include <cstring>

#include "ops/fast/walk/cells.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Lanes are cells; elements are worked on one at a time in all cells of a vector.
using D32 = hn::ScalableTag<int32_t>;
using V32 = hn::Vec<D32>;

HWY_INLINE V32 LoadCells(const uint8_t* p) {
  return hn::LoadU(D32(), reinterpret_cast<const int32_t*>(p));
}
HWY_INLINE void StoreCells(V32 v, uint8_t* p) {
  hn::StoreU(v, D32(), reinterpret_cast<int32_t*>(p));
}

// How the elements of an operand lie in its cells.
template <int kBits>
struct Elements {
  static constexpr int kPerCell = 32 / kBits;

  // Element k of the group, extended by its sign, or by zeros where `mask` cuts the rest off.
  template <int k>
  static HWY_INLINE V32 Get(const V32* part, V32 mask) {
    constexpr int kPlace = k % kPerCell * kBits;
    V32 v = part[k / kPerCell];
    if constexpr (kPlace + kBits < 32) v = hn::ShiftLeft<32 - kBits - kPlace>(v);
    return hn::And(hn::ShiftRight<32 - kBits>(v), mask);
  }
  // Puts the low bits of a value there, into cells that are zero so far.
  template <int k>
  static HWY_INLINE void Put(V32* part, V32 value) {
    constexpr int kPlace = k % kPerCell * kBits;
    if constexpr (kPlace + kBits < 32) value = hn::And(value, hn::Set(D32(), (1 << kBits) - 1));
    if constexpr (kPlace != 0) value = hn::ShiftLeft<kPlace>(value);
    part[k / kPerCell] = hn::Or(part[k / kPerCell], value);
  }
};

// What Get() keeps of an element.
HWY_INLINE V32 ElementMask(DType type) {
  const int32_t bits = is_signed(type) ? -1 : is_16bit(type) ? 0xffff : 0xff;
  return hn::Set(D32(), bits);
}

// step(block, offset) for every whole vector of a block, and for the rest in a copy of it.
template <class Step>
HWY_INLINE void ForEachVector(const CellBlock& block, size_t operands, const Step& step) {
  const size_t lanes = hn::Lanes(D32()), whole = block.cells / lanes * lanes;
  for (size_t i = 0; i < whole; i += lanes) step(block.part, 4 * i);
  const size_t rest = 4 * (block.cells - whole);
  if (rest == 0) return;
  HWY_ALIGN uint8_t copy[kMaxCellOperands][2][4 * hn::MaxLanes(D32())] = {};
  auto part = block.part;
  for (size_t k = 0; k < operands; ++k)
    for (size_t p = 0; p < 2; ++p) {
      if (block.part[k][p] == nullptr) continue;
      std::memcpy(copy[k][p], block.part[k][p] + 4 * whole, rest);
      part[k][p] = copy[k][p];
    }
  step(part, 0);
  for (size_t k = 0; k < operands; ++k)
    for (size_t p = 0; p < 2; ++p)
      if (block.part[k][p] != nullptr && block.written[k])
        std::memcpy(block.part[k][p] + 4 * whole, copy[k][p], rest);
}

}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
