// Builds the steps of a function as the chip's kernel library does.
#pragma once

#include <vector>

#include "isa/streams/reader.h"
#include "numerics/float16.h"

namespace tputwin::isa::bm1684x_streams {

inline constexpr uint32_t kInfinityBits = 0x7f80'0000, kMinusZeroBits = 0x8000'0000;
inline constexpr uint32_t kSeriesTerms = 16, kIterations = 3;

// The steps of one call on its operands: out, source, and work tensors in the order of the call.
class FunctionSteps {
 public:
  FunctionSteps(const FloatFunction& op, const Chip& chip)
      : op_(op), reader_(chip), chip_(chip), type_(op.out.dtype) {}

  std::vector<Operation> take() { return std::move(steps_); }
  // Returns true if all work tensors and tables that the function needs are present.
  bool is_complete() const { return complete_; }

  Source out() { return Source::tensor(op_.out); }
  Source src() { return op_.a; }
  Source work(size_t i) {
    complete_ = complete_ && op_.work[i].has_value();
    return Source::tensor(view(op_.work[i]));
  }
  Source number(float x) { return Source::value(float_bits(x, type_), type_); }
  Source bits(uint32_t value) { return Source::value(value, type_); }

  void arithmetic(FloatArithmetic::Kind kind, const Source& to, const Source& a, const Source& b) {
    add(FloatArithmetic{.kind = kind, .out = to.view, .a = a, .b = b});
  }
  void mul(const Source& to, const Source& a, const Source& b) {
    arithmetic(FloatArithmetic::Kind::mul, to, a, b);
  }
  void plus(const Source& to, const Source& a, const Source& b) {
    arithmetic(FloatArithmetic::Kind::add, to, a, b);
  }
  void sub(const Source& to, const Source& a, const Source& b) {
    arithmetic(FloatArithmetic::Kind::sub, to, a, b);
  }
  void max(const Source& to, const Source& a, const Source& b) {
    arithmetic(FloatArithmetic::Kind::max, to, a, b);
  }
  void min(const Source& to, const Source& a, const Source& b) {
    arithmetic(FloatArithmetic::Kind::lesser, to, a, b);
  }
  void div(const Source& to, const Source& a, const Source& b, uint32_t iterations = kIterations) {
    FloatFunction quotient{.kind = FloatFunction::Kind::div, .out = to.view, .a = a, .b = b};
    quotient.parameters.iterations = iterations;
    add(std::move(quotient));
  }
  void copy(const Source& to, const Source& from) {
    add(Copy{.engine = Engine::compute, .dst = to.view, .src = from});
  }
  void abs(const Source& to, const Source& from) {
    add(Unary{.kind = Unary::Kind::abs, .out = to.view, .in = from.view});
  }
  void round(const Source& to, const Source& from, Rounding rounding) {
    add(Convert{
        .kind = Convert::Kind::whole, .rounding = rounding, .out = to.view, .in = from.view});
  }
  void cast(const Source& to, DType to_type, const Source& from, DType from_type) {
    add(Convert{.rounding = Rounding::toward_zero,
                .out = as(to, to_type).view,
                .in = as(from, from_type).view});
  }
  void series(const Source& to, const Source& x, const std::optional<TensorView>& coeff,
              uint32_t terms = kSeriesTerms) {
    add(FloatFunction{
        .kind = FloatFunction::Kind::taylor, .out = to.view, .a = x, .coeff = table(coeff, terms)});
  }
  void select(const Source& to, Select::Compare compare, DType type, const Source& a,
              const Source& b, const Source& if_true, const Source& if_false) {
    add(Select{.compare = compare,
               .out = to.view,
               .a = as(a, type),
               .b = as(b, type),
               .if_true = if_true,
               .if_false = if_false,
               .type = type});
  }
  void bitwise(Bitwise::Kind kind, const Source& to, const Source& a, const Source& b) {
    const DType type = element_bytes(type_) == 4 ? DType::u32 : DType::u16;
    add(Bitwise{.kind = kind, .out = as(to, type).view, .a = as(a, type), .b = as(b, type)});
  }
  void add(Operation step) { steps_.push_back(std::move(step)); }

  // ---- Parts that several functions share ----

