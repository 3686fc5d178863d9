// requantize: blocks of rows. Scaled integers are 64-bit products, in vectors of every second
// element.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/fast/requantize.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include "ops/elementwise/requantize.h"
#include "ops/fast/fast.h"
#include "ops/fast/vec/float32-inl.h"
#include "ops/fast/vec/scaling-inl.h"
#include "ops/fast/walk/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace {

using Kind = Requantize::Kind;
// Returns v / 2^right, rounded. The rounding mode determines the addend before the shift.
HWY_INLINE Longs shifted(Longs v, Longs right, Rounding rounding) {
  const Longs unit = hn::Shl(longs(1), right), rest = hn::Sub(unit, longs(1));
  const Longs half = hn::ShiftRight<1>(unit), negative = hn::BroadcastSignBit(v);
  Longs more = half;
  switch (rounding) {
    case Rounding::half_up:
      break;
    case Rounding::half_even:
      more = hn::Sub(hn::Add(half, hn::And(hn::Shr(v, right), longs(1))), longs(1));
      break;
    case Rounding::half_away:
      more = hn::Add(half, negative);
      break;
    case Rounding::half_down:
      more = hn::Sub(half, longs(1));
      break;
    case Rounding::toward_zero:
      more = hn::And(negative, rest);
      break;
    case Rounding::down:
      return hn::Shr(v, right);
    case Rounding::up:
      more = rest;
      break;
  }
  // For right = 0, `rest` is 0 and masks the addend.
  return hn::Shr(hn::Add(v, hn::And(more, rest)), right);
}

// Parameters that all elements of a block share.
struct Scaling {
  bool narrows, signed_offset;
  Rounding rounding;
  int64_t low, high;

  explicit Scaling(const Requantize& op)
      : narrows(op.kind == Kind::to_narrow),
        signed_offset(is_signed(narrows ? op.out.dtype : op.in.dtype)),
        rounding(op.rounding),
        low(saturate(INT64_MIN, op.out.dtype)),
        high(saturate(INT64_MAX, op.out.dtype)) {}

  HWY_INLINE Ints offset_of(Ints offset) const {
    const Ints high_half = hn::ShiftLeft<16>(offset);
    return signed_offset ? hn::ShiftRight<16>(high_half) : hn::And(offset, ints(0xffff));
  }
  // Scales the even elements.
  HWY_INLINE Longs scaled(Ints in, Ints multiplier, Ints right, Ints offset) const {
    const Ints one = ints(1);
    Longs v = hn::MulEven(in, multiplier);
    v = shifted(v, hn::MulEven(right, one), rounding);
    if (narrows) v = hn::Add(v, hn::MulEven(offset, one));
    return hn::Min(hn::Max(v, longs(low)), longs(high));
  }
};

// Operands: out, in, multiplier, shift, offset.
HWY_INLINE void compute_each(const Requantize& op, const RowBlock& block, size_t begin,
                             size_t end) {
  const RowSource in = block.row_source(1), multiplier = block.row_source(2),
                  shift = block.row_source(3), offset = block.row_source(4);
  for (size_t i = begin; i < end; ++i)
    block.store(i, element(op, in.element<int32_t>(i), multiplier.element<int32_t>(i),
                           shift.element<int32_t>(i), offset.element<int32_t>(i)));
}

// Returns false if parameters differ between elements, or vectors cannot do the scale.
HWY_INLINE bool RequantizeSame(const Scaling& scaling, const RowBlock& block) {
  for (const size_t parameter : {2, 3, 4})
    if (!block.repeats[parameter]) return false;
  const int32_t offset = block.load<int32_t>(4, 0);
  Scale scale{.multiplier = block.load<int32_t>(2, 0),
              .right = -std::max(block.load<int32_t>(3, 0), -kMostRight - 1),
              .offset = scaling.signed_offset ? int32_t{static_cast<int16_t>(offset)}
                                              : int32_t{static_cast<uint16_t>(offset)},
              .rounding = scaling.rounding,
              .low = static_cast<int32_t>(scaling.low),
              .high = static_cast<int32_t>(scaling.high)};
  if (!scaling.narrows || !fit_vectors(scale)) return false;
  const SameScaling same(scale);
  const auto* in = block.source<int32_t>(1);
  auto* const out = block.result<int32_t>();
  same.with_rounding([&]<Rounding kRounding>() HWY_ATTR {
    for (size_t i = 0; i < block.count; i += kElements32)
      hn::StoreU(same.scaled<kRounding>(hn::LoadU(I32(), in + i)), I32(), out + i);
  });
  return true;
}

