// The roles of the operations that only the BM1684 has.
#include "tools/lift/fill.h"

namespace tputwin::lift {

void fill(const UnaryF32& op, Filler& f) {
  f.sources(op.out, Source::tensor(op.in), Source::value(0u));
}

namespace {

// Returns a parameter for each channel; no call takes one number for all.
template <class Parameter>
Address per_channel(const Parameter& parameter, const Filler& f) {
  if constexpr (requires { parameter.is_constant; })
    return parameter.is_constant ? Address{} : f.address(parameter.view);
  else
    return f.address(parameter);
}

}  // namespace

void fill(const ChannelAffine& op, Filler& f) {
  f.sources(op.out, Source::tensor(op.in), Source::value(0u));
  if (op.scale) f.roles.scale_addr = per_channel(*op.scale, f);
  if (op.bias) f.roles.bias_addr = per_channel(*op.bias, f);
  f.roles.result_add.value = op.accumulate;
}

void fill(const FixedPoint& op, Filler& f) {
  Roles& r = f.roles;
  f.sources(op.out, op.a, op.b);
  r.C.dtype = DType::i32;
  r.op_type = {op.a_type, op.b_type, op.out.dtype};
  r.lshift = f.number(op.lshift);
  r.rshift = f.number(op.rshift);
  r.is_origin_dst_signed.value = is_signed(op.old_type);
}

namespace {

template <class Op>
void window(const Op& op, Filler& f) {
  Roles& r = f.roles;
  const Axis &h = op.window.h, &w = op.window.w;
  f.out(op.out);
  r.input_addr = f.address(op.in);
  r.input_shape = f.extents(op.in.shape);
  r.input_stride = f.steps(op.in);
  r.kernel_h = f.number(h.kernel);
  r.kernel_w = f.number(w.kernel);
  r.stride = {h.stride, w.stride};
  r.dilation = {h.dilation, w.dilation};
  r.padding = {h.pad_before, h.pad_after, w.pad_before, w.pad_after};
}

template <class Op>
void weighted(const Op& op, Filler& f) {
  Roles& r = f.roles;
  window(op, f);
  r.output_c = f.number(op.out.shape.c);
  r.weight_addr = f.address(op.weight);
  r.kernel_stride = f.compact_steps(op.weight);
  r.using_bias.value = op.bias.has_value();
  if (op.bias) r.bias_addr = f.address(*op.bias);
}

}  // namespace

void fill(const Conv2dBm1684& op, Filler& f) {
  weighted(op, f);
  f.roles.result_add.value = op.accumulate;
}

void fill(const Depthwise2dBm1684& op, Filler& f) { weighted(op, f); }

void fill(const Pool2dBm1684& op, Filler& f) { window(op, f); }

void fill(const MatmulBm1684& op, Filler& f) {
  Roles& r = f.roles;
  r.output_addr = f.address(op.out.tensor);
  r.left_addr = f.address(op.left.tensor);
  r.right_addr = f.address(op.right.tensor);
  r.left_rows = f.number(op.left.rows);
  r.left_cols = f.number(op.left.cols);
  r.right_cols = f.number(op.right.cols);
  r.left_cols_per_channel = f.number(op.left.tensor.shape.w);
  r.right_cols_per_channel = f.number(op.right.tensor.shape.w);
  r.using_bias.value = op.bias.has_value();
  if (op.bias) r.bias_addr = f.address(op.bias->tensor);
  r.result_add.value = op.accumulate;
}

}  // namespace tputwin::lift
