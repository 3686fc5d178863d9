// float_arithmetic and select: formulas of two fp32 operands over runs of elements.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/fast/float_arithmetic.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include "ops/elementwise/float_arithmetic.h"
#include "ops/elementwise/select.h"
#include "ops/fast/fast.h"
#include "ops/fast/select/isa.h"
#include "ops/fast/select_rows.h"
#include "ops/fast/vec/float32-inl.h"
#include "ops/fast/walk/rows-inl.h"
#include "ops/fast/walk/streams-inl.h"

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
  bool b_first;
  HWY_INLINE Floats Apply(Floats a, Floats b) const { return hn::Add(a, b); }
  float Element(float a, float b) const { return b_first ? f32::add(b, a) : f32::add(a, b); }
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
  HWY_INLINE Floats Apply(Floats a, Floats b) const { return multiply(a, b); }
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
  bool b_first;
  HWY_INLINE Floats Apply(Floats a, Floats b, Floats old) const {
    return hn::Add(multiply(a, b), old);
  }
  float Element(float a, float b, float old) const {
    return b_first ? f32::mac(b, a, old) : f32::mac(a, b, old);
  }
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

void ArithmeticLanes(const FloatArithmetic& op, const ArithmeticStreams& streams,
                     const Memory& memory, size_t begin, size_t end) {
  using Kind = FloatArithmetic::Kind;
  switch (op.kind) {
    case Kind::add:
      return compute_lanes(Sum{op.b_first}, streams, memory, begin, end);
    case Kind::sub:
      return compute_lanes(Difference(), streams, memory, begin, end);
    case Kind::mul:
      return compute_lanes(Product(), streams, memory, begin, end);
    case Kind::div:
      return compute_lanes(Quotient(), streams, memory, begin, end);
    case Kind::mac:
      return compute_lanes(ProductSum{op.b_first}, streams, memory, begin, end);
    case Kind::max:
      return compute_lanes(Larger(), streams, memory, begin, end);
    case Kind::min:
      return compute_lanes(Smaller(), streams, memory, begin, end);
    default:
      return;
  }
}

// What Streams do not cover: 16-bit types, and the operations of the BM1684X.
using Kind = FloatArithmetic::Kind;

template <Kind kKind, DType kType>
HWY_INLINE Floats Formula(Floats a, Floats b, [[maybe_unused]] Floats c) {
  if constexpr (kKind == Kind::add) return hn::Add(a, b);
  if constexpr (kKind == Kind::sub) return hn::Sub(a, b);
  if constexpr (kKind == Kind::mul) return multiply(a, b);
  if constexpr (kKind == Kind::div) return divide(a, b);
  if constexpr (kKind == Kind::diff_abs)
    return hn::IfThenElse(hn::Gt(a, b), hn::Sub(a, b), hn::Sub(b, a));
  if constexpr (kKind == Kind::mac || kKind == Kind::mul_add)
    return hn::Add(RoundTo<kType>(multiply(a, b)), c);
  const Floats sum = RoundTo<kType>(kKind == Kind::add_square ? hn::Add(a, b) : hn::Sub(a, b));
  return multiply(sum, sum);
}

// Which NaN an fp32 result is depends on the order of operands.
HWY_NOINLINE void FloatElements(const FloatArithmetic& op, const RowBlock& block, size_t i) {
  const float* const c = block.at[3] == nullptr ? block.source<float>(1) : block.source<float>(3);
  for (size_t j = i; j < i + hn::Lanes(F32()); ++j)
    block.result<float>()[j] =
        float_arithmetic(op, block.source<float>(1)[j], block.source<float>(2)[j], c[j]);
}

// Elements are moved as bits; numbers only decide which one.
template <Kind kKind, DType kType>
void ChoiceBlock(const RowBlock& block) {
  const I32 d;
  ForEachRowVector(block, [&](size_t i) HWY_ATTR {
    const Floats a = LoadElements<kType>(block, 1, i), b = LoadElements<kType>(block, 2, i);
    const auto is_a = kKind == Kind::max   ? hn::Gt(a, b)
                      : kKind == Kind::min ? hn::Le(a, b)
                                           : hn::Not(hn::Le(b, a));
    const Ints bits = hn::IfThenElse(hn::RebindMask(d, is_a), LoadBits<kType>(block, 1, i),
                                     LoadBits<kType>(block, 2, i));
    StoreBits<kType>(kKind == Kind::min ? bits : FlushBits<kType>(bits), block, i);
  });
}

