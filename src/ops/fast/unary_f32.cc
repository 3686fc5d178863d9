// unary_f32: roots, series and conversions over rows of 32-bit elements.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/fast/unary_f32.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include "ops/elementwise/unary_f32.h"
#include "ops/fast/fast.h"
#include "ops/fast/walk/rows-inl.h"

#ifndef TPUTWIN_FAST_UNARY_F32_ONCE
#define TPUTWIN_FAST_UNARY_F32_ONCE
namespace tputwin::fast {

// Returns f32::lookup_exp for every index, by its low 8 bits.
inline const std::array<float, 256>& exp_table() {
  static const std::array<float, 256> table = [] {
    std::array<float, 256> t;
    for (int32_t i = 0; i < 256; ++i) t[static_cast<size_t>(i)] = f32::lookup_exp(i);
    return t;
  }();
  return table;
}

// The coefficients of a series. Of the zeros at its end only the first is kept, because a longer
// sum starts with 0 * x + 0.
struct Series {
  uint32_t terms;
  std::array<float, f32::kMaxTerms + 1> coefficient;

  explicit Series(uint32_t wanted) : terms(std::min(wanted, f32::kMaxTerms)), coefficient{} {
    for (uint32_t k = 0; k <= terms; ++k) coefficient[k] = f32::exp_coefficient(k);
    while (terms > 0 && coefficient[terms] == 0 && coefficient[terms - 1] == 0) --terms;
  }
};

}  // namespace tputwin::fast
#endif

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace {

struct InverseRoot : FormulaOf<1, true> {
  HWY_INLINE Floats Apply(Floats x) const { return inverse_root(x); }
  static float Element(float x) { return f32::rsqrt(x); }
};
struct Root : FormulaOf<1, true> {
  HWY_INLINE Floats Apply(Floats x) const { return invert(inverse_root(x)); }
  static float Element(float x) { return f32::sqrt(x); }
};
struct Relu : FormulaOf<1, false> {
  HWY_INLINE Floats Apply(Floats x) const {
    return hn::IfThenElseZero(hn::Gt(x, hn::Zero(F32())), x);
  }
};
struct ToInt32 : FormulaOf<1, false> {
  HWY_INLINE Floats Apply(Floats x) const { return floats(truncate(x)); }
};
struct LookupInt8 : FormulaOf<1, false> {
  HWY_INLINE Floats Apply(Floats x) const {
    const Ints low = hn::ShiftLeft<24>(bits(x));
    return hn::ConvertTo(F32(), hn::ShiftRight<24>(low));
  }
};

struct LookupExp : FormulaOf<1, false> {
  const float* table = exp_table().data();
  HWY_INLINE Floats Apply(Floats x) const { return byte_lookup(table, bits(x)); }
};

// Returns c[terms] * x^(terms - last) + ... + c[last], by Horner's rule.
HWY_INLINE Floats horner(const Series& series, Floats x, uint32_t last) {
  const F32 d;
  Floats sum = hn::Set(d, series.coefficient[series.terms]);
  for (uint32_t k = series.terms; k-- > last;)
    sum = hn::Add(multiply(sum, x), hn::Set(d, series.coefficient[k]));
  return sum;
}

struct TaylorExp : FormulaOf<1, true> {
  Series series;
  explicit TaylorExp(const UnaryF32& op) : series(op.terms) {}
  HWY_INLINE Floats Apply(Floats x) const { return horner(series, x, 0); }
  float Element(float x) const { return f32::taylor_exp(x, series.terms); }
};
struct Exp : FormulaOf<1, true, true> {
  Series series;
  bool truncates;  // see truncates_source()
  const float* table = exp_table().data();
  explicit Exp(const UnaryF32& op) : series(op.terms), truncates(truncates_source(op)) {}
  HWY_INLINE WithWork Apply(Floats x) const {
    const Ints k = truncate(x);
    const Floats scale = byte_lookup(table, k), whole = hn::ConvertTo(F32(), k);
    const Floats fraction = hn::Sub(truncates ? whole : x, whole);
    const Floats w = multiply(horner(series, fraction, 1), fraction);
    return {hn::Add(multiply(w, scale), scale), w};
  }
  f32::WithWork Element(float x) const { return f32::exp(source(x), series.terms); }
  float source(float x) const { return truncates ? f32::truncate(x) : x; }
};
struct Sigmoid : FormulaOf<1, true, true> {
  Exp exp;
  explicit Sigmoid(const UnaryF32& op) : exp(op) {}
  HWY_INLINE WithWork Apply(Floats x) const {
    const F32 d;
    const Floats negative = hn::Sub(hn::Zero(d), x);
    const Floats w = hn::Add(hn::Set(d, 1.0f), exp.Apply(negative).result);
    return {invert(w), w};
  }
  f32::WithWork Element(float x) const { return f32::sigmoid(x, exp.series.terms); }
};
struct Tanh : FormulaOf<1, true, true> {
  Exp exp;
  explicit Tanh(const UnaryF32& op) : exp(op) {}
  HWY_INLINE WithWork Apply(Floats x) const {
    const F32 d;
    const Floats e = exp.Apply(x).result, inverse = invert(e);
    const Floats w = multiply(inverse, invert(hn::Add(e, inverse)));
    return {hn::Sub(hn::Set(d, 1.0f), multiply(hn::Set(d, 2.0f), w)), w};
  }
  f32::WithWork Element(float x) const { return f32::tanh(exp.source(x), exp.series.terms); }
};

using Kind = UnaryF32::Kind;

void UnaryRows(const void* operation, const RowBlock& block) {
  const auto& op = *static_cast<const UnaryF32*>(operation);
  switch (op.kind) {
    case Kind::rsqrt:
      return ComputeBlock(InverseRoot(), block);
    case Kind::sqrt:
      return ComputeBlock(Root(), block);
    case Kind::relu:
      return ComputeBlock(Relu(), block);
    case Kind::taylor_exp:
      return ComputeBlock(TaylorExp(op), block);
    case Kind::to_int32:
      return ComputeBlock(ToInt32(), block);
    case Kind::lookup_exp:
      return ComputeBlock(LookupExp(), block);
    case Kind::lookup_int8:
      return ComputeBlock(LookupInt8(), block);
    case Kind::exp:
      return ComputeBlock(Exp(op), block);
    case Kind::sigmoid:
      return ComputeBlock(Sigmoid(op), block);
    case Kind::tanh:
      return ComputeBlock(Tanh(op), block);
  }
}

}  // namespace
}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tputwin::fast {
namespace {

TW_ROW_KERNEL(unary_rows, UnaryRows)

uint64_t weight(const UnaryF32& op) {
  const uint64_t terms = is_series(op.kind) ? op.terms / 4 + 4 : 1;
  return op.kind == UnaryF32::Kind::rsqrt || op.kind == UnaryF32::Kind::sqrt ? 8 : terms;
}

Declined rows(const UnaryF32& op, const Memory& memory) {
  if (has_work(op.kind) != op.work.has_value()) return "a work tensor is missing, or too many";
  const RowWork work{.form = RowForm::elements,
                     .kernel = unary_rows,
                     .operation = &op,
                     .weight = weight(op),
                     .repeats = true};
  const RowOperand out = row_result_as(op.out, DType::f32);
  const RowOperand in = row_source_as(Source::tensor(op.in), DType::f32);
  if (!op.work) return run_rows({out, in}, memory, work);
  return run_rows({out, row_result_as(*op.work, DType::f32), in}, memory, work);
}

}  // namespace

TW_FAST_KERNELS(UnaryF32, {"rows", rows})

}  // namespace tputwin::fast
#endif
