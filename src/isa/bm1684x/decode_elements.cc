// Decodes the BM1684X's element-wise commands: classes AR (3) and VC (14).
#include "isa/bm1684x/codes.h"
#include "isa/bm1684x/decode.h"

namespace tputwin::isa::bm1684x_streams {
namespace {

using Real = FloatArithmetic::Kind;
using Integer = IntArithmetic::Kind;

bool is_float_code(uint64_t code) { return code == kFp16 || code == kFp32 || code == kBf16; }
bool is_vector(const TiuCommand& c) { return c.tsk_typ == kVc; }

// Returns the shape of the result of a vector correlation. Its n is the number of elements of
// operand 0: opd1_w in the last channel, and opd0_w in each channel before it.
Shape vector_shape(const TiuCommand& c, CommandReader& r) {
  const uint32_t before = r.extent(TW_OF(c, opd0_c)) - 1, width = r.extent(TW_OF(c, opd0_w));
  const uint32_t rest = r.extent(TW_OF(c, opd1_w));
  r.require(rest <= width, errors::isa_stream_extent, TW_OF(c, opd1_w));
  return {before * width + rest, r.extent(TW_OF(c, res0_c)), 1, r.extent(TW_OF(c, res0_w))};
}

TensorView out_of(const TiuCommand& c, CommandReader& r, DType dtype) {
  if (is_vector(c)) return r.aligned(TW_OF(c, res0_addr), vector_shape(c, r), dtype);
  return r.placed(TW_OF(c, res0_addr), TW_OF(c, res0_str), result_shape(c, r), dtype,
                  {c.res0_n_str, c.res0_c_str, c.res0_h_str, c.res0_w_str});
}

Source a_of(const TiuCommand& c, CommandReader& r, const Shape& shape, DType dtype) {
  if (is_vector(c))
    return Source::vector_along_n(
        r.aligned(TW_OF(c, opd0_addr),
                  {1, r.extent(TW_OF(c, opd0_c)), 1, r.extent(TW_OF(c, opd0_w))}, dtype));
  if (c.opd0_const != 0) return constant_source(c.opd0_addr, dtype);
  return Source::tensor(r.placed(TW_OF(c, opd0_addr), TW_OF(c, opd0_str), shape, dtype,
                                 {c.opd0_n_str, c.opd0_c_str, c.opd0_h_str, c.opd0_w_str}));
}

Source b_of(const TiuCommand& c, CommandReader& r, const Shape& shape, DType dtype) {
  if (is_vector(c)) {
    TensorView row = r.aligned(TW_OF(c, opd1_addr), {1, shape.c, 1, shape.w}, dtype);
    row.shape = shape;  // its stride of n is 0
    return Source::tensor(row);
  }
  if (c.opd1_const != 0) return constant_source(c.opd1_addr, dtype);
  return Source::tensor(r.placed(TW_OF(c, opd1_addr), TW_OF(c, opd1_str), shape, dtype,
                                 {c.opd1_n_str, c.opd1_c_str, c.opd1_h_str, c.opd1_w_str}));
}

struct Binary {
  TensorView out;
  Source a, b;
};
Binary binary(const TiuCommand& c, CommandReader& r, DType out, DType a, DType b) {
  const TensorView result = out_of(c, r, out);
  return {result, a_of(c, r, result.shape, a), b_of(c, r, result.shape, b)};
}

// Returns the floating-point type that operands and result share.
DType common_float(const TiuCommand& c, CommandReader& r, bool has_b = true) {
  const DType dtype = r.float_type(TW_OF(c, res0_prec));
  r.require(c.opd0_prec == c.res0_prec, errors::isa_stream_type, TW_OF(c, opd0_prec));
  r.require(!has_b || c.opd1_prec == c.res0_prec, errors::isa_stream_type, TW_OF(c, opd1_prec));
  return dtype;
}

Operation real_arithmetic(const TiuCommand& c, CommandReader& r, Real kind) {
  const DType dtype = common_float(c, r);
  const Binary o = binary(c, r, dtype, dtype, dtype);
  return FloatArithmetic{.kind = kind, .out = o.out, .a = o.a, .b = o.b};
}

// Reads integer operands, each with its own type.
Binary int_operands(const TiuCommand& c, CommandReader& r, bool is_signed) {
  const DType a = r.int_type(TW_OF(c, opd0_prec), c.opd0_sign != 0);
  const DType b = r.int_type(TW_OF(c, opd1_prec), c.opd1_sign != 0);
  return binary(c, r, r.int_type(TW_OF(c, res0_prec), is_signed), a, b);
}

// With three operands, the third one is the shift. Vectors have no shift.
constexpr uint64_t kWithShift = 3;

void set_shift(const TiuCommand& c, CommandReader& r, IntArithmetic& op) {
  if (is_vector(c) || c.tsk_opd_num != kWithShift) return;
  r.require(c.opd2_prec == kInt8, errors::isa_stream_type, TW_OF(c, opd2_prec));
  op.shift = c.opd2_const != 0
                 ? constant_source(c.opd2_addr, DType::i8)
                 : Source::tensor(r.per_channel(TW_OF(c, opd2_addr), op.out.shape, DType::i8));
  op.rounding = r.rounding(TW_OF(c, opd2_n_str));
}

}  // namespace

Operation arithmetic(const TiuCommand& c, CommandReader& r, const TiuVariant& v) {
  const bool real = is_float_code(c.opd0_prec);
  if (real && v.real) return real_arithmetic(c, r, *v.real);
  if (!r.require(!real && v.integer, errors::isa_stream_type, TW_OF(c, opd0_prec))) return {};
  const Binary o = int_operands(c, r, *v.integer == Integer::sub || any_sign(c));
  IntArithmetic op{.kind = *v.integer, .out = o.out, .a = o.a, .b = o.b, .saturates = v.saturates};
  set_shift(c, r, op);
  return op;
}

// Integer commands have a shift that the chip's model does not apply.
Operation extreme(const TiuCommand& c, CommandReader& r, const TiuVariant& v) {
  if (is_float_code(c.opd0_prec)) return real_arithmetic(c, r, *v.real);
  const Binary o = int_operands(c, r, c.opd0_sign != 0);
  return IntArithmetic{.kind = *v.integer, .out = o.out, .a = o.a, .b = o.b};
}

Operation mac(const TiuCommand& c, CommandReader& r, const TiuVariant&) {
  if (is_float_code(c.opd0_prec)) return real_arithmetic(c, r, Real::mac);
  const Binary o = int_operands(c, r, any_sign(c));
  r.supports(c.opd2_const != 0, TW_OF(c, opd2_const),
             "two shifts in a tensor of bytes are not described");
  return IntArithmetic{
      .kind = Integer::mac,
      .out = o.out,
      .a = o.a,
      .b = o.b,
      .shift = Source::value(0u - static_cast<uint32_t>(c.opd2_addr >> 8 & 0xff), DType::i8),
      .rounding = r.rounding(TW_OF(c, opd2_n_str)),
      .lshift = static_cast<uint8_t>(c.opd2_addr)};
}

// The shift is operand 1, which is always read as signed.
Operation shift(const TiuCommand& c, CommandReader& r, const TiuVariant& v) {
  const bool is_signed = !v.is_logical && c.opd0_sign != 0;
  const Binary o =
      binary(c, r, r.int_type(TW_OF(c, res0_prec), is_signed),
             r.int_type(TW_OF(c, opd0_prec), is_signed), r.int_type(TW_OF(c, opd1_prec), true));
  return IntArithmetic{.kind = Integer::shift,
                       .out = o.out,
                       .a = o.a,
                       .shift = o.b,
                       .rounding = r.rounding(TW_OF(c, opd2_n_str)),
                       .saturates = false};
}

Operation rotate(const TiuCommand& c, CommandReader& r, const TiuVariant&) {
  const DType dtype = r.int_type(TW_OF(c, opd0_prec), false);
  r.require(c.res0_prec == c.opd0_prec, errors::isa_stream_type, TW_OF(c, res0_prec));
  const Binary o = binary(c, r, dtype, dtype, r.int_type(TW_OF(c, opd1_prec), true));
  return Bitwise{.kind = Bitwise::Kind::rotate, .out = o.out, .a = o.a, .b = o.b};
}

// 2 a b / 2^m, with m result bits, equals a b shifted right by m - 1.
Operation doubling_high(const TiuCommand& c, CommandReader& r, const TiuVariant&) {
  const Binary o = int_operands(c, r, any_sign(c));
  return IntArithmetic{.kind = Integer::mul,
                       .out = o.out,
                       .a = o.a,
                       .b = o.b,
                       .shift = Source::value(1 - 8 * element_bytes(o.out.dtype), DType::i8),
                       .rounding = r.rounding(TW_OF(c, opd2_n_str))};
}

Operation bitwise(const TiuCommand& c, CommandReader& r, const TiuVariant& v) {
  const DType dtype = r.bits_type(TW_OF(c, res0_prec));
  for (const Named& other : {TW_OF(c, opd0_prec), TW_OF(c, opd1_prec)})
    r.require(element_bytes(r.bits_type(other)) == element_bytes(dtype), errors::isa_stream_type,
              other);
  const Binary o = binary(c, r, dtype, dtype, dtype);
  return Bitwise{.kind = v.bits, .out = o.out, .a = o.a, .b = o.b};
}

Operation bitwise_not(const TiuCommand& c, CommandReader& r, const TiuVariant&) {
  const DType dtype = r.int_type(TW_OF(c, res0_prec), false);
  r.require(c.opd0_prec == c.res0_prec, errors::isa_stream_type, TW_OF(c, opd0_prec));
  const TensorView out = out_of(c, r, dtype);
  return Bitwise{.kind = Bitwise::Kind::bit_xor,
                 .out = out,
                 .a = a_of(c, r, out.shape, dtype),
                 .b = constant_source(UINT32_MAX, dtype)};
}

// Stores C where the condition holds, else 0. C has the type of the result and is moved as bits.
Operation compare(const TiuCommand& c, CommandReader& r, const TiuVariant& v) {
  const Named out_code = is_vector(c) ? TW_OF(c, res0_prec) : TW_OF(c, opd2_prec);
  const DType out = r.type(out_code, false);
  const DType in = r.type(TW_OF(c, opd0_prec), c.opd0_sign != 0);
  r.require(c.opd1_prec == c.opd0_prec, errors::isa_stream_type, TW_OF(c, opd1_prec));
  const Binary o = binary(c, r, out, in, in);
  const bool one_for_all = is_vector(c) || c.opd2_const != 0;
  return Select{
      .compare = v.compare,
      .out = o.out,
      .a = o.a,
      .b = o.b,
      .if_true = one_for_all ? constant_source(c.opd2_addr, out)
                             : Source::tensor(r.per_channel(TW_OF(c, opd2_addr), o.out.shape, out)),
      .if_false = Source::value(0u, out),
      .type = in};
}

Operation divide(const TiuCommand& c, CommandReader& r, const TiuVariant&) {
  // Mask of the number of steps - 1, bits 0..1 of opd2_n_str.
  constexpr uint64_t kSteps = 3;
  const DType dtype = common_float(c, r);
  r.require(dtype == DType::f32, errors::isa_stream_type, TW_OF(c, res0_prec));
  const Binary o = binary(c, r, dtype, dtype, dtype);
  FloatFunction op{.kind = FloatFunction::Kind::div, .out = o.out, .a = o.a, .b = o.b};
  op.parameters.iterations = static_cast<uint32_t>(c.opd2_n_str & kSteps) + 1;
  return op;
}

namespace {

// Fills the result of a unary function of a constant.
Operation fill_of(const TiuCommand& c, CommandReader& r, const TensorView& out, int32_t result) {
  r.unconfirmed(true, TW_OF(c, opd0_const), "a constant is computed as an element is");
  const auto bits = static_cast<uint32_t>(result);
  return Copy{.engine = Engine::compute, .dst = out, .src = constant_source(bits, out.dtype)};
}

}  // namespace

// A cast to the source's floating-point type rounds to integers.
Operation cast(const TiuCommand& c, CommandReader& r, const TiuVariant&) {
  const DType out = r.type(TW_OF(c, res0_prec), c.opd2_sign != 0);
  const DType in = r.type(TW_OF(c, opd0_prec), c.opd0_sign != 0);
  const bool whole = is_float(in) && in == out;
  const TensorView result = out_of(c, r, out);
  const Source source = a_of(c, r, result.shape, in);
  Convert op{.kind = whole ? Convert::Kind::whole : Convert::Kind::cast,
             .rounding = r.rounding(TW_OF(c, opd2_n_str)),
             .out = result,
             .in = source.view};
  if (!source.is_constant) return op;
  return fill_of(c, r, result, convert_element(op, static_cast<int32_t>(source.constant)));
}

Operation copy(const TiuCommand& c, CommandReader& r, const TiuVariant& v) {
  const DType dtype = r.type(TW_OF(c, res0_prec), c.opd0_sign != 0);
  r.require(c.opd0_prec == c.res0_prec, errors::isa_stream_type, TW_OF(c, opd0_prec));
  const TensorView out = out_of(c, r, dtype);
  Source in = a_of(c, r, out.shape, dtype);
  if (v.first_batch) in.view.stride.n = 0;
  return Copy{.engine = Engine::compute, .dst = out, .src = in};
}

// Stores the column number of each element, or its channel number. The chip's model writes only the
// first row of the first batch. With channel numbers, only the first column is defined.
Operation sequence(const TiuCommand& c, CommandReader& r, const TiuVariant& v) {
  TensorView out = out_of(c, r, r.int_type(TW_OF(c, res0_prec), false));
  out.shape.n = out.shape.h = 1;
  out.stride.n = out.stride.h = 0;
  r.supports(v.along_w || c.res0_w == 1, TW_OF(c, res0_w),
             "the columns after the first are read from after a list of the chip's model");
  return Sequence{.out = out, .step_c = v.along_w ? 0u : 1u, .step_w = v.along_w ? 1u : 0u};
}

Operation unary(const TiuCommand& c, CommandReader& r, const TiuVariant& v) {
  const bool any_type = v.unary == Unary::Kind::abs;
  const DType dtype = any_type ? r.type(TW_OF(c, res0_prec), c.opd0_sign != 0)
                               : r.int_type(TW_OF(c, res0_prec), false);
  r.require(c.opd0_prec == c.res0_prec, errors::isa_stream_type, TW_OF(c, opd0_prec));
  const TensorView out = out_of(c, r, dtype);
  const Source source = a_of(c, r, out.shape, dtype);
  const Unary op{.kind = v.unary, .out = out, .in = source.view};
  if (!source.is_constant) return op;
  return fill_of(c, r, out, element(op, static_cast<int32_t>(source.constant)));
}

}  // namespace tputwin::isa::bm1684x_streams
