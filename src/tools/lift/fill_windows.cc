// The roles of convolutions and pooling.
#include "tools/lift/fill.h"

namespace tputwin::lift {
namespace {

template <class Op>
void window(const Op& op, Filler& f) {
  Roles& r = f.roles;
  const Axis &h = op.window.h, &w = op.window.w;
  f.out(op.out);
  r.input_addr = f.address(op.in);
  r.input_shape = f.extents(op.in.shape);
  r.input_stride = f.steps(op.in);
  r.input_dtype = op.in.dtype;
  r.kernel = {h.kernel, w.kernel};
  r.stride = {h.stride, w.stride};
  r.dilation = {h.dilation, w.dilation};
  r.insert = r.ins = {h.insert, w.insert};
  r.padding = {h.pad_before, h.pad_after, w.pad_before, w.pad_after};
}

template <class Op>
void weighted(const Op& op, Filler& f) {
  Roles& r = f.roles;
  window(op, f);
  r.output_c = f.number(op.out.shape.c);
  r.weight_dtype = op.weight.view.dtype;
  if (op.weight.is_constant)
    r.C = f.constant(op.weight);
  else
    r.weight_addr = f.address(op.weight.view);
  r.has_bias.value = op.bias.has_value();
  if (!op.bias) return;
  r.bias_addr = f.address(*op.bias);
  r.bias_dtype = op.bias->dtype;
}

// Sets the values of taps outside the input.
template <class Op>
void outside(const Op& op, Filler& f) {
  Roles& r = f.roles;
  if (!op.padding.is_constant) r.pad_addr = r.pad_insert_addr = f.address(op.padding.view);
  r.pad_val = {op.padding.constant, op.in.dtype};
  r.insert_val = {op.insertion.constant, op.in.dtype};
}

}  // namespace

void fill(const Conv2dBm1684xFloat& op, Filler& f) {
  weighted(op, f);
  f.roles.result_add.value = op.accumulate;
}

namespace {

// Returns the type of 32-bit results of asymmetric functions, whose sign commands do not encode. It
// is the sign of the sums, or the type that functions with zero points per channel require.
DType asymmetric_output(const Conv2dBm1684xInt8& op) {
  if (!op.zero_point.is_constant) return op.is_rotated ? DType::u32 : DType::i32;
  const bool has_sign = is_signed(op.in.dtype) || is_signed(op.weight.view.dtype);
  return has_sign || op.zero_point.constant != 0 ? DType::i32 : DType::u32;
}

}  // namespace

void fill(const Conv2dBm1684xInt8& op, Filler& f) {
  Roles& r = f.roles;
  weighted(op, f);
  if (element_bytes(op.out.dtype) == sizeof(int32_t)) r.output_dtype = asymmetric_output(op);
  outside(op, f);
  r.result_add.value = op.accumulate;
  r.result_relu.value = op.relu;
  r.rshift = f.number(op.rshift);
  if (!op.bias) r.bias_dtype = DType::i16;
  r.kzp_dtype = op.zero_point.view.dtype;
  if (op.zero_point.is_constant)
    r.kzp_val = {op.zero_point.constant, op.zero_point.view.dtype};
  else
    r.kzp_addr = f.address(op.zero_point.view);
}

void fill(const Depthwise2dBm1684xFloat& op, Filler& f) { weighted(op, f); }

void fill(const Depthwise2dBm1684xInt8& op, Filler& f) {
  Roles& r = f.roles;
  weighted(op, f);
  outside(op, f);
  r.result_relu.value = op.relu;
  r.rshift = f.number(op.rshift);
  r.rounding_mode = op.rounding;
  if (!op.bias) r.bias_dtype = DType::i32;
}

void fill(const Pool2dBm1684xFloat& op, Filler& f) {
  window(op, f);
  f.roles.scale = {op.factor, op.in.dtype};
  f.roles.pad_val = {op.padding, op.in.dtype};
}

void fill(const Pool2dBm1684xInt8& op, Filler& f) {
  Roles& r = f.roles;
  window(op, f);
  r.pad_val = {static_cast<uint32_t>(op.padding), op.in.dtype};
  r.scale = {op.multiplier, DType::u8};
  r.rshift = f.number(op.rshift);
}

}  // namespace tputwin::lift
