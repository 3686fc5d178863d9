// The target of this thread, lanes, and views of operands.
#include "bmnet/targets/bm1684x/target.h"

#include <utility>

#include "isa/streams/reader.h"
#include "numerics/float16.h"

namespace tputwin::net::bm1684x {
namespace {

thread_local const Target* current = nullptr;

}  // namespace

const Target& target() { return current != nullptr ? *current : bm1684x_target(); }
ScopedTarget::ScopedTarget(const Target& target) : before_(std::exchange(current, &target)) {}
ScopedTarget::~ScopedTarget() { current = before_; }

int64_t StreamLanes::tensor_bytes(const View& view, const Extents& tile) const {
  const int64_t plane = tile.h * tile.w * element_bytes(view.type);
  return tile.n * ceil_div(tile.c, lanes) * align_up_to(plane, unit_bytes);
}

int64_t StreamLanes::weight_bytes(const Weight& weight, Span channels) const {
  const Extents part = weight.tile(channels);
  int64_t plane = part.h * part.w * element_bytes(weight.type);
  if (weight.layout == Weight::Layout::aligned) plane = align_up_to(plane, unit_bytes);
  return part.n * ceil_div(part.c, lanes) * plane;
}

std::unique_ptr<LocalMemory> local_memory_of(uint32_t lane_bytes) {
  const LocalMemory& all = local_memory();
  return std::make_unique<StreamLanes>(all.lanes, all.unit_bytes, lane_bytes, all.most_rows,
                                       all.most_channels);
}

Shape shape_of(const Extents& e) {
  return {static_cast<uint32_t>(e.n), static_cast<uint32_t>(e.c), static_cast<uint32_t>(e.h),
          static_cast<uint32_t>(e.w)};
}

TensorView aligned(uint32_t address, const Extents& e, DType type) {
  return isa::CommandReader(chip()).aligned({"address", address}, shape_of(e), type);
}

TensorView compact(uint32_t address, const Extents& e, DType type) {
  return isa::CommandReader(chip()).compact({"address", address}, shape_of(e), type);
}

TensorView per_channel(uint32_t address, const Extents& e, DType type) {
  return isa::CommandReader(chip()).per_channel({"address", address}, shape_of(e), type);
}

TensorView global(uint64_t address, const Extents& e, DType type, const ElementSteps& steps) {
  const isa::ElementStrides strides{steps.n, steps.c, steps.h, steps.w};
  return isa::CommandReader(chip()).side({"address", chip().global_base + address}, shape_of(e),
                                         type, &strides);
}

Source number(float value, DType type) { return Source::value(float_bits(value, type), type); }

}  // namespace tputwin::net::bm1684x
