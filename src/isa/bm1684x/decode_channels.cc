// Decodes the BM1684X's commands with parameters per channel or lane, and its choices: classes
// RQ/DQ (4), SFU (9), LIN (10) and CMP (13).
#include "isa/bm1684x/decode.h"

namespace tputwin::isa::bm1684x_streams {
namespace {

// Returns parameter `index` of a channel. Each channel has `count` parameters, from operand 1 on.
Source parameter(const TiuCommand& c, CommandReader& r, const Shape& shape, uint32_t count,
                 uint32_t index, DType dtype) {
  TensorView view = r.aligned(TW_OF(c, opd1_addr), {1, shape.c, 1, count}, dtype);
  view.address += uint64_t{index} * element_bytes(dtype);
  view.shape = shape;
  view.stride.n = view.stride.h = view.stride.w = 0;
  return Source::tensor(view);
}

Source number(int32_t value) { return Source::value(static_cast<uint32_t>(value), DType::i32); }
Source real(uint64_t bits) { return constant_source(bits, DType::f32); }

// The parameters of a channel follow each other in memory, or are packed into two constants.
void set_narrowing(const TiuCommand& c, CommandReader& r, Requantize& op) {
  const Shape& s = op.out.shape;
  if (c.opd1_const == 0) {
    op.multiplier = parameter(c, r, s, 3, 0, DType::i32);
    op.shift = parameter(c, r, s, 3, 1, DType::i32);
    op.offset = parameter(c, r, s, 3, 2, DType::i32);
    return;
  }
  op.multiplier = constant_source(c.opd1_addr, DType::i32);
  op.shift = number(signed_byte(c.opd2_addr));
  op.offset = number(signed_half(c.opd2_addr >> 16));
}

void set_widening(const TiuCommand& c, CommandReader& r, Requantize& op) {
  const Shape& s = op.out.shape;
  if (c.opd1_const == 0) {
    op.offset = parameter(c, r, s, 3, 0, DType::i32);
    op.multiplier = parameter(c, r, s, 3, 1, DType::i32);
    op.shift = parameter(c, r, s, 3, 2, DType::i32);
    return;
  }
  op.offset = number(signed_half(c.opd1_addr));
  op.shift = number(signed_byte(c.opd1_addr >> 16));
  op.multiplier = constant_source(c.opd2_addr, DType::i32);
}

// Applies scale, then offset, with two rounding modes in one field.
void set_real_narrowing(const TiuCommand& c, CommandReader& r, Requantize& op) {
  const Shape& s = op.out.shape;
  const bool constant = c.opd1_const != 0;
  op.multiplier = constant ? real(c.opd1_addr) : parameter(c, r, s, 2, 0, DType::f32);
  op.offset = constant ? real(c.opd2_addr) : parameter(c, r, s, 2, 1, DType::f32);
  op.in_rounding = r.rounding({"opd2_n_str", c.opd2_n_str & 7});
  op.rounding = r.rounding({"opd2_n_str", c.opd2_n_str >> 3 & 7});
}

void set_real_widening(const TiuCommand& c, CommandReader& r, Requantize& op) {
  const Shape& s = op.out.shape;
  const bool constant = c.opd1_const != 0;
  op.offset = constant ? number(signed_half(c.opd1_addr)) : parameter(c, r, s, 2, 0, DType::i32);
  op.multiplier = constant ? real(c.opd2_addr) : parameter(c, r, s, 2, 1, DType::f32);
}

}  // namespace

Operation requantize(const TiuCommand& c, CommandReader& r, const TiuVariant& v) {
  using Kind = Requantize::Kind;
  Requantize op{.kind = v.scaling};
  const Shape s = result_shape(c, r);
  op.out = r.aligned(TW_OF(c, res0_addr), s, r.type(TW_OF(c, res0_prec), c.opd2_sign != 0));
  op.in = r.aligned(TW_OF(c, opd0_addr), s, r.int_type(TW_OF(c, opd0_prec), c.opd0_sign != 0));
  switch (v.scaling) {
    case Kind::to_narrow:
      set_narrowing(c, r, op);
      break;
    case Kind::to_wide:
      set_widening(c, r, op);
      break;
    case Kind::f32_narrow:
      set_real_narrowing(c, r, op);
      break;
    case Kind::f32_wide:
      set_real_widening(c, r, op);
      break;
  }
  const bool integers = v.scaling == Kind::to_narrow || v.scaling == Kind::to_wide;
  if (integers) op.rounding = r.rounding(TW_OF(c, opd2_n_str));
  return op;
}

// ---- SFU ----

Operation taylor(const TiuCommand& c, CommandReader& r, const TiuVariant&) {
  FloatFunction op{.kind = FloatFunction::Kind::taylor};
  const DType dtype = r.float_type(TW_OF(c, res0_prec));
  r.require(c.opd0_prec == c.res0_prec, errors::isa_stream_type, TW_OF(c, opd0_prec));
  r.require(c.opd1_n >= 2, errors::isa_stream_extent, TW_OF(c, opd1_n));
  const Shape s = result_shape(c, r);
  op.out = r.aligned(TW_OF(c, res0_addr), s, dtype);
  op.a = Source::tensor(r.aligned(TW_OF(c, opd0_addr), s, dtype));
  op.coeff = r.per_lane(TW_OF(c, opd1_addr), static_cast<uint32_t>(c.opd1_n), dtype, op.a.view);
  return op;
}

Operation exponent(const TiuCommand& c, CommandReader& r, const TiuVariant&) {
  const Shape s = result_shape(c, r);
  const DType in = r.float_type(TW_OF(c, opd0_prec));
  return Unary{.kind = Unary::Kind::exponent,
               .out = r.aligned(TW_OF(c, res0_addr), s, r.type(TW_OF(c, res0_prec), true)),
               .in = r.aligned(TW_OF(c, opd0_addr), s, in)};
}

Operation inverse_root(const TiuCommand& c, CommandReader& r, const TiuVariant&) {
  // Mask of the number of steps - 1, bits 0..1 of opd2_n_str.
  constexpr uint64_t kSteps = 3;
  r.require(c.res0_prec == kFp32, errors::isa_stream_type, TW_OF(c, res0_prec));
  r.require(c.opd0_prec == kFp32, errors::isa_stream_type, TW_OF(c, opd0_prec));
  const Shape s = result_shape(c, r);
  return Unary{.kind = Unary::Kind::inverse_root,
               .out = r.aligned(TW_OF(c, res0_addr), s, DType::f32),
               .in = r.aligned(TW_OF(c, opd0_addr), s, DType::f32),
               .steps = static_cast<uint32_t>(c.opd2_n_str & kSteps) + 1};
}

// ---- LIN ----

namespace {

Source channels(CommandReader& r, bool is_constant, const Named& address, const Shape& shape,
                DType dtype) {
  return is_constant ? constant_source(address.value, dtype)
                     : Source::tensor(r.per_channel(address, shape, dtype));
}

FloatArithmetic linear(const TiuCommand& c, CommandReader& r, FloatArithmetic::Kind kind) {
  const Shape s = result_shape(c, r);
  const DType dtype = r.float_type(TW_OF(c, res0_prec));
  return {.kind = kind,
          .out = r.aligned(TW_OF(c, res0_addr), s, dtype),
          .a = Source::tensor(r.aligned(TW_OF(c, opd0_addr), s, dtype)),
          .b = channels(r, c.opd1_const != 0, TW_OF(c, opd1_addr), s, dtype)};
}

}  // namespace

Operation scale_bias(const TiuCommand& c, CommandReader& r, const TiuVariant&) {
  FloatArithmetic op = linear(c, r, FloatArithmetic::Kind::mul_add);
  op.c = channels(r, c.opd2_const != 0, TW_OF(c, opd2_addr), op.out.shape, op.out.dtype);
  return op;
}

Operation bias_square(const TiuCommand& c, CommandReader& r, const TiuVariant& v) {
  return linear(c, r, *v.real);
}

// ---- CMP ----

namespace {

// Reads an aligned operand, or one element per lane that all channels of the lane share.
Source compared(CommandReader& r, bool is_constant, const Named& address, const Named& layout,
                const Shape& shape, DType dtype) {
  if (is_constant) return constant_source(address.value, dtype);
  if (layout.value == kAligned) return Source::tensor(r.aligned(address, shape, dtype));
  r.require(layout.value == kStrided, errors::isa_stream_layout, layout);
  TensorView view = r.per_channel(address, shape, dtype);
  view.stride.c = 0;
  return Source::tensor(view);
}

}  // namespace

Operation select(const TiuCommand& c, CommandReader& r, const TiuVariant& v) {
  const Shape s = result_shape(c, r);
  const DType in = r.type(TW_OF(c, opd0_prec), c.opd0_sign != 0);
  const DType chosen = r.type(TW_OF(c, opd2_prec), false);
  auto choice = [&](bool is_constant, const Named& address) {
    return is_constant ? constant_source(address.value, chosen)
                       : Source::tensor(r.aligned(address, s, chosen));
  };
  Select op{.compare = v.compare,
            .out = r.aligned(v.has_extreme ? TW_OF(c, res1_addr) : TW_OF(c, res0_addr), s, chosen),
            .a = compared(r, c.opd0_const != 0, TW_OF(c, opd0_addr), TW_OF(c, opd0_str), s, in),
            .b = compared(r, c.opd1_const != 0, TW_OF(c, opd1_addr), TW_OF(c, opd1_str), s, in),
            .if_true = choice(c.opd2_const != 0, TW_OF(c, opd2_addr)),
            .if_false = choice(c.opd3_const != 0, TW_OF(c, opd3_addr)),
            .type = in};
  if (v.has_extreme) op.extreme = r.aligned(TW_OF(c, res0_addr), s, in);
  return op;
}

}  // namespace tputwin::isa::bm1684x_streams
