// bmk1880_tpu_*: element-wise arithmetic, logic and copies.
#include "base/errors/bmkernel.h"
#include "sdk/bmkernel/call.h"

namespace tputwin::bmkernel {
namespace {

using Kind = Elementwise::Kind;

// An operand: 8-bit (no high part), 16-bit, or as wide as the caller passes it.
struct Operand8or16 {
  enum class Width { byte, word, either } width = Width::byte;
  Arg low, high;
  bool is_wide() const { return high.tensor != nullptr; }
};
Operand8or16 byte(Arg arg) { return {Operand8or16::Width::byte, arg, {}}; }
Operand8or16 word(Arg low, Arg high) { return {Operand8or16::Width::word, low, high}; }
Operand8or16 either(Arg low, Arg high) { return {Operand8or16::Width::either, low, high}; }

struct Constant {
  int32_t value;
  bool is_signed;
};
// The constant is given as a signed number; unsigned constants use its low bits.
Constant constant8(s8 b, bool is_signed) { return {is_signed ? b : static_cast<u8>(b), is_signed}; }
Constant constant16(s16 b, bool is_signed) {
  return {is_signed ? b : static_cast<u16>(b), is_signed};
}

// An element-wise call in one form: res = kind(a, b) or kind(a, constant).
struct Pointwise {
  Kind kind;
  Operand8or16 res, a;
  std::optional<Operand8or16> b;
  std::optional<Constant> constant;
  int lshift = 0, rshift = 0;
  bool narrow_result = false;  // the new value is 8-bit although res is a pair
};

bool usable(Call& call, const Operand8or16& x) {
  if (!call.usable(x.low)) return false;
  if (x.width == Operand8or16::Width::word && !call.present(x.high)) return false;
  if (!x.is_wide()) return true;
  if (!call.usable(x.high)) return false;
  const tensor_lmem &low = *x.low.tensor, &high = *x.high.tensor;
  return call.require(high.fmt == low.fmt, errors::bmk_pair_fmt, x.high.name, &high) &&
         call.require(nchw(call.chip(), high.shape) == nchw(call.chip(), low.shape),
                      errors::bmk_pair_shape, x.high.name, &high);
}

// Every operand uses the strides of the result; a different layout of an operand is ignored.
bool same_layout(Call& call, const Arg& res, const Arg& x) {
  const Chip& chip = call.chip();
  bool same = nchw(chip, x->shape) != nchw(chip, res->shape) ||  // that is another rule
              strides(chip, *x.tensor) == strides(chip, *res.tensor);
  return call.require(same, errors::bmk_layout_ignored, x.name, x.tensor);
}

// max and min ignore the format of their result.
bool compares(Kind kind) { return kind == Kind::max || kind == Kind::min; }
bool compared_sign(Call& call, const Pointwise& p) {
  const Arg &res = p.res.low, &a = p.a.low;
  return call.require(!compares(p.kind) || res->fmt == a->fmt, errors::bmk_result_sign_ignored,
                      res.name, res.tensor);
}

// A stride that is never used keeps only the 16 bits that the descriptor has for it.
Stride stepped(const Chip& chip, const tensor_lmem& t, Stride stride) {
  Shape shape = nchw(chip, t.shape);
  if (shape.n == 1) stride.n &= 0xffff;
  if (t.operand.laddr / chip.lane_bytes + shape.c <= chip.lanes) stride.c &= 0xffff;
  if (shape.h == 1) stride.h &= 0xffff;
  return stride;
}

TensorView joined(Call& call, const Operand8or16& x, bool is_signed, bool is_8bit,
                  const Stride& stride) {
  TensorView v = view(call.chip(), *x.low.tensor, make_dtype(is_signed, is_8bit), stride);
  if (x.is_wide()) v.plane_stride = x.high->operand.laddr - x.low->operand.laddr;
  return v;
}

std::optional<Operation> build(Call& call, const Pointwise& p) {
  if (!(usable(call, p.res) && usable(call, p.a) && (!p.b || usable(call, *p.b)))) return {};
  if (!(same_layout(call, p.res.low, p.a.low) && (!p.b || same_layout(call, p.res.low, p.b->low))))
    return {};
  if (!(compared_sign(call, p) && call.rshift(p.rshift))) return {};

  bool bitwise = p.kind >= Kind::bit_and;  // and copy: bytes without a sign
  bool signed_a = !bitwise && is_signed(*p.a.low.tensor);
  bool signed_res = compares(p.kind) ? signed_a : !bitwise && is_signed(*p.res.low.tensor);
  const tensor_lmem& res = *p.res.low.tensor;
  Stride stride = stepped(call.chip(), res, strides(call.chip(), res));
  Elementwise op{
      .kind = p.kind,
      .out = joined(call, p.res, signed_res, p.narrow_result || !p.res.is_wide(), stride),
      .a = joined(call, p.a, signed_a, !p.a.is_wide(), stride),
      .lshift = static_cast<uint32_t>(p.lshift),
      .rshift = static_cast<uint32_t>(p.rshift) & 31,
  };
  if (p.b)
    op.b = joined(call, *p.b, !bitwise && is_signed(*p.b->low.tensor), !p.b->is_wide(), stride);
  if (p.constant) {
    op.b_is_constant = true;
    op.constant = p.constant->value;
    op.b_signed = p.constant->is_signed;
  }
  return op;
}

// relu is max(a, 0) on signed bytes, for all formats.
std::optional<Operation> build(Call& call, const bmk1880_relu_param_t& p) {
  Arg out = TW_ARG(ofmap), in = TW_ARG(ifmap);
  auto is_signed_map = [&](const Arg& arg) {
    return call.require(is_signed(*arg.tensor), errors::bmk_relu_unsigned, arg.name, arg.tensor);
  };
  if (!(call.usable(out) && call.usable(in) && same_layout(call, out, in) && is_signed_map(out) &&
        is_signed_map(in)))
    return {};
  Stride stride = stepped(call.chip(), *out.tensor, strides(call.chip(), *out.tensor));
  return Elementwise{.kind = Kind::max,
                     .out = view(call.chip(), *out.tensor, DType::i8, stride),
                     .a = view(call.chip(), *in.tensor, DType::i8, stride),
                     .b_is_constant = true,
                     .constant = 0,
                     .b_signed = true};
}

bmk1880_op_t* copy(Call& call, const bmk1880_copy_with_stride_param_t& p) {
  Arg dst = TW_ARG(dst), src = TW_ARG(src);
  if (!(call.usable(dst) && call.usable(src) &&
        call.require(p.dst_stride.w == 1, errors::bmk_w_stride, "dst_stride", p.dst_stride.w) &&
        call.require(p.src_stride.w == 1, errors::bmk_w_stride, "src_stride", p.src_stride.w)))
    return nullptr;
  const Chip& chip = call.chip();
  Stride to = stepped(chip, *dst.tensor, to_stride(p.dst_stride));
  Stride from = stepped(chip, *src.tensor, to_stride(p.src_stride));
  Elementwise op{.kind = Kind::copy,
                 .out = view(chip, *dst.tensor, DType::u8, to),
                 .a = view(chip, *src.tensor, DType::u8, from)};
  if (!call.accept(op)) return nullptr;
  // Unlike the plain copy, this one leaves stride fields of missing operands at their reset values.
  auto d = std::get<isa::BdDescriptor>(isa::encode(op, chip));
  constexpr isa::BdDescriptor reset;
  d.opd1_n_str = reset.opd1_n_str, d.opd1_c_str = reset.opd1_c_str;
  d.opd1_h_str = reset.opd1_h_str, d.opd2_n_str = reset.opd2_n_str;
  d.opd2_c_str = reset.opd2_c_str, d.opd2_h_str = reset.opd2_h_str;
  return call.append(d);
}

}  // namespace
}  // namespace tputwin::bmkernel

