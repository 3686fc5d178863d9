// Code that kernels share: sizes in a lane, operands, the clamp of a fused ReLU.
#include "bmnet/kernels/kernel.h"

namespace tputwin::net {

namespace {

// Limits of an operand of the tensor engine.
constexpr int64_t kMostRows = 1024, kMostChannels = 4095;

class Lanes final : public LocalMemory {
 public:
  Lanes() : LocalMemory(kLanes, kUnits, kLaneBytes, kMostRows, kMostChannels) {}

  int64_t tensor_bytes(const View& view, const Extents& tile) const override {
    return aligned_bytes(view.is_matrix ? matrix_extents(tile.n, tile.c) : tile);
  }

  int64_t weight_bytes(const Weight& weight, Span channels) const override {
    const Extents part = weight.tile(channels);
    switch (weight.layout) {
      case Weight::Layout::aligned:
        return aligned_bytes(part);
      case Weight::Layout::unaligned:
        return unaligned_bytes(part);
      case Weight::Layout::matrix:
        break;
    }
    return aligned_bytes(matrix_extents(part.n, part.c));
  }
};

}  // namespace

const LocalMemory& local_memory() {
  static const Lanes memory;
  return memory;
}

tensor_lmem tensor_of(const Local& local, fmt_t fmt) {
  return local.is_matrix ? matrix_tensor(local.address, local.e.n, local.e.c, fmt)
                         : aligned_tensor(local.address, local.e, fmt);
}

ElementwiseKernel::Input::Input(const Operands& o, size_t index, fmt_t fmt)
    : tensor_(tensor_of(o.inputs[index], fmt)) {
  const Span held = o.input_rows[index];
  const Local& local = o.inputs[index];
  if (held == o.rows || local.is_matrix) return;
  tensor_.operand.laddr += static_cast<uint32_t>((o.rows.begin - held.begin) * local.e.w);
  tensor_.shape.h = static_cast<uint32_t>(o.rows.count());  // strides are those of the result
}

void emit_relu(Program& program, const Local& t) {
  const Local plane{t.address, t.is_matrix ? matrix_extents(t.e.n, t.e.c) : t.e};
  tensor_lmem map = tensor_of(plane);
  bmk1880_relu_param_t p{};
  p.ofmap = &map;
  p.ifmap = &map;
  program.check(bmk1880_tpu_relu(program.context(), &p));
}

}  // namespace tputwin::net
