// The roles of element-wise operations.
#include "tools/lift/fill.h"

namespace tputwin::lift {
namespace {

// Returns a parameter for each channel.
Address per_channel(const Filler& f, const Source& source) {
  return source.is_constant ? Address{} : f.address(source.view);
}

}  // namespace

void fill(const FloatArithmetic& op, Filler& f) {
  f.sources(op.out, op.a, op.b);
  Roles& r = f.roles;
  r.C.dtype = op.out.dtype;  // constants of the BM1684 have no type
  if (op.kind == FloatArithmetic::Kind::mul_add) {
    r.scale_addr = per_channel(f, op.b);
    r.bias_addr = per_channel(f, op.c);
    r.scale = f.constant(op.b);
    r.bias = f.constant(op.c);
  } else {
    r.bias_addr = per_channel(f, op.b);
  }
}

void fill(const IntArithmetic& op, Filler& f) {
  Roles& r = f.roles;
  const bool shifts = op.kind == IntArithmetic::Kind::shift;
  f.sources(op.out, op.a, shifts ? op.shift : op.b);
  r.rounding_mode = op.rounding;
  r.saturation.value = op.saturates;
  r.lshift = f.number(op.lshift);
  r.shift_dtype = op.shift.view.dtype;
  if (!op.shift.is_constant) {
    r.shift_addr = f.address(op.shift.view);
    r.shift_stride = f.steps(op.shift.view);
    return;
  }
  r.shift = f.signed_number(op.shift);
  r.rshift.value = -r.shift.value;
}

void fill(const Bitwise& op, Filler& f) {
  f.sources(op.out, op.a, op.b);
  f.roles.C.dtype = op.out.dtype;
}

void fill(const Select& op, Filler& f) {
  Roles& r = f.roles;
  f.sources(op.out, op.a, op.b);
  r.src_dtype = r.src0_src1_dtype = r.dst0_dtype = op.type;
  r.dst1_dtype = op.out.dtype;
  r.C.dtype = op.type;
  r.true_val = {op.if_true.constant, op.out.dtype};
  r.select_val = {op.if_true.constant, DType::u32};
  r.src0 = f.variable(op.a);
  r.src1 = f.variable(op.b);
  r.src2 = f.variable(op.if_true);
  r.src3 = f.variable(op.if_false);
  r.select0 = r.src2;
  r.select1 = r.src3;
  r.select0.is_choice = r.select1.is_choice = true;
  if (!op.extreme) return;
  r.dst0_addr = f.address(*op.extreme);
  r.dst1_addr = f.address(op.out);
}

namespace {

void one_source(const TensorView& out, const TensorView& in, Filler& f) {
  f.sources(out, Source::tensor(in), Source::value(0u));
}

}  // namespace

void fill(const Unary& op, Filler& f) { one_source(op.out, op.in, f); }

void fill(const Convert& op, Filler& f) {
  one_source(op.out, op.in, f);
  f.roles.mode = op.rounding;
}

void fill(const FloatFunction& op, Filler& f) {
  Roles& r = f.roles;
  f.sources(op.out, op.a, op.b);
  r.num_iter = f.number(op.parameters.iterations);
  if (!op.coeff) return;
  r.coeff_addr = f.address(*op.coeff);
  r.num = f.number(op.coeff->shape.w);
}

void fill(const Requantize& op, Filler& f) {
  using Kind = Requantize::Kind;
  Roles& r = f.roles;
  one_source(op.out, op.in, f);
  r.rounding_mode = r.dst_rounding_mode = op.rounding;
  r.src_rounding_mode = op.in_rounding;
  const bool narrows = op.kind == Kind::to_narrow || op.kind == Kind::f32_narrow;
  if (!op.multiplier.is_constant) {
    r.quant_addr = f.address((narrows ? op.multiplier : op.offset).view);
    return;
  }
  r.multiplier = f.signed_number(op.multiplier);
  r.scale = {op.multiplier.constant, DType::f32};
  r.shift = f.signed_number(op.shift);
  r.offset = {op.offset.constant, op.kind == Kind::f32_narrow ? DType::f32 : DType::i16};
}

}  // namespace tputwin::lift
