// Views of operands, and the lanes of the BM1684X.
#include "bmnet/targets/bm1684x/target.h"

#include "isa/streams/reader.h"
#include "numerics/float16.h"

namespace tputwin::net::bm1684x {
namespace {

class Lanes final : public LocalMemory {
 public:
  explicit Lanes(uint32_t bytes)
      : LocalMemory(chip().lanes, chip().eu_bytes, bytes, chip().limits.extent,
                    chip().limits.extent) {}

  int64_t tensor_bytes(const View& view, const Extents& tile) const override {
    const int64_t plane = tile.h * tile.w * element_bytes(view.type);
    return tile.n * ceil_div(tile.c, lanes) * align_up_to(plane, unit_bytes);
  }

  int64_t weight_bytes(const Weight& weight, Span channels) const override {
    const Extents part = weight.tile(channels);
    int64_t plane = part.h * part.w * element_bytes(weight.type);
    if (weight.layout == Weight::Layout::aligned) plane = align_up_to(plane, unit_bytes);
    return part.n * ceil_div(part.c, lanes) * plane;
  }
};

}  // namespace

const LocalMemory& local_memory() {
  static const Lanes memory(chip().lane_bytes);
  return memory;
}

std::unique_ptr<LocalMemory> local_memory_of(uint32_t lane_bytes) {
  return std::make_unique<Lanes>(lane_bytes);
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