template <Kind kKind, DType kType>
void FloatBlock(const FloatArithmetic& op, const RowBlock& block) {
  constexpr bool kThird = kKind == Kind::mac || kKind == Kind::mul_add;
  ForEachRowVector(block, [&](size_t i) HWY_ATTR {
    const Floats a = LoadElements<kType>(block, 1, i), b = LoadElements<kType>(block, 2, i);
    const Floats c = kThird ? LoadElements<kType>(block, 3, i) : hn::Zero(F32());
    const Floats result = Formula<kKind, kType>(a, b, c);
    if constexpr (kType == DType::f32)
      if (HWY_UNLIKELY(!hn::AllFalse(F32(), hn::IsNaN(result)))) return FloatElements(op, block, i);
    StoreElements<kType>(result, block, i);
  });
}

template <Kind kKind, DType kType>
void BlockOf(const FloatArithmetic& op, const RowBlock& block) {
  if constexpr (is_choice(kKind))
    ChoiceBlock<kKind, kType>(block);
  else
    FloatBlock<kKind, kType>(op, block);
}

template <Kind kKind>
void BlockOf(const FloatArithmetic& op, const RowBlock& block) {
  if (op.out.dtype == DType::f16) return BlockOf<kKind, DType::f16>(op, block);
  if (op.out.dtype == DType::bf16) return BlockOf<kKind, DType::bf16>(op, block);
  return BlockOf<kKind, DType::f32>(op, block);
}

void FloatRows(const void* operation, const RowBlock& block) {
  const auto& op = *static_cast<const FloatArithmetic*>(operation);
  switch (op.kind) {
    case Kind::add:
      return BlockOf<Kind::add>(op, block);
    case Kind::sub:
      return BlockOf<Kind::sub>(op, block);
    case Kind::mul:
      return BlockOf<Kind::mul>(op, block);
    case Kind::div:
      return FloatBlock<Kind::div, DType::f32>(op, block);
    case Kind::mac:
      return FloatBlock<Kind::mac, DType::f32>(op, block);
    case Kind::max:
      return BlockOf<Kind::max>(op, block);
    case Kind::min:
      return BlockOf<Kind::min>(op, block);
    case Kind::lesser:
      return BlockOf<Kind::lesser>(op, block);
    case Kind::diff_abs:
      return BlockOf<Kind::diff_abs>(op, block);
    case Kind::add_square:
      return BlockOf<Kind::add_square>(op, block);
    case Kind::sub_square:
      return BlockOf<Kind::sub_square>(op, block);
    case Kind::mul_add:
      return BlockOf<Kind::mul_add>(op, block);
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
HWY_EXPORT(FloatRows);

void float_rows(const void* operation, const RowBlock& block) {
  HWY_DYNAMIC_DISPATCH(FloatRows)(operation, block);
}

// Constants of the BM1684 come without their type.
RowOperand typed(Source source, DType dtype) {
  source.view.dtype = dtype;
  return row_source(source);
}

bool execute_rows(const FloatArithmetic& op, const Memory& memory) {
  using Kind = FloatArithmetic::Kind;
  const DType dtype = op.out.dtype;
  const RowOperand out = row_result(op.out), a = typed(op.a, dtype), b = typed(op.b, dtype);
  const auto run = [&](std::initializer_list<RowOperand> operands) {
    return run_rows(operands, memory, RowLanes::elements, float_rows, &op,
                    op.kind == Kind::div ? 8 : 1);
  };
  if (op.kind == Kind::mul_add) return run({out, a, b, typed(op.c, dtype)});
  if (op.kind == Kind::mac) return run({out, a, b, row_source(op.out)});
  return run({out, a, b});
}

}  // namespace

bool execute(const FloatArithmetic& op, const Memory& memory) {
  if (!vectors_enabled()) return false;
  if (op.out.dtype != DType::f32 || op.kind > FloatArithmetic::Kind::min || op.a.along_n)
    return execute_rows(op, memory);
  const ArithmeticStreams streams{{op.out, op.a, op.b, op.out}};
  if (!streams.regular(memory.local)) return execute_rows(op, memory);
  const uint64_t weight = op.kind == FloatArithmetic::Kind::div ? 8 : 1;
  for_lanes(op.out.shape, memory.local, weight, [&](size_t begin, size_t end) {
    HWY_DYNAMIC_DISPATCH(ArithmeticLanes)(op, streams, memory, begin, end);
  });
  return true;
}

bool execute(const Select& op, const Memory& memory) {
  if (op.type != DType::f32 || op.extreme || op.compare > Select::Compare::equal)
    return select_rows(op, memory);
  const SelectStreams streams{{op.out, op.a, op.b, op.if_true, op.if_false}};
  if (!vectors_enabled() || !streams.regular(memory.local)) return false;
  for_lanes(op.out.shape, memory.local, 1, [&](size_t begin, size_t end) {
    HWY_DYNAMIC_DISPATCH(SelectLanes)(op.compare, streams, memory, begin, end);
  });
  return true;
}

}  // namespace tputwin::fast
#endif
