// Decodes the BM1684's element-wise commands: classes 3, 8 and 13.
#include "isa/bm1684/decode.h"
#include "numerics/float_mode.h"
#include "ops/contract/kernel_steps.h"

namespace tputwin::isa::bm1684_streams {
namespace {

using Fixed = FixedPoint::Kind;

// Reads a tensor by its layout code, or a constant.
Source word_source(Reader& r, const OperandFields& fields, const Shape& shape, DType dtype) {
  if (r.is_constant(fields))
    return Source::value(static_cast<uint32_t>(fields.address.of(r.command()).value));
  return Source::tensor(r.placed(fields, shape, dtype));
}

// Reads a tensor in the aligned layout, regardless of the layout code, or a constant.
Source aligned_source(Reader& r, const OperandFields& fields, const Shape& shape, DType dtype) {
  if (r.is_constant(fields))
    return Source::value(static_cast<uint32_t>(fields.address.of(r.command()).value));
  return Source::tensor(r.aligned(fields, shape, dtype));
}

// With two constants the operation becomes a fill.
bool are_constants(const Source& a, const Source& b) { return a.is_constant && b.is_constant; }
Operation fill(const TensorView& out, uint32_t bits) {
  return Copy{.engine = Engine::compute, .dst = as(out, DType::b32), .src = Source::value(bits)};
}

Operation arithmetic(Reader& r, FloatArithmetic op) {
  using Kind = FloatArithmetic::Kind;
  if (!are_constants(op.a, op.b)) return op;
  const ScopedFloatMode mode;
  if (op.kind == Kind::mac) {
    // The product is one number, which is added to the old result.
    r.unconfirmed(true, TW_OF(r.command(), opt_opd1_const),
                  "the product of two constants is added to the old result");
    op.kind = Kind::mul;
    const float product =
        float_arithmetic(op, f32::from_bits(op.a.constant), f32::from_bits(op.b.constant), 0.0f);
    return FloatArithmetic{
        .kind = Kind::add, .out = op.out, .a = Source::value(product), .b = Source::tensor(op.out)};
  }
  const uint32_t bits = is_choice(op.kind)
                            ? float_choice(op, op.a.constant, op.b.constant)
                            : f32::bits(float_arithmetic(op, f32::from_bits(op.a.constant),
                                                         f32::from_bits(op.b.constant), 0.0f));
  return fill(op.out, bits);
}

Operation real(const TiuCommand&, Reader& r, FloatArithmetic::Kind kind) {
  r.all_f32({&kRes0, &kOpd0, &kOpd1});
  const Shape s = r.result_shape();
  FloatArithmetic op{.kind = kind, .out = r.placed(kRes0, s, DType::f32), .a = {}, .b = {}};
  op.a = word_source(r, kOpd0, s, DType::f32);
  op.b = word_source(r, kOpd1, s, DType::f32);
  return arithmetic(r, op);
}

Operation bits(const TiuCommand& c, Reader& r, Bitwise::Kind kind) {
  for (const OperandFields* fields : {&kRes0, &kOpd0, &kOpd1})
    r.require(fields->type.of(c).value == kInt32, errors::isa_stream_type, fields->type.of(c));
  const Shape s = r.result_shape();
  Bitwise op{.kind = kind, .out = r.placed(kRes0, s, DType::b32), .a = {}, .b = {}};
  op.a = word_source(r, kOpd0, s, DType::b32);
  op.b = word_source(r, kOpd1, s, DType::b32);
  op.keeps_at_32 = kind == Bitwise::Kind::arithmetic_shift || kind == Bitwise::Kind::logical_shift;
  if (!are_constants(op.a, op.b)) return op;
  r.supports(!op.keeps_at_32, TW_OF(c, opt_opd1_const));
  const uint32_t a = op.a.constant, b = op.b.constant;
  return fill(op.out, kind == Bitwise::Kind::bit_and  ? a & b
                      : kind == Bitwise::Kind::bit_or ? a | b
                                                      : a ^ b);
}

// ---- Packed integers ----

Source packed_source(Reader& r, const OperandFields& fields, const Shape& shape, DType dtype) {
  if (r.is_constant(fields))
    return Source::value(element_bits(fields.address.of(r.command()).value, dtype));
  return Source::tensor(r.packed(fields, shape, dtype));
}

bool is_byte(DType dtype) { return element_bytes(dtype) == 1; }

DType result_type(Reader& r, bool is_signed) {
  const Named code = TW_OF(r.command(), opt_res0_prec);
  const DType dtype = r.int_type(code, is_signed);
  r.require(!is_32bit(dtype), errors::isa_stream_type, code);
  return dtype;
}

// Bits have no sign, so unsigned types are used.
Operation packed_bits(const TiuCommand& c, Reader& r, Fixed kind) {
  for (const OperandFields* fields : {&kRes0, &kOpd1})
    r.supports(fields->type.of(c).value == c.opt_opd0_prec, fields->type.of(c));
  const DType dtype = make_dtype(/*is_signed=*/false, /*is_8bit=*/c.opt_opd0_prec == kInt8);
  const Shape s = r.result_shape();
  FixedPoint op{.kind = kind, .out = r.packed(kRes0, s, dtype), .a = {}, .b = {}};
  op.a = packed_source(r, kOpd0, s, dtype);
  op.b = packed_source(r, kOpd1, s, dtype);
  op.a_type = op.b_type = dtype;
  r.supports(!are_constants(op.a, op.b), TW_OF(c, opt_opd1_const));
  return op;
}

Operation fixed(const TiuCommand& c, Reader& r, Fixed kind) {
  const DType a = r.data_type(kOpd0), b = r.data_type(kOpd1);
  const bool any_sign = is_signed(a) || is_signed(b), chooses = kind >= Fixed::max;
  const bool multiplies = kind == Fixed::mul || kind == Fixed::mac;
  const DType out = result_type(r, chooses ? is_signed(a) : kind == Fixed::sub || any_sign);
  r.require(!is_32bit(a) && !(multiplies && !is_byte(a)), errors::isa_stream_type,
            TW_OF(c, opt_opd0_prec));
  r.require(!is_32bit(b) && !(multiplies && !is_byte(b)), errors::isa_stream_type,
            TW_OF(c, opt_opd1_prec));
  if (chooses) {
    r.supports(is_signed(a) == is_signed(b), TW_OF(c, opt_opd1_sign));
    r.supports(a == b, TW_OF(c, opt_opd1_prec));
    r.supports(out == a, TW_OF(c, opt_res0_prec));
    r.supports(c.opt_right_shift == 0, TW_OF(c, opt_right_shift));
  }
  if (kind == Fixed::mac) r.supports(!is_byte(out), TW_OF(c, opt_res0_prec));
  const Shape s = r.result_shape();
  FixedPoint op{.kind = kind, .out = r.packed(kRes0, s, out), .a = {}, .b = {}};
  op.a = packed_source(r, kOpd0, s, a);
  op.b = packed_source(r, kOpd1, s, b);
  op.a_type = a;
  op.b_type = b;
  r.supports(!are_constants(op.a, op.b), TW_OF(c, opt_opd1_const));
  op.rshift = static_cast<uint32_t>(c.opt_right_shift);
  if (kind != Fixed::mac) return op;
  op.old_type = out;
  op.lshift = static_cast<uint32_t>(c.opt_left_shift);
  return op;
}

}  // namespace

Operation elements(const TiuCommand& c, Reader& r, const TiuVariant& v) {
  const bool is_fixed = c.opt_opd0_prec == kInt8 || c.opt_opd0_prec == kInt16;
  if (v.bits) return is_fixed ? packed_bits(c, r, *v.fixed) : bits(c, r, *v.bits);
  if (!is_fixed && v.real) return real(c, r, *v.real);
  if (!r.require(is_fixed && v.fixed.has_value(), errors::isa_stream_type, TW_OF(c, opt_opd0_prec)))
    return {};
  return fixed(c, r, *v.fixed);
}

// Shifts by a signed amount, to the left if it is positive. The kind of shift determines the sign
// of the value, regardless of its field.
Operation shift(const TiuCommand& c, Reader& r, const TiuVariant&) {
  const bool is_arithmetic = c.opt_shift_typ != 0;
  if (c.opt_opd0_prec == kInt32)
    return bits(c, r,
                is_arithmetic ? Bitwise::Kind::arithmetic_shift : Bitwise::Kind::logical_shift);
  for (const OperandFields* fields : {&kRes0, &kOpd0, &kOpd1})
    r.supports(fields->type.of(c).value == kInt16, fields->type.of(c));
  const DType value = is_arithmetic ? DType::i16 : DType::u16;
  const Shape s = r.result_shape();
  FixedPoint op{.kind = is_arithmetic ? Fixed::arithmetic_shift : Fixed::logical_shift,
                .out = r.packed(kRes0, s, value),
                .a = packed_source(r, kOpd0, s, value),
                .b = packed_source(r, kOpd1, s, DType::i16),
                .a_type = value,
                .b_type = DType::i16};
  r.supports(!are_constants(op.a, op.b), TW_OF(c, opt_opd1_const));
  return op;
}

Operation select_value(const TiuCommand& c, Reader& r, const TiuVariant& v) {
  r.all_f32({&kRes0, &kOpd0, &kOpd1});
  r.only(kOpd2.is_constant, {1});
  const Shape s = r.result_shape();
  Select op{.compare = v.compare,
            .out = r.placed(kRes0, s, DType::f32),
            .a = word_source(r, kOpd0, s, DType::f32),
            .b = word_source(r, kOpd1, s, DType::f32),
            .if_true = Source::value(static_cast<uint32_t>(c.opd2_addr)),
            .if_false = Source::value(0u),
            .extreme = {}};
  r.supports(!are_constants(op.a, op.b), TW_OF(c, opt_opd1_const));
  return op;
}

Operation copy(const TiuCommand& c, Reader& r, const TiuVariant&) {
  r.word_type(kRes0);
  r.word_type(kOpd0);
  const Shape s = r.result_shape();
  if (r.is_constant(kOpd0))
    return fill(r.placed(kRes0, s, DType::b32), static_cast<uint32_t>(c.opd0_addr));
  return Copy{.engine = Engine::compute,
              .dst = r.placed(kRes0, s, DType::b32),
              .src = Source::tensor(r.placed(kOpd0, s, DType::b32))};
}

// A product that is added to the old result is a mac.
Operation aligned_arithmetic(const TiuCommand& c, Reader& r, const TiuVariant& v) {
  r.all_f32({&kRes0, &kOpd0, &kOpd1});
  for (const OperandFields* fields : {&kRes0, &kOpd0, &kOpd1}) r.only(fields->layout, {kAligned});
  const bool adds = c.opt_res_add != 0;
  r.supports(!adds || v.real == FloatArithmetic::Kind::mul, TW_OF(c, opt_res_add));
  const Shape s = r.result_shape();
  FloatArithmetic op{.kind = adds ? FloatArithmetic::Kind::mac : *v.real,
                     .out = r.aligned(kRes0, s, DType::f32),
                     .a = aligned_source(r, kOpd0, s, DType::f32),
                     .b = aligned_source(r, kOpd1, s, DType::f32)};
  return arithmetic(r, op);
}

Operation aligned_max(const TiuCommand&, Reader& r, const TiuVariant& v) {
  r.all_f32({&kRes0, &kOpd0, &kOpd1});
  const Shape s = r.result_shape();
  FloatArithmetic op{.kind = *v.real,
                     .out = r.aligned(kRes0, s, DType::f32),
                     .a = aligned_source(r, kOpd0, s, DType::f32),
                     .b = aligned_source(r, kOpd1, s, DType::f32)};
  return arithmetic(r, op);
}

namespace {

Select aligned_select(Reader& r, Select::Compare compare) {
  r.all_f32({&kRes0, &kOpd0, &kOpd1});
  const Shape s = r.result_shape();
  return {.compare = compare,
          .out = r.aligned(kRes1, s, DType::f32),
          .a = aligned_source(r, kOpd0, s, DType::f32),
          .b = aligned_source(r, kOpd1, s, DType::f32),
          .if_true = aligned_source(r, kOpd2, s, DType::f32),
          .if_false = aligned_source(r, kOpd3, s, DType::f32),
          .extreme = {}};
}

}  // namespace

Operation select(const TiuCommand&, Reader& r, const TiuVariant& v) {
  return aligned_select(r, v.compare);
}

// Stores the extreme of both compared operands as a second result.
Operation select_with_extreme(const TiuCommand&, Reader& r, const TiuVariant& v) {
  Select op = aligned_select(r, v.compare);
  op.extreme = r.aligned(kRes0, op.out.shape, DType::f32);
  op.keeps_extreme_bits = true;
  return op;
}

}  // namespace tputwin::isa::bm1684_streams
