// Decodes the BM1684's functions of one operand: classes 6, 9 and 10.
#include "isa/bm1684/decode.h"

namespace tputwin::isa::bm1684_streams {
namespace {

constexpr uint32_t kTableWords = 256;

}  // namespace

// The index is the low 8 bits of a word, or a byte.
Operation lookup(const TiuCommand& c, Reader& r, const TiuVariant&) {
  constexpr uint64_t kRows = 8;  // of 32 words
  r.only(TW_TIU_FIELD(opd1_h), {kRows});
  r.word_type(kRes0);
  r.supports(c.opt_opd0_prec == kInt8 || element_bytes(r.data_type(kOpd0)) == 4,
             TW_OF(c, opt_opd0_prec));
  const Shape s = r.result_shape();
  const bool bytes = c.opt_opd0_prec == kInt8;
  return L2Function{.kind = L2Function::Kind::lookup,
                    .out = r.aligned(kRes0, s, DType::b32),
                    .in = r.aligned(kOpd0, s, bytes ? DType::u8 : DType::b32),
                    .table = r.table(kOpd1, kTableWords)};
}

Operation polynomial(const TiuCommand& c, Reader& r, const TiuVariant&) {
  r.all_f32({&kRes0, &kOpd0});
  const Shape s = r.result_shape();
  return L2Function{.kind = L2Function::Kind::polynomial,
                    .out = r.aligned(kRes0, s, DType::f32),
                    .in = r.aligned(kOpd0, s, DType::f32),
                    .table = r.table(kOpd1, r.extent(TW_OF(c, opd1_n)))};
}

Operation unary(const TiuCommand& c, Reader& r, const TiuVariant& v) {
  const bool to_integer = v.unary == UnaryF32::Kind::to_int32;
  r.all_f32({&kOpd0});
  r.require(c.opt_res0_prec == (to_integer ? kInt32 : kFp32), errors::isa_stream_type,
            TW_OF(c, opt_res0_prec));
  const Shape s = r.result_shape();
  return UnaryF32{.kind = v.unary,
                  .out = r.aligned(kRes0, s, DType::f32),
                  .in = r.aligned(kOpd0, s, DType::f32),
                  .work = {}};
}

// Returns the exponent as an integer, or as the power of 2.
Operation exponent(const TiuCommand& c, Reader& r, const TiuVariant&) {
  constexpr uint64_t kField = 15;
  const bool to_integer = c.tsk_eu_typ == kField;
  r.all_f32({&kOpd0});
  r.require(c.opt_res0_prec == (to_integer ? kInt32 : kFp32), errors::isa_stream_type,
            TW_OF(c, opt_res0_prec));
  const Shape s = r.result_shape();
  return Unary{.kind = Unary::Kind::exponent,
               .out = r.aligned(kRes0, s, to_integer ? DType::i32 : DType::f32),
               .in = r.aligned(kOpd0, s, DType::f32)};
}

namespace {

// Reads one number per channel, or one for all channels.
Source parameter(Reader& r, const OperandFields& fields, uint32_t channels) {
  if (r.is_constant(fields))
    return Source::value(static_cast<uint32_t>(fields.address.of(r.command()).value));
  return Source::tensor(r.per_channel(fields, channels, DType::f32));
}

bool is_number(const Source& source, float value) {
  return source.is_constant && source.constant == f32::bits(value);
}

}  // namespace

// x * 1 + b is a bias. x * k + 0 is a scale, which adds 0.
Operation affine(const TiuCommand&, Reader& r, const TiuVariant&) {
  r.all_f32({&kRes0, &kOpd0, &kOpd1, &kOpd2});
  const Shape s = r.result_shape();
  ChannelAffine op{.out = r.aligned(kRes0, s, DType::f32),
                   .in = r.aligned(kOpd0, s, DType::f32),
                   .scale = parameter(r, kOpd2, s.c),
                   .bias = parameter(r, kOpd1, s.c)};
  if (is_number(*op.scale, 1.0f)) {
    op.scale.reset();
  } else if (is_number(*op.bias, 0.0f)) {
    op.bias.reset();
    op.adds_zero = true;
  }
  return op;
}

}  // namespace tputwin::isa::bm1684_streams
