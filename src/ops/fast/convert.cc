// convert: in 32-bit elements, between all types but u32. From i32, and to 16-bit floating-point
// types, only to nearest even. By DMA row by row.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/fast/convert.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include <cstring>
#include <limits>
#include <type_traits>

#include "ops/elementwise/convert.h"
#include "ops/fast/fast.h"
#include "ops/fast/vec/narrow-inl.h"
#include "ops/fast/views/views.h"
#include "ops/fast/walk/nest.h"
#include "ops/fast/walk/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace {

// Rounds to a whole number. Numbers of 2^24 and more, infinities and NaN are whole already.
HWY_INLINE Floats Whole(Floats x, Rounding rounding) {
  const F32 d;
  Floats whole = hn::Trunc(x);
  switch (rounding) {
    case Rounding::half_even:
      whole = hn::Round(x);
      break;
    case Rounding::down:
      whole = hn::Floor(x);
      break;
    case Rounding::up:
      whole = hn::Ceil(x);
      break;
    case Rounding::half_away: {
      const Floats part = hn::Abs(hn::Sub(x, whole));
      const Floats next = hn::Add(whole, hn::CopySign(hn::Set(d, 1.0f), x));
      whole = hn::IfThenElse(hn::Ge(part, hn::Set(d, 0.5f)), next, whole);
      break;
    }
    default:
      break;
  }
  return hn::IfThenElse(hn::Lt(hn::Abs(x), hn::Set(d, 0x1p24f)), whole, x);
}

