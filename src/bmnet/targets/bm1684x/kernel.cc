// Code that kernels of the BM1684X share.
#include "bmnet/targets/bm1684x/kernel.h"

namespace tputwin::net::bm1684x {

TensorView StreamKernel::rows_view(const Operands& o, size_t input) const {
  TensorView view = in_view(o, input);
  const Span held = o.input_rows[input];
  if (held == o.rows || o.inputs[input].is_matrix) return view;
  const int64_t row = o.inputs[input].e.w * element_bytes(view.dtype);
  view.address += static_cast<uint64_t>((o.rows.begin - held.begin) * row);
  view.shape.h = static_cast<uint32_t>(o.rows.count());
  if (view.shape.h == 1) view.stride.h = 0;
  return view;
}

void emit_relu(StreamProgram& program, const TensorView& t) {
  program.add(FloatArithmetic{.kind = FloatArithmetic::Kind::max,
                              .out = t,
                              .a = Source::tensor(t),
                              .b = number(0, t.dtype)});
}

}  // namespace tputwin::net::bm1684x
