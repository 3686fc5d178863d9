// int_arithmetic: operands of one type in that type, 8-bit operands and sums of 16-bit ones in
// 16-bit elements, others in 32-bit elements, if these hold every intermediate value. Otherwise in
// 64 bits, or element by element.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/fast/int_arithmetic.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "ops/elementwise/int_arithmetic.h"
#include "ops/fast/fast.h"
#include "ops/fast/int_job.h"
#include "ops/fast/int_shorts-inl.h"
#include "ops/fast/vec/narrow-inl.h"
#include "ops/fast/vec/rounding-inl.h"
#include "ops/fast/walk/by_kind.h"
#include "ops/fast/walk/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace {

using Kind = IntArithmetic::Kind;

// ---- operands of one type, no shift ----

// Saturated sums and differences of 32-bit elements, which Highway does not have.
template <Kind kKind, class D, class V = hn::Vec<D>>
HWY_INLINE V SaturatedWords(D d, V a, V b) {
  constexpr bool kIsSum = kKind == Kind::add;
  if constexpr (std::is_unsigned_v<hn::TFromD<D>>) {
    if constexpr (!kIsSum) return hn::Sub(hn::Max(a, b), b);
    const V sum = hn::Add(a, b);
    return hn::Or(sum, hn::VecFromMask(d, hn::Lt(sum, a)));
  } else {
    const V result = kIsSum ? hn::Add(a, b) : hn::Sub(a, b);
    // A sum that overflows has another sign than both operands, a difference another one than a.
    const V overflow = kIsSum ? hn::And(hn::Xor(a, result), hn::Xor(b, result))
                              : hn::And(hn::Xor(a, b), hn::Xor(a, result));
    const V limit = hn::Xor(hn::BroadcastSignBit(a), hn::Set(d, INT32_MAX));
    return hn::IfThenElse(hn::MaskFromVec(hn::BroadcastSignBit(overflow)), limit, result);
  }
}

template <Kind kKind, bool kSaturates, class D, class V = hn::Vec<D>>
HWY_INLINE V Same(D d, V a, V b) {
  constexpr bool kNarrow = sizeof(hn::TFromD<D>) < 4;
  constexpr bool kCompares = kKind == Kind::min || kKind == Kind::max;
  if constexpr (kKind == Kind::min) return hn::Min(a, b);
  if constexpr (kKind == Kind::max) return hn::Max(a, b);
  if constexpr (kKind == Kind::add && kSaturates && kNarrow) return hn::SaturatedAdd(a, b);
  if constexpr (kKind == Kind::sub && kSaturates && kNarrow) return hn::SaturatedSub(a, b);
  if constexpr (kSaturates && !kNarrow && !kCompares) return SaturatedWords<kKind>(d, a, b);
  if constexpr (kKind == Kind::add) return hn::Add(a, b);
  return hn::Sub(a, b);
}

template <Kind kKind, bool kSaturates, class T>
void SameBlock(const RowBlock& block) {
  const hn::CappedTag<T, kRowUnit> d;
  for (size_t i = 0; i < block.count; i += hn::Lanes(d))
    hn::StoreU(Same<kKind, kSaturates>(d, hn::LoadU(d, block.source<T>(1) + i),
                                       hn::LoadU(d, block.source<T>(2) + i)),
               d, block.result<T>() + i);
}

template <Kind kKind, bool kSaturates>
void SameBlockOf(DType dtype, const RowBlock& block) {
  switch (dtype) {
    case DType::u8:
      return SameBlock<kKind, kSaturates, uint8_t>(block);
    case DType::i8:
      return SameBlock<kKind, kSaturates, int8_t>(block);
    case DType::u16:
      return SameBlock<kKind, kSaturates, uint16_t>(block);
    case DType::i16:
      return SameBlock<kKind, kSaturates, int16_t>(block);
    case DType::u32:
      return SameBlock<kKind, kSaturates, uint32_t>(block);
    default:
      return SameBlock<kKind, kSaturates, int32_t>(block);
  }
}