using namespace tputwin::bmkernel;
using tputwin::Elementwise;

extern "C" {

// Parameters of each call in the common form.
#define TW_POINTWISE(name, ...)                                                  \
  bmk1880_op_t* bmk1880_tpu_##name(bmk1880_context_t* ctx,                       \
                                   const bmk1880_##name##_param_t* parameters) { \
    return issue(ctx, __func__, parameters, [](Call& call, const auto& p) {      \
      return build(call, Pointwise{.kind = Elementwise::Kind::__VA_ARGS__});     \
    });                                                                          \
  }

#define TW_RES either(TW_ARG(res_low), TW_ARG(res_high))
#define TW_RES16 word(TW_ARG(res_low), TW_ARG(res_high))
#define TW_A16 word(TW_ARG(a_low), TW_ARG(a_high))
#define TW_B16 word(TW_ARG(b_low), TW_ARG(b_high))
#define TW_A byte(TW_ARG(a))
#define TW_B byte(TW_ARG(b))

TW_POINTWISE(mul, mul, .res = TW_RES, .a = TW_A, .b = TW_B, .rshift = p.rshift_width)
TW_POINTWISE(mul_const, mul, .res = TW_RES, .a = TW_A, .constant = constant8(p.b, p.b_is_signed),
             .rshift = p.rshift_width)
