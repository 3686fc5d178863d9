// Commands in fp32 on tiles, with buffers from a kernel's scratch.
#include "bmnet/targets/bm1684x/fp32_steps.h"

namespace tputwin::net::bm1684x {
namespace {

Extents extents_of(const Shape& s) { return {s.n, s.c, s.h, s.w}; }

int64_t buffer_bytes(const Extents& e, DType type) {
  return local_memory().tensor_bytes({.tensor = {}, .e = e, .type = type}, e);
}

// Returns a range of the rows or columns.
TensorView part(TensorView v, bool rows, uint32_t first, uint32_t count) {
  v.address += first * (rows ? v.stride.h : v.stride.w);
  (rows ? v.shape.h : v.shape.w) = count;
  return v;
}

}  // namespace

TensorView Fp32Steps::buffer(const Shape& shape, DType type) {
  const Extents e = extents_of(shape);
  const TensorView view = aligned(next_, e, type);
  next_ += static_cast<uint32_t>(buffer_bytes(e, type));
  return view;
}

TensorView Fp32Steps::widened(const TensorView& v) {
  if (v.dtype == DType::f32) return v;
  const TensorView wide = buffer(v.shape);
  store(wide, v);
  return wide;
}

void Fp32Steps::store(const TensorView& to, const TensorView& v) {
  if (to.dtype == v.dtype)
    return add(Copy{.engine = Engine::compute, .dst = to, .src = Source::tensor(v)});
  add(Convert{.rounding = Rounding::half_even, .out = to, .in = v});
}

void Fp32Steps::arithmetic(Kind kind, const TensorView& to, const Source& a, const Source& b) {
  add(FloatArithmetic{.kind = kind, .out = to, .a = a, .b = b});
}

void Fp32Steps::call(FloatFunction f, const Extents& e) {
  const FunctionNeeds needs = needs_of(f.kind);
  if (program_ != nullptr) call_function(*program_, f, e, next_);
  next_ += static_cast<uint32_t>(
      static_cast<int64_t>(needs.work_tensors) * buffer_bytes(e, DType::f32) + needs.table_bytes());
}

void Fp32Steps::call(FloatFunction::Kind kind, const TensorView& to, const TensorView& a) {
  call({.kind = kind, .out = to, .a = Source::tensor(a)}, extents_of(to.shape));
}

void Fp32Steps::power(const TensorView& to, const TensorView& a, float exponent) {
  FloatFunction f{.kind = FloatFunction::Kind::pow, .out = to, .a = Source::tensor(a)};
  f.b = Source::value(exponent);
  call(f, extents_of(to.shape));
}

void Fp32Steps::divide(const TensorView& to, float constant, const TensorView& a) {
  FloatFunction f{.kind = FloatFunction::Kind::div, .out = to};
  f.a = Source::value(f32::bits(constant), DType::f32);
  f.b = Source::tensor(a);
  call(f, extents_of(to.shape));
}

// Example of 5 elements: (a0 + a2, a1 + a3), the first of which gets a4; then their sum.
TensorView Fp32Steps::folded(Kind kind, const TensorView& v, bool along_h) {
  uint32_t length = along_h ? v.shape.h : v.shape.w;
  if (length == 1) return v;
  Shape half_shape = v.shape;
  (along_h ? half_shape.h : half_shape.w) = length / 2;
  const TensorView sum = buffer(half_shape);
  TensorView from = v;
  while (length > 1) {
    const uint32_t half = length / 2;
    const TensorView to = part(sum, along_h, 0, half), first = part(sum, along_h, 0, 1);
    arithmetic(kind, to, part(from, along_h, 0, half), part(from, along_h, half, half));
    if (length % 2 != 0) arithmetic(kind, first, first, part(from, along_h, length - 1, 1));
    length = half;
    from = sum;
  }
  return part(sum, along_h, 0, 1);
}

}  // namespace tputwin::net::bm1684x