void SameRows(const void* operation, const RowBlock& block) {
  const auto& op = static_cast<const IntJob*>(operation)->op;
  const DType dtype = op.out.dtype;
  switch (op.kind) {
    case Kind::min:
      return SameBlockOf<Kind::min, true>(dtype, block);
    case Kind::max:
      return SameBlockOf<Kind::max, true>(dtype, block);
    case Kind::add:
      return op.saturates ? SameBlockOf<Kind::add, true>(dtype, block)
                          : SameBlockOf<Kind::add, false>(dtype, block);
    default:
      return op.saturates ? SameBlockOf<Kind::sub, true>(dtype, block)
                          : SameBlockOf<Kind::sub, false>(dtype, block);
  }
}

// ---- 32-bit elements ----

template <Kind kKind>
HWY_INLINE Ints Combined(Ints a, Ints b, Ints old, int lshift) {
  if constexpr (kKind == Kind::add) return hn::Add(a, b);
  if constexpr (kKind == Kind::sub) return hn::Sub(a, b);
  if constexpr (kKind == Kind::mul) return hn::Mul(a, b);
  if constexpr (kKind == Kind::min) return hn::Min(a, b);
  if constexpr (kKind == Kind::max) return hn::Max(a, b);
  if constexpr (kKind == Kind::mac) return hn::Add(hn::ShiftLeftSame(old, lshift), hn::Mul(a, b));
  return a;
}

template <Kind kKind>
void WordBlock(const IntJob& job, const RowBlock& block) {
  const I32 d;
  const auto word = [](int64_t limit) {
    return static_cast<int32_t>(std::clamp<int64_t>(limit, INT32_MIN, INT32_MAX));
  };
  const Ints low = hn::Set(d, word(job.limits.low)), high = hn::Set(d, word(job.limits.high));
  const int left = std::max(job.shift, 0), right = std::max(-job.shift, 0);
  ForEachVector(block, [&](size_t i) HWY_ATTR {
    const Ints a = LoadInts(block, 1, i);
    const Ints b = kKind == Kind::shift ? a : LoadInts(block, 2, i);
    const Ints old = kKind == Kind::mac ? LoadInts(block, 3, i) : a;
    Ints x = Combined<kKind>(a, b, old, job.op.lshift);
    x = right == 0 ? hn::ShiftLeftSame(x, left) : RoundShift(d, x, right, job.op.rounding);
    hn::StoreU(hn::Min(hn::Max(x, low), high), d, block.result<int32_t>() + i);
  });
}

void WordRows(const void* operation, const RowBlock& block) {
  const auto& job = *static_cast<const IntJob*>(operation);
  by_kind<Kind::shift>(job.op.kind, [&]<Kind kKind>(std::integral_constant<Kind, kKind>)
                                        HWY_ATTR { WordBlock<kKind>(job, block); });
}

// ---- 64-bit intermediate values ----

using Wide = std::array<int64_t, kRowUnit>;

// Widens a unit of 32-bit elements, which may begin at any byte. `unsigned_words` is true for u32.
HWY_INLINE void Widen(const uint8_t* from, bool unsigned_words, Wide& to) {
  std::array<int32_t, kRowUnit> words;
  std::memcpy(words.data(), from, sizeof(words));
  const int64_t mask = unsigned_words ? int64_t{UINT32_MAX} : int64_t{-1};
  for (size_t i = 0; i < kRowUnit; ++i) to[i] = int64_t{words[i]} & mask;
}

template <class F>
HWY_INLINE void Combine(Wide& a, const Wide& b, const F& f) {
  for (size_t i = 0; i < kRowUnit; ++i) a[i] = f(a[i], b[i]);
}

void WideUnit(const IntJob& job, const RowBlock& block, size_t first) {
  const IntArithmetic& op = job.op;
  const auto widen = [&](size_t operand, const TensorView& view, Wide& to) {
    Widen(block.source<uint8_t>(operand) + first * sizeof(int32_t), view.dtype == DType::u32, to);
  };
  Wide x, b;
  widen(1, op.a.view, x);
  if (op.kind != Kind::shift) widen(2, op.b.view, b);
  if (op.kind == Kind::add) Combine(x, b, [](int64_t p, int64_t q) { return p + q; });
  if (op.kind == Kind::sub) Combine(x, b, [](int64_t p, int64_t q) { return p - q; });
  if (op.kind == Kind::min) Combine(x, b, [](int64_t p, int64_t q) { return std::min(p, q); });
  if (op.kind == Kind::max) Combine(x, b, [](int64_t p, int64_t q) { return std::max(p, q); });
  if (op.kind == Kind::mul || op.kind == Kind::mac)
    Combine(x, b, [](int64_t p, int64_t q) { return p * q; });
  if (op.kind == Kind::mac) {
    widen(3, op.out, b);
    const int lshift = op.lshift;
    Combine(x, b, [lshift](int64_t p, int64_t q) { return p + q * (int64_t{1} << lshift); });
  }
  if (job.shift < 0) RoundShiftAll(x, -job.shift, op.rounding);
  const int left = std::max(job.shift, 0);
  const int64_t low = op.saturates ? job.limits.low : INT64_MIN;
  const int64_t high = op.saturates ? job.limits.high : INT64_MAX;
  for (size_t i = 0; i < kRowUnit; ++i)
    block.store(first + i,
                static_cast<int32_t>(std::clamp(x[i] * (int64_t{1} << left), low, high)));
}

