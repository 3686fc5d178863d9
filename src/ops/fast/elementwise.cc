// elementwise: the runs that all operands share, computed in 8-bit, 16-bit or 32-bit elements.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/fast/elementwise.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include "ops/elementwise/elementwise.h"
#include "ops/fast/dispatch/fast_kernel.h"
#include "ops/fast/fast.h"
#include "ops/fast/vec/byte_planes-inl.h"
#include "ops/fast/vec/rounding-inl.h"
#include "ops/fast/views/views.h"
#include "ops/fast/walk/nest.h"

#ifndef TPUTWIN_FAST_ELEMENTWISE_ONCE
#define TPUTWIN_FAST_ELEMENTWISE_ONCE
namespace tputwin::fast {

// The narrowest elements that hold every intermediate value.
enum class Width : uint8_t { bytes, i16, u16, i32 };

struct ElementwiseJob {
  const Elementwise& op;
  const Memory& memory;
  Width width;
  bool has_b;  // b is a tensor
};

}  // namespace tputwin::fast
#endif

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace {

using Kind = Elementwise::Kind;

struct Shifts {
  int left, right;
};

#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR
// Returns a * b + old * 2^left as the sum of two neighbouring products, in 16-bit elements.
// Interleaving and packing both work inside blocks of 128 bits, so that the order of elements is
// kept.
template <class D, class V>
HWY_INLINE V MacPairs(D d, V a, V b, V old, Shifts s) {
  const hn::RepartitionToWide<D> d32;
  const auto scale = hn::Set(d, static_cast<int16_t>(1 << s.left));
  const auto half = hn::Set(d32, s.right == 0 ? 0 : 1 << (s.right - 1));
  auto unused = hn::Zero(d32);
  auto low = hn::ReorderWidenMulAccumulate(d32, hn::InterleaveLower(d, a, old),
                                           hn::InterleaveLower(d, b, scale), half, unused);
  auto high = hn::ReorderWidenMulAccumulate(d32, hn::InterleaveUpper(d, a, old),
                                            hn::InterleaveUpper(d, b, scale), half, unused);
  return SaturatedInterleaved(d, hn::ShiftRightSame(low, s.right),
                              hn::ShiftRightSame(high, s.right));
}
#endif

// Shifts a to the left by b if b is positive, else to the right by -b. A left shift by 16 clears
// the low 16 bits, so larger amounts need no case of their own.
template <class D, class V>
HWY_INLINE V ShiftEach(D d, V a, V b) {
  constexpr int kMost = sizeof(hn::TFromD<D>) * 8 - 1;
  const auto left = hn::Min(hn::Max(b, hn::Zero(d)), hn::Set(d, 16));
  const auto right = hn::Neg(hn::Max(hn::Min(b, hn::Zero(d)), hn::Set(d, -kMost)));
  return hn::Shr(hn::Shl(a, left), right);
}

// Returns true if the result is clamped to the type of out.
constexpr bool Saturates(Kind kind) {
  return kind == Kind::mul || kind == Kind::mac || kind == Kind::add || kind == Kind::sub;
}

template <Kind kKind, class D, class V>
HWY_INLINE V Result(D d, V a, V b, [[maybe_unused]] V old, [[maybe_unused]] Shifts s) {
  constexpr bool kShort = sizeof(hn::TFromD<D>) == 2;
  if constexpr (kKind == Kind::mul) return RoundShift(d, hn::Mul(a, b), s.right);
  if constexpr (kKind == Kind::mac) {
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR
    if constexpr (kShort) return MacPairs(d, a, b, old, s);
#endif
    return RoundShift(d, hn::Add(hn::Mul(a, b), hn::ShiftLeftSame(old, s.left)), s.right);
  }
  if constexpr (kKind == Kind::add && kShort) return hn::SaturatedAdd(a, b);
  if constexpr (kKind == Kind::add && !kShort) return hn::Add(a, b);
  if constexpr (kKind == Kind::sub && kShort) return hn::SaturatedSub(a, b);
  if constexpr (kKind == Kind::sub && !kShort) return hn::Sub(a, b);
  if constexpr (kKind == Kind::max) return hn::Max(a, b);
  if constexpr (kKind == Kind::min) return hn::Min(a, b);
  if constexpr (kKind == Kind::shift) return ShiftEach(d, a, b);
  if constexpr (kKind == Kind::bit_and) return hn::And(a, b);
  if constexpr (kKind == Kind::bit_or) return hn::Or(a, b);
  if constexpr (kKind == Kind::bit_xor) return hn::Xor(a, b);
}

using Pointers = std::array<uint8_t*, 3>;  // out, a, b

// Calls lane(runs, pointers) for every lane slot in [begin, end).
template <class Lane>
HWY_INLINE void ForEachLane(const ElementwiseJob& job, size_t begin, size_t end, const Lane& lane) {
  const Elementwise& op = job.op;
  const TensorView& b = job.has_b ? op.b : op.a;
  const Slots slots = local_slots(op.out.shape, job.memory.local);
  Nest<3> runs;
  uint32_t rounds = 0;
  for (size_t slot = begin; slot < end; ++slot) {
    uint32_t c = static_cast<uint32_t>(slot);
    if (slots.rounds(slot) != rounds) {
      rounds = slots.rounds(slot);
      runs = byte_nest<3>({&op.out, &op.a, &b}, slots, rounds);
    }
    lane(runs, Pointers{job.memory.byte(op.out, 0, c, 0, 0), job.memory.byte(op.a, 0, c, 0, 0),
                        job.memory.byte(b, 0, c, 0, 0)});
  }
}

// Calls kernel.Step<whole>(pointers, first byte, bytes) for the vectors of a run. The kernel is a
// local copy, because every byte store might change the original through an alias.
template <class Kernel>
HWY_INLINE void ForEachVector(Kernel kernel, const Pointers& p, size_t length) {
  const size_t elements = Kernel::Elements(), whole = length - length % elements;
  for (size_t i = 0; i < whole; i += elements) kernel.template Step<true>(p, i, 0);
  if (whole < length) kernel.template Step<false>(p, whole, length - whole);
}

// Everything about an instruction that its inner loop needs.
template <class D, Kind kKind>
struct Kernel {
  PlaneSource<D> a, b, old;
  PlaneSink<D> sink;
  Shifts shifts;

  static HWY_INLINE size_t Elements() { return hn::Lanes(D()); }

  explicit Kernel(const ElementwiseJob& job)
      : a(job.op.a, is_16bit(job.op.a.dtype)),
        b(job.has_b ? PlaneSource<D>(job.op.b, is_16bit(job.op.b.dtype))
                    : PlaneSource<D>(job.op.constant)),
        old(job.op.out, true),
        sink(job.op.out),
        shifts{static_cast<int>(job.op.lshift), static_cast<int>(job.op.rshift)} {}

  template <bool kWhole>
  HWY_INLINE void Step(const Pointers& p, size_t i, size_t n) const {
    const D d;
    auto before = hn::Zero(d);
    if constexpr (kKind == Kind::mac) before = old.template Load<kWhole>(d, p[0] + i, n);
    auto v = Result<kKind>(d, a.template Load<kWhole>(d, p[1] + i, n),
                           b.template Load<kWhole>(d, p[2] + i, n), before, shifts);
    if constexpr (Saturates(kKind)) v = sink.Clamp(d, v);
    sink.template Store<kWhole>(d, v, p[0] + i, n);
  }
};

// Operations whose result bytes depend on one byte of each operand.
template <class T, Kind kKind>
struct ByteKernel {
  bool has_b;
  T constant;

  static HWY_INLINE size_t Elements() { return hn::Lanes(hn::ScalableTag<T>()); }

  template <bool kWhole>
  HWY_INLINE void Step(const Pointers& p, size_t i, size_t n) const {
    const hn::ScalableTag<T> d;
    const auto value = hn::Set(d, constant);
    const auto b = has_b ? LoadBytes<kWhole>(d, p[2] + i, n) : value;
    const auto v = Result<kKind>(d, LoadBytes<kWhole>(d, p[1] + i, n), b, value, Shifts{});
    StoreBytes<kWhole>(d, v, p[0] + i, n);
  }
};

template <class T, Kind kKind>
void Lanes(const ElementwiseJob& job, size_t begin, size_t end) {
  const Kernel<hn::ScalableTag<T>, kKind> kernel(job);
  ForEachLane(job, begin, end, [&](const Nest<3>& runs, const Pointers& at) HWY_ATTR {
    for_each_run(runs, at,
                 [&](const Pointers& p, size_t n) HWY_ATTR { ForEachVector(kernel, p, n); });
  });
}

template <class T, Kind kKind>
void ByteLanes(const ElementwiseJob& job, size_t begin, size_t end) {
  const Elementwise& op = job.op;
  const auto plane = [&](const Nest<3>& runs, const Pointers& at, int32_t constant) HWY_ATTR {
    const ByteKernel<T, kKind> kernel{job.has_b, static_cast<T>(constant)};
    for_each_run(runs, at,
                 [&](const Pointers& p, size_t n) HWY_ATTR { ForEachVector(kernel, p, n); });
  };
  ForEachLane(job, begin, end, [&](const Nest<3>& runs, const Pointers& at) HWY_ATTR {
    plane(runs, at, op.constant);
    if (is_16bit(op.out.dtype))
      plane(runs,
            {at[0] + op.out.plane_stride, at[1] + op.a.plane_stride, at[2] + op.b.plane_stride},
            op.constant >> 8);
  });
}

void CopyLanes(const ElementwiseJob& job, size_t begin, size_t end) {
  const Elementwise& op = job.op;
  ForEachLane(job, begin, end, [&](const Nest<3>& runs, const Pointers& at) HWY_ATTR {
    for_each_run(runs, at, [&](const Pointers& p, size_t length) HWY_ATTR {
      std::memmove(p[0], p[1], length);
      if (is_16bit(op.out.dtype))
        std::memmove(p[0] + op.out.plane_stride, p[1] + op.a.plane_stride, length);
    });
  });
}

template <Kind kKind>
void AnyWidth(const ElementwiseJob& job, size_t begin, size_t end) {
  if (job.width == Width::i16) return Lanes<int16_t, kKind>(job, begin, end);
  if (job.width == Width::u16) return Lanes<uint16_t, kKind>(job, begin, end);
  return Lanes<int32_t, kKind>(job, begin, end);
}

template <Kind kKind>
void Extremum(const ElementwiseJob& job, size_t begin, size_t end) {
  if (job.width == Width::i32) return Lanes<int32_t, kKind>(job, begin, end);
  return is_signed(job.op.a.dtype) ? ByteLanes<int8_t, kKind>(job, begin, end)
                                   : ByteLanes<uint8_t, kKind>(job, begin, end);
}

void ElementwiseLanes(const ElementwiseJob& job, size_t begin, size_t end) {
  switch (job.op.kind) {
    case Kind::mul:
      return AnyWidth<Kind::mul>(job, begin, end);
    case Kind::mac:
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR
      if (job.width == Width::i16) return Lanes<int16_t, Kind::mac>(job, begin, end);
#endif
      return Lanes<int32_t, Kind::mac>(job, begin, end);
    case Kind::add:
      return AnyWidth<Kind::add>(job, begin, end);
    case Kind::sub:
      return AnyWidth<Kind::sub>(job, begin, end);
    case Kind::max:
      return Extremum<Kind::max>(job, begin, end);
    case Kind::min:
      return Extremum<Kind::min>(job, begin, end);
    case Kind::shift:
// AVX-512 has 16-bit shifts by a count for each element.
#if HWY_TARGET <= HWY_AVX3
      if (job.width == Width::i16) return Lanes<int16_t, Kind::shift>(job, begin, end);
#endif
      return Lanes<int32_t, Kind::shift>(job, begin, end);
    case Kind::bit_and:
      return ByteLanes<uint8_t, Kind::bit_and>(job, begin, end);
    case Kind::bit_or:
      return ByteLanes<uint8_t, Kind::bit_or>(job, begin, end);
    case Kind::bit_xor:
      return ByteLanes<uint8_t, Kind::bit_xor>(job, begin, end);
    case Kind::copy:
      return CopyLanes(job, begin, end);
  }
}

}  // namespace
}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tputwin::fast {
namespace {

HWY_EXPORT(ElementwiseLanes);

using Kind = Elementwise::Kind;

struct Interval {
  int64_t low, high;
  bool inside(int64_t lowest, int64_t highest) const { return low >= lowest && high <= highest; }
};

Interval range_of(DType type) {
  int64_t top = (int64_t{1} << ((is_16bit(type) ? 16 : 8) - is_signed(type))) - 1;
  return {is_signed(type) ? -top - 1 : 0, top};
}

// Returns true for bitwise operations and copies, which do not depend on the type.
bool is_bytewise(Kind kind) {
  return kind == Kind::bit_and || kind == Kind::bit_or || kind == Kind::bit_xor ||
         kind == Kind::copy;
}

// Returns the elements that hold every operand and intermediate value, or nothing if even 32 bits
// are not enough.
std::optional<Width> width_of(const Elementwise& op, bool has_b) {
  const Interval a = range_of(op.a.dtype);
  const Interval b = has_b ? range_of(op.b.dtype) : Interval{op.constant, op.constant};
  const bool fit_i16 = a.inside(-32768, 32767) && b.inside(-32768, 32767);
  const bool fit_u16 = a.inside(0, 65535) && b.inside(0, 65535);
  const int64_t reach = std::max(-a.low, a.high) * std::max(std::abs(b.low), std::abs(b.high));
  switch (op.kind) {
    case Kind::mul:
      if (reach >= int64_t{1} << 31) return {};
      if (fit_i16 && reach < 32767 && op.rshift <= 16) return Width::i16;
      return fit_u16 && reach < 65535 && op.rshift <= 16 ? Width::u16 : Width::i32;
    case Kind::mac:
      // old << 14, the product and half a unit of the last place stay inside 32 bits
      return fit_i16 && reach <= 65536 && op.lshift <= 14 && is_signed(op.out.dtype) ? Width::i16
                                                                                     : Width::i32;
    case Kind::shift:
      return fit_i16 ? Width::i16 : Width::i32;
    case Kind::add:
    case Kind::sub:
      // elements saturate first, which must not be tighter than the saturation of the result
      if (fit_i16 && op.out.dtype != DType::u16) return Width::i16;
      return op.kind == Kind::add && fit_u16 ? Width::u16 : Width::i32;
    case Kind::max:
    case Kind::min:
      return !is_16bit(op.a.dtype) && !is_16bit(op.out.dtype) && b.inside(a.low, a.high) &&
                     (!has_b || is_signed(op.b.dtype) == is_signed(op.a.dtype))
                 ? Width::bytes
                 : Width::i32;
    default:
      return Width::i32;
  }
}

// Returns true if every plane that is read is the plane written at the same index, or disjoint from
// all planes written.
bool overlaps_allow(const Elementwise& op, bool has_b, const LocalMemory& local) {
  const bool out_16 = is_16bit(op.out.dtype);
  const Plane written[2] = {{&op.out}, {&op.out, op.out.plane_stride}};
  if (out_16 && !disjoint(written[0], written[1], local)) return false;
  auto readable = [&](const TensorView& v, bool wide) {
    for (uint32_t high = 0; high <= uint32_t{wide}; ++high)
      for (uint32_t w = 0; w <= uint32_t{out_16}; ++w) {
        Plane plane{&v, high ? v.plane_stride : 0};
        bool same = high == w && same_bytes(plane, written[w]);
        if (!same && !disjoint(plane, written[w], local)) return false;
      }
    return true;
  };
  return readable(op.a, is_16bit(op.a.dtype)) && (!has_b || readable(op.b, is_16bit(op.b.dtype))) &&
         (op.kind != Kind::mac || readable(op.out, true));
}

bool is_regular(const TensorView& v, const Shape& shape) {
  return v.space == Space::local && v.shape == shape && v.shape.count() != 0 && has_dense_rows(v);
}

Declined planes(const Elementwise& op, const Memory& memory) {
  const bool has_b = op.kind != Kind::copy && !op.b_is_constant;
  const Shape& shape = op.out.shape;
  if (!is_regular(op.out, shape) || !is_regular(op.a, shape) || (has_b && !is_regular(op.b, shape)))
    return "no rows of bytes in lanes";
  const bool out_16 = is_16bit(op.out.dtype);
  if (is_bytewise(op.kind) &&
      (is_16bit(op.a.dtype) != out_16 || (has_b && is_16bit(op.b.dtype) != out_16)))
    return "operands of different widths";
  const std::optional<Width> width = width_of(op, has_b);
  if (op.lshift > 31 || op.rshift > 31 || !width) return "32 bits do not hold the numbers";
  if (!overlaps_allow(op, has_b, memory.local)) return "results overlap a source in part";

  constexpr uint64_t kBytesWorthATask = 128 << 10;
  const ElementwiseJob job{op, memory, *width, has_b};
  const uint64_t bytes = shape.count() * (has_b ? 3 : 2) * (out_16 ? 2 : 1);
  share_out(local_slots(shape, memory.local).count, bytes, kBytesWorthATask,
            [&](size_t begin, size_t end) {
              HWY_DYNAMIC_DISPATCH(ElementwiseLanes)(job, begin, end);
            });
  return kRan;
}

}  // namespace

TW_FAST_KERNELS(Elementwise, {"byte planes", planes})

}  // namespace tputwin::fast
#endif
