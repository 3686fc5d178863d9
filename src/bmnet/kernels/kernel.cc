// Code that kernels share: sizes in a lane, operands, the clamp of a fused ReLU.
#include "bmnet/kernels/kernel.h"

namespace tputwin::net {

int64_t View::bytes(const Extents& tile) const {
  return aligned_bytes(is_matrix ? matrix_extents(tile.n, tile.c) : tile);
}

Extents Weight::tile(Span channels) const {
  Extents part = e;
  if (by_channel) part.c = channels.count();
  return part;
}

int64_t Weight::lane_bytes(Span channels) const {
  const Extents part = tile(channels);
  switch (layout) {
    case Layout::aligned:
      return aligned_bytes(part);
    case Layout::unaligned:
      return unaligned_bytes(part);
    case Layout::matrix:
      break;
  }
  return aligned_bytes(matrix_extents(part.n, part.c));
}

tensor_lmem Local::tensor(fmt_t fmt) const {
  return is_matrix ? matrix_tensor(address, e.n, e.c, fmt) : aligned_tensor(address, e, fmt);
}

ElementwiseKernel::Input::Input(const Operands& o, size_t index, fmt_t fmt)
    : tensor_(o.inputs[index].tensor(fmt)) {
  const Span held = o.input_rows[index];
  const Local& local = o.inputs[index];
  if (held == o.rows || local.is_matrix) return;
  tensor_.operand.laddr += static_cast<uint32_t>((o.rows.begin - held.begin) * local.e.w);
  tensor_.shape.h = static_cast<uint32_t>(o.rows.count());  // strides are those of the result
}

void emit_relu(Program& program, const Local& t) {
  const Local plane{t.address, t.is_matrix ? matrix_extents(t.e.n, t.e.c) : t.e};
  tensor_lmem map = plane.tensor();
  bmk1880_relu_param_t p{};
  p.ofmap = &map;
  p.ifmap = &map;
  program.check(bmk1880_tpu_relu(program.context(), &p));
}

}  // namespace tputwin::net
