// indexing: positions that the index tensors of gather and scatter give.
#pragma once

#include "ops/contract/kernel_steps.h"
#include "ops/index/index_fault.h"

namespace tputwin {

// Position (y, x) in a channel of one side, for element (n,c,h,w) of the other side. The operation
// loops over that other side, which is W wide.
enum class IndexedBy : uint8_t {
  w,  // (h, index(n,c,h,w))
  h,  // (index(n,c,h,0), w): whole rows
  // (h, index(0,w,0,0)): one vector for all channels.
  shared_w,
  // (index(0,h*W+w,0,1), index(0,h*W+w,0,0)): one vector of pairs for all channels.
  shared_hw
};

constexpr bool is_shared(IndexedBy by) {
  return by == IndexedBy::shared_w || by == IndexedBy::shared_hw;
}

constexpr std::string_view to_string(IndexedBy by) {
  constexpr std::string_view kNames[] = {"w", "h", "shared_w", "shared_hw"};
  return kNames[static_cast<size_t>(by)];
}

// A position that an index gives.
struct Spot {
  int64_t y, x;
};

inline Spot spot_of(IndexedBy by, const TensorView& index, const Memory& memory, uint32_t n,
                    uint32_t c, uint32_t h, uint32_t w, uint32_t width) {
  auto entry = [&](uint32_t i, uint32_t j, uint32_t k, uint32_t l) {
    return integer_value(memory.read(index, i, j, k, l), index.dtype);
  };
  switch (by) {
    case IndexedBy::w:
      return {h, entry(n, c, h, w)};
    case IndexedBy::h:
      return {entry(n, c, h, 0), w};
    case IndexedBy::shared_w:
      return {h, entry(0, w, 0, 0)};
    case IndexedBy::shared_hw:
      return {entry(0, h * width + w, 0, 1), entry(0, h * width + w, 0, 0)};
  }
  return {};
}

// Returns the index of a spot that is outside a side of shape `s`.
inline int64_t outer_index(IndexedBy by, const Spot& spot, const Shape& s) {
  const bool column = by != IndexedBy::h && !(spot.x >= 0 && spot.x < s.w);
  return column ? spot.x : spot.y;
}

// Returns the shape of the index for a loop over `s`.
inline Shape index_shape(IndexedBy by, const Shape& s) {
  switch (by) {
    case IndexedBy::w:
      return s;
    case IndexedBy::h:
      return {s.n, s.c, s.h, 1};
    case IndexedBy::shared_w:
      return {1, s.w, 1, 1};
    case IndexedBy::shared_hw:
      return {1, s.h * s.w, 1, 2};
  }
  return {};
}

// Checks the rules of gather and scatter. `operands` are result, param and index; the elements of
// shape `walked` have an index.
Status check_indexed(IndexedBy by, Engine engine, const OperandList& operands, const Shape& walked,
                     const Chip& chip);

}  // namespace tputwin
