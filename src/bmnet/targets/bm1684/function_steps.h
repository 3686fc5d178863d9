// FunctionSteps: the commands of one function of fp32 on the BM1684.
#pragma once

#include <array>
#include <span>

#include "bmnet/targets/bm1684x/stream_program.h"
#include "bmnet/targets/bm1684x/target.h"
#include "ops/elementwise/bitwise.h"
#include "ops/elementwise/float_arithmetic.h"
#include "ops/elementwise/float_function.h"
#include "ops/elementwise/select.h"
#include "ops/elementwise/unary.h"
#include "ops/elementwise/unary_f32.h"
#include "ops/index/l2_function.h"

namespace tputwin::net::bm1684 {

// The commands of one function. Its values are in the result, the source and the work tensors.
class FunctionSteps {
 public:
  using Real = FloatArithmetic::Kind;
  using Bits = Bitwise::Kind;

  FunctionSteps(bm1684x::StreamProgram& program, const FloatFunction& f, const Extents& e,
                uint32_t work)
      : to(f.out), x(f.a.view), program_(program) {
    const auto bytes = static_cast<uint32_t>(
        bm1684x::local_memory().tensor_bytes({.tensor = {}, .e = e, .type = DType::f32}, e));
    for (TensorView& w : work_) {
      w = bm1684x::aligned(work, e, DType::f32);
      work += bytes;
    }
  }

  const TensorView to, x;
  const TensorView& work(size_t i) const { return work_[i]; }

  void arithmetic(Real kind, const TensorView& y, const Source& a, const Source& b) {
    program_.add(FloatArithmetic{.kind = kind, .out = y, .a = a, .b = b});
  }
  void arithmetic(Real kind, const TensorView& y, const TensorView& a, const TensorView& b) {
    arithmetic(kind, y, Source::tensor(a), Source::tensor(b));
  }
  void arithmetic(Real kind, const TensorView& y, const TensorView& a, float b) {
    arithmetic(kind, y, Source::tensor(a), Source::value(b));
  }
  void arithmetic(Real kind, const TensorView& y, float a, const TensorView& b) {
    arithmetic(kind, y, Source::value(a), Source::tensor(b));
  }
  void bits(Bits kind, const TensorView& y, const TensorView& a, uint32_t b) {
    program_.add(Bitwise{.kind = kind, .out = y, .a = Source::tensor(a), .b = Source::value(b)});
  }
  void bits(Bits kind, const TensorView& y, const TensorView& a, const TensorView& b) {
    program_.add(Bitwise{.kind = kind, .out = y, .a = Source::tensor(a), .b = Source::tensor(b)});
  }
  void lookup(const TensorView& y, const TensorView& index, uint32_t offset) {
    program_.add(L2Function{.kind = L2Function::Kind::lookup,
                            .out = bm1684x::retyped(y, DType::b32),
                            .in = bm1684x::retyped(index, DType::b32),
                            .table = table(offset, kTableWords)});
  }
  void series(const TensorView& y, const TensorView& a, uint32_t offset, uint32_t terms) {
    program_.add(L2Function{
        .kind = L2Function::Kind::polynomial, .out = y, .in = a, .table = table(offset, terms)});
  }
  void unary(UnaryF32::Kind kind, const TensorView& y, const TensorView& a) {
    program_.add(UnaryF32{.kind = kind, .out = y, .in = a, .work = {}});
  }
  // Writes the exponent of `a` as its field or as a power of 2.
  void exponent(const TensorView& y, const TensorView& a, bool is_field) {
    program_.add(Unary{.kind = Unary::Kind::exponent,
                       .out = is_field ? bm1684x::retyped(y, DType::i32) : y,
                       .in = a});
  }
  // y = a > b ? if_true : if_false
  void choose(const TensorView& y, const Source& a, const Source& b, const Source& if_true,
              const Source& if_false) {
    program_.add(Select{.compare = Select::Compare::greater,
                        .out = y,
                        .a = a,
                        .b = b,
                        .if_true = if_true,
                        .if_false = if_false});
  }
  // y = a has the bits of `value` ? result : 0
  void if_equal(const TensorView& y, const TensorView& a, float value, float result) {
    program_.add(Select{.compare = Select::Compare::equal_bits,
                        .out = y,
                        .a = Source::tensor(a),
                        .b = Source::value(value),
                        .if_true = Source::value(result),
                        .if_false = Source::value(0.0f)});
  }

 private:
  // Addresses in L2, and the words of its tables.
  static constexpr uint32_t kStart = 0x1000'0000, kTableWords = 256;

  static TensorView table(uint32_t offset, uint32_t words) {
    return {.space = Space::l2,
            .dtype = DType::b32,
            .address = kStart + offset - bm1684x::chip().l2.base,
            .shape = {1, 1, 1, words},
            .stride = {0, 0, 0, 4}};
  }

  bm1684x::StreamProgram& program_;
  std::array<TensorView, 5> work_;
};

// ---- Parts of functions, with the work tensors that they use ----

// e^x, with x from -103 to 88. Uses work 0 to 2.
void emit_exponential(FunctionSteps& s, const TensorView& y, const TensorView& x);
// log(x) for positive x, -infinity for 0. Uses work 0 to 2.
void emit_logarithm(FunctionSteps& s, const TensorView& y, const TensorView& x);
// The sine of x + shift in `to`. Uses work 0 to 2.
void emit_sine(FunctionSteps& s, float shift);

// A function, the work tensors that it needs, and its commands.
struct FunctionRow {
  FloatFunction::Kind kind;
  size_t work;
  void (*emit)(FunctionSteps&, const FloatFunction&);
};
// Tangent, hyperbolic and inverse functions.
std::span<const FunctionRow> inverse_functions();

}  // namespace tputwin::net::bm1684
