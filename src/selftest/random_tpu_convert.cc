// Random operations of the BM1684X: functions of one element, conversions, quantisation, selects.
#include "selftest/random_bm1684x.h"

namespace tputwin::testing {
namespace {

class ConvertGenerator {
 public:
  ConvertGenerator(Rng& rng, const Chip& chip)
      : rng_(rng), tensors_(rng, chip), shape_(tensors_.shape()), lane_(tensors_.start_lane()) {}

  Operation make(OperationKind kind) {
    switch (kind) {
      case OperationKind::unary:
        return unary();
      case OperationKind::convert:
        return convert();
      case OperationKind::requantise:
        return requantise();
      case OperationKind::tpu_select:
        return select();
      default:
        return CpuCall{};
    }
  }

 private:
  TensorView result(DType type) { return tensors_.any(shape_, lane_, type, /*is_source=*/false); }
  TensorView aligned(DType type) { return tensors_.dense(shape_, lane_, type, /*aligned=*/true); }
  TensorView source(DType type) { return tensors_.any(shape_, lane_, type, /*is_source=*/true); }
  // Integers are extended as the calls extend them.
  Source constant(DType type) {
    const uint32_t bits = random_bits(rng_, type);
    if (type == DType::f32) return Source::value(bits, type);
    return Source::value(static_cast<uint32_t>(wrap(static_cast<int32_t>(bits), type)), type);
  }
  DType any_type() { return kAllTypes[rng_.below(std::size(kAllTypes))]; }
  DType float_type() { return kFloatTypes[rng_.below(std::size(kFloatTypes))]; }
  DType integer_type() { return kIntegerTypes[rng_.below(std::size(kIntegerTypes))]; }
  Rounding mode(uint32_t count) { return static_cast<Rounding>(rng_.below(count)); }

  // One element per channel, repeated.
  TensorView per_channel(DType type) {
    TensorView view = tensors_.dense({1, shape_.c, 1, 1}, lane_, type, rng_.coin());
    view.shape = shape_;
    view.stride.n = view.stride.h = view.stride.w = 0;
    return view;
  }

  Operation unary() {
    Unary op{.kind = static_cast<Unary::Kind>(rng_.below(6))};
    const bool floats = op.kind == Unary::Kind::prelu || op.kind == Unary::Kind::exponent;
    const DType type = floats ? float_type() : any_type();
    op.in = source(type);
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
               .in = source(in)};
    op.out = rng_.chance(1, 4) && in == out ? op.in : result(out);
    return op;
  }

  Source parameter(DType type, int32_t low, int32_t high) {
    if (rng_.coin()) return Source::tensor(per_channel(type));
    if (type == DType::f32) return constant(type);
    return Source::value(static_cast<uint32_t>(low + static_cast<int32_t>(rng_.below(
                                                         static_cast<uint32_t>(high - low + 1)))),
                         type);
  }

  Operation requantise() {
    using Kind = Requantise::Kind;
    Requantise op{.kind = static_cast<Kind>(rng_.below(4))};
    const bool wide = op.kind == Kind::to_wide || op.kind == Kind::f32_wide;
    const bool floats = op.kind == Kind::f32_narrow || op.kind == Kind::f32_wide;
    const DType narrow = rng_.pick({DType::i8, DType::u8, DType::i16, DType::u16});
    const DType large =
        op.kind == Kind::f32_wide ? DType::f32 : rng_.pick({DType::i32, DType::i16, DType::u16});
    op.in = aligned(wide ? narrow : large);
    op.out = aligned(wide ? large : narrow);
    op.multiplier = parameter(floats ? DType::f32 : DType::i32, -70000, 70000);
    // drawn in range: amounts in memory are whatever memory holds
    op.shift =
        Source::value(static_cast<uint32_t>(static_cast<int32_t>(rng_.below(96)) - 64), DType::i32);
    op.offset = parameter(op.kind == Kind::f32_narrow ? DType::f32 : DType::i32, -300, 300);
    op.rounding = mode(floats ? 5 : 7);
    op.in_rounding = mode(5);
    return op;
  }

  Source choice(DType type) {
    if (rng_.chance(1, 3)) return constant(type);
    return Source::tensor(rng_.chance(1, 3) ? per_channel(type) : source(type));
  }

  // Of any width beside integers; floats are compared for results that are not wider.
  DType chosen_type(DType compared) {
    const uint32_t bytes = element_bytes(compared);
    for (;;) {
      const DType type = any_type();
      if (!is_float(compared) || element_bytes(type) <= bytes) return type;
    }
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

  Rng& rng_;
  Bm1684Tensors tensors_;
  Shape shape_;
  uint32_t lane_;
};

}  // namespace

Operation random_tpu_convert(Rng& rng, OperationKind kind, const Chip& chip) {
  return ConvertGenerator(rng, chip).make(kind);
}

}  // namespace tputwin::testing
