// unary_f32: roots, series and conversions over runs of elements.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/fast/unary_f32.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include "ops/elementwise/unary_f32.h"
#include "ops/fast/fast.h"
#include "ops/fast/select/isa.h"
#include "ops/fast/vec/float32-inl.h"

#ifndef TPUTWIN_FAST_UNARY_F32_ONCE
#define TPUTWIN_FAST_UNARY_F32_ONCE
namespace tputwin::fast {

using UnaryStreams = Streams<2, 1>;   // out, in
using SeriesStreams = Streams<3, 2>;  // out, work, in

// f32::lookup_exp for every index, as the low 8 bits say it.
inline const std::array<float, 256>& exp_table() {
  static const std::array<float, 256> table = [] {
    std::array<float, 256> t;
    for (int32_t i = 0; i < 256; ++i) t[static_cast<size_t>(i)] = f32::lookup_exp(i);
    return t;
  }();
  return table;
}

// The coefficients of a series, without those that are 0 at its end but for the first: a longer sum
// starts 0 * x + 0.
struct Series {
  uint32_t terms;
  std::array<float, f32::kMaxTerms + 1> coefficient;

  explicit Series(uint32_t wanted) : terms(std::min(wanted, f32::kMaxTerms)), coefficient{} {
    for (uint32_t k = 0; k <= terms; ++k) coefficient[k] = f32::exp_coefficient(k);
    while (terms > 0 && coefficient[terms] == 0 && coefficient[terms - 1] == 0) --terms;
  }
};

}  // namespace tputwin::fast
#endif

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace {

struct InverseRoot {
  static constexpr size_t kSources = 1;
  static constexpr bool kMakesNan = true;
  HWY_INLINE Floats Apply(Floats x) const { return inverse_root(x); }
  static float Element(float x) { return f32::rsqrt(x); }
};
struct Root {
  static constexpr size_t kSources = 1;
  static constexpr bool kMakesNan = true;
  HWY_INLINE Floats Apply(Floats x) const { return invert(inverse_root(x)); }
  static float Element(float x) { return f32::sqrt(x); }
};
struct Relu {
  static constexpr size_t kSources = 1;
  static constexpr bool kMakesNan = false;
  HWY_INLINE Floats Apply(Floats x) const {
    return hn::IfThenElseZero(hn::Gt(x, hn::Zero(F32())), x);
  }
};
struct ToInt32 {
  static constexpr size_t kSources = 1;
  static constexpr bool kMakesNan = false;
  HWY_INLINE Floats Apply(Floats x) const { return hn::BitCast(F32(), truncate(x)); }
};
struct LookupInt8 {
  static constexpr size_t kSources = 1;
  static constexpr bool kMakesNan = false;
  HWY_INLINE Floats Apply(Floats x) const {
    const Ints low = hn::ShiftLeft<24>(hn::BitCast(I32(), x));
    return hn::ConvertTo(F32(), hn::ShiftRight<24>(low));
  }
};

HWY_INLINE Floats lookup(const float* table, Ints index) {
  return hn::GatherIndex(F32(), table, hn::And(index, hn::Set(I32(), 0xff)));
}

struct LookupExp {
  static constexpr size_t kSources = 1;
  static constexpr bool kMakesNan = false;
  const float* table = exp_table().data();
  HWY_INLINE Floats Apply(Floats x) const { return lookup(table, hn::BitCast(I32(), x)); }
};

// c[terms] * x^(terms - last) + ... + c[last], by Horner's rule.
HWY_INLINE Floats horner(const Series& series, Floats x, uint32_t last) {
  const F32 d;
  Floats sum = hn::Set(d, series.coefficient[series.terms]);
  for (uint32_t k = series.terms; k-- > last;)
    sum = hn::Add(multiply(sum, x), hn::Set(d, series.coefficient[k]));
  return sum;
}

struct TaylorExp {
  static constexpr size_t kSources = 1;
  static constexpr bool kMakesNan = true;
  Series series;
  HWY_INLINE Floats Apply(Floats x) const { return horner(series, x, 0); }
  float Element(float x) const { return f32::taylor_exp(x, series.terms); }
};
struct Exp {
  static constexpr size_t kSources = 1;
  static constexpr bool kMakesNan = true;
  Series series;
  bool truncates;  // see truncates_source()
  const float* table = exp_table().data();
  HWY_INLINE WithWork Apply(Floats x) const {
    const Ints k = truncate(x);
    const Floats scale = lookup(table, k), whole = hn::ConvertTo(F32(), k);
    const Floats fraction = hn::Sub(truncates ? whole : x, whole);
    const Floats w = multiply(horner(series, fraction, 1), fraction);
    return {hn::Add(multiply(w, scale), scale), w};
  }
  f32::WithWork Element(float x) const { return f32::exp(source(x), series.terms); }
  float source(float x) const { return truncates ? f32::truncate(x) : x; }
};
struct Sigmoid {
  static constexpr size_t kSources = 1;
  static constexpr bool kMakesNan = true;
  Exp exp;
  HWY_INLINE WithWork Apply(Floats x) const {
    const F32 d;
    const Floats negative = hn::Sub(hn::Zero(d), x);
    const Floats w = hn::Add(hn::Set(d, 1.0f), exp.Apply(negative).result);
    return {invert(w), w};
  }
  f32::WithWork Element(float x) const { return f32::sigmoid(x, exp.series.terms); }
};
struct Tanh {
  static constexpr size_t kSources = 1;
  static constexpr bool kMakesNan = true;
  Exp exp;
  HWY_INLINE WithWork Apply(Floats x) const {
    const F32 d;
    const Floats e = exp.Apply(x).result, inverse = invert(e);
    const Floats w = multiply(inverse, invert(hn::Add(e, inverse)));
    return {hn::Sub(hn::Set(d, 1.0f), multiply(hn::Set(d, 2.0f), w)), w};
  }
  f32::WithWork Element(float x) const { return f32::tanh(exp.source(x), exp.series.terms); }
};

using Kind = UnaryF32::Kind;

void UnaryLanes(const UnaryF32& op, const UnaryStreams& streams, const Memory& memory, size_t begin,
                size_t end) {
  switch (op.kind) {
    case Kind::rsqrt:
      return compute_lanes(InverseRoot(), streams, memory, begin, end);
    case Kind::sqrt:
      return compute_lanes(Root(), streams, memory, begin, end);
    case Kind::relu:
      return compute_lanes(Relu(), streams, memory, begin, end);
    case Kind::taylor_exp:
      return compute_lanes(TaylorExp{Series(op.terms)}, streams, memory, begin, end);
    case Kind::to_int32:
      return compute_lanes(ToInt32(), streams, memory, begin, end);
    case Kind::lookup_exp:
      return compute_lanes(LookupExp(), streams, memory, begin, end);
    case Kind::lookup_int8:
      return compute_lanes(LookupInt8(), streams, memory, begin, end);
    case Kind::exp:
    case Kind::sigmoid:
    case Kind::tanh:
      return;  // have a work tensor
  }
}

void SeriesLanes(const UnaryF32& op, const SeriesStreams& streams, const Memory& memory,
                 size_t begin, size_t end) {
  const Exp exp{Series(op.terms), truncates_source(op)};
  if (op.kind == Kind::exp) return compute_lanes(exp, streams, memory, begin, end);
  if (op.kind == Kind::sigmoid) return compute_lanes(Sigmoid{exp}, streams, memory, begin, end);
  if (op.kind == Kind::tanh) return compute_lanes(Tanh{exp}, streams, memory, begin, end);
}

}  // namespace
}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tputwin::fast {
namespace {

HWY_EXPORT(UnaryLanes);
HWY_EXPORT(SeriesLanes);

uint64_t weight(const UnaryF32& op) {
  const uint64_t terms = is_series(op.kind) ? op.terms / 4 + 4 : 1;
  return op.kind == UnaryF32::Kind::rsqrt || op.kind == UnaryF32::Kind::sqrt ? 8 : terms;
}

}  // namespace

bool execute(const UnaryF32& op, const Memory& memory) {
  if (!vectors_enabled() || has_work(op.kind) != op.work.has_value()) return false;
  if (op.work) {
    const SeriesStreams streams{{op.out, *op.work, op.in}};
    if (!streams.regular(memory.local)) return false;
    for_lanes(op.out.shape, memory.local, weight(op), [&](size_t begin, size_t end) {
      HWY_DYNAMIC_DISPATCH(SeriesLanes)(op, streams, memory, begin, end);
    });
    return true;
  }
  const UnaryStreams streams{{op.out, op.in}};
  if (!streams.regular(memory.local)) return false;
  for_lanes(op.out.shape, memory.local, weight(op), [&](size_t begin, size_t end) {
    HWY_DYNAMIC_DISPATCH(UnaryLanes)(op, streams, memory, begin, end);
  });
  return true;
}

}  // namespace tputwin::fast
#endif
