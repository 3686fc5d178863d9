// Small programs for a device, and a builder of them.
#pragma once

#include <vector>

#include "machine/device.h"
#include "memory/layout.h"

namespace tputwin::test {

// Builds a program; each instruction gets the next number of its engine.
class ProgramBuilder {
 public:
  explicit ProgramBuilder(const Chip& chip = bm1880()) : chip_(chip) {}

  // Returns a tensor of this shape, aligned, at an offset of lane 0.
  TensorView tensor(uint32_t offset, const Shape& shape = {1, 32, 4, 4}) const {
    return local_tensor(chip_, offset, shape, true, DType::i8);
  }
  // `wait` is a number of the other engine.
  ProgramBuilder& load(const TensorView& t, uint64_t address, uint32_t wait = 0) {
    return add(DmaTensor{.dst = t, .src = global_tensor(address, t.shape)}, Engine::dma, wait);
  }
  ProgramBuilder& store(const TensorView& t, uint64_t address, uint32_t wait = 0) {
    return add(DmaTensor{.dst = global_tensor(address, t.shape), .src = t}, Engine::dma, wait);
  }
  // out = kind(a, constant)
  ProgramBuilder& pointwise(Elementwise::Kind kind, const TensorView& out, const TensorView& a,
                            int constant, uint32_t wait = 0) {
    return add(
        Elementwise{.kind = kind, .out = out, .a = a, .b_is_constant = true, .constant = constant},
        Engine::compute, wait);
  }
  ProgramBuilder& call(const char* name, bool sync = false) {
    add(CpuCall{.sync = sync, .name = name, .params = {}}, Engine::cpu, 0);
    numbers_ = {};
    return *this;
  }
  ProgramBuilder& add(Operation op, Engine engine, uint32_t wait) {
    uint32_t id = engine == Engine::cpu ? 0 : ++numbers_[static_cast<size_t>(engine)];
    program_.push_back({.op = std::move(op), .engine = engine, .id = id, .wait = wait});
    return *this;
  }
  // The next instruction of each engine gets number 1 again.
  ProgramBuilder& restart() {
    numbers_ = {};
    return *this;
  }
  const std::vector<Instruction>& program() const { return program_; }

 private:
  const Chip& chip_;
  std::array<uint32_t, 3> numbers_{};
  std::vector<Instruction> program_;
};

// Adds the loads of the weights and the bias of a convolution from `address`, as compilers emit
// them. Returns the end address.
inline uint64_t load_constants(ProgramBuilder& b, const Conv2dBm1880& op, uint64_t address) {
  const auto load = [&](TensorView dst) {
    const TensorView src = global_tensor(address, dst.shape);
    address += dst.shape.count();
    b.add(DmaTensor{.dst = dst, .src = src, .explicit_strides = true}, Engine::dma, 0);
  };
  const Shape& s = op.weight.shape;
  TensorView weight = op.weight;
  weight.dtype = DType::i8;
  weight.shape = {1, s.c, s.h * s.w, s.n};
  weight.stride = {s.n * s.h * s.w * s.c, op.weight.stride.c, s.n, 1};
  load(weight);
  if (!op.bias) return address;
  TensorView plane = *op.bias;
  plane.dtype = DType::i8;
  for (uint64_t offset : {0u, op.bias->plane_stride}) {
    TensorView at = plane;
    at.address += offset;
    at.plane_stride = 0;
    load(at);
  }
  return address;
}

inline std::unique_ptr<Device> make_device(DeviceOptions options) {
  if (options.global_bytes == 0) options.global_bytes = 1 << 20;
  auto device = Device::create(options);
  return device.ok() ? std::move(device.value()) : nullptr;
}

}  // namespace tputwin::test
