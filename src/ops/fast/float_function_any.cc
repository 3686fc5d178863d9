// float_function: Taylor series and piecewise linear functions of fp32, fp16 and bf16, over rows of
// elements. 16-bit elements are widened, and every step is rounded to their type.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/fast/float_function_any.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include <vector>

#include "ops/contract/kernel_steps.h"
#include "ops/fast/float_function.h"
#include "ops/fast/views/views.h"
#include "ops/fast/walk/rows-inl.h"

#ifndef TPUTWIN_FAST_FLOAT_FUNCTION_ANY_ONCE
#define TPUTWIN_FAST_FLOAT_FUNCTION_ANY_ONCE
namespace tputwin::fast {

using AnyKind = FloatFunction::Kind;

// Parameters that all elements share: numbers of the type, as fp32.
struct AnyFunction {
  const FloatFunction& op;
  const Memory& memory;
  float alpha, beta, sixth;
  uint32_t lanes;
  std::vector<float> coefficients;  // lane after lane

  AnyFunction(const FloatFunction& function, const Memory& where)
      : op(function),
        memory(where),
        alpha(round_to(op.parameters.alpha, op.out.dtype)),
        beta(round_to(op.parameters.beta, op.out.dtype)),
        sixth(round_to(1.0f / 6.0f, op.out.dtype)),
        lanes(where.local.lanes()) {
    if (op.kind != AnyKind::taylor) return;
    coefficients.resize(size_t{lanes} * terms());
    const uint64_t start = op.out.address / memory.local.lane_bytes();
    for (uint32_t slot = 0; slot < std::min(lanes, op.out.shape.c); ++slot) {
      const auto lane = static_cast<uint32_t>((start + slot) % lanes);
      for (uint32_t i = 0; i < terms(); ++i)
        coefficients[size_t{lane} * terms() + i] = read_float(memory, *op.coeff, 0, lane, 0, i);
    }
  }
  uint32_t terms() const { return op.coeff->shape.w; }
};

}  // namespace tputwin::fast
#endif

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace {

// Number of vectors that are computed together. A series is a chain of dependent operations.
constexpr size_t kVectors = 4;
struct Vectors {
  Floats v[kVectors];
  // not defaulted: GCC would compile that for the baseline
  HWY_INLINE Vectors() {}
};

template <DType kType>
HWY_INLINE Vectors Series(const float* coefficients, size_t terms, const Vectors& x) {
  Vectors sum;
  for (Floats& v : sum.v) v = hn::Set(F32(), coefficients[terms - 1]);
  for (size_t i = terms - 1; i-- > 0;) {
    const Floats c = hn::Set(F32(), coefficients[i]);
    for (size_t k = 0; k < kVectors; ++k) {
      const Floats product = RoundTo<kType>(multiply(sum.v[k], x.v[k]));
      sum.v[k] = RoundTo<kType>(hn::Add(product, c));
    }
  }
  return sum;
}

// Computes hsigmoid, hswish or isfinite of x (float_function.h), and rounds each step to the type.
// clamp() returns 0 for NaN, like the reference kernel.
template <DType kType, AnyKind kKind>
HWY_INLINE Floats Piecewise(const AnyFunction& f, Floats x) {
  const F32 d;
  const Floats zero = hn::Zero(d);
  const auto clamp = [&](Floats y, float most) HWY_ATTR {
    const Floats top = hn::Set(d, most), positive = hn::IfThenElseZero(hn::Gt(y, zero), y);
    return hn::IfThenElse(hn::Le(positive, top), positive, top);
  };
  if constexpr (kKind == AnyKind::hsigmoid) {
    const Floats product = RoundTo<kType>(multiply(x, hn::Set(d, f.alpha)));
    return clamp(RoundTo<kType>(hn::Add(product, hn::Set(d, f.beta))), 1.0f);
  }
  if constexpr (kKind == AnyKind::hswish) {
    const Floats clamped = clamp(RoundTo<kType>(hn::Add(x, hn::Set(d, 3.0f))), 6.0f);
    const Floats product = RoundTo<kType>(multiply(clamped, x));
    return RoundTo<kType>(multiply(product, hn::Set(d, f.sixth)));
  }
  // isfinite: infinities and NaN have the largest exponent
  const Ints exponent = ints(0x7f80'0000);
  const auto is_special = of_floats(hn::Eq(hn::And(bits(x), exponent), exponent));
  return hn::IfThenElse(is_special, zero, hn::Set(d, 1.0f));
}

// Computes fp32 results that are NaN again, because vector units differ in which NaN they keep.
HWY_NOINLINE void ComputeNan(const AnyFunction& f, const RowBlock& block, size_t i, Floats result) {
  HWY_ALIGN float results[kElements32];
  hn::Store(result, F32(), results);
  for (size_t k = 0; k < hn::Lanes(F32()); ++k)
    if (f32::is_nan(results[k]))
      results[k] = typed_element(f.op, f.memory, block.lane, block.load<float>(1, i + k));
  hn::StoreU(hn::Load(F32(), results), F32(), block.result<float>() + i);
}

template <DType kType, AnyKind kKind>
void AnyBlock(const AnyFunction& f, const RowBlock& block) {
  const size_t elements = hn::Lanes(F32());
  const RowSource source = block.row_source(1);
  for (size_t i = 0; i < block.count; i += kVectors * elements) {
    Vectors x;
    for (size_t k = 0; k < kVectors; ++k)
      x.v[k] = LoadAs<kType>(ElementsAt<kType>(source, i + k * elements));
    if constexpr (kKind == AnyKind::taylor) {
      x = Series<kType>(f.coefficients.data() + size_t{block.lane} * f.terms(), f.terms(), x);
    } else {
      for (Floats& v : x.v) v = Piecewise<kType, kKind>(f, v);
    }
    for (size_t k = 0; k < kVectors; ++k) {
      const size_t at = i + k * elements;
      if (kType == DType::f32 && HWY_UNLIKELY(has_nan(x.v[k])))
        ComputeNan(f, block, at, x.v[k]);
      else
        StoreAs<kType>(x.v[k], block.result<uint8_t>() + at * element_bytes(kType));
    }
  }
}

void AnyRows(const void* function, const RowBlock& block) {
  const auto& f = *static_cast<const AnyFunction*>(function);
  ForFloatType(f.op.out.dtype, [&]<DType kType>(std::integral_constant<DType, kType>) HWY_ATTR {
    if (f.op.kind == AnyKind::taylor) return AnyBlock<kType, AnyKind::taylor>(f, block);
    if (f.op.kind == AnyKind::hsigmoid) return AnyBlock<kType, AnyKind::hsigmoid>(f, block);
    if (f.op.kind == AnyKind::hswish) return AnyBlock<kType, AnyKind::hswish>(f, block);
    AnyBlock<kType, AnyKind::isfinite>(f, block);
  });
}

}  // namespace
}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tputwin::fast {
namespace {
TW_ROW_KERNEL(any_rows, AnyRows)
}  // namespace

Declined rows_of_any_type(const FloatFunction& op, const Memory& memory) {
  if (is_function32(op.kind)) return "a function of fp32";
  if (op.a.is_constant || op.a.view.dtype != op.out.dtype) return "types differ, or a constant";
  if (op.coeff && !disjoint(op.out, *op.coeff, memory.local))
    return "results overlap the coefficients";
  const AnyFunction function(op, memory);
  const bool series = op.kind == AnyKind::taylor;
  const uint64_t weight = series ? op.coeff->shape.w : 2;
  return run_rows({row_result(op.out), row_source(op.a)}, memory,
                  {.form = RowForm::elements,
                   .kernel = any_rows,
                   .operation = &function,
                   .weight = weight,
                   .by_lane = series,
                   .keep = keep_copy<AnyFunction>});
}

}  // namespace tputwin::fast
#endif
