// Random operations of the BM1684X: functions of one element, conversions, quantization, selects.
#include "selftest/tensor_family.h"

namespace tputwin::testing {
namespace {

class Conversions : TensorFamily {
 public:
  Conversions(Rng& rng, const Chip& chip) : TensorFamily(rng, chip) {
    shape_ = tensors_.shape();
    lane_ = tensors_.start_lane();
  }

  Operation unary() {
    using Kind = Unary::Kind;
    Unary op{.kind = static_cast<Kind>(rng_.below(9)), .steps = rng_.range(1, 4)};
    const bool floats = op.kind == Kind::prelu || op.kind == Kind::exponent;
    const bool counts = op.kind == Kind::leading_zeros || op.kind == Kind::leading_ones;
    const DType type = op.kind == Kind::inverse_root ? DType::f32
                       : counts                      ? integer_type()
                       : floats                      ? float_type()
                                                     : any_type();
    op.in = source(type).view;
    DType out = type;
    if (op.kind == Unary::Kind::exponent && rng_.coin())
      out = type == DType::f32 ? DType::i32 : DType::i16;
    op.out = rng_.chance(1, 4) && out == type ? op.in : result(out);
    op.alpha = constant(type).constant;
    return op;
  }

  Operation convert() {
    const bool whole = rng_.chance(1, 4);
    const DType in = whole ? float_type() : any_type(), out = whole ? in : any_type();
    Convert op{.kind = whole ? Convert::Kind::whole : Convert::Kind::cast,
               .rounding = mode(5),
               .in = source(in).view};
    op.out = rng_.chance(1, 4) && in == out ? op.in : result(out);
    narrow_in_place(op.out, op.in);
    return op;
  }

  Operation requantize() {
    using Kind = Requantize::Kind;
    Requantize op{.kind = static_cast<Kind>(rng_.below(4))};
    const bool wide = op.kind == Kind::to_wide || op.kind == Kind::f32_wide;
    const bool floats = op.kind == Kind::f32_narrow || op.kind == Kind::f32_wide;
    const DType narrow = rng_.pick({DType::i8, DType::u8, DType::i16, DType::u16});
    const DType large =
        op.kind == Kind::f32_wide ? DType::f32 : rng_.pick({DType::i32, DType::i16, DType::u16});
    op.in = aligned(wide ? narrow : large);
    op.out = aligned(wide ? large : narrow);
    narrow_in_place(op.out, op.in);
    op.multiplier = parameter(floats ? DType::f32 : DType::i32, -70000, 70000);
    // Constants are drawn in range. Amounts in memory have any value.
    op.shift =
        Source::value(static_cast<uint32_t>(static_cast<int32_t>(rng_.below(96)) - 64), DType::i32);
    op.offset = parameter(op.kind == Kind::f32_narrow ? DType::f32 : DType::i32, -300, 300);
    op.rounding = mode(floats ? 5 : 7);
    op.in_rounding = mode(5);
    return op;
  }

  Operation select() {
    using Compare = Select::Compare;
    Select op{.compare = rng_.pick({Compare::greater, Compare::less, Compare::at_least,
                                    Compare::at_most, Compare::equal_value, Compare::not_equal})};
    op.type = any_type();
    const DType out = chosen_type(op.type);
    op.a = choice(op.type);
    op.b = choice(op.type);
    op.if_true = choice(out);
    op.if_false = choice(out);
    op.out = result(out);
    const bool extreme = op.compare == Compare::greater || op.compare == Compare::less;
    if (extreme && rng_.coin()) op.extreme = result(op.type);
    return op;
  }

 private:
  // Sometimes gives a narrower result the address of the source.
  void narrow_in_place(TensorView& out, const TensorView& in) {
    if (element_bytes(out.dtype) < element_bytes(in.dtype) && rng_.chance(1, 4))
      out.address = in.address;
  }
  Rounding mode(uint32_t count) { return static_cast<Rounding>(rng_.below(count)); }
  Source parameter(DType type, int32_t low, int32_t high) {
    if (rng_.coin()) return Source::tensor(per_channel(type, rng_.coin()));
    if (type == DType::f32) return constant(type);
    return Source::value(static_cast<uint32_t>(low + static_cast<int32_t>(rng_.below(
                                                         static_cast<uint32_t>(high - low + 1)))),
                         type);
  }

  Source choice(DType type) {
    if (rng_.chance(1, 3)) return constant(type);
    return rng_.chance(1, 3) ? Source::tensor(per_channel(type, rng_.coin())) : source(type);
  }

  // Returns a type for the chosen values. If integers are compared, it has any width. If floats are
  // compared, it is at most as wide as they are.
  DType chosen_type(DType compared) {
    const uint32_t bytes = element_bytes(compared);
    for (;;) {
      const DType type = any_type();
      if (!is_float(compared) || element_bytes(type) <= bytes) return type;
    }
  }
};

}  // namespace

TW_FAMILY(random_bm1684x_convert, Conversions, {unary_bm1684x, &Conversions::unary},
          {convert_bm1684x, &Conversions::convert}, {requantize, &Conversions::requantize},
          {select_bm1684x, &Conversions::select})

}  // namespace tputwin::testing