  // out = e^x. Uses the first two work tensors. x may be `out` or the first work tensor.
  void exponential(const Source& x) {
    const Source dst = out(), a = work(0), b = work(1);
    max(dst, x, number(function32::kLeastExponent));
    min(a, dst, number(function32::kLargestExponent));
    round(dst, a, Rounding::half_away);
    sub(b, a, dst);
    series(a, b, op_.exp_coeff);
    cast(b, DType::i16, dst, DType::f32);
    constexpr uint32_t kLeast = 0xffffff99;  // -103
    add(IntArithmetic{.kind = IntArithmetic::Kind::sub,
                      .out = as(dst, DType::i16).view,
                      .a = as(b, DType::i16),
                      .b = Source::value(kLeast, DType::i16),
                      .saturates = false});
    add(TableLookup{.out = b.view,
                    .in = as(dst, DType::u16).view,
                    .table = table(op_.exp_table, function32::kExpEntries),
                    .fault = std::make_shared<IndexFault>()});
    mul(dst, a, b);
  }
  // sum = ln(from). Uses the tensors `to` and `x`; x may equal `from`.
  void logarithm(const Source& to, const Source& x, const Source& from, const Source& sum) {
    max(x, from, bits(0x0080'0000));  // smallest normal number
    add(Unary{.kind = Unary::Kind::exponent, .out = to.view, .in = x.view});
    div(to, x, to);
    sub(to, to, number(1));
    series(to, to, op_.coeff);
    add(Unary{.kind = Unary::Kind::exponent, .out = as(x, DType::i32).view, .in = x.view});
    cast(x, DType::f32, x, DType::i32);
    sub(x, x, number(127));
    mul(x, x, bits(0x3f31'7218));  // ln 2
    plus(sum, to, x);
  }
  void logarithm(const Source& to, const Source& x, const Source& from) {
    logarithm(to, x, from, to);
  }
  void inverse_root(const Source& to, const Source& x, uint32_t iterations = kIterations) {
    add(Unary{
        .kind = Unary::Kind::inverse_root, .out = to.view, .in = x.view, .steps = iterations});
    const Source word = as(to, DType::u32);
    select(word, Select::Compare::equal_value, DType::i32, to, bits(kInfinityBits), bits(0), word);
  }
  void root(const Source& to, const Source& x, uint32_t iterations = kIterations) {
    inverse_root(to, x, iterations);
    select(to, Select::Compare::equal_value, DType::f32, x, bits(0), bits(0), to);
    select(to, Select::Compare::equal_value, DType::f32, x, bits(kMinusZeroBits), bits(0), to);
    mul(to, to, x);
  }
  // to = 1, 0 or -1.
  void sign(const Source& to, const Source& x) {
    select(to, Select::Compare::greater, DType::f32, x, bits(0), number(1), number(-1));
    select(to, Select::Compare::equal_value, DType::f32, x, bits(0), bits(0), to);
  }
  // out = 1 / (1 + e^-x). The first work tensor must hold -x.
  void logistic() {
    exponential(work(0));
    plus(work(1), out(), number(1));
    div(out(), number(1), work(1));
  }
  // out = 1 - 2 / (e^out + 1). `out` must hold twice the argument.
  void hyperbolic() {
    exponential(out());
    plus(work(0), out(), number(1));
    div(work(1), number(2), work(0));
    sub(out(), number(1), work(1));
  }
  // out = erf(x). x must not be `out` or one of the first three work tensors.
  void error_function(const Source& x) {
    const Source dst = out(), a = work(0), b = work(1), c = work(2);
    abs(dst, x);
    mul(c, dst, number(0.5f));
    plus(dst, c, number(1));
    div(c, number(1), dst);
    series(dst, c, op_.coeff, function32::kErfTerms);
    mul(b, x, x);
    sub(a, dst, b);
    exponential(a);
    mul(a, dst, c);
    sub(c, number(1), a);
    sign(a, x);
    mul(dst, c, a);
  }
  // out = t - round(t), where t = x / (2 pi) is stored in the first work tensor.
  void fraction_of_period() {
    mul(work(0), src(), bits(0x3e22'f983));  // 1 / (2 pi)
    round(out(), work(0), Rounding::half_away);
    sub(out(), work(0), out());
  }
  void tangent(bool is_inverse);
  void arcsine();
  void elu(const Source& alpha);
  void compensated_reciprocal();

 private:
  static TensorView view(const std::optional<TensorView>& given) {
    return given ? *given : TensorView{};
  }
  // Returns the bytes from the first one on as elements of another type, in the aligned layout.
  Source as(Source source, DType type) {
    if (source.is_constant || source.view.dtype == type) {
      source.view.dtype = type;
      return source;
    }
    if (element_bytes(source.view.dtype) == element_bytes(type)) {
      source.view.dtype = type;
      source.view.plane_stride = 0;
      if (element_bytes(type) == 2 && !is_float(type)) source.view.plane_stride = 1;
      return source;
    }
    return Source::tensor(reader_.aligned({"", source.view.address}, source.view.shape, type));
  }
  TensorView table(const std::optional<TensorView>& given, uint32_t words) {
    complete_ = complete_ && given.has_value();
    return reader_.aligned({"", view(given).address}, {1, chip_.lanes, 1, words}, DType::f32);
  }

  const FloatFunction& op_;
  CommandReader reader_;
  const Chip& chip_;
  const DType type_;
  bool complete_ = true;
  std::vector<Operation> steps_;
};

}  // namespace tputwin::isa::bm1684x_streams