// Reduces numbers of 2^24 and more to 24 bits. The last bit is set if any bit below it was set. The
// result is exact in fp32 and rounds to 16 bits like the integer.
HWY_INLINE Floats Sticky(Ints x) {
  const I32 d;
  const F32 df;
  const Ints magnitude = hn::Abs(x), low = hn::And(magnitude, hn::Set(d, 0x1ff));
  const Ints last = hn::IfThenZeroElse(hn::Eq(low, hn::Zero(d)), hn::Set(d, 0x100));
  const Ints folded = hn::Or(hn::Sub(magnitude, low), last);
  const auto large = hn::Gt(magnitude, hn::Set(d, 0x00ff'ffff));
  // the smallest integer is its own magnitude, and exact
  const Ints number = hn::IfThenElse(large, folded, magnitude);
  return hn::CopySign(hn::ConvertTo(df, number), hn::BitCast(df, x));
}

// Returns numbers that round to nearest even, to 16 bits, where x rounds with ties away from 0. The
// last bit that is cut off is set, so that there are no ties. All other numbers stay on their side
// of the next rounding boundary.
HWY_INLINE Floats WithoutTies(Floats x) {
  const Ints special = hn::And(bits(x), ints(0x7f80'0000));
  const auto is_special = hn::Eq(special, ints(0x7f80'0000));
  return floats(hn::IfThenElse(is_special, bits(x), hn::Or(bits(x), ints(1))));
}

struct Limits {
  int32_t low, high;
};
constexpr Limits LimitsOf(DType dtype) {
  switch (dtype) {
    case DType::u8:
      return {0, 255};
    case DType::i8:
      return {-128, 127};
    case DType::u16:
      return {0, 65535};
    case DType::i16:
      return {-32768, 32767};
    default:
      return {INT32_MIN, INT32_MAX};
  }
}

// Converts to int32. NaN becomes the smallest number.
HWY_INLINE Ints ToInts(Floats whole) {
  const I32 d;
  const F32 df;
  const auto large = hn::RebindMask(d, hn::Ge(whole, hn::Set(df, 0x1p31f)));
  const auto small = hn::RebindMask(d, hn::Not(hn::Gt(whole, hn::Set(df, -0x1p31f))));
  const Ints inside = hn::ConvertTo(d, whole);
  return hn::IfThenElse(large, hn::Set(d, INT32_MAX),
                        hn::IfThenElse(small, hn::Set(d, INT32_MIN), inside));
}

void ConvertRows(const void* operation, const RowBlock& block) {
  const auto& op = *static_cast<const Convert*>(operation);
  const I32 d;
  const F32 df;
  const bool from_float = is_float(op.in.dtype), to_float = is_float(op.out.dtype);
  const bool whole = op.kind == Convert::Kind::whole || (from_float && !to_float);
  const bool sticky = op.in.dtype == DType::i32 && is_half(op.out.dtype);
  const bool without_ties =
      from_float && is_half(op.out.dtype) && op.rounding == Rounding::half_away;
  const Limits limits = LimitsOf(op.out.dtype);
  const Ints low = hn::Set(d, limits.low), high = hn::Set(d, limits.high);
  ForEachVector(block, [&](size_t i) HWY_ATTR {
    if (to_float) {
      Floats x = from_float ? LoadFloats(block, 1, i)
                 : sticky   ? Sticky(LoadInts(block, 1, i))
                            : hn::ConvertTo(df, LoadInts(block, 1, i));
      if (whole)
        x = Whole(x, op.rounding);
      else if (without_ties)
        x = WithoutTies(x);
      hn::StoreU(x, df, block.result<float>() + i);
      return;
    }
    const Ints x =
        from_float ? ToInts(Whole(LoadFloats(block, 1, i), op.rounding)) : LoadInts(block, 1, i);
    hn::StoreU(hn::Min(hn::Max(x, low), high), d, block.result<int32_t>() + i);
  });
}

// Saturates signed 16-bit elements to bytes.
void NarrowRows(const void* operation, const RowBlock& block) {
  const hn::CappedTag<int16_t, kRowUnit> d;
  const Limits limits = LimitsOf(static_cast<const Convert*>(operation)->out.dtype);
  const auto low = hn::Set(d, static_cast<int16_t>(limits.low)),
             high = hn::Set(d, static_cast<int16_t>(limits.high));
  for (size_t i = 0; i < block.count; i += hn::Lanes(d)) {
    const auto x = hn::LoadU(d, block.source<int16_t>(1) + i);
    hn::StoreU(LowBits<uint8_t>(d, hn::Min(hn::Max(x, low), high)),
               hn::Rebind<uint8_t, decltype(d)>(), block.result<uint8_t>() + i);
  }
}

}  // namespace
}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tputwin::fast {
namespace {

TW_ROW_KERNEL(convert_rows, ConvertRows)
TW_ROW_KERNEL(narrow_rows, NarrowRows)

void copy_rows(const void* operation, const RowBlock& block) {
  const auto& op = *static_cast<const Convert*>(operation);
  std::memcpy(block.result<uint8_t>(), block.source<uint8_t>(1),
              block.count * element_bytes(op.out.dtype));
}

Declined run(const Convert& op, const Memory& memory, RowForm form, RowKernel kernel) {
  return run_rows({row_result(op.out), row_source(op.in)}, memory, {form, kernel, &op, 2});
}

Declined copy(const Convert& op, const Memory& memory) {
  if (op.kind != Convert::Kind::cast || op.in.dtype != op.out.dtype) return "types differ";
  return run(op, memory, RowForm::elements, copy_rows);
}

Declined narrow(const Convert& op, const Memory& memory) {
  const DType out = op.out.dtype;
  if (op.engine == Engine::dma) return "by DMA";
  if (op.kind != Convert::Kind::cast || op.in.dtype != DType::i16 ||
      (out != DType::i8 && out != DType::u8))
    return "not from signed 16-bit elements to bytes";
  return run(op, memory, RowForm::elements, narrow_rows);
}

Declined words(const Convert& op, const Memory& memory) {
  const DType in = op.in.dtype, out = op.out.dtype;
  if (in == DType::u32 || out == DType::u32) return "u32";
  if (op.engine == Engine::dma) return "by DMA";
  if (in == out && is_half(in)) return "copied bits would not come back from fp32";
  const bool whole = op.kind == Convert::Kind::whole;
  if (whole && is_half(in)) return "NaN of 16-bit types would not come back as they are";
  const bool rounds_floats = is_half(out) || (in == DType::i32 && is_float(out));
  const bool without_ties = is_float(in) && op.rounding == Rounding::half_away;
  if (!whole && rounds_floats && op.rounding != Rounding::half_even && !without_ties)
    return "floats are rounded to nearest only, integers to nearest even";
  return run(op, memory, RowForm::wide, convert_rows);
}

// Returns fp32 rounded to nearest even and saturated, and NaN as the largest number. The limits
// have few bits, so that x + 1.5 * 2^23 has the whole number in its low bits.
template <class Byte>
Byte byte_of(float x) {
  constexpr float kLow = std::numeric_limits<Byte>::min(), kHigh = std::numeric_limits<Byte>::max();
  constexpr float kWhole = 0x1.8p23f;
  const float held = !(x < kHigh) ? kHigh : x > kLow ? x : kLow;
  return static_cast<Byte>(f32::bits(held + kWhole) - f32::bits(kWhole));
}

template <class To, class From>
To converted(From x) {
  if constexpr (std::is_same_v<To, float>)
    return static_cast<float>(x);
  else
    return byte_of<To>(x);
}

// Converts a row. The elements of each side are one step, in bytes, apart.
template <class To, class From>
void convert_row(uint8_t* to, size_t to_step, const uint8_t* from, size_t from_step, size_t count) {
  if (to_step == sizeof(To) && from_step == sizeof(From)) {
    for (size_t i = 0; i < count; ++i)
      Memory::store(to + i * sizeof(To),
                    converted<To>(Memory::load<From>(from + i * sizeof(From))));
    return;
  }
  for (size_t i = 0; i < count; ++i, to += to_step, from += from_step)
    Memory::store(to, converted<To>(Memory::load<From>(from)));
}

// Converts by DMA row by row. The row kernels above cover local memory only.
Declined moved(const Convert& op, const Memory& memory) {
  if (op.engine != Engine::dma) return "not by DMA";
  if (is_empty(op.out.shape) || op.in.shape != op.out.shape) return "no elements";
  if (const Declined why = overlap(op.out, {&op.in}, memory.local)) return why;
  const DType bytes = is_float(op.out.dtype) ? op.in.dtype : op.out.dtype;
  const auto row = is_float(op.out.dtype)
                       ? is_signed(bytes) ? convert_row<float, int8_t> : convert_row<float, uint8_t>
                   : is_signed(bytes) ? convert_row<int8_t, float>
                                      : convert_row<uint8_t, float>;
  const Shape& s = op.out.shape;
  share_out(size_t{s.n} * s.c, 5 * s.count(), bytes_per_task(), [&](size_t begin, size_t end) {
    for (size_t item = begin; item < end; ++item)
      for (uint32_t h = 0; h < s.h; ++h) {
        const auto n = static_cast<uint32_t>(item / s.c), c = static_cast<uint32_t>(item % s.c);
        row(memory.byte(op.out, n, c, h, 0), op.out.stride.w, memory.byte(op.in, n, c, h, 0),
            op.in.stride.w, s.w);
      }
  });
  return kRan;
}

}  // namespace

TW_FAST_KERNELS(Convert, {"copy", copy}, {"moved", moved}, {"narrow", narrow}, {"32 bits", words})

}  // namespace tputwin::fast
#endif  // HWY_ONCE
