// Tiles of dot products for one Highway target (include in a foreach_target file, after
// hwy/highway.h). Exact on every target: sums wrap at 32 bits, and no 16-bit pairs saturate.
#if defined(TPUTWIN_OPS_FAST_DOT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TPUTWIN_OPS_FAST_DOT_INL_H_
#undef TPUTWIN_OPS_FAST_DOT_INL_H_
#else
#define TPUTWIN_OPS_FAST_DOT_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <type_traits>

#include "ops/fast/gemm/kernels/dot.h"
#include "ops/fast/vec/types-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast {
namespace HWY_NAMESPACE {

using I16 = hn::Repartition<int16_t, I32>;

// The target multiplies bytes in one of three ways. TPUTWIN_HAVE_BYTE_DOT: one instruction adds
// four products of bytes. TPUTWIN_HAVE_BYTE_STEPS: one or several instructions do so (true for
// both). Otherwise bytes are widened to 16 bits. TPUTWIN_HAVE_NARROW_STEPS: the target multiplies
// faster if no byte of the data is above 127.
#undef TPUTWIN_HAVE_BYTE_DOT
#undef TPUTWIN_HAVE_BYTE_STEPS
#undef TPUTWIN_HAVE_NARROW_STEPS
#undef TPUTWIN_VNNI
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
#define TPUTWIN_VNNI ""
#elif HWY_ARCH_X86 && defined(TPUTWIN_DOT_PASS)
#define TPUTWIN_VNNI "%{vex%} "  // the encoding of AVX-VNNI, without AVX-512
#endif
#if defined(TPUTWIN_VNNI) || defined(TPUTWIN_DOT_PASS)
#define TPUTWIN_HAVE_BYTE_DOT 1
#else
#define TPUTWIN_HAVE_BYTE_DOT 0
#endif
#define TPUTWIN_HAVE_NARROW_STEPS (!TPUTWIN_HAVE_BYTE_DOT && HWY_ARCH_X86 && HWY_TARGET <= HWY_SSE4)
#define TPUTWIN_HAVE_BYTE_STEPS                          \
  (TPUTWIN_HAVE_BYTE_DOT || TPUTWIN_HAVE_NARROW_STEPS || \
   (HWY_ARCH_ARM_A64 && HWY_TARGET == HWY_NEON))

// A tile is kTileRows x kTileVectors sums in registers: 24 of 32 registers with AVX-512 and for
// Arm's dot product, 12 of 16 for AVX-VNNI's. It is 8 of 16 elsewhere, where a product takes a
// register before it is added. The rest holds the data and one weight.
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
constexpr size_t kTileRows = 8, kTileVectors = 3;
#elif TPUTWIN_HAVE_BYTE_DOT
constexpr size_t kTileRows = HWY_ARCH_X86 ? 4 : 8, kTileVectors = 3;
#else
constexpr size_t kTileRows = 4, kTileVectors = 2;
#endif

// Multiplies int16 elements and adds the products of each pair. It is exact for all 8-bit values,
// signed or not, and for 16-bit values whose pair sums fit in 32 bits. V is a vector of any width.
struct WordDot {
  static constexpr size_t kElements = 2;
#ifdef TPUTWIN_VNNI
  // Inline assembly, because Highway's target string does not enable the instructions in the
  // compiler. They run only where the processor has them (isa.cc).
  template <class V>
  static HWY_INLINE V step(V sum, V data, V weight) {
    asm(TPUTWIN_VNNI "vpdpwssd %2, %1, %0" : "+v"(sum.raw) : "v"(data.raw), "v"(weight.raw));
    return sum;
  }
#elif HWY_ARCH_X86 && HWY_TARGET <= HWY_SSE4
  template <class V>
  static HWY_INLINE V step(V sum, V data, V weight) {
    const hn::DFromV<V> d;
    const hn::Repartition<int16_t, decltype(d)> d16;
    V unused = sum;
    return hn::ReorderWidenMulAccumulate(d, hn::BitCast(d16, data), hn::BitCast(d16, weight), sum,
                                         unused);
  }
#else
  static HWY_INLINE Ints step(Ints sum, Ints data, Ints weight) {
    auto low = [](Ints v) HWY_ATTR { return hn::ShiftRight<16>(hn::ShiftLeft<16>(v)); };
    auto high = [](Ints v) HWY_ATTR { return hn::ShiftRight<16>(v); };
    Ints products = hn::Add(hn::Mul(low(data), low(weight)), hn::Mul(high(data), high(weight)));
    return hn::Add(sum, products);
  }
#endif
};

#ifdef TPUTWIN_VNNI
// Multiplies bytes, one factor unsigned and one signed.
struct UnsignedBySignedDot {
  template <class V>
  static HWY_INLINE V step(V sum, V data, V weight) {
    asm(TPUTWIN_VNNI "vpdpbusd %2, %1, %0" : "+v"(sum.raw) : "v"(data.raw), "v"(weight.raw));
    return sum;
  }
};
struct SignedByUnsignedDot {
  template <class V>
  static HWY_INLINE V step(V sum, V data, V weight) {
    return UnsignedBySignedDot::step(sum, weight, data);
  }
};
using SignedWeightsDot = UnsignedBySignedDot;
using UnsignedWeightsDot = SignedByUnsignedDot;
// true if data and weights need the same signedness
constexpr bool kDataAsWeights = false;
#elif TPUTWIN_HAVE_BYTE_DOT
// Products of bytes, both factors signed or both unsigned. The .arch directive enables the
// instructions in the assembler until the compiler's next directive. It also lists every extension
// that the compiler may use until then.
#define TPUTWIN_ARM_DOT(name) \
  ".arch armv8.2-a+crypto+fp16+dotprod\n\t" name " %0.4s, %1.16b, %2.16b"
struct SignedWeightsDot {
  static HWY_INLINE Ints step(Ints sum, Ints data, Ints weight) {
    asm(TPUTWIN_ARM_DOT("sdot") : "+w"(sum.raw) : "w"(data.raw), "w"(weight.raw));
    return sum;
  }
};
struct UnsignedWeightsDot {
  static HWY_INLINE Ints step(Ints sum, Ints data, Ints weight) {
    asm(TPUTWIN_ARM_DOT("udot") : "+w"(sum.raw) : "w"(data.raw), "w"(weight.raw));
    return sum;
  }
};
#undef TPUTWIN_ARM_DOT
constexpr bool kDataAsWeights = true;
#elif TPUTWIN_HAVE_NARROW_STEPS
// Products of bytes of one signedness, widened to 16 bits: the bytes at even positions, then those
// at odd positions.
template <bool kSigned>
struct SplitDot {
  template <class V>
  static HWY_INLINE V step(V sum, V data, V weight) {
    return WordDot::step(WordDot::step(sum, even(data), even(weight)), odd(data), odd(weight));
  }

