// float_function: the formulas of numerics/function32-inl.h on vectors, over runs of elements.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/fast/float_function.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include <limits>

#include "ops/fast/fast.h"
#include "ops/float_function.h"
#include "ops/fast/isa.h"
#include "ops/fast/streams-inl.h"

#ifndef TPUTWIN_FAST_FLOAT_FUNCTION_ONCE
#define TPUTWIN_FAST_FLOAT_FUNCTION_ONCE
namespace tputwin::fast {

using FunctionStreams = Streams<3, 1>;    // out, a, b
using DestroyingStreams = Streams<3, 2>;  // out, what becomes of the source, a

}  // namespace tputwin::fast
#endif

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace {

using namespace function32;
using U32 = hn::ScalableTag<uint32_t>;

// A vector of numbers. NaN is NaN, but may be another one.
struct Number {
  Floats v;
  HWY_INLINE explicit Number(Floats values) : v(values) {}
  HWY_INLINE explicit Number(float x) : v(hn::Set(F32(), x)) {}
};
using Condition = hn::Mask<F32>;

HWY_INLINE Ints bits(Number a) { return hn::BitCast(I32(), a.v); }
HWY_INLINE Number number(Ints bits) { return Number(hn::BitCast(F32(), bits)); }

HWY_INLINE Number operator+(Number a, Number b) { return Number(hn::Add(a.v, b.v)); }
HWY_INLINE Number operator-(Number a, Number b) { return Number(hn::Sub(a.v, b.v)); }
HWY_INLINE Number operator*(Number a, Number b) { return Number(hn::Mul(a.v, b.v)); }
HWY_INLINE Number operator-(Number a) { return Number(hn::Neg(a.v)); }
HWY_INLINE Condition operator>(Number a, Number b) { return hn::Gt(a.v, b.v); }
HWY_INLINE Condition operator<(Number a, Number b) { return hn::Lt(a.v, b.v); }
HWY_INLINE Number select(Condition condition, Number a, Number b) {
  return Number(hn::IfThenElse(condition, a.v, b.v));
}
HWY_INLINE Number max(Number a, Number b) { return select(a > b, a, b); }
HWY_INLINE Number min(Number a, Number b) { return select(a < b, a, b); }
HWY_INLINE Number abs(Number a) { return Number(hn::Abs(a.v)); }
HWY_INLINE Number rint(Number a) { return Number(hn::Round(a.v)); }
HWY_INLINE Number sign_bit(Number a) { return Number(hn::And(a.v, hn::SignBit(F32()))); }
HWY_INLINE Number flip(Number a, Number b) { return Number(hn::Xor(a.v, sign_bit(b).v)); }
HWY_INLINE Number bit_or(Number a, Number b) { return Number(hn::Or(a.v, b.v)); }
HWY_INLINE Number seed(Number a) {
  return number(hn::Sub(hn::Set(I32(), 0x5f37'59df), hn::ShiftRight<1>(bits(a))));
}
HWY_INLINE Condition is_infinity(Number a) {
  return hn::RebindMask(F32(), hn::Eq(bits(a), hn::Set(I32(), 0x7f80'0000)));
}
HWY_INLINE Condition larger_bits(Number a, Number b) {
  return hn::RebindMask(F32(), hn::Gt(bits(a), bits(b)));
}
HWY_INLINE Number exponent(Number a) {
  const Ints field = hn::And(hn::ShiftRight<23>(bits(a)), hn::Set(I32(), 0xff));
  return Number(hn::ConvertTo(F32(), hn::Sub(field, hn::Set(I32(), 127))));
}
HWY_INLINE Number power_of_2(Number a) {
  return number(hn::And(bits(a), hn::Set(I32(), 0x7f80'0000)));
}
HWY_INLINE Number lookup(const float* table, Number a) {
  return Number(hn::GatherIndex(F32(), table, hn::ConvertTo(I32(), a.v)));
}

#include "numerics/function32-inl.h"

// What the elements of one lane have in common.
struct Lane {
  Parameters parameters;
  Tables tables;
};

template <Kind kKind>
struct Function {
  static constexpr size_t kSources = has_two_operands(kKind) ? 2 : 1;
  static constexpr bool kMakesNan = true;
  const Lane& lane;

  HWY_INLINE auto Apply(Floats x, Floats y) const {
    const Number a(x), b(y);
    const Number result = function<kKind>(a, b, lane.parameters, lane.tables);
    if constexpr (destroys_source(kKind))
      return WithWork{result.v, sign_bit(half_turns<kKind>(a)).v};
    else
      return result.v;
  }
  HWY_INLINE auto Apply(Floats x) const { return Apply(x, x); }
  auto Element(float x, float y = 0) const {
    const Outcome outcome = evaluate(kKind, x, y, lane.parameters, lane.tables);
    if constexpr (destroys_source(kKind))
      return f32::WithWork{outcome.result, outcome.source};
    else
      return outcome.result;
  }
};

// One run of elements: results, sources, their units and the number of elements.
using Pointers = std::array<uint8_t*, 3>;
using Units = std::array<size_t, 3>;
using Run = void (*)(const Lane& lane, const Pointers& p, const Units& units, size_t length);

template <Kind kKind>
void run(const Lane& lane, const Pointers& p, const Units& units, size_t length) {
  using F = Function<kKind>;
  run_of_sources<destroys_source(kKind) ? 2 : 1>(F{lane}, std::make_index_sequence<F::kSources>(),
                                                 p, units, length);
}

constexpr Run kRuns[] = {
#define TW_RUN(name) run<Kind::name>,
    TW_FUNCTIONS32(TW_RUN)
#undef TW_RUN
};

template <size_t kResults>
void compute(const FloatFunction& op, const Streams<3, kResults>& streams, const Memory& memory,
             size_t begin, size_t end) {
  const Run run = kRuns[static_cast<size_t>(op.kind)];
  const uint64_t start = op.out.address / memory.local.lane_bytes();
  for (size_t slot = begin; slot < end; ++slot) {
    const auto number = static_cast<uint32_t>((start + slot) % memory.local.lanes());
    const Lane lane{op.parameters, tables_in(op, memory, number)};
    streams.for_each(memory, slot, slot + 1,
                     [&](const Pointers& p, const Units& units, size_t length)
                         HWY_ATTR { run(lane, p, units, length); });
  }
}

void FunctionLanes(const FloatFunction& op, const FunctionStreams& streams, const Memory& memory,
                   size_t begin, size_t end) {
  compute(op, streams, memory, begin, end);
}

void DestroyingLanes(const FloatFunction& op, const DestroyingStreams& streams,
                     const Memory& memory, size_t begin, size_t end) {
  compute(op, streams, memory, begin, end);
}

}  // namespace
}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tputwin::fast {
namespace {

HWY_EXPORT(FunctionLanes);
HWY_EXPORT(DestroyingLanes);

// The entries an exponential leaves are written before the results, at bytes that results do not
// cover: sources may lie where the results do, and otherwise nowhere near.
bool entries_apart(const FloatFunction& op, const LocalMemory& local) {
  if (!op.entries) return true;
  auto apart = [&](const Source& source) {
    return source.is_constant || same_bytes({&source.view}, {&op.out}) ||
           disjoint({&source.view}, {&*op.entries}, local);
  };
  return apart(op.a) && apart(op.b);
}

// Results do not change what later elements look up.
bool tables_apart(const FloatFunction& op, const LocalMemory& local) {
  for (const auto* table : {&op.exp_coeff, &op.exp_table, &op.coeff}) {
    if (!*table) continue;
    if (!disjoint({&op.out}, {&**table}, local)) return false;
    if (op.entries && !disjoint({&*op.entries}, {&**table}, local)) return false;
    if (destroys_source(op.kind) && !disjoint({&op.a.view}, {&**table}, local)) return false;
  }
  return true;
}

}  // namespace

bool execute(const FloatFunction& op, const Memory& memory) {
  constexpr uint64_t kWeight = 16;
  if (!vectors_enabled() || !is_function32(op.kind) || !entries_apart(op, memory.local) ||
      !tables_apart(op, memory.local))
    return false;
  if (destroys_source(op.kind)) {
    const DestroyingStreams streams{{op.out, op.a.view, op.a}};
    if (op.a.is_constant || !streams.regular(memory.local)) return false;
    for_lanes(op.out.shape, memory.local, kWeight, [&](size_t begin, size_t end) {
      HWY_DYNAMIC_DISPATCH(DestroyingLanes)(op, streams, memory, begin, end);
    });
    return true;
  }
  const FunctionStreams streams{{op.out, op.a, op.b}};
  if (!streams.regular(memory.local)) return false;
  leave_entries(op, memory);
  for_lanes(op.out.shape, memory.local, kWeight, [&](size_t begin, size_t end) {
    HWY_DYNAMIC_DISPATCH(FunctionLanes)(op, streams, memory, begin, end);
  });
  return true;
}

}  // namespace tputwin::fast
#endif
