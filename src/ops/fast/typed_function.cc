// typed_function: Taylor series and piecewise linear functions of fp32, fp16 and bf16, over whole
// planes. 16-bit elements are widened; every step is rounded to their type.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/fast/typed_function.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include <limits>
#include <vector>

#include "ops/contract/body_steps.h"
#include "ops/elementwise/float_function.h"
#include "ops/fast/select/isa.h"
#include "ops/fast/typed_function.h"
#include "ops/fast/vec/multiply-inl.h"
#include "ops/fast/vec/narrow-inl.h"
#include "ops/fast/views/views.h"
#include "ops/fast/walk/streams-inl.h"

#ifndef TPUTWIN_FAST_TYPED_FUNCTION_ONCE
#define TPUTWIN_FAST_TYPED_FUNCTION_ONCE
namespace tputwin::fast {

using TypedKind = FloatFunction::Kind;

// What the elements of a lane have in common: numbers of the type, as fp32.
struct TypedLane {
  const FloatFunction& op;
  const Memory& memory;
  uint32_t number;
  std::vector<float> coefficients;
  float alpha, beta, sixth;

  TypedLane(const FloatFunction& function, const Memory& lanes, uint32_t lane)
      : op(function),
        memory(lanes),
        number(lane),
        alpha(round_to(op.parameters.alpha, op.out.dtype)),
        beta(round_to(op.parameters.beta, op.out.dtype)),
        sixth(round_to(1.0f / 6.0f, op.out.dtype)) {
    if (op.kind != TypedKind::taylor) return;
    for (uint32_t i = 0; i < op.coeff->shape.w; ++i)
      coefficients.push_back(read_float(memory, *op.coeff, 0, lane, 0, i));
  }
};

// One plane of elements.
using TypedPlane = void (*)(const TypedLane& lane, const uint8_t* from, uint8_t* to, size_t count);

}  // namespace tputwin::fast
#endif

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace {

using U16 = hn::Rebind<uint16_t, F32>;

HWY_INLINE Ints integers(int32_t value) { return hn::Set(I32(), value); }
HWY_INLINE Ints bits(Floats x) { return hn::BitCast(I32(), x); }
HWY_INLINE Floats floats(Ints bits) { return hn::BitCast(F32(), bits); }
HWY_INLINE Ints load_16(const void* p) {
  return hn::PromoteTo(I32(), hn::LoadU(U16(), static_cast<const uint16_t*>(p)));
}
HWY_INLINE void store_16(Ints x, void* p) {
  hn::StoreU(LowBits<uint16_t>(I32(), x), U16(), static_cast<uint16_t*>(p));
}
HWY_INLINE Ints with_nan(Floats x, Ints result) {
  return hn::IfThenElse(hn::RebindMask(I32(), hn::IsNaN(x)), integers(kHalfNan), result);
}

struct Fp32 {
  static constexpr size_t kBytes = 4;
  static HWY_INLINE Floats Load(const void* p) {
    return hn::LoadU(F32(), static_cast<const float*>(p));
  }
  static HWY_INLINE void Store(Floats x, void* p) { hn::StoreU(x, F32(), static_cast<float*>(p)); }
  static HWY_INLINE Floats Round(Floats x) { return x; }
};

struct Bf16 {
  static constexpr size_t kBytes = 2;
  static HWY_INLINE Floats Load(const void* p) { return floats(hn::ShiftLeft<16>(load_16(p))); }
  static HWY_INLINE void Store(Floats x, void* p) {
    store_16(with_nan(x, hn::And(hn::ShiftRight<16>(bits(x)), integers(0xffff))), p);
  }
  static HWY_INLINE Floats Round(Floats x) {
    const Ints odd = hn::And(hn::ShiftRight<16>(bits(x)), integers(1));
    const Ints sum = hn::Add(bits(x), hn::Add(odd, integers(0x7fff)));
    const Floats rounded = floats(hn::And(sum, integers(-0x10000)));
    return hn::IfThenElse(hn::IsNaN(x), x, rounded);
  }
};

struct Fp16 {
  static constexpr size_t kBytes = 2;
  static constexpr int32_t kBias = 112;  // of the exponents of fp32, more than those of fp16

  static HWY_INLINE Floats Load(const void* p) {
    const Ints half = load_16(p), magnitude = hn::And(half, integers(0x7fff));
    const Floats subnormal = hn::Mul(hn::ConvertTo(F32(), magnitude), hn::Set(F32(), 0x1p-24f));
    const Ints wide = hn::ShiftLeft<13>(magnitude);
    const Ints normal = hn::Add(wide, integers(kBias << 23));
    const Ints special = hn::Or(wide, integers(0x7f80'0000));
    Ints value = hn::IfThenElse(hn::Gt(integers(0x0400), magnitude), bits(subnormal), normal);
    value = hn::IfThenElse(hn::Gt(magnitude, integers(0x7bff)), special, value);
    return floats(hn::Or(value, hn::ShiftLeft<16>(hn::And(half, integers(0x8000)))));
  }
  static HWY_INLINE void Store(Floats x, void* p) {
    const Floats a = hn::Abs(x);
    const Ints subnormal = hn::ConvertTo(I32(), hn::Mul(a, hn::Set(F32(), 0x1p24f)));
    const Ints normal = hn::Sub(hn::ShiftRight<13>(bits(a)), integers(kBias << 10));
    const auto small = hn::RebindMask(I32(), hn::Lt(a, hn::Set(F32(), 0x1p-14f)));
    const auto large = hn::RebindMask(I32(), hn::Gt(a, hn::Set(F32(), 65504.0f)));
    Ints value = hn::IfThenElse(small, subnormal, normal);
    value = hn::IfThenElse(large, integers(0x7c00), value);
    const Ints sign = hn::And(hn::ShiftRight<16>(bits(x)), integers(0x8000));
    store_16(with_nan(x, hn::Or(value, sign)), p);
  }
  // Normal numbers lose 13 bits; below them, sums with 0.75 round to multiples of 2^-24.
  static HWY_INLINE Floats Round(Floats x) {
    const Floats a = hn::Abs(x), shift = hn::Set(F32(), 0.75f);
    const Ints odd = hn::And(hn::ShiftRight<13>(bits(a)), integers(1));
    const Ints sum = hn::Add(bits(a), hn::Add(odd, integers(0x0fff)));
    const Floats normal = floats(hn::And(sum, integers(-0x2000)));
    const Floats subnormal = hn::Sub(hn::Add(a, shift), shift);
    Floats value = hn::IfThenElse(hn::Lt(a, hn::Set(F32(), 0x1p-14f)), subnormal, normal);
    value = hn::IfThenElse(hn::Gt(value, hn::Set(F32(), 65504.0f)),
                           hn::Set(F32(), std::numeric_limits<float>::infinity()), value);
    return hn::IfThenElse(hn::IsNaN(x), x, hn::CopySign(value, x));
  }
};

// Vectors side by side: a series is a chain of operations that wait for each other.
constexpr size_t kVectors = 4;
struct Block {
  Floats v[kVectors];
  HWY_INLINE Block() {}  // not a default one, which GCC would compile for the baseline
};

template <class Type, TypedKind kKind>
HWY_INLINE void apply(const TypedLane& lane, Block& x) {
  const F32 d;
  const Floats zero = hn::Zero(d), one = hn::Set(d, 1.0f);
  const auto clamp = [&](Floats y, float most) HWY_ATTR {
    const Floats top = hn::Set(d, most), above = hn::IfThenElseZero(hn::Gt(y, zero), y);
    return hn::IfThenElse(hn::Le(above, top), above, top);
  };
  if constexpr (kKind == TypedKind::taylor) {
    Block sum;
    for (Floats& v : sum.v) v = hn::Set(d, lane.coefficients.back());
    for (size_t i = lane.coefficients.size() - 1; i-- > 0;) {
      const Floats c = hn::Set(d, lane.coefficients[i]);
      for (size_t k = 0; k < kVectors; ++k) {
        const Floats product = Type::Round(multiply(sum.v[k], x.v[k]));
        sum.v[k] = Type::Round(hn::Add(product, c));
      }
    }
    x = sum;
    return;
  }
  for (Floats& v : x.v) {
    if constexpr (kKind == TypedKind::hsigmoid) {
      const Floats product = Type::Round(multiply(v, hn::Set(d, lane.alpha)));
      v = clamp(Type::Round(hn::Add(product, hn::Set(d, lane.beta))), 1.0f);
    } else if constexpr (kKind == TypedKind::hswish) {
      const Floats clamped = clamp(Type::Round(hn::Add(v, hn::Set(d, 3.0f))), 6.0f);
      const Floats product = Type::Round(multiply(clamped, v));
      v = Type::Round(multiply(product, hn::Set(d, lane.sixth)));
    } else {
      const Ints exponent = integers(0x7f80'0000);
      const auto special = hn::Eq(hn::And(bits(v), exponent), exponent);
      v = hn::IfThenElse(hn::RebindMask(d, special), zero, one);
    }
  }
}

HWY_INLINE bool has_nan(const Block& x) {
  auto nan = hn::IsNaN(x.v[0]);
  for (size_t k = 1; k < kVectors; ++k) nan = hn::Or(nan, hn::IsNaN(x.v[k]));
  return !hn::AllFalse(F32(), nan);
}

// fp32 results that are NaN: vector units differ in which NaN they keep.
HWY_NOINLINE void make_nan_exact(const TypedLane& lane, const Block& x, float* results) {
  const size_t vector = hn::Lanes(F32());
  HWY_ALIGN float xs[kVectors * kMostLanes];
  for (size_t k = 0; k < kVectors; ++k) hn::Store(x.v[k], F32(), xs + k * vector);
  for (size_t i = 0; i < kVectors * vector; ++i)
    if (f32::is_nan(results[i]))
      results[i] = typed_element(lane.op, lane.memory, lane.number, xs[i]);
}

template <class Type, TypedKind kKind>
HWY_INLINE void compute_block(const TypedLane& lane, const uint8_t* from, uint8_t* to) {
  const size_t bytes = hn::Lanes(F32()) * Type::kBytes;
  Block x;
  for (size_t k = 0; k < kVectors; ++k) x.v[k] = Type::Load(from + k * bytes);
  Block result = x;
  apply<Type, kKind>(lane, result);
  for (size_t k = 0; k < kVectors; ++k) Type::Store(result.v[k], to + k * bytes);
  if constexpr (Type::kBytes == 4)
    if (HWY_UNLIKELY(has_nan(result))) make_nan_exact(lane, x, reinterpret_cast<float*>(to));
}

template <class Type, TypedKind kKind>
void plane(const TypedLane& lane, const uint8_t* from, uint8_t* to, size_t count) {
  const size_t block = kVectors * hn::Lanes(F32()) * Type::kBytes, bytes = count * Type::kBytes;
  const size_t whole = bytes - bytes % block;
  for (size_t i = 0; i < whole; i += block) compute_block<Type, kKind>(lane, from + i, to + i);
  if (whole == bytes) return;
  HWY_ALIGN uint8_t rest[kVectors * kMostLanes * Type::kBytes] = {};
  std::memcpy(rest, from + whole, bytes - whole);
  compute_block<Type, kKind>(lane, rest, rest);
  std::memcpy(to + whole, rest, bytes - whole);
}

template <class Type>
TypedPlane plane_of(TypedKind kind) {
  switch (kind) {
    case TypedKind::taylor:
      return plane<Type, TypedKind::taylor>;
    case TypedKind::hsigmoid:
      return plane<Type, TypedKind::hsigmoid>;
    case TypedKind::hswish:
      return plane<Type, TypedKind::hswish>;
    default:
      return plane<Type, TypedKind::isfinite>;
  }
}

TypedPlane ChoosePlane(TypedKind kind, DType dtype) {
  return dtype == DType::f32   ? plane_of<Fp32>(kind)
         : dtype == DType::f16 ? plane_of<Fp16>(kind)
                               : plane_of<Bf16>(kind);
}

}  // namespace
}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tputwin::fast {
namespace {

HWY_EXPORT(ChoosePlane);

// In planes without gaps between rows.
bool has_whole_planes(const TensorView& view) {
  const uint32_t bytes = element_bytes(view.dtype);
  return view.space == Space::local && view.pack == 1 && is_run(view) &&
         (view.shape.w == 1 || view.stride.w == bytes) &&
         (view.shape.h == 1 || view.stride.h == view.shape.w * bytes);
}

}  // namespace

bool execute_typed(const FloatFunction& op, const Memory& memory) {
  const LocalMemory& local = memory.local;
  const TensorView &out = op.out, &in = op.a.view;
  if (op.a.is_constant || in.shape != out.shape || in.dtype != out.dtype) return false;
  if (!has_whole_planes(out) || !has_whole_planes(in) || !distinct_elements(out, local))
    return false;
  if (!same_bytes({&in}, {&out}) && !disjoint({&in}, {&out}, local)) return false;
  if (op.coeff && !disjoint({&out}, {&*op.coeff}, local)) return false;

  const TypedPlane plane = HWY_DYNAMIC_DISPATCH(ChoosePlane)(op.kind, out.dtype);
  const Shape& s = out.shape;
  const uint64_t weight = op.kind == TypedKind::taylor ? op.coeff->shape.w : 2;
  for_lanes(s, local, weight, [&](size_t begin, size_t end) {
    for (auto slot = static_cast<uint32_t>(begin); slot < end; ++slot) {
      const uint64_t number = out.address / local.lane_bytes() + slot;
      const TypedLane lane(op, memory, static_cast<uint32_t>(number % local.lanes()));
      for (uint32_t n = 0; n < s.n; ++n)
        for (uint32_t c = slot; c < s.c; c += local.lanes())
          plane(lane, memory.byte(in, n, c, 0, 0), memory.byte(out, n, c, 0, 0), size_t{s.h} * s.w);
    }
  });
  return true;
}

}  // namespace tputwin::fast
#endif