 private:
  template <class V>
  using Words = hn::Repartition<std::conditional_t<kSigned, int16_t, uint16_t>, hn::DFromV<V>>;
  template <class V>
  static HWY_INLINE V even(V bytes) {
    const Words<V> d;
    const auto raised = hn::ShiftLeft<8>(hn::BitCast(d, bytes));
    return hn::BitCast(hn::DFromV<V>(), hn::ShiftRight<8>(raised));
  }
  template <class V>
  static HWY_INLINE V odd(V bytes) {
    return hn::BitCast(hn::DFromV<V>(), hn::ShiftRight<8>(hn::BitCast(Words<V>(), bytes)));
  }
};
using SignedWeightsDot = SplitDot<true>;
using UnsignedWeightsDot = SplitDot<false>;
constexpr bool kDataAsWeights = true;

// 16-bit sums of two products of an unsigned and a signed factor. The instruction saturates the
// sums. The callers must pass factors whose sums fit.
struct PairSums {
  static HWY_INLINE __m128i of(__m128i data, __m128i weight) {
    return _mm_maddubs_epi16(data, weight);
  }
  static HWY_INLINE __m128i with_sign(__m128i weight, __m128i data) {
    return _mm_sign_epi8(weight, data);
  }
#if HWY_TARGET <= HWY_AVX2
  static HWY_INLINE __m256i of(__m256i data, __m256i weight) {
    return _mm256_maddubs_epi16(data, weight);
  }
  static HWY_INLINE __m256i with_sign(__m256i weight, __m256i data) {
    return _mm256_sign_epi8(weight, data);
  }
#endif
  template <class V>
  static HWY_INLINE V add(V sum, V data, V weight) {
    const hn::DFromV<V> d;
    const V ones = hn::BitCast(d, hn::Set(hn::Repartition<int16_t, decltype(d)>(), 1));
    return WordDot::step(sum, V{of(data.raw, weight.raw)}, ones);
  }
};

// Multiplies data of 0 to 127 by signed weights. The lowest sum of two products, 2 * 127 * -128,
// fits in 16 bits.
struct NarrowDot {
  template <class V>
  static HWY_INLINE V step(V sum, V data, V weight) {
    return PairSums::add(sum, data, weight);
  }
};

// Multiplies signed data by signed weights above -128, as |data| times the weight with the sign of
// the data. The largest sum of two products, 2 * 128 * 127, fits in 16 bits.
struct MovedSignDot {
  template <class V>
  static HWY_INLINE V step(V sum, V data, V weight) {
    const hn::DFromV<V> d;
    const hn::Repartition<int8_t, decltype(d)> d8;
    const V magnitude = hn::BitCast(d, hn::Abs(hn::BitCast(d8, data)));
    return PairSums::add(sum, magnitude, V{PairSums::with_sign(weight.raw, data.raw)});
  }
};
#elif TPUTWIN_HAVE_BYTE_STEPS
// Products of bytes of one signedness, eight at a time, added in pairs twice.
struct SignedWeightsDot {
  static HWY_INLINE Ints step(Ints sum, Ints data, Ints weight) {
    const int8x16_t x = vreinterpretq_s8_s32(data.raw), w = vreinterpretq_s8_s32(weight.raw);
    const int32x4_t low = vpaddlq_s16(vmull_s8(vget_low_s8(x), vget_low_s8(w)));
    const int32x4_t high = vpaddlq_s16(vmull_high_s8(x, w));
    return Ints(vaddq_s32(sum.raw, vpaddq_s32(low, high)));
  }
};
struct UnsignedWeightsDot {
  static HWY_INLINE Ints step(Ints sum, Ints data, Ints weight) {
    const uint8x16_t x = vreinterpretq_u8_s32(data.raw), w = vreinterpretq_u8_s32(weight.raw);
    const uint32x4_t low = vpaddlq_u16(vmull_u8(vget_low_u8(x), vget_low_u8(w)));
    const uint32x4_t high = vpaddlq_u16(vmull_high_u8(x, w));
    return Ints(vaddq_s32(sum.raw, vreinterpretq_s32_u32(vpaddq_u32(low, high))));
  }
};
constexpr bool kDataAsWeights = true;
#endif

// Tiles prefetch the data kTermsAhead terms ahead, if those of a term fit in one cache line. Groups
// are so far apart that processors do not prefetch them by themselves.
constexpr bool kPrefetchesAhead = kTileVectors * kElements32 * sizeof(uint32_t) <= 64;
constexpr size_t kTermsAhead = 8;
// Other tiles prefetch the weights of the next panel. A run reads most weights from memory, once.
constexpr size_t kLeastWeightsAhead = 512;

// Computes sums of kVectors vectors of positions from `position` on, in registers.
template <class Dot, size_t kVectors>
HWY_INLINE void dot_sums(const Reduction& r, size_t position, Ints (&sum)[kTileRows][kVectors]) {
  // Unrolled by pragma, because compilers may otherwise keep the sums in memory.
#pragma GCC unroll 8
  for (size_t row = 0; row < kTileRows; ++row)
#pragma GCC unroll 3
    for (size_t v = 0; v < kVectors; ++v) sum[row][v] = hn::Zero(I32());

  const uint32_t* weights = r.weights;
  const uint32_t* group = r.data + position;
  const size_t ahead = (kTermsAhead / r.taps + 1) * r.group_stride * sizeof(uint32_t);
  const size_t next_panel = std::max(r.groups * r.taps * kTileRows, kLeastWeightsAhead);
  for (size_t g = 0; g < r.groups; ++g, group += r.group_stride)
    for (size_t t = 0; t < r.taps; ++t, weights += kTileRows) {
      const int32_t* data = reinterpret_cast<const int32_t*>(group + r.offsets[t]);
      Ints x[kVectors];
#pragma GCC unroll 3
      for (size_t v = 0; v < kVectors; ++v) x[v] = hn::LoadU(I32(), data + v * kElements32);
      if constexpr (!kPrefetchesAhead) __builtin_prefetch(weights + next_panel, 0, 2);
      if constexpr (kPrefetchesAhead) {
        const auto* later = reinterpret_cast<const uint8_t*>(data) + ahead;
        __builtin_prefetch(later);
        __builtin_prefetch(later + sizeof x - 1);
      }
#pragma GCC unroll 8
      for (size_t row = 0; row < kTileRows; ++row) {
        Ints weight = ints(static_cast<int32_t>(weights[row]));
#pragma GCC unroll 3
        for (size_t v = 0; v < kVectors; ++v) sum[row][v] = Dot::step(sum[row][v], x[v], weight);
      }
    }
}

// Stores the sums of a tile to sums[row][vector].
template <size_t kVectors>
HWY_INLINE void store_sums(const Ints (&sum)[kTileRows][kVectors], int32_t* HWY_RESTRICT sums) {
#pragma GCC unroll 8
  for (size_t row = 0; row < kTileRows; ++row)
#pragma GCC unroll 3
    for (size_t v = 0; v < kVectors; ++v)
      hn::Store(sum[row][v], I32(), sums + (row * kVectors + v) * kElements32);
}

// Not inlined: next to other code, compilers run out of registers and spill inside the loop.
template <class Dot, size_t kVectors>
HWY_NOINLINE void dot_tile(const Reduction& r, size_t position, int32_t* HWY_RESTRICT sums) {
  Ints sum[kTileRows][kVectors];
  dot_sums<Dot>(r, position, sum);
  store_sums(sum, sums);
}

template <class Dot>
struct PlainTiles {
  template <size_t kVectors>
  HWY_INLINE bool run(const Reduction& r, size_t position, int32_t* HWY_RESTRICT sums) const {
    dot_tile<Dot, kVectors>(r, position, sums);
    return true;
  }
};

#if TPUTWIN_HAVE_BYTE_STEPS
// kColumns is the largest number of positions after the last whole vector that dot_columns()
// computes one by one. For each term, such a position takes one broadcast and the products of
// kTileRows weights. A whole vector of positions takes kTileRows broadcasts and as many vectors of
// products.
constexpr size_t kColumns = std::min(kTileRows, kElements32) / 2;

// Computes the sums of kTileRows rows at one position, contiguous by row.
template <class Dot>
HWY_NOINLINE void dot_column(const Reduction& r, size_t position, int32_t* HWY_RESTRICT sums) {
  const hn::CappedTag<int32_t, kTileRows> d;
  constexpr size_t kVectors = kTileRows / hn::MaxLanes(d);
  constexpr size_t kChains = 4 / kVectors;  // independent, to hide the latency of a product
  hn::Vec<decltype(d)> sum[kChains][kVectors];
  for (auto& chain : sum)
    for (auto& s : chain) s = hn::Zero(d);
  const int32_t* weights = reinterpret_cast<const int32_t*>(r.weights);
  const auto step = [&](size_t chain, const uint32_t* data) HWY_ATTR {
    const auto x = hn::Set(d, static_cast<int32_t>(*data));
#pragma GCC unroll 2
    for (size_t v = 0; v < kVectors; ++v)
      sum[chain][v] = Dot::step(sum[chain][v], x, hn::LoadU(d, weights + v * hn::MaxLanes(d)));
    weights += kTileRows;
  };
  // Goes over the groups of one tap, or over the taps of each group. The steps of a chain are
  // kChains apart.
  const bool by_group = r.taps == 1;
  const size_t outer = by_group ? 1 : r.groups, inner = by_group ? r.groups : r.taps;
  const uint32_t* first = r.data + position;
  const auto data = [&](size_t i, size_t j) {
    return by_group ? first + j * r.group_stride + r.offsets[0]
                    : first + i * r.group_stride + r.offsets[j];
  };
  for (size_t i = 0; i < outer; ++i) {
    size_t j = 0;
    for (; j + kChains <= inner; j += kChains)
#pragma GCC unroll 4
      for (size_t k = 0; k < kChains; ++k) step(k, data(i, j + k));
    for (; j < inner; ++j) step(0, data(i, j));
  }
  for (size_t v = 0; v < kVectors; ++v) {
    for (size_t k = 1; k < kChains; ++k) sum[0][v] = hn::Add(sum[0][v], sum[k][v]);
    hn::StoreU(sum[0][v], d, sums + v * hn::MaxLanes(d));
  }
}

// Computes the sums of `count` positions. They are the first elements of a vector for each row.
template <class Dot>
HWY_INLINE void dot_columns(const Reduction& r, size_t position, size_t count,
                            int32_t* HWY_RESTRICT sums) {
  std::fill_n(sums, kTileRows * kElements32, 0);
  for (size_t column = 0; column < count; ++column) {
    alignas(32) int32_t of_column[kTileRows];
    dot_column<Dot>(r, position + column, of_column);
    for (size_t row = 0; row < kTileRows; ++row) sums[row * kElements32 + column] = of_column[row];
  }
}
#else
constexpr size_t kColumns = 0;
template <class Dot>
HWY_INLINE void dot_columns(const Reduction&, size_t, size_t, int32_t*) {}
#endif

// Calls emit(first position, vectors, sums) for blocks of at most kTileVectors vectors that cover
// all positions [begin, end), unless tiles.run() returns false. Vector v of a row is at sums + (row
// * vectors + v) * kElements32.
template <class Dot, class Emit, class Tiles = PlainTiles<Dot>>
HWY_INLINE void dot_blocks(const Reduction& r, size_t begin, size_t end, const Emit& emit,
                           const Tiles& tiles = {}) {
  HWY_ALIGN int32_t sums[kTileRows * kTileVectors * kElements32];
  for (size_t p = begin; p < end;) {
    const size_t left = end - p, whole = left / kElements32;
    const bool few = left % kElements32 <= kColumns;  // after the last whole vector
    const size_t vectors = std::clamp<size_t>(few ? whole : whole + 1, 1, kTileVectors);
    bool emits = true;
    if (whole == 0 && few)
      dot_columns<Dot>(r, p, left, sums);
    else if (vectors == kTileVectors)
      emits = tiles.template run<kTileVectors>(r, p, sums);
    else if (kTileVectors > 2 && vectors == 2)
      emits = tiles.template run<2>(r, p, sums);
    else
      emits = tiles.template run<1>(r, p, sums);
    if (emits) emit(p, vectors, sums);
    p += vectors * kElements32;
  }
}

// Calls emit(row, first position, sums) for each vector of a block of sums.
template <class Emit>
HWY_INLINE void each_vector(size_t position, size_t vectors, const int32_t* sums,
                            const Emit& emit) {
  for (size_t row = 0; row < kTileRows; ++row)
    for (size_t v = 0; v < vectors; ++v)
      emit(row, position + v * kElements32,
           hn::Load(I32(), sums + (row * vectors + v) * kElements32));
}

// Calls emit(row, first position, sums) for all positions [begin, end). The last vector is whole.
template <class Dot, class Emit>
HWY_INLINE void dot_positions(const Reduction& r, size_t begin, size_t end, const Emit& emit) {
  dot_blocks<Dot>(r, begin, end, [&](size_t p, size_t vectors, const int32_t* sums) HWY_ATTR {
    each_vector(p, vectors, sums, emit);
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace tputwin::fast
HWY_AFTER_NAMESPACE();

#endif
