// float_arithmetic and select: formulas of two fp32 operands over runs of elements.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/fast/float_arithmetic.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include "ops/fast/f32-inl.h"
#include "ops/fast/fast.h"
#include "ops/fast/isa.h"
#include "ops/fast/streams-inl.h"
#include "ops/float_arithmetic.h"
#include "ops/select.h"

#ifndef TPUTWIN_FAST_ARITHMETIC_F32_ONCE
#define TPUTWIN_FAST_ARITHMETIC_F32_ONCE
namespace tputwin::fast {

using ArithmeticStreams = Streams<4, 1>;  // out, a, b, out as it was
using SelectStreams = Streams<5, 1>;      // out, a, b, if_true, if_false

}  // namespace tputwin::fast
#endif

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace {

struct Sum {
  static constexpr size_t kSources = 2;
  static constexpr bool kMakesNan = true;
  HWY_INLINE Floats Apply(Floats a, Floats b) const { return hn::Add(a, b); }
  static float Element(float a, float b) { return f32::add(a, b); }
};
struct Difference {
  static constexpr size_t kSources = 2;
  static constexpr bool kMakesNan = true;
  HWY_INLINE Floats Apply(Floats a, Floats b) const { return hn::Sub(a, b); }
  static float Element(float a, float b) { return f32::sub(a, b); }
};
struct Product {
  static constexpr size_t kSources = 2;
  static constexpr bool kMakesNan = true;
  HWY_INLINE Floats Apply(Floats a, Floats b) const { return hn::Mul(a, b); }
  static float Element(float a, float b) { return f32::mul(a, b); }
};
struct Quotient {
  static constexpr size_t kSources = 2;
  static constexpr bool kMakesNan = true;
  HWY_INLINE Floats Apply(Floats a, Floats b) const { return divide(a, b); }
  static float Element(float a, float b) { return f32::div(a, b); }
};
struct ProductSum {
  static constexpr size_t kSources = 3;
  static constexpr bool kMakesNan = true;
  HWY_INLINE Floats Apply(Floats a, Floats b, Floats old) const {
    return hn::Add(hn::Mul(a, b), old);
  }
  static float Element(float a, float b, float old) { return f32::mac(a, b, old); }
};
struct Larger {
  static constexpr size_t kSources = 2;
  static constexpr bool kMakesNan = false;
  HWY_INLINE Floats Apply(Floats a, Floats b) const {
    return flush(hn::IfThenElse(hn::Gt(a, b), a, b));
  }
};
struct Smaller {
  static constexpr size_t kSources = 2;
  static constexpr bool kMakesNan = false;
  HWY_INLINE Floats Apply(Floats a, Floats b) const { return hn::IfThenElse(hn::Le(a, b), a, b); }
};

void ArithmeticLanes(FloatArithmetic::Kind kind, const ArithmeticStreams& streams,
                     const Memory& memory, size_t begin, size_t end) {
  using Kind = FloatArithmetic::Kind;
  switch (kind) {
    case Kind::add:
      return compute_lanes(Sum(), streams, memory, begin, end);
    case Kind::sub:
      return compute_lanes(Difference(), streams, memory, begin, end);
    case Kind::mul:
      return compute_lanes(Product(), streams, memory, begin, end);
    case Kind::div:
      return compute_lanes(Quotient(), streams, memory, begin, end);
    case Kind::mac:
      return compute_lanes(ProductSum(), streams, memory, begin, end);
    case Kind::max:
      return compute_lanes(Larger(), streams, memory, begin, end);
    case Kind::min:
      return compute_lanes(Smaller(), streams, memory, begin, end);
    default:
      return;
  }
}

template <class Condition>
struct Choice {
  static constexpr size_t kSources = 4;
  static constexpr bool kMakesNan = false;
  HWY_INLINE Floats Apply(Floats a, Floats b, Floats if_true, Floats if_false) const {
    return hn::IfThenElse(Condition::Holds(a, b), if_true, if_false);
  }
};
struct Greater {
  static HWY_INLINE hn::Mask<F32> Holds(Floats a, Floats b) { return hn::Gt(a, b); }
};
struct EqualBits {
  static HWY_INLINE hn::Mask<F32> Holds(Floats a, Floats b) {
    return hn::RebindMask(F32(), hn::Eq(hn::BitCast(I32(), a), hn::BitCast(I32(), b)));
  }
};
struct Equal {
  static HWY_INLINE hn::Mask<F32> Holds(Floats a, Floats b) {
    return hn::Not(hn::Or(hn::Gt(a, b), hn::Gt(b, a)));
  }
};

void SelectLanes(Select::Compare compare, const SelectStreams& streams, const Memory& memory,
                 size_t begin, size_t end) {
  switch (compare) {
    case Select::Compare::greater:
      return compute_lanes(Choice<Greater>(), streams, memory, begin, end);
    case Select::Compare::equal_bits:
      return compute_lanes(Choice<EqualBits>(), streams, memory, begin, end);
    default:  // equal; the others are not covered
      return compute_lanes(Choice<Equal>(), streams, memory, begin, end);
  }
}

}  // namespace
}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tputwin::fast {
namespace {

HWY_EXPORT(ArithmeticLanes);
HWY_EXPORT(SelectLanes);

}  // namespace

bool execute(const FloatArithmetic& op, const Memory& memory) {
  if (op.out.dtype != DType::f32 || op.kind > FloatArithmetic::Kind::min || op.a.along_n)
    return false;
  const ArithmeticStreams streams{{op.out, op.a, op.b, op.out}};
  if (!vectors_enabled() || !streams.regular(memory.local)) return false;
  const uint64_t weight = op.kind == FloatArithmetic::Kind::div ? 8 : 1;
  for_lanes(op.out.shape, memory.local, weight, [&](size_t begin, size_t end) {
    HWY_DYNAMIC_DISPATCH(ArithmeticLanes)(op.kind, streams, memory, begin, end);
  });
  return true;
}

bool execute(const Select& op, const Memory& memory) {
  if (op.type != DType::f32 || op.extreme || op.compare > Select::Compare::equal) return false;
  const SelectStreams streams{{op.out, op.a, op.b, op.if_true, op.if_false}};
  if (!vectors_enabled() || !streams.regular(memory.local)) return false;
  for_lanes(op.out.shape, memory.local, 1, [&](size_t begin, size_t end) {
    HWY_DYNAMIC_DISPATCH(SelectLanes)(op.compare, streams, memory, begin, end);
  });
  return true;
}

}  // namespace tputwin::fast
#endif
