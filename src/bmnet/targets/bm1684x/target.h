// The BM1684X as a target of the compiler: the chip, its lanes, and views of operands.
#pragma once

#include <memory>

#include "bmnet/lowering/tile.h"
#include "chip/family.h"
#include "ops/contract/source.h"

namespace tputwin::net::bm1684x {

using tputwin::Source;  // not the files of a net

inline const Chip& chip() { return first_of(ChipFamily::bm1684x); }
const LocalMemory& local_memory();
// Returns lanes of fewer bytes.
std::unique_ptr<LocalMemory> local_memory_of(uint32_t lane_bytes);

// Views of local memory. An address is an offset in lane 0.
TensorView aligned(uint32_t address, const Extents& e, DType type);
TensorView compact(uint32_t address, const Extents& e, DType type);
// One element per channel, in the compact layout, as a view that repeats it over `e`.
TensorView per_channel(uint32_t address, const Extents& e, DType type);
inline TensorView view_of(const Local& local, DType type) {
  return aligned(local.address, local.e, type);
}
// A tensor in global memory; strides count elements.
struct ElementSteps {
  uint64_t n, c, h, w;
};
TensorView global(uint64_t address, const Extents& e, DType type, const ElementSteps& steps);

// Returns the same bytes as elements of another type of the same size.
inline TensorView retyped(TensorView view, DType type) {
  view.dtype = type;
  return view;
}

Shape shape_of(const Extents& e);
// A number as an element of a floating-point type.
Source number(float value, DType type);

}  // namespace tputwin::net::bm1684x