// Dequantizes: numbers of at most 16 bits, minus an offset, become fp32 and are multiplied by a
// scale.
HWY_INLINE void DequantizeBlock(const Requantize& op, const RowBlock& block) {
  const I32 d;
  const Scaling scaling(op);
  const RowSource in = block.row_source(1), scales = block.row_source(2),
                  offsets = block.row_source(4);
  for (size_t i = 0; i < block.count; i += hn::Lanes(d)) {
    const Ints number = hn::Sub(LoadInts(in, i), scaling.offset_of(LoadInts(offsets, i)));
    const Floats result = multiply(hn::ConvertTo(F32(), number), LoadFloats(scales, i));
    if (HWY_UNLIKELY(has_nan(result)))
      compute_each(op, block, i, std::min(block.count, i + hn::Lanes(d)));
    else
      hn::StoreU(bits(result), d, block.result<int32_t>() + i);
  }
}

void RequantizeBlock(const void* operation, const RowBlock& block) {
  const auto& op = *static_cast<const Requantize*>(operation);
  const I32 d;
  const bool scales =
      op.kind == Kind::to_narrow || (op.kind == Kind::to_wide && element_bytes(op.in.dtype) < 4);
  if (op.kind == Kind::f32_wide && element_bytes(op.in.dtype) < 4)
    return DequantizeBlock(op, block);
  if (!scales) return compute_each(op, block, 0, block.count);
  const Scaling scaling(op);
  if (RequantizeSame(scaling, block)) return;
  const RowSource in_row = block.row_source(1), multipliers = block.row_source(2),
                  shifts = block.row_source(3), offsets = block.row_source(4);
  for (size_t i = 0; i < block.count; i += hn::Lanes(d)) {
    const Ints right = hn::Neg(LoadInts(shifts, i));
    const auto far = hn::Or(hn::Lt(right, hn::Zero(d)), hn::Gt(right, ints(kMostRight)));
    if (HWY_UNLIKELY(!hn::AllFalse(d, far))) {
      compute_each(op, block, i, std::min(block.count, i + hn::Lanes(d)));
      continue;
    }
    const Ints multiplier = LoadInts(multipliers, i);
    const Ints offset = scaling.offset_of(LoadInts(offsets, i));
    Ints in = LoadInts(in_row, i);
    if (!scaling.narrows) in = hn::Sub(in, offset);
    const Longs even = scaling.scaled(in, multiplier, right, offset);
    const Longs odd = scaling.scaled(odd_elements(in), odd_elements(multiplier),
                                     odd_elements(right), odd_elements(offset));
    const Ints result = hn::OddEven(hn::BitCast(d, hn::ShiftLeft<32>(odd)), hn::BitCast(d, even));
    hn::StoreU(result, d, block.result<int32_t>() + i);
  }
}

}  // namespace
}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tputwin::fast {
namespace {

TW_ROW_KERNEL(requantize_block, RequantizeBlock)

Declined rows(const Requantize& op, const Memory& memory) {
  if (op.in.dtype == DType::u32) return "u32";
  constexpr uint64_t kWeight = 8;
  const bool shifts =
      op.kind == Requantize::Kind::to_narrow || op.kind == Requantize::Kind::to_wide;
  const Source shift = shifts ? op.shift : Source::value(0u, DType::i32);
  return run_rows({row_result(op.out), row_source(op.in), row_source(op.multiplier),
                   row_source(shift), row_source(op.offset)},
                  memory,
                  {.form = RowForm::wide,
                   .kernel = requantize_block,
                   .operation = &op,
                   .weight = kWeight,
                   .repeats = true});
}

}  // namespace

TW_FAST_KERNELS(Requantize, {"rows", rows})

}  // namespace tputwin::fast
#endif