TW_POINTWISE(mac, mac, .res = TW_RES16, .a = TW_A, .b = TW_B, .lshift = p.lshift_width,
             .rshift = p.rshift_width, .narrow_result = p.res_is_int8)
TW_POINTWISE(mac_const, mac, .res = TW_RES16, .a = TW_A, .constant = constant8(p.b, p.b_is_signed),
             .lshift = p.lshift_width, .rshift = p.rshift_width, .narrow_result = p.res_is_int8)
TW_POINTWISE(add, add, .res = TW_RES, .a = TW_A16, .b = TW_B16)
TW_POINTWISE(add_const, add, .res = TW_RES, .a = TW_A16, .constant = constant16(p.b, p.b_is_signed))
TW_POINTWISE(sub, sub, .res = TW_RES, .a = TW_A16, .b = TW_B16)
TW_POINTWISE(max, max, .res = byte(TW_ARG(max)), .a = TW_A, .b = TW_B)
TW_POINTWISE(max_const, max, .res = byte(TW_ARG(max)), .a = TW_A,
             .constant = constant8(p.b, p.b_is_signed))
TW_POINTWISE(min, min, .res = byte(TW_ARG(min)), .a = TW_A, .b = TW_B)
TW_POINTWISE(min_const, min, .res = byte(TW_ARG(min)), .a = TW_A,
             .constant = constant8(p.b, p.b_is_signed))
TW_POINTWISE(arith_shift, shift, .res = TW_RES16, .a = TW_A16, .b = byte(TW_ARG(bits)))
TW_POINTWISE(and_int8, bit_and, .res = byte(TW_ARG(res)), .a = TW_A, .b = TW_B)
TW_POINTWISE(and_int16, bit_and, .res = TW_RES16, .a = TW_A16, .b = TW_B16)
TW_POINTWISE(or_int8, bit_or, .res = byte(TW_ARG(res)), .a = TW_A, .b = TW_B)
TW_POINTWISE(or_int16, bit_or, .res = TW_RES16, .a = TW_A16, .b = TW_B16)
TW_POINTWISE(xor_int8, bit_xor, .res = byte(TW_ARG(res)), .a = TW_A, .b = TW_B)
TW_POINTWISE(xor_int16, bit_xor, .res = TW_RES16, .a = TW_A16, .b = TW_B16)
TW_POINTWISE(copy, copy, .res = byte(TW_ARG(dst)), .a = byte(TW_ARG(src)))

bmk1880_op_t* bmk1880_tpu_copy_with_stride(bmk1880_context_t* ctx,
                                           const bmk1880_copy_with_stride_param_t* p) {
  if (!has_context(ctx, __func__)) return nullptr;
  Call call(*ctx, __func__);
  bool given = call.require(p != nullptr, tputwin::errors::bmk_null_argument, "p", "NULL");
  return given ? copy(call, *p) : nullptr;
}

bmk1880_op_t* bmk1880_tpu_relu(bmk1880_context_t* ctx, const bmk1880_relu_param_t* p) {
  return issue(ctx, __func__, p, [](Call& call, const auto& p) { return build(call, p); });
}

}  // extern "C"
