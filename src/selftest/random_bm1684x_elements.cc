// Random operations of the BM1684X: arithmetic and logic of elements.
#include "base/bits.h"
#include "selftest/tensor_family.h"

namespace tputwin::testing {
namespace {

class Elements : TensorFamily {
 public:
  Elements(Rng& rng, const Chip& chip) : TensorFamily(rng, chip) {
    shape_ = tensors_.shape();
    lane_ = tensors_.start_lane();
    by_vectors_ = rng_.chance(1, 6);
    if (!by_vectors_) return;
    lane_ = 0;
    shape_ = {rng_.range(1, 90), rng_.range(1, 70), 1, rng_.range(1, 40)};
  }

  Operation float_arithmetic() {
    using Kind = FloatArithmetic::Kind;
    FloatArithmetic op{.kind = static_cast<Kind>(rng_.below(12))};
    const bool f32 = op.kind == Kind::div || op.kind == Kind::mac;
    const DType type = f32 ? DType::f32 : float_type();
    op.out = any_result(type);
    sources(op, type, type);
    if (op.kind == Kind::mul_add) op.c = parameter(type);
    if (op.kind == Kind::add || op.kind == Kind::mac) op.b_first = rng_.coin();
    return op;
  }

  Operation int_arithmetic() {
    using Kind = IntArithmetic::Kind;
    IntArithmetic op{.kind = static_cast<Kind>(rng_.below(7))};
    const Types t = types(op.kind);
    if (op.kind == Kind::shift) by_vectors_ = false;
    op.out = any_result(t.out);
    if (op.kind == Kind::shift)
      op.a = source(t.a);
    else
      sources(op, t.a, t.b);
    op.shift = op.kind == Kind::shift && rng_.coin() ? source(integer(element_bytes(t.a), true))
                                                     : amount();
    op.rounding = static_cast<Rounding>(rng_.below(7));
    op.saturates = rng_.coin();
    if (op.kind == Kind::mac) op.lshift = static_cast<uint8_t>(rng_.below(rng_.coin() ? 9 : 32));
    return op;
  }

  Operation bitwise() {
    using Kind = Bitwise::Kind;
    Bitwise op{.kind = rng_.pick({Kind::bit_and, Kind::bit_or, Kind::bit_xor, Kind::rotate})};
    const DType type = integer_type();
    op.out = any_result(type);
    sources(op, type, op.kind == Kind::rotate ? integer_type() : type);
    return op;
  }

 private:
  TensorView any_result(DType type) { return by_vectors_ ? aligned(type) : result(type); }
  Source repeated(DType type) { return Source::tensor(per_channel(type, /*aligned=*/false)); }
  Source vector_along_n(DType type) {
    const uint32_t w = rng_.range(1, shape_.n);
    return Source::vector_along_n(aligned({1, ceil_div(shape_.n, w), 1, w}, type));
  }
  Source parameter(DType type) {
    return rng_.chance(1, 3) ? constant(type) : rng_.coin() ? repeated(type) : source(type);
  }

  // Sets the operands a and b.
  template <class Op>
  void sources(Op& op, DType a, DType b) {
    op.a = by_vectors_ ? vector_along_n(a) : rng_.chance(1, 5) ? constant(a) : source(a);
    op.b = op.a.is_constant ? source(b) : parameter(b);
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

  DType integer(uint32_t bytes, bool is_signed) {
    return bytes == 4 ? (is_signed ? DType::i32 : DType::u32)
                      : make_dtype(is_signed, /*is_8bit=*/bytes == 1);
  }
  // The types of out, a and b.
  struct Types {
    DType out, a, b;
  };
  Types types(IntArithmetic::Kind kind) {
    using Kind = IntArithmetic::Kind;
    DType a = integer_type(), b = rng_.coin() ? a : integer_type();
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
    if (rng_.chance(1, 4)) return repeated(DType::i8);
    const int32_t shift = rng_.coin() ? 0 : static_cast<int32_t>(rng_.below(64)) - 32;
    return Source::value(static_cast<uint32_t>(rng_.coin() ? shift / 4 : shift), DType::i8);
  }

  bool by_vectors_;
};

}  // namespace

TW_FAMILY(random_bm1684x_elements, Elements,
          {float_arithmetic_bm1684x, &Elements::float_arithmetic},
          {int_arithmetic, &Elements::int_arithmetic}, {bitwise_bm1684x, &Elements::bitwise})

}  // namespace tputwin::testing
