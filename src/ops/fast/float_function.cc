// float_function: the formulas of numerics/function32-inl.h on vectors, over rows of 32-bit
// elements.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/fast/float_function.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include <limits>

#include "ops/elementwise/float_function.h"
#include "ops/fast/fast.h"
#include "ops/fast/float_function.h"
#include "ops/fast/views/views.h"
#include "ops/fast/walk/rows-inl.h"

#ifndef TPUTWIN_FAST_FLOAT_FUNCTION_ONCE
#define TPUTWIN_FAST_FLOAT_FUNCTION_ONCE
namespace tputwin::fast {

// The parameters of a kernel. A kernel that destroys its source has the source as its second
// result.
struct FunctionRows {
  const FloatFunction& op;
  const Memory& memory;
};

}  // namespace tputwin::fast
#endif

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace {

using namespace function32;

// Number of vectors that are computed together. A series is a chain of dependent operations, and
// several chains keep the units busy.
constexpr size_t kVectors = 4;

// A block of numbers. A NaN stays a NaN, but may become another one.
struct Number {
  Floats v[kVectors];
  Number() = default;
  HWY_INLINE explicit Number(float x) {
    for (Floats& vector : v) vector = hn::Set(F32(), x);
  }
};
struct Condition {
  hn::Mask<F32> m[kVectors];
  // not defaulted: GCC would compile that for the baseline
  HWY_INLINE Condition() {}
};
constexpr size_t kMostNumbers = kVectors * kElements32;

// map() returns the numbers f(vector of a, vector of b). compare() returns the conditions.
template <class F>
HWY_INLINE Number map(const F& f, const Number& a, const Number& b) {
  Number result;
  for (size_t k = 0; k < kVectors; ++k) result.v[k] = f(a.v[k], b.v[k]);
  return result;
}
template <class F>
HWY_INLINE Condition compare(const F& f, const Number& a, const Number& b) {
  Condition result;
  for (size_t k = 0; k < kVectors; ++k) result.m[k] = f(a.v[k], b.v[k]);
  return result;
}
// Rounds ties away from 0. Exact below 2^23, where ties exist.
HWY_INLINE Floats half_away(Floats x) {
  const F32 d;
  const Floats whole = hn::Trunc(x), next = hn::Add(whole, hn::CopySign(hn::Set(d, 1.0f), x));
  return hn::IfThenElse(hn::Ge(hn::Abs(hn::Sub(x, whole)), hn::Set(d, 0.5f)), next, whole);
}

#define TW_MAP(signature, a, b, ...)                                                             \
  HWY_INLINE Number signature {                                                                  \
    return map([&](Floats x, [[maybe_unused]] Floats y) HWY_ATTR { return __VA_ARGS__; }, a, b); \
  }
#define TW_COMPARE(signature, a, b, ...)                                                        \
  HWY_INLINE Condition signature {                                                              \
    return compare([](Floats x, [[maybe_unused]] Floats y) HWY_ATTR { return __VA_ARGS__; }, a, \
                   b);                                                                          \
  }
TW_MAP(operator+(Number a, Number b), a, b, hn::Add(x, y))
TW_MAP(operator-(Number a, Number b), a, b, hn::Sub(x, y))
TW_MAP(operator*(Number a, Number b), a, b, multiply(x, y))
TW_MAP(operator-(Number a), a, a, hn::Neg(x))
TW_MAP(abs(Number a), a, a, hn::Abs(x))
TW_MAP(rint(Number a), a, a, hn::Round(x))
TW_MAP(round(Number a), a, a, half_away(x))
TW_MAP(sign_bit(Number a), a, a, hn::And(x, hn::SignBit(F32())))
TW_MAP(flip(Number a, Number b), a, b, hn::Xor(x, hn::And(y, hn::SignBit(F32()))))
TW_MAP(bit_or(Number a, Number b), a, b, hn::Or(x, y))
TW_MAP(max(Number a, Number b), a, b, hn::IfThenElse(hn::Gt(x, y), x, y))
TW_MAP(min(Number a, Number b), a, b, hn::IfThenElse(hn::Lt(x, y), x, y))
TW_MAP(seed(Number a), a, a,
       floats(hn::Sub(hn::Set(I32(), 0x5f37'59df), hn::ShiftRight<1>(bits(x)))))
TW_MAP(power_of_2(Number a), a, a, floats(hn::And(bits(x), hn::Set(I32(), 0x7f80'0000))))
TW_MAP(exponent(Number a), a, a,
       hn::ConvertTo(F32(), hn::Sub(hn::And(hn::ShiftRight<23>(bits(x)), hn::Set(I32(), 0xff)),
                                    hn::Set(I32(), 127))))
// The table begins at a multiple of 4 bytes.
TW_MAP(lookup(const AnyByteFloat* table, Number a), a, a,
       hn::GatherIndex(F32(), reinterpret_cast<const float*>(table), hn::ConvertTo(I32(), x)))
TW_COMPARE(operator>(Number a, Number b), a, b, hn::Gt(x, y))
TW_COMPARE(operator<(Number a, Number b), a, b, hn::Lt(x, y))
TW_COMPARE(is_zero(Number a), a, a, hn::Eq(x, hn::Zero(F32())))
TW_COMPARE(is_infinity(Number a), a, a,
           hn::RebindMask(F32(), hn::Eq(bits(x), hn::Set(I32(), 0x7f80'0000))))
TW_COMPARE(larger_bits(Number a, Number b), a, b, hn::RebindMask(F32(), hn::Gt(bits(x), bits(y))))
#undef TW_MAP
#undef TW_COMPARE

HWY_INLINE Number select(Condition condition, Number a, Number b) {
  Number result;
  for (size_t k = 0; k < kVectors; ++k)
    result.v[k] = hn::IfThenElse(condition.m[k], a.v[k], b.v[k]);
  return result;
}

// Inlined, because passing blocks in memory costs more than the computation on them.
#define TW_FORMULA HWY_INLINE
#include "numerics/function32-inl.h"
#undef TW_FORMULA

// Parameters that the elements of one lane share.
struct Lane {
  Parameters parameters;
  Tables tables;
};

HWY_INLINE Number load(const float* p) {
  Number result;
  for (size_t k = 0; k < kVectors; ++k) result.v[k] = hn::LoadU(F32(), p + k * hn::Lanes(F32()));
  return result;
}
HWY_INLINE void store(Number a, float* p) {
  for (size_t k = 0; k < kVectors; ++k) hn::StoreU(a.v[k], F32(), p + k * hn::Lanes(F32()));
}
HWY_INLINE bool has_nan(Number a) {
  Floats nan = nan_elements(a.v[0]);
  for (size_t k = 1; k < kVectors; ++k) nan = hn::Or(nan, nan_elements(a.v[k]));
  return any_set(nan);
}

// Computes results that are NaN again, because vector units differ in which NaN they keep, and
// compilers exchange operands.
template <Kind kKind>
HWY_NOINLINE void make_nan_exact(const Lane& lane, const Number& x, const Number& y,
                                 uint8_t* result, uint8_t* source) {
  HWY_ALIGN float xs[kMostNumbers], ys[kMostNumbers];
  store(x, xs);
  store(y, ys);
  for (size_t i = 0; i < kVectors * hn::Lanes(F32()); ++i) {
    uint8_t* const at = result + i * sizeof(float);
    if (!f32::is_nan(Memory::load<float>(at))) continue;
    const Outcome outcome = evaluate(kKind, xs[i], ys[i], lane.parameters, lane.tables);
    Memory::store(at, outcome.result);
    if constexpr (destroys_source(kKind)) Memory::store(source + i * sizeof(float), outcome.source);
  }
}

// `source` receives the final value of x, if the function destroys it.
template <Kind kKind>
HWY_INLINE void compute_block(const Lane& lane, Number x, Number y, float* result, float* source) {
  const Number value = function<kKind>(x, y, lane.parameters, lane.tables);
  store(value, result);
  if constexpr (destroys_source(kKind)) store(sign_bit(half_periods<kKind>(x)), source);
  if (HWY_LIKELY(!has_nan(value))) return;
  make_nan_exact<kKind>(lane, x, y, reinterpret_cast<uint8_t*>(result),
                        reinterpret_cast<uint8_t*>(source));
}

template <Kind kKind>
void Block(const Lane& lane, const RowBlock& block) {
  constexpr size_t kX = destroys_source(kKind) ? 2 : 1, kY = has_two_operands(kKind) ? kX + 1 : kX;
  static_assert(kRowUnit % kMostNumbers == 0);
  for (size_t i = 0; i < block.count; i += kVectors * hn::Lanes(F32()))
    compute_block<kKind>(lane, load(block.source<float>(kX) + i), load(block.source<float>(kY) + i),
                         block.result<float>() + i, block.result<float>(kX - 1) + i);
}

void FunctionRowsOf(const void* rows, const RowBlock& block) {
  static constexpr void (*kBlocks[])(const Lane&, const RowBlock&) = {
#define TW_BLOCK(name) Block<Kind::name>,
      TW_FUNCTIONS32(TW_BLOCK)
#undef TW_BLOCK
  };
  const auto& [op, memory] = *static_cast<const FunctionRows*>(rows);
  const Lane lane{op.parameters, tables_in(op, memory, block.lane)};
  kBlocks[static_cast<size_t>(op.kind)](lane, block);
}

}  // namespace
}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tputwin::fast {
namespace {

TW_ROW_KERNEL(function_rows, FunctionRowsOf)

// The entries that an exponential writes are written before the results. So sources must have
// exactly the bytes of the results, or be disjoint from the entries.
bool entries_are_disjoint(const FloatFunction& op, const LocalMemory& local) {
  if (!op.entries) return true;
  auto disjoint_from_entries = [&](const Source& source) {
    return source.is_constant || same_bytes(source.view, op.out) ||
           disjoint(source.view, *op.entries, local);
  };
  return disjoint_from_entries(op.a) && disjoint_from_entries(op.b);
}

// Returns true if results do not change tables that later elements read.
bool tables_are_disjoint(const FloatFunction& op, const LocalMemory& local) {
  for (const auto* table : {&op.exp_coeff, &op.exp_table, &op.coeff}) {
    if (!*table) continue;
    if (!disjoint(op.out, **table, local)) return false;
    if (op.entries && !disjoint(*op.entries, **table, local)) return false;
    if (destroys_source(op.kind) && !disjoint(op.a.view, **table, local)) return false;
  }
  return true;
}

Declined rows(const FloatFunction& op, const Memory& memory) {
  if (!is_function32(op.kind)) return "a function of every type";
  if (op.exp_table && op.exp_table->address % sizeof(float) != 0)
    return "the entries of a table begin at any byte";
  if (!entries_are_disjoint(op, memory.local))
    return "sources overlap the entries of the table in part";
  if (!tables_are_disjoint(op, memory.local)) return "results overlap a table";
  constexpr uint64_t kWeight = 16;
  const FunctionRows rows{op, memory};
  const RowWork work{.form = RowForm::elements,
                     .kernel = function_rows,
                     .operation = &rows,
                     .weight = kWeight,
                     .by_lane = true,
                     .keep = keep_copy<FunctionRows>};
  const RowOperand out = row_result(op.out), a = row_source_as(op.a, DType::f32);
  if (destroys_source(op.kind)) {
    if (op.a.is_constant) return "a constant cannot be destroyed";
    return run_rows({out, row_result(op.a.view), a}, memory, work);
  }
  const RowOperand b = row_source_as(op.b, DType::f32);
  if (const Declined why = rows_decline({out, a, b}, memory)) return why;
  leave_entries(op, memory);
  return run_rows({out, a, b}, memory, work);
}

}  // namespace

TW_FAST_KERNELS(FloatFunction, {"rows", rows}, {"rows of any type", rows_of_any_type})

}  // namespace tputwin::fast
#endif
