// Random operations of the BM1684X: arithmetic and logic of elements.
#include "base/bits.h"
#include "numerics/rounding.h"
#include "selftest/random_bm1684x.h"

namespace tputwin::testing {
namespace {

class ElementGenerator {
 public:
  ElementGenerator(Rng& rng, const Chip& chip)
      : rng_(rng), tensors_(rng, chip), shape_(tensors_.shape()), lane_(tensors_.start_lane()) {
    by_vectors_ = rng_.chance(1, 6);
    if (!by_vectors_) return;
    lane_ = 0;
    shape_ = {rng_.range(1, 90), rng_.range(1, 70), 1, rng_.range(1, 40)};
  }

  Operation make(OperationKind kind) {
    switch (kind) {
      case OperationKind::tpu_float_arithmetic:
        return float_arithmetic();
      case OperationKind::int_arithmetic:
        return int_arithmetic();
      case OperationKind::tpu_bitwise:
        return bitwise();
      default:
        return CpuCall{};
    }
  }

 private:
  TensorView result(DType type) {
    return by_vectors_ ? tensors_.dense(shape_, lane_, type, /*aligned=*/true)
                       : tensors_.any(shape_, lane_, type, /*is_source=*/false);
  }
  Source constant(DType type) {
    const uint32_t bits = random_bits(rng_, type);
    if (type == DType::f32) return Source::value(bits, type);
    return Source::value(static_cast<uint32_t>(wrap(static_cast<int32_t>(bits), type)), type);
  }
  // One element per channel, repeated.
  Source per_channel(DType type) {
    TensorView view = tensors_.dense({1, shape_.c, 1, 1}, lane_, type, /*aligned=*/false);
    view.shape = shape_;
    view.stride.n = view.stride.h = view.stride.w = 0;
    return Source::tensor(view);
  }
  Source vector_along_n(DType type) {
    const uint32_t w = rng_.range(1, shape_.n);
    return Source::vector_along_n(
        tensors_.dense({1, ceil_div(shape_.n, w), 1, w}, lane_, type, /*aligned=*/true));
  }
  Source tensor(DType type) { return tensors_.source(shape_, lane_, type); }
  Source parameter(DType type) {
    return rng_.chance(1, 3) ? constant(type) : rng_.coin() ? per_channel(type) : tensor(type);
  }

  // The operands a and b.
  template <class Op>
  void sources(Op& op, DType a, DType b) {
    op.a = by_vectors_ ? vector_along_n(a) : rng_.chance(1, 5) ? constant(a) : tensor(a);
    op.b = op.a.is_constant ? tensor(b) : parameter(b);
    if (by_vectors_ || op.a.is_constant) return;
    const bool same = op.a.view.dtype == op.out.dtype;
    if (same && rng_.chance(1, 5)) op.out = in_place(op.a.view, op.out);
    if (rng_.chance(1, 12)) op.out.address += element_bytes(op.out.dtype) * rng_.below(9);
    if (rng_.chance(1, 12)) op.b = op.a;
  }
  static TensorView in_place(const TensorView& source, const TensorView& otherwise) {
    const Stride& s = source.stride;
    return s.n == 0 || s.c == 0 || s.h == 0 || s.w == 0 ? otherwise : source;
  }

  Operation float_arithmetic() {
    using Kind = FloatArithmetic::Kind;
    FloatArithmetic op{.kind = static_cast<Kind>(rng_.below(12))};
    const bool f32 = op.kind == Kind::div || op.kind == Kind::mac;
    const DType type = f32 ? DType::f32 : kFloatTypes[rng_.below(std::size(kFloatTypes))];
    op.out = result(type);
    sources(op, type, type);
    if (op.kind == Kind::mul_add) op.c = parameter(type);
    if (op.kind == Kind::add || op.kind == Kind::mac) op.b_first = rng_.coin();
    return op;
  }

  DType integer(uint32_t bytes, bool is_signed) {
    return bytes == 4 ? (is_signed ? DType::i32 : DType::u32)
                      : make_dtype(is_signed, /*is_8bit=*/bytes == 1);
  }
  DType any_integer() { return kIntegerTypes[rng_.below(std::size(kIntegerTypes))]; }

  // The types of out, a and b.
  struct Types {
    DType out, a, b;
  };
  Types types(IntArithmetic::Kind kind) {
    using Kind = IntArithmetic::Kind;
    DType a = any_integer(), b = rng_.coin() ? a : any_integer();
    const uint32_t bytes = rng_.coin() ? element_bytes(a) : rng_.pick({1u, 2u, 4u});
    if (kind == Kind::mac) {
      a = make_dtype(rng_.coin(), /*is_8bit=*/true);
      b = make_dtype(rng_.coin(), /*is_8bit=*/true);
      return {make_dtype(is_signed(a) || is_signed(b), /*is_8bit=*/false), a, b};
    }
    if (kind == Kind::min || kind == Kind::max) return {a, a, a};
    const bool sign = is_signed(a) || (kind != Kind::shift && is_signed(b)) || kind == Kind::sub;
    return {integer(bytes, sign), a, b};
  }

  Source amount() {
    if (rng_.chance(1, 4)) return per_channel(DType::i8);
    const int32_t shift = rng_.coin() ? 0 : static_cast<int32_t>(rng_.below(64)) - 32;
    return Source::value(static_cast<uint32_t>(rng_.coin() ? shift / 4 : shift), DType::i8);
  }

  Operation int_arithmetic() {
    using Kind = IntArithmetic::Kind;
    IntArithmetic op{.kind = static_cast<Kind>(rng_.below(7))};
    const Types t = types(op.kind);
    if (op.kind == Kind::shift) by_vectors_ = false;
    op.out = result(t.out);
    if (op.kind == Kind::shift)
      op.a = tensor(t.a);
    else
      sources(op, t.a, t.b);
    op.shift = op.kind == Kind::shift && rng_.coin() ? tensor(integer(element_bytes(t.a), true))
                                                     : amount();
    op.rounding = static_cast<Rounding>(rng_.below(7));
    op.saturates = rng_.coin();
    if (op.kind == Kind::mac) op.lshift = static_cast<uint8_t>(rng_.below(rng_.coin() ? 9 : 32));
    return op;
  }

  Operation bitwise() {
    Bitwise op{.kind = static_cast<Bitwise::Kind>(rng_.below(3))};
    const DType type = any_integer();
    op.out = result(type);
    sources(op, type, type);
    return op;
  }

  Rng& rng_;
  Bm1684Tensors tensors_;
  Shape shape_;
  uint32_t lane_;
  bool by_vectors_;
};

}  // namespace

Operation random_tpu_elem(Rng& rng, OperationKind kind, const Chip& chip) {
  return ElementGenerator(rng, chip).make(kind);
}

}  // namespace tputwin::testing
