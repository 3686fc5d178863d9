#include "ops/fast/window/cell_planes.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/fast/window/cell_planes.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include <type_traits>

#include "numerics/float16.h"
#include "ops/contract/body_steps.h"
#include "ops/fast/gemm/dot-inl.h"
#include "ops/fast/vec/multiply-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace {

using DF = hn::ScalableTag<float>;
using VF = hn::Vec<DF>;
using DU = hn::RebindToUnsigned<DF>;
using VU = hn::Vec<DU>;

constexpr size_t kBlock = 4;  // vectors
static_assert(kBlock * kLanes32 <= kCellSlack);

VF floats(const uint32_t* cells) { return hn::BitCast(DF(), hn::LoadU(DU(), cells)); }

// What the types do: rounding of a step, and the bits of a rounded number. NaN stays NaN.
struct Single {
  static HWY_INLINE VF round(VF x) { return x; }
  static HWY_INLINE VU bits(VF x) { return hn::BitCast(DU(), x); }
};
struct Brain {
  static HWY_INLINE VF round(VF x) {
    const DU d;
    const VU bits = hn::BitCast(d, x);
    const VU odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(d, 1));
    const VU sum = hn::Add(bits, hn::Add(odd, hn::Set(d, 0x7fff)));
    return hn::BitCast(DF(), hn::And(sum, hn::Set(d, 0xffff'0000)));
  }
  static HWY_INLINE VU bits(VF x) { return hn::ShiftRight<16>(hn::BitCast(DU(), x)); }
};
// Below 2^-14 numbers are multiples of 2^-24, as are fp32 numbers from 0.5 to 1.
struct Half {
  static HWY_INLINE VF round(VF x) {
    const DU d;
    const DF df;
    const VU bits = hn::BitCast(d, x);
    const VU odd = hn::And(hn::ShiftRight<13>(bits), hn::Set(d, 1));
    const VU sum = hn::Add(bits, hn::Add(odd, hn::Set(d, 0x0fff)));
    const VF usual = hn::BitCast(df, hn::And(sum, hn::Set(d, 0xffff'e000)));
    const VF magnitude = hn::Abs(x), half = hn::Set(df, 0.5f);
    const VF small = hn::Sub(hn::Add(magnitude, half), half);
    const VF rounded =
        hn::IfThenElse(hn::Lt(magnitude, hn::Set(df, 0x1p-14f)), small, hn::Abs(usual));
    const VF infinity = hn::BitCast(df, hn::Set(d, 0x7f80'0000));
    return hn::CopySign(hn::IfThenElse(hn::Ge(rounded, hn::Set(df, 0x1p16f)), infinity, rounded),
                        x);
  }
  static HWY_INLINE VU bits(VF x) {
    const DU d;
    const DF df;
    const hn::RebindToSigned<DF> di;
    const VF magnitude = hn::Abs(x);
    const VU usual = hn::Sub(hn::ShiftRight<13>(hn::BitCast(d, magnitude)), hn::Set(d, 112u << 10));
    const VU small = hn::BitCast(d, hn::ConvertTo(di, hn::Mul(magnitude, hn::Set(df, 0x1p24f))));
    const auto is_small = hn::RebindMask(d, hn::Lt(magnitude, hn::Set(df, 0x1p-14f)));
    const auto is_huge = hn::RebindMask(d, hn::Ge(magnitude, hn::Set(df, 0x1p16f)));
    const VU number =
        hn::IfThenElse(is_huge, hn::Set(d, 0x7c00), hn::IfThenElse(is_small, small, usual));
    const VU sign = hn::And(hn::ShiftRight<16>(hn::BitCast(d, x)), hn::Set(d, 0x8000));
    return hn::Or(number, sign);
  }
};

// Stores results; not 0 in `doubt` where one was NaN.
template <class Type>
HWY_INLINE void Store(VF x, uint32_t* to, VU& doubt) {
  const DU d;
  const VU nan = hn::VecFromMask(d, hn::RebindMask(d, hn::IsNaN(x)));
  hn::StoreU(hn::Or(Type::bits(x), nan), d, to);
  doubt = hn::Or(doubt, nan);
}

template <class Type, size_t kV>
HWY_INLINE void AddTap(const uint32_t* in, float weight, VF* sums) {
  const VF factor = hn::Set(DF(), weight);
  for (size_t v = 0; v < kV; ++v) {
    const VF product = Type::round(multiply(floats(in + v * kLanes32), factor));
    sums[v] = Type::round(hn::Add(sums[v], product));
  }
}

template <class Type, size_t kV>
HWY_INLINE void SumBlock(const CellRun& run, const float* weights, CellStarts starts, size_t at,
                         VU& doubt) {
  const DF d;
  const uint32_t* cells = run.cells + at;
  VF even[kV], odd[kV];
  for (size_t v = 0; v < kV; ++v)
    even[v] = hn::Set(d, starts.first), odd[v] = hn::Set(d, starts.second);
  size_t tap = 0;
  for (; tap + 2 <= run.taps; tap += 2) {
    AddTap<Type, kV>(cells + run.offsets[tap], weights[tap], even);
    AddTap<Type, kV>(cells + run.offsets[tap + 1], weights[tap + 1], odd);
  }
  if (tap < run.taps) AddTap<Type, kV>(cells + run.offsets[tap], weights[tap], even);
  for (size_t v = 0; v < kV; ++v)
    Store<Type>(Type::round(hn::Add(even[v], odd[v])), run.out + at + v * kLanes32, doubt);
}

template <class Type>
bool SumOf(const CellRun& run, const float* weights, CellStarts starts) {
  const DU d;
  VU doubt = hn::Zero(d);
  size_t at = 0;
  for (; at + (kBlock - 1) * kLanes32 < run.count; at += kBlock * kLanes32)
    SumBlock<Type, kBlock>(run, weights, starts, at, doubt);
  for (; at < run.count; at += kLanes32) SumBlock<Type, 1>(run, weights, starts, at, doubt);
  return !hn::AllTrue(d, hn::Eq(doubt, hn::Zero(d)));
}

bool Sum(const CellRun& run, const float* weights, CellStarts starts, DType dtype) {
  return dtype == DType::f32    ? SumOf<Single>(run, weights, starts)
         : dtype == DType::bf16 ? SumOf<Brain>(run, weights, starts)
                                : SumOf<Half>(run, weights, starts);
}

// Of equal values the last one.
template <class Type>
HWY_INLINE VF Largest(const CellRun& run, float lowest, size_t at) {
  const DU d;
  VF largest = hn::Set(DF(), lowest);
  for (size_t tap = 0; tap < run.taps; ++tap) {
    const VF value = floats(run.cells + at + run.offsets[tap]);
    largest = hn::IfThenElse(hn::Gt(largest, value), largest, value);
  }
  if constexpr (!std::is_same_v<Type, Single>) return largest;
  const VU bits = hn::BitCast(d, largest);
  const auto subnormal = hn::Eq(hn::And(bits, hn::Set(d, 0x7f80'0000u)), hn::Zero(d));
  return hn::BitCast(DF(),
                     hn::IfThenElse(subnormal, hn::And(bits, hn::Set(d, f32::kSignBit)), bits));
}

template <class Type>
bool LargestOf(const CellRun& run, DType dtype) {
  const float lowest = float_value(lowest_bits(dtype), dtype);
  const DU d;
  VU doubt = hn::Zero(d);
  for (size_t at = 0; at < run.count; at += kLanes32)
    Store<Type>(Largest<Type>(run, lowest, at), run.out + at, doubt);
  return !hn::AllTrue(d, hn::Eq(doubt, hn::Zero(d)));
}

bool LargestFloat(const CellRun& run, DType dtype) {
  return dtype == DType::f32    ? LargestOf<Single>(run, dtype)
         : dtype == DType::bf16 ? LargestOf<Brain>(run, dtype)
                                : LargestOf<Half>(run, dtype);
}

// acc / 2^rshift for rshift > 0.
HWY_INLINE V32 Shifted(V32 acc, const Quantisation& q) {
  const D32 d;
  const V32 kept = hn::ShiftRightSame(acc, static_cast<int>(q.rshift));
  const V32 part = hn::And(acc, hn::Set(d, static_cast<int32_t>((1u << q.rshift) - 1)));
  const V32 half = hn::Set(d, static_cast<int32_t>(1u << (q.rshift - 1))), zero = hn::Zero(d);
  const auto above = hn::Gt(part, half), tie = hn::Eq(part, half),
             any = hn::Not(hn::Eq(part, zero));
  auto more = above;
  switch (q.rounding) {
    case Rounding::half_even:
      more = hn::Or(above, hn::And(tie, hn::Eq(hn::And(kept, hn::Set(d, 1)), hn::Set(d, 1))));
      break;
    case Rounding::half_away:
      more = hn::Or(above, hn::And(tie, hn::Not(hn::Lt(acc, zero))));
      break;
    case Rounding::toward_zero:
      more = hn::And(any, hn::Lt(acc, zero));
      break;
    case Rounding::down:
      more = hn::Lt(part, zero);
      break;
    case Rounding::up:
      more = any;
      break;
    case Rounding::half_up:
      more = hn::Or(above, tie);
      break;
    case Rounding::half_down:
      break;
  }
  return hn::Sub(kept, hn::VecFromMask(d, more));
}

void IntegerSum(const CellRun& run, const int32_t* weights, int32_t start, const Quantisation& q) {
  const D32 d;
  const auto* cells = reinterpret_cast<const int32_t*>(run.cells);
  const V32 low = hn::Set(d, q.relu ? std::max(q.low, 0) : q.low), high = hn::Set(d, q.high);
  for (size_t at = 0; at < run.count; at += kLanes32) {
    V32 acc = hn::Set(d, start);
    for (size_t tap = 0; tap < run.taps; ++tap)
      acc = WordDot::step(acc, hn::LoadU(d, cells + at + run.offsets[tap]),
                          hn::Set(d, weights[tap] & 0xffff));
    if (q.relu) acc = hn::Max(acc, hn::Zero(d));
    if (q.rshift != 0) acc = Shifted(acc, q);
    hn::StoreU(hn::Min(hn::Max(acc, low), high), d, reinterpret_cast<int32_t*>(run.out) + at);
  }
}

void IntegerLargest(const CellRun& run) {
  const D32 d;
  const auto* cells = reinterpret_cast<const int32_t*>(run.cells);
  for (size_t at = 0; at < run.count; at += kLanes32) {
    V32 largest = hn::LoadU(d, cells + at + run.offsets[0]);
    for (size_t tap = 1; tap < run.taps; ++tap)
      largest = hn::Max(largest, hn::LoadU(d, cells + at + run.offsets[tap]));
    hn::StoreU(largest, d, reinterpret_cast<int32_t*>(run.out) + at);
  }
}

HWY_INLINE VU WidenHalf(VU bits) {
  const DU d;
  const hn::RebindToSigned<DF> di;
  const VU sign = hn::ShiftLeft<16>(hn::And(bits, hn::Set(d, 0x8000)));
  const VU magnitude = hn::And(bits, hn::Set(d, 0x7fff));
  const VU usual = hn::Add(hn::ShiftLeft<13>(magnitude), hn::Set(d, 112u << 23));
  const VU small = hn::BitCast(
      d, hn::Mul(hn::ConvertTo(DF(), hn::BitCast(di, magnitude)), hn::Set(DF(), 0x1p-24f)));
  const auto is_small = hn::Lt(magnitude, hn::Set(d, 0x0400));
  const auto is_infinite = hn::Eq(magnitude, hn::Set(d, 0x7c00));
  const auto is_nan = hn::Gt(magnitude, hn::Set(d, 0x7c00));
  VU wide = hn::Or(sign, hn::IfThenElse(is_small, small, usual));
  wide = hn::IfThenElse(is_infinite, hn::Or(sign, hn::Set(d, 0x7f80'0000)), wide);
  return hn::IfThenElse(is_nan, hn::Set(d, f32::kInvalid), wide);
}

void Widen(const uint8_t* from, size_t count, DType dtype, uint32_t* to) {
  const DU d;
  const hn::Rebind<uint16_t, DU> narrow;
  const auto* halves = reinterpret_cast<const uint16_t*>(from);
  size_t i = 0;
  for (; i + kLanes32 <= count; i += kLanes32) {
    const VU bits = hn::PromoteTo(d, hn::LoadU(narrow, halves + i));
    hn::StoreU(dtype == DType::bf16 ? hn::ShiftLeft<16>(bits) : WidenHalf(bits), d, to + i);
  }
  for (; i < count; ++i)
    to[i] = f32::bits(float_value(Memory::load<uint16_t>(from + 2 * i), dtype));
}

CellKernels Kernels() { return {&Sum, &LargestFloat, &IntegerSum, &IntegerLargest, &Widen}; }

}  // namespace
}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tputwin::fast {

HWY_EXPORT(Kernels);

CellKernels cell_kernels() { return HWY_DYNAMIC_DISPATCH(Kernels)(); }

namespace {

constexpr uint64_t kMaxPlaneCells = 4 << 20, kMaxTaps = 1 << 13;

// Elements `step` cells apart, from consecutive ones in memory.
void spread(const TensorView& view, const uint8_t* from, size_t count, size_t step, uint32_t* to) {
  for (size_t i = 0; i < count; ++i, from += view.stride.w, to += step) {
    if (view.dtype == DType::u8)
      *to = *from;
    else if (view.dtype == DType::i8)
      *to = static_cast<uint32_t>(static_cast<int8_t>(*from));
    else if (view.dtype == DType::f32)
      *to = Memory::load<uint32_t>(from);
    else
      *to = f32::bits(float_value(Memory::load<uint16_t>(from), view.dtype));
  }
}

template <class T>
void narrow(const uint32_t* cells, size_t count, uint8_t* to) {
  for (size_t i = 0; i < count; ++i, to += sizeof(T)) Memory::store(to, static_cast<T>(cells[i]));
}

}  // namespace

// Accumulators are 32-bit integers.
Quantisation quantisation_of(bool relu, uint32_t rshift, Rounding rounding, DType dtype) {
  return {relu, rshift, rounding, saturate(INT32_MIN, dtype),
          dtype == DType::u32 ? INT32_MAX : saturate(INT32_MAX, dtype)};
}

bool cell_planes_covered(const CellJob& job) {
  const LocalMemory& local = job.memory.local;
  const Shape dense = dense_shape(job.in.shape, job.window);
  const Window window = dense_window(job.window);
  const bool rows = job.out.shape.w == 1 || job.out.stride.w == element_bytes(job.out.dtype);
  return rows && patch_result(job.out, local) && patch_operand(job.in, job.out, local) &&
         window_covered(window, dense, job.out.shape) &&
         uint64_t{window.h.kernel} * window.w.kernel <= kMaxTaps &&
         uint64_t{dense.h} * dense.w <= kMaxPlaneCells &&
         WindowPlane(window, dense, job.out.shape).floats() <= kMaxPlaneCells;
}

void lay_out_cells(const CellJob& job, const CellKernels& kernels, uint32_t n, uint32_t c,
                   uint32_t insertion, uint32_t* to) {
  const TensorView& in = job.in;
  const Shape dense = dense_shape(in.shape, job.window);
  const size_t across = job.window.w.insert + 1, down = job.window.h.insert + 1;
  if (across * down > 1) std::fill_n(to, uint64_t{dense.h} * dense.w, insertion);
  const uint8_t* from = job.memory.byte(in, n, c, 0, 0);
  for (uint32_t h = 0; h < in.shape.h; ++h, from += in.stride.h, to += down * dense.w) {
    if (is_half(in.dtype) && across == 1 && in.stride.w == 2)
      kernels.widen(from, in.shape.w, in.dtype, to);
    else
      spread(in, from, in.shape.w, across, to);
  }
}

void store_cells(const CellJob& job, uint32_t n, uint32_t c, uint32_t y, const uint32_t* cells) {
  uint8_t* to = job.memory.byte(job.out, n, c, y, 0);
  const size_t count = job.out.shape.w;
  if (element_bytes(job.out.dtype) == 1)
    narrow<uint8_t>(cells, count, to);
  else if (element_bytes(job.out.dtype) == 2)
    narrow<uint16_t>(cells, count, to);
  else
    narrow<uint32_t>(cells, count, to);
}

}  // namespace tputwin::fast
#endif
