// Every call of Highway in src, and the wrappers of the calls with errors, compared with plain C++
// on every target of this host.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "vectors/calls.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include <algorithm>
#include <functional>

#include "numerics/float16.h"
#include "ops/fast/fast.h"
#include "ops/fast/vec/bytes-inl.h"
#include "ops/fast/vec/narrow-inl.h"
#include "vectors/compare-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::vectors::HWY_NAMESPACE {
namespace {

// Calls Compare() with an expression of d, a and b; scalars x and y have type T.
#define TW_COMPARE(R, call, vector, scalar)                                                      \
  Compare<T, R>(                                                                                 \
      call, all,                                                                                 \
      [=]([[maybe_unused]] auto d, auto a, [[maybe_unused]] auto b) HWY_ATTR { return vector; }, \
      [=](T x, [[maybe_unused]] T y) -> R { return scalar; })

// Returns 0 or 1 by a mask.
template <class D, class M>
HWY_INLINE hn::Vec<D> Ones(D d, M mask) {
  return hn::IfThenElse(mask, hn::Set(d, hn::TFromD<D>(1)), hn::Zero(d));
}

template <class T>
void Comparisons(const Pairs<T>& all) {
  TW_COMPARE(T, "Eq", Ones(d, hn::Eq(a, b)), x == y);
  TW_COMPARE(T, "Lt", Ones(d, hn::Lt(a, b)), x < y);
  TW_COMPARE(T, "Gt", Ones(d, hn::Gt(a, b)), x > y);
  if constexpr (std::is_same_v<T, float>) {
    TW_COMPARE(T, "Le", Ones(d, hn::Le(a, b)), x <= y);
    TW_COMPARE(T, "Ge", Ones(d, hn::Ge(a, b)), x >= y);
  }
  TW_COMPARE(T, "Not", Ones(d, hn::Not(hn::Lt(a, b))), !(x < y));
  TW_COMPARE(T, "And", Ones(d, hn::And(hn::Lt(a, b), hn::Eq(a, hn::Zero(d)))), x < y && x == 0);
  TW_COMPARE(T, "Or", Ones(d, hn::Or(hn::Lt(a, b), hn::Eq(a, b))), x < y || x == y);
  TW_COMPARE(T, "AndNot", Ones(d, hn::AndNot(hn::Eq(a, b), hn::Lt(a, hn::Zero(d)))),
             x != y && x < 0);
  TW_COMPARE(T, "IfThenElse", hn::IfThenElse(hn::Lt(a, b), a, b), x < y ? x : y);
  TW_COMPARE(T, "IfThenElseZero", hn::IfThenElseZero(hn::Lt(a, b), a), x < y ? x : T(0));
  TW_COMPARE(T, "IfThenZeroElse", hn::IfThenZeroElse(hn::Lt(a, b), a), x < y ? T(0) : x);
}

template <class T>
void Bits(const Pairs<T>& all) {
  TW_COMPARE(T, "And", hn::And(a, b), static_cast<T>(x & y));
  TW_COMPARE(T, "Or", hn::Or(a, b), static_cast<T>(x | y));
  TW_COMPARE(T, "Xor", hn::Xor(a, b), static_cast<T>(x ^ y));
  TW_COMPARE(T, "AndNot", hn::AndNot(a, b), static_cast<T>(~x & y));
  TW_COMPARE(T, "Not", hn::Not(a), static_cast<T>(~x));
  TW_COMPARE(T, "VecFromMask", hn::VecFromMask(d, hn::Lt(a, b)), static_cast<T>(x < y ? -1 : 0));
}

template <class T>
void Sums(const Pairs<T>& all) {
  TW_COMPARE(T, "Add", hn::Add(a, b), wrap<T>(int64_t{x} + y));
  TW_COMPARE(T, "Sub", hn::Sub(a, b), wrap<T>(int64_t{x} - y));
  TW_COMPARE(T, "Min", hn::Min(a, b), std::min(x, y));
  TW_COMPARE(T, "Max", hn::Max(a, b), std::max(x, y));
  if constexpr (std::is_signed_v<T>) {
    TW_COMPARE(T, "Neg", hn::Neg(a), wrap<T>(-int64_t{x}));
    TW_COMPARE(T, "Abs", hn::Abs(a), wrap<T>(x < 0 ? -int64_t{x} : int64_t{x}));
  }
  if constexpr (sizeof(T) > 1) TW_COMPARE(T, "Mul", hn::Mul(a, b), wrap<T>(int64_t{x} * y));
  if constexpr (sizeof(T) < 4) {
    using Limits = std::numeric_limits<T>;
    TW_COMPARE(T, "SaturatedAdd", hn::SaturatedAdd(a, b),
               static_cast<T>(std::clamp<int>(x + y, Limits::min(), Limits::max())));
    TW_COMPARE(T, "SaturatedSub", hn::SaturatedSub(a, b),
               static_cast<T>(std::clamp<int>(x - y, Limits::min(), Limits::max())));
  }
}

template <class T>
void Shifts(const Pairs<T>& all) {
  constexpr int kBits = 8 * sizeof(T);
  TW_COMPARE(T, "ShiftLeft<5>", hn::ShiftLeft<5>(a), wrap<T>(int64_t{x} * 32));
  TW_COMPARE(T, "ShiftRight<5>", hn::ShiftRight<5>(a), static_cast<T>(x >> 5));
  TW_COMPARE(T, "ShiftRight<8>", hn::ShiftRight<kBits / 2>(a), static_cast<T>(x >> kBits / 2));
  for (int bits = 0; bits < kBits; ++bits) {
    const std::string by = " by " + std::to_string(bits);
    TW_COMPARE(T, "ShiftLeftSame" + by, hn::ShiftLeftSame(a, bits),
               wrap<T>(static_cast<uint64_t>(int64_t{x}) << bits));
    TW_COMPARE(T, "ShiftRightSame" + by, hn::ShiftRightSame(a, bits), static_cast<T>(x >> bits));
  }
  // C++ shift operators are undefined for counts beyond the type, and so are these
  TW_COMPARE(T, "Shl", hn::Shl(a, hn::And(b, hn::Set(d, T{kBits - 1}))),
             wrap<T>(static_cast<uint64_t>(int64_t{x}) << (y & (kBits - 1))));
  TW_COMPARE(T, "Shr", hn::Shr(a, hn::And(b, hn::Set(d, T{kBits - 1}))),
             static_cast<T>(x >> (y & (kBits - 1))));
}

template <class T, class R>
void Promotion(const Pairs<T>& all) {
  const hn::ScalableTag<R> to;
  const hn::Rebind<T, decltype(to)> from;
  HWY_ALIGN R out[hn::MaxLanes(to)];
  const size_t elements = hn::Lanes(to);
  for (size_t i = 0; i + elements <= all.a.size(); i += elements) {
    hn::StoreU(hn::PromoteTo(to, hn::LoadU(from, &all.a[i])), to, out);
    for (size_t k = 0; k < elements; ++k)
      ASSERT_EQ(out[k], static_cast<R>(all.a[i + k]))
          << "PromoteTo on " << hwy::TargetName(HWY_TARGET) << ", lane " << k;
  }
}

template <class T>
void Narrowing(const Pairs<T>& all) {
  TW_COMPARE(uint8_t, "LowBits<8>", fast::HWY_NAMESPACE::LowBits<uint8_t>(d, a),
             static_cast<uint8_t>(x));
  if constexpr (sizeof(T) == 4)
    TW_COMPARE(uint16_t, "LowBits<16>", fast::HWY_NAMESPACE::LowBits<uint16_t>(d, a),
               static_cast<uint16_t>(x));
  if constexpr (std::is_same_v<T, int32_t>) {
    TW_COMPARE(uint8_t, "SaturatedBytes<u8>", fast::HWY_NAMESPACE::SaturatedBytes<uint8_t>(d, a),
               static_cast<uint8_t>(std::clamp(x, 0, 255)));
    TW_COMPARE(int8_t, "SaturatedBytes<i8>", fast::HWY_NAMESPACE::SaturatedBytes<int8_t>(d, a),
               static_cast<int8_t>(std::clamp(x, -128, 127)));
  }
}

// Loads and stores of whole vectors, and tails of every length, must access only their elements.
template <class T>
void Tails(const Pairs<T>& all) {
  const hn::ScalableTag<T> d;
  const size_t elements = hn::Lanes(d);
  for (size_t n = 0; n <= elements; ++n) {
    std::vector<T> out(elements), expected(elements);
    const T* from = &all.a[all.a.size() / 2];
    std::copy_n(from, n, expected.begin());
    hn::StoreU(hn::MaskedLoad(hn::FirstN(d, n), d, from), d, out.data());
    EXPECT_EQ(out, expected) << "MaskedLoad on " << hwy::TargetName(HWY_TARGET) << ", " << n;
    std::fill(out.begin(), out.end(), T(3));
    std::fill(expected.begin() + static_cast<ptrdiff_t>(n), expected.end(), T(3));
    hn::BlendedStore(hn::LoadU(d, from), hn::FirstN(d, n), d, out.data());
    EXPECT_EQ(out, expected) << "BlendedStore on " << hwy::TargetName(HWY_TARGET) << ", " << n;
    const auto mask = hn::FirstN(d, n);
    EXPECT_EQ(hn::AllTrue(d, mask), n == elements) << hwy::TargetName(HWY_TARGET);
    EXPECT_EQ(hn::AllFalse(d, mask), n == 0) << hwy::TargetName(HWY_TARGET);
    EXPECT_EQ(hn::AllTrue(d, hn::Not(mask)), n == 0) << hwy::TargetName(HWY_TARGET);
  }
  EXPECT_EQ(hn::GetLane(hn::LoadU(d, &all.a[1])), all.a[1]);
}

// Works in blocks of 128 bits: pairs of the lower, then of the upper halves.
template <class T>
void Interleaving(const Pairs<T>& all) {
  const hn::ScalableTag<T> d;
  const size_t elements = hn::Lanes(d), block = std::min(16 / sizeof(T), elements);
  std::vector<T> lower(elements), upper(elements);
  const T *a = &all.a[16], *b = &all.b[16];
  hn::StoreU(hn::InterleaveLower(d, hn::LoadU(d, a), hn::LoadU(d, b)), d, lower.data());
  hn::StoreU(hn::InterleaveUpper(d, hn::LoadU(d, a), hn::LoadU(d, b)), d, upper.data());
  for (size_t k = 0; k < elements; ++k) {
    const size_t from = k / block * block + k % block / 2;
    EXPECT_EQ(lower[k], k % 2 == 0 ? a[from] : b[from]) << hwy::TargetName(HWY_TARGET);
    EXPECT_EQ(upper[k], k % 2 == 0 ? a[from + block / 2] : b[from + block / 2])
        << hwy::TargetName(HWY_TARGET);
  }
}

void SumsOfBytes() {
  const hn::ScalableTag<uint8_t> d;
  const hn::Repartition<uint64_t, decltype(d)> d64;
  const Pairs<uint8_t> all = pairs<uint8_t>();
  const size_t elements = hn::Lanes(d);
  std::vector<uint64_t> sums(hn::Lanes(d64));
  for (size_t i = 0; i + elements <= 4096; i += elements) {
    const auto vector = hn::SumsOf8(hn::LoadU(d, &all.b[i]));
    hn::StoreU(vector, d64, sums.data());
    uint64_t total = 0;
    for (size_t k = 0; k < elements; ++k) {
      total += all.b[i + k];
      sums[k / 8] -= all.b[i + k];
    }
    EXPECT_EQ(sums, std::vector<uint64_t>(sums.size())) << hwy::TargetName(HWY_TARGET);
    EXPECT_EQ(hn::GetLane(hn::SumOfLanes(d64, vector)), total) << hwy::TargetName(HWY_TARGET);
  }
}

// Interleaves four vectors of bytes, joins two half vectors, and selects every other byte.
void Joining() {
  const hn::ScalableTag<uint8_t> d;
  const hn::Half<decltype(d)> half;
  const Pairs<uint8_t> all = pairs<uint8_t>();
  const size_t elements = hn::Lanes(d);
  const auto from = [&](size_t row) { return &all.b[17 * row]; };
  const auto load = [&](size_t row) HWY_ATTR { return hn::LoadU(d, from(row)); };
  std::vector<uint8_t> joined(4 * elements), halves(elements);
  hn::StoreInterleaved4(load(0), load(1), load(2), load(3), d, joined.data());
  for (size_t i = 0; i < joined.size(); ++i) EXPECT_EQ(joined[i], from(i % 4)[i / 4]);
  hn::StoreU(hn::Combine(d, hn::LoadU(half, from(1)), hn::LoadU(half, from(0))), d, halves.data());
  for (size_t i = 0; i < elements; ++i)
    EXPECT_EQ(halves[i], from(2 * i / elements)[i % (elements / 2)]);
  hn::Vec<decltype(d)> even, odd;
  hn::LoadInterleaved2(d, from(1), even, odd);
  hn::StoreU(even, d, joined.data());
  hn::StoreU(odd, d, joined.data() + elements);
  for (size_t i = 0; i < 2 * elements; ++i)
    EXPECT_EQ(joined[i], from(1)[2 * (i % elements) + i / elements]) << hwy::TargetName(HWY_TARGET);
}

// Looks up bytes of each block of 16 by index; a negative index selects another byte.
void Lookups() {
  using T = int8_t;
  constexpr size_t kBlock = 16;
  const hn::ScalableTag<T> d;
  const Pairs<T> all = pairs<T>();
  const size_t elements = hn::Lanes(d), blocks = std::max<size_t>(1, elements / kBlock);
  std::vector<T> index(elements), found(elements);
  for (size_t i = 0; i + elements <= all.a.size(); i += elements) {
    for (size_t k = 0; k < elements; ++k)
      index[k] =
          static_cast<T>(all.a[i + k] < 0 ? all.a[i + k] : all.a[i + k] % (elements / blocks));
    const auto at = hn::LoadU(d, index.data()), table = hn::LoadU(d, &all.b[i]);
    hn::StoreU(hn::IfNegativeThenElse(at, hn::Set(d, T{77}), hn::TableLookupBytes(table, at)), d,
               found.data());
    for (size_t k = 0; k < elements; ++k) {
      const size_t block = k / (elements / blocks) * (elements / blocks);
      ASSERT_EQ(found[k], index[k] < 0 ? 77 : all.b[i + block + static_cast<size_t>(index[k])])
          << hwy::TargetName(HWY_TARGET);
    }
  }
}

void Words() {
  using T = int16_t;
  const Pairs<T> all = pairs<T>();
  for (int shift = 1; shift <= 16; ++shift) {
    const T factor = static_cast<T>(shift > 15 ? 0 : 1 << (15 - shift));
    TW_COMPARE(T, "MulFixedPoint15", hn::MulFixedPoint15(a, hn::Set(d, factor)),
               static_cast<T>((int{x} * factor + (1 << 14)) >> 15));
  }
#if HWY_ARCH_X86
  // Sums neighbouring products in int32, and narrows them to 16 bits.
  const hn::ScalableTag<int16_t> d;
  const hn::RepartitionToWide<decltype(d)> d32;
  const size_t elements = hn::Lanes(d32);
  std::vector<int32_t> out(elements);
  std::vector<int16_t> same(2 * elements);
  for (size_t i = 0; i + 2 * elements <= all.a.size(); i += 2 * elements) {
    const T *a = &all.a[i], *b = &all.b[i];
    const auto va = hn::LoadU(d, a), vb = hn::LoadU(d, b);
    auto unused = hn::Zero(d32);
    hn::StoreU(hn::ReorderWidenMulAccumulate(d32, va, vb, hn::Set(d32, 7), unused), d32,
               out.data());
    for (size_t k = 0; k < elements; ++k)
      ASSERT_EQ(out[k], wrap<int32_t>(int64_t{a[2 * k]} * b[2 * k] +
                                      int64_t{a[2 * k + 1]} * b[2 * k + 1] + 7))
          << hwy::TargetName(HWY_TARGET);
    const auto one = hn::Set(d, 1), zero = hn::Zero(d);
    const auto wide = [&](auto pairs) HWY_ATTR {  // a * 1 + b * 0
      return hn::ReorderWidenMulAccumulate(d32, pairs, hn::InterleaveLower(d, one, zero),
                                           hn::Zero(d32), unused);
    };
    hn::StoreU(fast::HWY_NAMESPACE::SaturatedInterleaved(d, wide(hn::InterleaveLower(d, va, vb)),
                                                         wide(hn::InterleaveUpper(d, va, vb))),
               d, same.data());
    ASSERT_TRUE(std::equal(same.begin(), same.end(), a)) << hwy::TargetName(HWY_TARGET);
  }
#endif
}

// ---- fp32 ----

void Floats() {
  using T = float;
  const Pairs<T> all = pairs<T>();
  Comparisons(all);
  TW_COMPARE(T, "Add", hn::Add(a, b), x + y);
  TW_COMPARE(T, "Sub", hn::Sub(a, b), x - y);
  TW_COMPARE(T, "Mul", hn::Mul(a, b), x * y);
  // Callers multiply numbers of 16 bits, whose products are exact.
  const auto high = [](T x) { return f32::from_bits(f32::bits(x) & 0xffff'0000); };
  TW_COMPARE(
      T, "MulAdd",
      hn::MulAdd(hn::And(a, hn::BitCast(d, hn::Set(hn::RebindToSigned<decltype(d)>(), -0x10000))),
                 hn::And(b, hn::BitCast(d, hn::Set(hn::RebindToSigned<decltype(d)>(), -0x10000))),
                 hn::Set(d, 1.0f)),
      high(x) * high(y) + 1.0f);
  TW_COMPARE(T, "Sqrt", hn::Sqrt(hn::Abs(a)), std::sqrt(std::abs(x)));
  TW_COMPARE(T, "Abs", hn::Abs(a), std::abs(x));
  TW_COMPARE(T, "Neg", hn::Neg(a), -x);
  TW_COMPARE(T, "CopySign", hn::CopySign(a, b), std::copysign(x, y));
  TW_COMPARE(T, "SignBit", hn::Or(hn::And(a, hn::SignBit(d)), hn::Set(d, 1.0f)),
             std::signbit(x) ? -1.0f : 1.0f);
  TW_COMPARE(T, "IsNaN", Ones(d, hn::IsNaN(a)), std::isnan(x));
  TW_COMPARE(T, "Round", hn::Round(a), std::nearbyint(x));
  TW_COMPARE(T, "Trunc", hn::Trunc(a), std::trunc(x));
  TW_COMPARE(T, "Floor", hn::Floor(a), std::floor(x));
  TW_COMPARE(T, "Ceil", hn::Ceil(a), std::ceil(x));
  // Callers mask out-of-range values and NaN.
  TW_COMPARE(int32_t, "ConvertTo int32",
             hn::ConvertTo(hn::RebindToSigned<decltype(d)>(),
                           hn::IfThenElseZero(hn::Lt(hn::Abs(a), hn::Set(d, 0x1p31f)), a)),
             std::abs(x) < 0x1p31f ? static_cast<int32_t>(x) : 0);
  TW_COMPARE(int32_t, "RebindMask",
             Ones(hn::RebindToSigned<decltype(d)>(),
                  hn::RebindMask(hn::RebindToSigned<decltype(d)>(), hn::Lt(a, b))),
             x < y);
}

// Converts fp32 to fp16 and back by the processor, where the kernels use that.
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
void Float16Conversions() {
  const hn::ScalableTag<float> d;
  const hn::Rebind<hwy::float16_t, decltype(d)> dh;
  const size_t elements = hn::Lanes(d);
  std::vector<hwy::float16_t> half(elements);
  std::vector<float> whole(elements);
  const Pairs<float> all = pairs<float>();
  for (size_t i = 0; i + elements <= all.a.size(); i += elements) {
    hn::StoreU(fast::HWY_NAMESPACE::ProcessorFloat16(d, hn::LoadU(d, &all.a[i])), dh, half.data());
    hn::StoreU(hn::PromoteTo(d, hn::LoadU(dh, half.data())), d, whole.data());
    for (size_t k = 0; k < elements; ++k) {
      const float x = all.a[i + k];
      if (std::isnan(x)) continue;  // callers choose the NaN
      ASSERT_EQ(half[k].bits, f16::from_f32(x)) << x << " on " << hwy::TargetName(HWY_TARGET);
      ASSERT_EQ(whole[k], f16::to_f32(half[k].bits))
          << half[k].bits << " on " << hwy::TargetName(HWY_TARGET);
    }
  }
}
#else
void Float16Conversions() {}
#endif

void Words32() {
  using T = int32_t;
  const Pairs<T> all = pairs<T>();
  TW_COMPARE(float, "ConvertTo float", hn::ConvertTo(hn::RebindToFloat<decltype(d)>(), a),
             static_cast<float>(x));
  std::vector<float> table(256);
  for (size_t i = 0; i < table.size(); ++i) table[i] = static_cast<float>(i) / 7;
  const float* entries = table.data();
  TW_COMPARE(
      float, "GatherIndex",
      hn::GatherIndex(hn::RebindToFloat<decltype(d)>(), entries, hn::And(a, hn::Set(d, 0xff))),
      entries[x & 0xff]);
}

template <class T>
void Integers() {
  const Pairs<T> all = pairs<T>();
  Comparisons(all);
  Bits(all);
  Sums(all);
  Tails(all);
  Interleaving(all);
  if constexpr (sizeof(T) > 1) {
    Shifts(all);
    Narrowing(all);
  }
  if constexpr (sizeof(T) == 1) {
    Promotion<T, int16_t>(all);
    if constexpr (std::is_unsigned_v<T>) Promotion<T, uint16_t>(all);
  }
  if constexpr (sizeof(T) < 4) Promotion<T, int32_t>(all);
  if constexpr (std::is_same_v<T, uint16_t>) Promotion<T, uint32_t>(all);
}

void IntegerCalls() {
  Integers<uint8_t>();
  Integers<int8_t>();
  Integers<uint16_t>();
  Integers<int16_t>();
  Integers<uint32_t>();
  Integers<int32_t>();
  SumsOfBytes();
  Joining();
  Lookups();
  Words();
  Words32();
}
void FloatCalls() {
  Floats();
  Float16Conversions();
}

}  // namespace
}  // namespace tputwin::vectors::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tputwin::vectors {
namespace {

HWY_EXPORT(IntegerCalls);
HWY_EXPORT(FloatCalls);

// Runs on every target of this host.
void on_every_target(const std::function<void()>& run) {
  for (const std::string& isa : fast::available_isas())
    if (isa != "reference" && fast::select_isa(isa)) run();
  fast::select_isa("");
}

TEST(Highway, CallsOnIntegersAreExact) {
  on_every_target([] { HWY_DYNAMIC_DISPATCH(IntegerCalls)(); });
}

TEST(Highway, CallsOnFloatsAreExact) {
  on_every_target([] { HWY_DYNAMIC_DISPATCH(FloatCalls)(); });
}

}  // namespace
}  // namespace tputwin::vectors
#endif
