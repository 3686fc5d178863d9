// Products of bytes and constants, and sums of two of them, in 16-bit elements. The instructions
// are mul (to bytes), or mul, mul, add (to bytes), or mul, mul, add, cast (to bytes).
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/fast/prepared/byte_sum.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "ops/elementwise/convert.h"
#include "ops/elementwise/int_arithmetic.h"
#include "ops/fast/prepared/byte_map.h"
#include "ops/fast/vec/bytes-inl.h"
#include "ops/fast/vec/narrow-inl.h"
#include "ops/fast/views/views.h"
#include "ops/operation.h"

#ifndef TPUTWIN_FAST_BYTE_SUM_ONCE
#define TPUTWIN_FAST_BYTE_SUM_ONCE
namespace tputwin::fast {

// clamp((byte * factor) >> right, low, high), rounded half up. 16 bits hold every number.
struct ByteTerm {
  int16_t factor;
  int right;
  int16_t low, high;
  bool is_signed;
};

// clamp(first + addend, low, high), or the first term alone.
struct ByteSumTerms {
  ByteTerm first;
  std::optional<ByteTerm> addend;
  int16_t low, high;
};

// `second` is nullptr if there is one result.
struct ByteSumRow {
  uint8_t* out;
  const uint8_t *first, *addend;
  uint8_t* second;
  size_t count;
};

}  // namespace tputwin::fast
#endif

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace {

using Words = hn::ScalableTag<int16_t>;
using WordBytes = hn::Rebind<uint8_t, Words>;

// The numbers of a term in vectors. `fraction` is 2^-right in 15 bits, if `right` is not 0.
struct TermVectors {
  hn::Vec<Words> factor, mask, low, high, fraction;
  explicit TermVectors(const ByteTerm& term)
      : factor(hn::Set(Words(), term.factor)),
        mask(hn::Set(Words(), static_cast<int16_t>(term.is_signed ? -1 : 0xff))),
        low(hn::Set(Words(), term.low)),
        high(hn::Set(Words(), term.high)),
        fraction(hn::Set(Words(), static_cast<int16_t>(1 << (15 - std::max(term.right, 1))))) {}
  template <bool kWhole, bool kShifts>
  HWY_INLINE hn::Vec<Words> scaled(const uint8_t* from, size_t n) const {
    const Words d;
    const auto bytes =
        hn::BitCast(hn::Rebind<int8_t, Words>(), LoadBytes<kWhole>(WordBytes(), from, n));
    auto product = hn::Mul(hn::And(hn::PromoteTo(d, bytes), mask), factor);
    // (product * 2^(15 - right) + 2^14) >> 15
    if constexpr (kShifts) product = hn::MulFixedPoint15(product, fraction);
    return hn::Min(hn::Max(product, low), high);
  }
};

// kFirst, kSecond: the term is shifted. No branches are left in the loop.
template <bool kAdds, bool kFirst, bool kSecond>
HWY_INLINE void SumRow(const ByteSumTerms& terms, const ByteSumRow& row) {
  const Words d;
  const WordBytes bytes;
  const TermVectors first(terms.first), addend(kAdds ? *terms.addend : terms.first);
  const auto low = hn::Set(d, terms.low), high = hn::Set(d, terms.high);
  const uint8_t *const from = row.first, *const other = row.addend;
  uint8_t *const to = row.out, *const second = row.second;
  const auto step = [&]<bool kWhole>(std::bool_constant<kWhole>, size_t i, size_t n) HWY_ATTR {
    auto x = first.template scaled<kWhole, kFirst>(from + i, n);
    if constexpr (kAdds) {
      x = hn::SaturatedAdd(x, addend.template scaled<kWhole, kSecond>(other + i, n));
      x = hn::Min(hn::Max(x, low), high);
    }
    const auto result = LowBits<uint8_t>(d, x);
    StoreBytes<kWhole>(bytes, result, to + i, n);
    if (second != nullptr) StoreBytes<kWhole>(bytes, result, second + i, n);
  };
  const size_t lanes = hn::Lanes(d), count = row.count, whole = count - count % lanes;
  for (size_t i = 0; i < whole; i += lanes) step(std::true_type(), i, lanes);
  if (whole < count) step(std::false_type(), whole, count - whole);
}

template <bool kAdds, bool kFirst>
HWY_INLINE void SumShiftedRow(const ByteSumTerms& terms, const ByteSumRow& row) {
  const bool shifts_second = kAdds && terms.addend->right != 0;
  shifts_second ? SumRow<kAdds, kFirst, kAdds>(terms, row)
                : SumRow<kAdds, kFirst, false>(terms, row);
}

void SumOneRow(const ByteSumTerms& terms, const ByteSumRow& row) {
  const bool shifts = terms.first.right != 0;
  if (terms.addend)
    shifts ? SumShiftedRow<true, true>(terms, row) : SumShiftedRow<true, false>(terms, row);
  else
    shifts ? SumShiftedRow<false, true>(terms, row) : SumShiftedRow<false, false>(terms, row);
}

}  // namespace
}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tputwin::fast {
namespace {

HWY_EXPORT(SumOneRow);

// The instructions of a ByteSum with their types; nullptr where absent.
struct TypedSum {
  const IntArithmetic *first, *addend, *add;
  const Convert* cast;
};

class PreparedByteSum final : public ByteMap {
 public:
  PreparedByteSum(const ByteSum& sum, const ByteSumTerms& terms, const TensorView& result,
                  const TensorView& first, const TensorView* addend)
      : ByteMap(result, first, addend), sum_(sum), terms_(terms) {}
  std::optional<Moved> fused_input(const Operation& instruction) const override {
    if (&instruction == sum_.first) return Moved::input;
    if (&instruction == sum_.addend) return Moved::addend;
    return {};
  }

 private:
  void compute(const Nest<kOperands>& rows, size_t begin, size_t end, const Row& at, size_t,
               const Memory&) const override {
    for_each_inner(rows, begin, end, [&](const std::array<size_t, kOperands>& offset) {
      HWY_DYNAMIC_DISPATCH(SumOneRow)
      (terms_, {.out = at[kResult] + offset[kResult],
                .first = at[kFirst] + offset[kFirst],
                .addend = has(kAddend) ? at[kAddend] + offset[kAddend] : nullptr,
                .second = has(kSecond) ? at[kSecond] + offset[kSecond] : nullptr,
                .count = rows.inner.count});
    });
  }

  const ByteSum sum_;
  const ByteSumTerms terms_;
};

int16_t limit(int64_t value, DType dtype) {
  return static_cast<int16_t>(std::clamp<int64_t>(saturate(value, dtype), INT16_MIN, INT16_MAX));
}

// Returns the term of a mul whose numbers all fit in 16 bits.
std::optional<ByteTerm> term_of(const IntArithmetic& op) {
  using Kind = IntArithmetic::Kind;
  if (op.kind != Kind::mul || !op.saturates || op.a.is_constant || op.a.along_n ||
      !op.b.is_constant || !op.shift.is_constant || element_bytes(op.b.view.dtype) != 1)
    return {};
  const DType in = op.a.view.dtype, out = op.out.dtype;
  const auto shift = static_cast<int32_t>(op.shift.constant);
  if (element_bytes(in) != 1 || element_bytes(out) > 2 || shift < -15 || shift > 15) return {};
  if (shift < 0 && op.rounding != Rounding::half_up) return {};
  const auto factor = integer_value(static_cast<int32_t>(op.b.constant), op.b.view.dtype)
                      << std::max(shift, 0);
  const int64_t most = is_signed(in) ? 128 : 255;
  if (std::abs(factor) * most > INT16_MAX) return {};
  return ByteTerm{.factor = static_cast<int16_t>(factor),
                  .right = std::max(-shift, 0),
                  .low = limit(INT64_MIN, out),
                  .high = limit(INT64_MAX, out),
                  .is_signed = is_signed(in)};
}

// Returns true for a saturated sum of the results of both products, to i16, i8 or u8.
bool adds(const IntArithmetic& add, const TypedSum& sum) {
  const DType out = add.out.dtype;
  return add.kind == IntArithmetic::Kind::add && add.saturates && !add.a.is_constant &&
         !add.b.is_constant && !add.a.along_n && !add.b.along_n && add.shift.is_constant &&
         add.shift.constant == 0 && (out == DType::i16 || element_bytes(out) == 1) &&
         ((add.a.view == sum.first->out && add.b.view == sum.addend->out) ||
          (add.b.view == sum.first->out && add.a.view == sum.addend->out));
}

// Returns the view of the last result, or nullptr if the instructions are no such sum.
const TensorView* result_of(const TypedSum& sum) {
  if (sum.add == nullptr) return sum.addend == nullptr ? &sum.first->out : nullptr;
  if (sum.addend == nullptr || !adds(*sum.add, sum)) return nullptr;
  if (sum.cast == nullptr) return &sum.add->out;
  const bool narrows = sum.cast->kind == Convert::Kind::cast && sum.cast->in == sum.add->out &&
                       sum.add->out.dtype == DType::i16;
  return narrows ? &sum.cast->out : nullptr;
}

// Returns nullopt if an instruction has another type.
std::optional<TypedSum> typed(const ByteSum& sum) {
  TypedSum all{};
  const auto set = [](const Operation* operation, auto*& to) {
    if (operation == nullptr) return true;
    to = std::get_if<std::remove_cvref_t<decltype(*to)>>(operation);
    return to != nullptr && may_prepare(*operation);
  };
  if (!set(sum.first, all.first) || !set(sum.addend, all.addend) || !set(sum.add, all.add) ||
      !set(sum.cast, all.cast))
    return {};
  return all;
}

bool has_layout(const TensorView& view, const Shape& shape) {
  return view.shape == shape && view.pack == 1 && has_byte_rows(view);
}

// Returns true if each intermediate result has one element for each of the last result, and both
// products have bytes of their own.
bool has_plain_steps(const TypedSum& sum, const TensorView& result, const LocalMemory& local) {
  for (const IntArithmetic* op : {sum.first, sum.addend, sum.add})
    if (op != nullptr && (op->out.shape != result.shape || !distinct(op->out, local))) return false;
  return sum.addend == nullptr || disjoint(sum.first->out, sum.addend->out, local);
}

}  // namespace

std::unique_ptr<PreparedKernel> prepare(const ByteSum& instructions, const Memory& memory) {
  const auto sum = typed(instructions);
  const TensorView* result = sum ? result_of(*sum) : nullptr;
  if (result == nullptr || is_empty(result->shape) || element_bytes(result->dtype) != 1 ||
      !has_layout(*result, result->shape) || !has_plain_steps(*sum, *result, memory.local))
    return nullptr;
  ByteSumTerms terms{.first = {},
                     .addend = {},
                     .low = limit(INT64_MIN, result->dtype),
                     .high = limit(INT64_MAX, result->dtype)};
  const auto first = term_of(*sum->first);
  if (!first || !has_layout(sum->first->a.view, result->shape)) return nullptr;
  terms.first = *first;
  const TensorView* addend = nullptr;
  if (sum->addend != nullptr) {
    addend = &sum->addend->a.view;
    terms.addend = term_of(*sum->addend);
    if (!terms.addend || !has_layout(*addend, result->shape)) return nullptr;
  }
  if (overlap(*result, {&sum->first->a.view, addend}, memory.local) != nullptr) return nullptr;
  return std::make_unique<PreparedByteSum>(instructions, terms, *result, sum->first->a.view,
                                           addend);
}

}  // namespace tputwin::fast
#endif
