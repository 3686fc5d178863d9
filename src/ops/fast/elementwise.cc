// elementwise: the runs that all operands have in common, computed in 8, 16 or 32-bit lanes.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/fast/elementwise.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include "base/parallel.h"
#include "ops/elementwise/elementwise.h"
#include "ops/fast/fast.h"
#include "ops/fast/select/isa.h"
#include "ops/fast/vec/bytes-inl.h"
#include "ops/fast/vec/narrow-inl.h"

#ifndef TPUTWIN_FAST_ELEMENTWISE_ONCE
#define TPUTWIN_FAST_ELEMENTWISE_ONCE
namespace tputwin::fast {

// The narrowest lanes that hold every intermediate value.
enum class Width : uint8_t { bytes, i16, u16, i32 };

struct ElementwisePlan {
  const Elementwise& op;
  const Memory& memory;
  Width width;
  bool has_b;  // a tensor b
};

}  // namespace tputwin::fast
#endif

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace {

using Kind = Elementwise::Kind;

// An operand, widened to lanes of D. Which form it has is known before the loop: the branches in
// Load() cost less than extending the sign by arithmetic.
template <class D>
class Source {
 public:
  Source(const TensorView& v, bool wide)
      : is_signed_(is_signed(v.dtype)), wide_(wide), high_(v.plane_stride) {}
  explicit Source(int32_t c) : constant_(true), value_(static_cast<hn::TFromD<D>>(c)) {}

  template <bool kWhole>
  HWY_INLINE hn::Vec<D> Load(D d, const uint8_t* p, size_t n) const {
    if (constant_) return hn::Set(d, value_);
    if (!wide_) return Widen<kWhole>(d, p, n);
    const hn::Rebind<uint8_t, D> d8;
    const auto low = hn::PromoteTo(d, LoadBytes<kWhole>(d8, p, n));
    return hn::Or(low, hn::ShiftLeft<8>(Widen<kWhole>(d, p + high_, n)));
  }

 private:
  // One byte plane: that of bytes, or the upper one.
  template <bool kWhole>
  HWY_INLINE hn::Vec<D> Widen(D d, const uint8_t* p, size_t n) const {
    if constexpr (std::is_signed_v<hn::TFromD<D>>)
      if (is_signed_) return hn::PromoteTo(d, LoadBytes<kWhole>(hn::Rebind<int8_t, D>(), p, n));
    return hn::PromoteTo(d, LoadBytes<kWhole>(hn::Rebind<uint8_t, D>(), p, n));
  }

  bool constant_ = false, is_signed_ = false, wide_ = false;
  size_t high_ = 0;  // distance of the high-byte plane
  hn::TFromD<D> value_ = 0;
};

// Where results go: clamped to [low, high] and split into byte planes.
template <class D>
struct Sink {
  using T = hn::TFromD<D>;
  bool wide;
  size_t plane;
  T low, high;

  explicit Sink(const TensorView& v) : wide(is_16bit(v.dtype)), plane(v.plane_stride) {
    // lanes as narrow as the type need no clamp
    auto clamp = [](int64_t x) {
      return static_cast<T>(std::clamp<int64_t>(x, hwy::LimitsMin<T>(), hwy::LimitsMax<T>()));
    };
    int64_t top = (int64_t{1} << ((wide ? 16 : 8) - is_signed(v.dtype))) - 1;
    high = clamp(top);
    low = clamp(is_signed(v.dtype) ? -top - 1 : 0);
  }

  HWY_INLINE hn::Vec<D> Clamp([[maybe_unused]] D d, hn::Vec<D> v) const {
    return hn::Min(hn::Max(v, hn::Set(d, low)), hn::Set(d, high));
  }

  template <bool kWhole>
  HWY_INLINE void Store(D d, hn::Vec<D> v, uint8_t* p, size_t n) const {
    const hn::Rebind<uint8_t, D> d8;
    StoreBytes<kWhole>(d8, LowBits<uint8_t>(d, v), p, n);
    if (wide) {
      auto upper = hn::ShiftRight<8>(v);  // its low byte is the same with or without sign
      StoreBytes<kWhole>(d8, LowBits<uint8_t>(d, upper), p + plane, n);
    }
  }
};

struct Shifts {
  int left, right;
};

// One formula per kind. kSaturates: the result is clamped to the type of out.
struct Mul {
  static constexpr bool kSaturates = true, kReadsOut = false;
  template <class D, class V>
  static HWY_INLINE V Apply(D d, V a, V b, V, Shifts s) {
    return RoundShift(d, hn::Mul(a, b), s.right);
  }
};
struct Mac {
  static constexpr bool kSaturates = true, kReadsOut = true;
  template <class D, class V>
  static HWY_INLINE V Apply(D d, V a, V b, V old, Shifts s) {
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR
    if constexpr (sizeof(hn::TFromD<D>) == 2) return Pairs(d, a, b, old, s);
#endif
    return RoundShift(d, hn::Add(hn::Mul(a, b), hn::ShiftLeftSame(old, s.left)), s.right);
  }

#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR
  // a * b + old * 2^left as the sum of two neighbouring products. Interleaving and packing both
  // work inside blocks of 128 bits, so that the order of elements is kept.
  template <class D, class V>
  static HWY_INLINE V Pairs(D d, V a, V b, V old, Shifts s) {
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
};
struct Sum {
  static constexpr bool kSaturates = true, kReadsOut = false;
  template <class D, class V>
  static HWY_INLINE V Apply(D, V a, V b, V, Shifts) {
    if constexpr (sizeof(hn::TFromD<D>) == 2) return hn::SaturatedAdd(a, b);
    return hn::Add(a, b);
  }
};
struct Difference {
  static constexpr bool kSaturates = true, kReadsOut = false;
  template <class D, class V>
  static HWY_INLINE V Apply(D, V a, V b, V, Shifts) {
    if constexpr (sizeof(hn::TFromD<D>) == 2) return hn::SaturatedSub(a, b);
    return hn::Sub(a, b);
  }
};
struct Larger {
  static constexpr bool kSaturates = false, kReadsOut = false;
  template <class D, class V>
  static HWY_INLINE V Apply(D, V a, V b, V, Shifts) {
    return hn::Max(a, b);
  }
};
struct Smaller {
  static constexpr bool kSaturates = false, kReadsOut = false;
  template <class D, class V>
  static HWY_INLINE V Apply(D, V a, V b, V, Shifts) {
    return hn::Min(a, b);
  }
};
struct Shift {
  static constexpr bool kSaturates = false, kReadsOut = false;
  template <class D, class V>
  static HWY_INLINE V Apply(D d, V a, V b, V, Shifts) {
    // one of the counts is 0; a left shift by 16 already leaves 16 zero bits
    auto left = hn::Min(hn::Max(b, hn::Zero(d)), hn::Set(d, 16));
    constexpr int kMost = sizeof(hn::TFromD<D>) * 8 - 1;
    auto right = hn::Neg(hn::Max(hn::Min(b, hn::Zero(d)), hn::Set(d, -kMost)));
    return hn::Shr(hn::Shl(a, left), right);
  }
};
struct BitAnd {
  template <class D, class V>
  static HWY_INLINE V Apply(D, V a, V b, V, Shifts) {
    return hn::And(a, b);
  }
};
struct BitOr {
  template <class D, class V>
  static HWY_INLINE V Apply(D, V a, V b, V, Shifts) {
    return hn::Or(a, b);
  }
};
struct BitXor {
  template <class D, class V>
  static HWY_INLINE V Apply(D, V a, V b, V, Shifts) {
    return hn::Xor(a, b);
  }
};

using Pointers = std::array<uint8_t*, 3>;  // out, a, b

// Calls lane(runs, pointers) for every lane slot in [begin, end).
template <class Lane>
HWY_INLINE void ForEachLane(const ElementwisePlan& plan, size_t begin, size_t end,
                            const Lane& lane) {
  const Elementwise& op = plan.op;
  const TensorView& b = plan.has_b ? op.b : op.a;
  Runs<3> runs;
  uint32_t groups = 0;
  for (size_t slot = begin; slot < end; ++slot) {
    uint32_t c = static_cast<uint32_t>(slot);
    if (uint32_t here = slot_groups(op.out.shape, plan.memory.local, c); here != groups) {
      groups = here;
      runs = lane_runs<3>({&op.out, &op.a, &b}, groups);
    }
    lane(runs, Pointers{plan.memory.byte(op.out, 0, c, 0, 0), plan.memory.byte(op.a, 0, c, 0, 0),
                        plan.memory.byte(b, 0, c, 0, 0)});
  }
}

// Everything about an instruction that its inner loop needs.
template <class D, class Op>
struct Kernel {
  Source<D> a, b, old;
  Sink<D> sink;
  Shifts shifts;

  explicit Kernel(const ElementwisePlan& plan)
      : a(plan.op.a, is_16bit(plan.op.a.dtype)),
        b(plan.has_b ? Source<D>(plan.op.b, is_16bit(plan.op.b.dtype))
                     : Source<D>(plan.op.constant)),
        old(plan.op.out, true),
        sink(plan.op.out),
        shifts{static_cast<int>(plan.op.lshift), static_cast<int>(plan.op.rshift)} {}

  template <bool kWhole>
  HWY_INLINE void Step(const Pointers& p, size_t i, size_t n) const {
    const D d;
    auto before = hn::Zero(d);
    if constexpr (Op::kReadsOut) before = old.template Load<kWhole>(d, p[0] + i, n);
    auto v = Op::Apply(d, a.template Load<kWhole>(d, p[1] + i, n),
                       b.template Load<kWhole>(d, p[2] + i, n), before, shifts);
    if constexpr (Op::kSaturates) v = sink.Clamp(d, v);
    sink.template Store<kWhole>(d, v, p[0] + i, n);
  }

  HWY_INLINE void Span(Pointers p, size_t length) const {
    // A copy whose address nobody has: else every byte stored might change it.
    const Kernel kernel = *this;
    const size_t lanes = hn::Lanes(D()), whole = length - length % lanes;
    for (size_t i = 0; i < whole; i += lanes) kernel.template Step<true>(p, i, 0);
    if (whole < length) kernel.template Step<false>(p, whole, length - whole);
  }
};

// Operations whose result bytes depend on one byte of each operand.
template <class T, class Op>
struct ByteKernel {
  bool has_b;
  T constant;

  template <bool kWhole>
  HWY_INLINE void Step(const Pointers& p, size_t i, size_t n) const {
    const hn::ScalableTag<T> d;
    const auto value = hn::Set(d, constant);
    const auto b = has_b ? LoadBytes<kWhole>(d, p[2] + i, n) : value;
    const auto v = Op::Apply(d, LoadBytes<kWhole>(d, p[1] + i, n), b, value, Shifts{});
    StoreBytes<kWhole>(d, v, p[0] + i, n);
  }

  HWY_INLINE void Span(Pointers p, size_t length) const {
    const ByteKernel kernel = *this;
    const size_t lanes = hn::Lanes(hn::ScalableTag<T>()), whole = length - length % lanes;
    for (size_t i = 0; i < whole; i += lanes) kernel.template Step<true>(p, i, 0);
    if (whole < length) kernel.template Step<false>(p, whole, length - whole);
  }
};

template <class D, class Op>
void Lanes(const ElementwisePlan& plan, size_t begin, size_t end) {
  const Kernel<D, Op> kernel(plan);
  ForEachLane(plan, begin, end, [&](const Runs<3>& runs, const Pointers& at) HWY_ATTR {
    for_each_run(runs, at, [&](const Pointers& p, size_t n) HWY_ATTR { kernel.Span(p, n); });
  });
}

template <class T, class Op>
void ByteLanes(const ElementwisePlan& plan, size_t begin, size_t end) {
  const Elementwise& op = plan.op;
  const auto plane = [&](const Runs<3>& runs, const Pointers& at, int32_t constant) HWY_ATTR {
    const ByteKernel<T, Op> kernel{plan.has_b, static_cast<T>(constant)};
    for_each_run(runs, at, [&](const Pointers& p, size_t n) HWY_ATTR { kernel.Span(p, n); });
  };
  ForEachLane(plan, begin, end, [&](const Runs<3>& runs, const Pointers& at) HWY_ATTR {
    plane(runs, at, op.constant);
    if (is_16bit(op.out.dtype))
      plane(runs,
            {at[0] + op.out.plane_stride, at[1] + op.a.plane_stride, at[2] + op.b.plane_stride},
            op.constant >> 8);
  });
}

void CopyLanes(const ElementwisePlan& plan, size_t begin, size_t end) {
  const Elementwise& op = plan.op;
  ForEachLane(plan, begin, end, [&](const Runs<3>& runs, const Pointers& at) HWY_ATTR {
    for_each_run(runs, at, [&](const Pointers& p, size_t length) HWY_ATTR {
      std::memmove(p[0], p[1], length);
      if (is_16bit(op.out.dtype))
        std::memmove(p[0] + op.out.plane_stride, p[1] + op.a.plane_stride, length);
    });
  });
}

template <class Op>
void Widths(const ElementwisePlan& plan, size_t begin, size_t end) {
  switch (plan.width) {
    case Width::bytes:
      return;
    case Width::i16:
      return Lanes<hn::ScalableTag<int16_t>, Op>(plan, begin, end);
    case Width::u16:
      return Lanes<hn::ScalableTag<uint16_t>, Op>(plan, begin, end);
    case Width::i32:
      return Lanes<hn::ScalableTag<int32_t>, Op>(plan, begin, end);
  }
}

template <class Op>
void Extremum(const ElementwisePlan& plan, size_t begin, size_t end) {
  if (plan.width == Width::i32) return Lanes<hn::ScalableTag<int32_t>, Op>(plan, begin, end);
  return is_signed(plan.op.a.dtype) ? ByteLanes<int8_t, Op>(plan, begin, end)
                                    : ByteLanes<uint8_t, Op>(plan, begin, end);
}

void ElementwiseLanes(const ElementwisePlan& plan, size_t begin, size_t end) {
  using D16 [[maybe_unused]] = hn::ScalableTag<int16_t>;
  using D32 = hn::ScalableTag<int32_t>;
  switch (plan.op.kind) {
    case Kind::mul:
      return Widths<Mul>(plan, begin, end);
    case Kind::mac:
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR
      if (plan.width == Width::i16) return Lanes<D16, Mac>(plan, begin, end);
#endif
      return Lanes<D32, Mac>(plan, begin, end);
    case Kind::add:
      return Widths<Sum>(plan, begin, end);
    case Kind::sub:
      return Widths<Difference>(plan, begin, end);
    case Kind::max:
      return Extremum<Larger>(plan, begin, end);
    case Kind::min:
      return Extremum<Smaller>(plan, begin, end);
    case Kind::shift:
#if HWY_TARGET <= HWY_AVX3  // has shifts of 16-bit lanes, each by its own count
      if (plan.width == Width::i16) return Lanes<D16, Shift>(plan, begin, end);
#endif
      return Lanes<D32, Shift>(plan, begin, end);
    case Kind::bit_and:
      return ByteLanes<uint8_t, BitAnd>(plan, begin, end);
    case Kind::bit_or:
      return ByteLanes<uint8_t, BitOr>(plan, begin, end);
    case Kind::bit_xor:
      return ByteLanes<uint8_t, BitXor>(plan, begin, end);
    case Kind::copy:
      return CopyLanes(plan, begin, end);
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

bool is_bytewise(Kind kind) {
  return kind == Kind::bit_and || kind == Kind::bit_or || kind == Kind::bit_xor ||
         kind == Kind::copy;
}

// The lanes that hold every operand and intermediate value; none if even 32 bits are not enough.
bool choose_width(const Elementwise& op, bool has_b, Width& width) {
  const Interval a = range_of(op.a.dtype);
  const Interval b = has_b ? range_of(op.b.dtype) : Interval{op.constant, op.constant};
  const bool fit_i16 = a.inside(-32768, 32767) && b.inside(-32768, 32767);
  const bool fit_u16 = a.inside(0, 65535) && b.inside(0, 65535);
  const int64_t reach = std::max(-a.low, a.high) * std::max(std::abs(b.low), std::abs(b.high));
  width = Width::i32;
  switch (op.kind) {
    case Kind::mul:
      if (fit_i16 && reach < 32767 && op.rshift <= 16)
        width = Width::i16;
      else if (fit_u16 && reach < 65535 && op.rshift <= 16)
        width = Width::u16;
      return reach < (int64_t{1} << 31);
    case Kind::mac:
      // old << 14, the product and half a unit of the last place stay inside 32 bits
      if (fit_i16 && reach <= 65536 && op.lshift <= 14 && is_signed(op.out.dtype))
        width = Width::i16;
      return true;
    case Kind::shift:
      if (fit_i16) width = Width::i16;
      return true;
    case Kind::add:
    case Kind::sub:
      // saturation in the lanes comes first: it must not be tighter than that of the result
      if (fit_i16 && op.out.dtype != DType::u16)
        width = Width::i16;
      else if (op.kind == Kind::add && fit_u16)
        width = Width::u16;
      return true;
    case Kind::max:
    case Kind::min: {
      bool narrow = !is_16bit(op.a.dtype) && !is_16bit(op.out.dtype) && b.inside(a.low, a.high) &&
                    (!has_b || is_signed(op.b.dtype) == is_signed(op.a.dtype));
      if (narrow) width = Width::bytes;
      return true;
    }
    default:
      return true;
  }
}

// Every plane read is either the plane written at the same place, or apart from all planes written.
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

bool regular(const TensorView& v, const Shape& shape) {
  return v.space == Space::local && v.shape == shape && dense_rows(v);
}

}  // namespace

bool execute(const Elementwise& op, const Memory& memory) {
  const bool has_b = op.kind != Kind::copy && !op.b_is_constant;
  const Shape& shape = op.out.shape;
  ElementwisePlan plan{op, memory, Width::i32, has_b};
  if (!vectors_enabled() || shape.count() == 0 || op.lshift > 31 || op.rshift > 31 ||
      !regular(op.out, shape) || !regular(op.a, shape) || (has_b && !regular(op.b, shape)) ||
      !choose_width(op, has_b, plan.width) || !overlaps_allow(op, has_b, memory.local))
    return false;
  const bool out_16 = is_16bit(op.out.dtype);
  if (is_bytewise(op.kind) &&
      (is_16bit(op.a.dtype) != out_16 || (has_b && is_16bit(op.b.dtype) != out_16)))
    return false;

  constexpr uint64_t kBytesPerTask = 128 << 10;
  const size_t slots = lane_slots(shape, memory.local);
  const uint64_t bytes = shape.count() * (has_b ? 3 : 2) * (out_16 ? 2 : 1);
  if (bytes < 2 * kBytesPerTask) {
    HWY_DYNAMIC_DISPATCH(ElementwiseLanes)(plan, 0, slots);
    return true;
  }
  parallel_for(slots, std::max<size_t>(1, slots * kBytesPerTask / bytes),
               [&](size_t begin, size_t end) {
                 HWY_DYNAMIC_DISPATCH(ElementwiseLanes)(plan, begin, end);
               });
  return true;
}

}  // namespace tputwin::fast
#endif