void WideRows(const void* operation, const RowBlock& block) {
  const auto& job = *static_cast<const IntJob*>(operation);
  for (size_t i = 0; i < block.count; i += kRowUnit) WideUnit(job, block, i);
}

}  // namespace
}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tputwin::fast {
namespace {

using Kind = IntArithmetic::Kind;

TW_ROW_KERNEL(same_rows, SameRows)
TW_ROW_KERNEL(word_rows, WordRows)
TW_ROW_KERNEL(wide_rows, WideRows)
TW_ROW_KERNEL(short_rows, ShortRows)
TW_ROW_KERNEL(short_sum_rows, ShortSumRows)

// Computes any numbers, element by element. The shift is the last operand.
void exact_rows(const void* operation, const RowBlock& block) {
  const auto& op = *static_cast<const IntArithmetic*>(operation);
  const bool has_b = op.kind != Kind::shift, has_old = op.kind == Kind::mac;
  const size_t shift = 2 + has_b + has_old;
  const auto number = [&](size_t operand, const TensorView& view, size_t i) {
    return integer_value(block.load<int32_t>(operand, i), view.dtype);
  };
  for (size_t i = 0; i < block.count; ++i)
    block.store(i,
                int_arithmetic(op, number(1, op.a.view, i), has_b ? number(2, op.b.view, i) : 0,
                               has_old ? number(3, op.out, i) : 0, block.load<int32_t>(shift, i)));
}

// Returns the largest magnitude of a source.
double reach(const Source& source) {
  const DType dtype = source.view.dtype;
  if (source.is_constant)
    return std::abs(
        static_cast<double>(integer_value(static_cast<int32_t>(source.constant), dtype)));
  const int bits = static_cast<int>(8 * element_bytes(dtype));
  return is_signed(dtype) ? std::ldexp(1.0, bits - 1) : std::ldexp(1.0, bits) - 1;
}

double reach(const IntArithmetic& op) {
  const double a = reach(op.a), b = op.kind == Kind::shift ? 0 : reach(op.b);
  switch (op.kind) {
    case Kind::add:
    case Kind::sub:
      return a + b;
    case Kind::mul:
      return a * b;
    case Kind::mac:
      return std::ldexp(reach(Source::tensor(op.out)), op.lshift) + a * b;
    case Kind::min:
    case Kind::max:
    case Kind::shift:
      return std::max(a, b);
  }
  return 0;
}

// Returns true if 32 bits hold every intermediate value, or the bits of it that are kept.
bool fits_words(const IntArithmetic& op, int32_t shift) {
  if (shift < -31 || shift > 31) return false;
  const bool compares = op.kind == Kind::min || op.kind == Kind::max;
  if (!op.saturates && !compares && shift >= 0) return true;
  return std::ldexp(reach(op), std::max(shift, 0)) <= INT32_MAX;
}

// Returns true if 16 bits hold every intermediate value of 8-bit operands.
bool fits_shorts(const IntArithmetic& op, int32_t shift) {
  const auto bytes = [](const TensorView& view) { return element_bytes(view.dtype); };
  const bool computes = op.kind == Kind::add || op.kind == Kind::sub || op.kind == Kind::mul;
  return computes && bytes(op.a.view) == 1 && bytes(op.b.view) == 1 && bytes(op.out) <= 2 &&
         -15 <= shift && shift <= 15 && std::ldexp(reach(op), std::max(shift, 0)) <= INT16_MAX;
}

// Returns true for saturated sums of 16-bit operands, at least one of them signed, to signed 16-bit
// elements or bytes.
bool is_short_sum(const IntArithmetic& op, int32_t shift) {
  const DType a = op.a.view.dtype, b = op.b.view.dtype, out = op.out.dtype;
  const auto is_word = [](DType dtype) { return dtype == DType::i16 || dtype == DType::u16; };
  return op.kind == Kind::add && op.saturates && shift == 0 && is_word(a) && is_word(b) &&
         (is_signed(a) || is_signed(b)) &&
         (out == DType::i16 || out == DType::i8 || out == DType::u8);
}

// Returns true if 64 bits hold every intermediate value.
bool fits_wide(const IntArithmetic& op, int32_t shift) {
  return -62 <= shift && shift <= 31 && std::ldexp(reach(op), std::max(shift, 0)) < 0x1p63;
}

IntLimits limits_of(const IntArithmetic& op) {
  if (!op.saturates) return {INT64_MIN, INT64_MAX};
  const DType dtype = op.out.dtype;
  if (dtype == DType::u32) return {0, UINT32_MAX};
  return {saturate(INT64_MIN, dtype), saturate(INT64_MAX, dtype)};
}

// Returns true if vectors of the type itself compute the operation.
bool is_same(const IntArithmetic& op, int32_t shift) {
  const DType dtype = op.out.dtype;
  if (shift != 0 || op.a.view.dtype != dtype || op.b.view.dtype != dtype) return false;
  return op.kind == Kind::min || op.kind == Kind::max || op.kind == Kind::add ||
         op.kind == Kind::sub;
}

// Runs a kernel on the operands of its kind. The shift comes last if the kernel has it as an
// operand.
Declined run(const IntArithmetic& op, const Memory& memory, bool takes_shift, const RowWork& work) {
  const RowOperand out = row_result(op.out), a = row_source(op.a), b = row_source(op.b);
  const RowOperand old = row_source(op.out), by = row_source(op.shift);
  if (takes_shift) {
    if (op.kind == Kind::shift) return run_rows({out, a, by}, memory, work);
    if (op.kind == Kind::mac) return run_rows({out, a, b, old, by}, memory, work);
    return run_rows({out, a, b, by}, memory, work);
  }
  if (op.kind == Kind::shift) return run_rows({out, a}, memory, work);
  if (op.kind == Kind::mac) return run_rows({out, a, b, old}, memory, work);
  return run_rows({out, a, b}, memory, work);
}

// Runs a kernel with one shift for all elements, if `fits` returns true for the shift.
Declined run_planned(const IntArithmetic& op, const Memory& memory,
                     bool (*fits)(const IntArithmetic&, int32_t), RowForm form, RowKernel kernel) {
  const auto shift = static_cast<int32_t>(op.shift.constant);
  if (!op.shift.is_constant) return "a shift of its own for each element";
  if (!fits(op, shift)) return "lanes do not hold the numbers on the way";
  const IntJob job{op, shift, limits_of(op)};
  return run(op, memory, false,
             {.form = form, .kernel = kernel, .operation = &job, .keep = keep_copy<IntJob>});
}

Declined same(const IntArithmetic& op, const Memory& memory) {
  return run_planned(op, memory, is_same, RowForm::elements, same_rows);
}
Declined shorts(const IntArithmetic& op, const Memory& memory) {
  return run_planned(op, memory, fits_shorts, RowForm::elements, short_rows);
}
Declined short_sums(const IntArithmetic& op, const Memory& memory) {
  return run_planned(op, memory, is_short_sum, RowForm::elements, short_sum_rows);
}
Declined words(const IntArithmetic& op, const Memory& memory) {
  return run_planned(op, memory, fits_words, RowForm::wide, word_rows);
}
Declined wide(const IntArithmetic& op, const Memory& memory) {
  return run_planned(op, memory, fits_wide, RowForm::wide, wide_rows);
}
Declined exact(const IntArithmetic& op, const Memory& memory) {
  return run(op, memory, true, {RowForm::wide, exact_rows, &op, 8});
}

}  // namespace

TW_FAST_KERNELS(IntArithmetic, {"type's own elements", same}, {"16 bits", shorts},
                {"sums of 16 bits", short_sums}, {"32 bits", words}, {"64 bits", wide},
                {"element by element", exact})

}  // namespace tputwin::fast
#endif
