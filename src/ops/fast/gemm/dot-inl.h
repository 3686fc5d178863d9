// Tiles of dot products for one Highway target (include in a foreach_target file, after
// hwy/highway.h). Exact on every target: 32-bit sums that wrap, never 16-bit pairs that saturate.
#if defined(TPUTWIN_OPS_FAST_DOT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TPUTWIN_OPS_FAST_DOT_INL_H_
#undef TPUTWIN_OPS_FAST_DOT_INL_H_
#else
#define TPUTWIN_OPS_FAST_DOT_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>

#include "ops/fast/gemm/dot.h"
#include "ops/fast/vec/types-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast {
namespace HWY_NAMESPACE {

using I16 = hn::Repartition<int16_t, I32>;

// A tile is kTileRows x kTileVectors sums in registers: 24 of 32 registers with AVX-512, 8 of 16
// elsewhere, which leaves room for the data, one weight and a product.
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
constexpr size_t kTileRows = 8, kTileVectors = 3;
#else
constexpr size_t kTileRows = 4, kTileVectors = 2;
#endif

// Products of words: every 8-bit value, signed or not, and every 16-bit value whose pair sums fit.
struct WordDot {
  static constexpr size_t kElements = 2;
  static HWY_INLINE Ints step(Ints sum, Ints data, Ints weight) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
    // Written out because Highway's target string does not name avx512vnni to the compiler,
    // though the target is chosen only where the processor has it (isa.cc).
    asm("vpdpwssd %2, %1, %0" : "+v"(sum.raw) : "v"(data.raw), "v"(weight.raw));
    return sum;
#elif HWY_ARCH_X86 && HWY_TARGET <= HWY_SSE4
    Ints unused = sum;
    return hn::ReorderWidenMulAccumulate(I32(), hn::BitCast(I16(), data),
                                         hn::BitCast(I16(), weight), sum, unused);
#else
    auto low = [](Ints v) HWY_ATTR { return hn::ShiftRight<16>(hn::ShiftLeft<16>(v)); };
    auto high = [](Ints v) HWY_ATTR { return hn::ShiftRight<16>(v); };
    Ints products = hn::Add(hn::Mul(low(data), low(weight)), hn::Mul(high(data), high(weight)));
    return hn::Add(sum, products);
#endif
  }
};

#undef TPUTWIN_HAVE_BYTE_DOT
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
#define TPUTWIN_HAVE_BYTE_DOT 1
// Products of bytes, one factor unsigned and one signed.
struct UnsignedBySignedDot {
  static constexpr size_t kElements = 4;
  static HWY_INLINE Ints step(Ints sum, Ints data, Ints weight) {
    asm("vpdpbusd %2, %1, %0" : "+v"(sum.raw) : "v"(data.raw), "v"(weight.raw));
    return sum;
  }
};
struct SignedByUnsignedDot {
  static constexpr size_t kElements = 4;
  static HWY_INLINE Ints step(Ints sum, Ints data, Ints weight) {
    return UnsignedBySignedDot::step(sum, weight, data);
  }
};
#else
#define TPUTWIN_HAVE_BYTE_DOT 0
#endif

// Sums of kTileRows rows and kVectors vectors of positions from `position` on, to
// sums[row][vector]. Not inlined: beside other code the compilers run out of registers and spill
// inside the loop.
template <class Dot, size_t kVectors>
HWY_NOINLINE void dot_tile(const Reduction& r, size_t position, int32_t* HWY_RESTRICT sums) {
  const I32 d;
  Ints sum[kTileRows][kVectors];
  // Unrolled by hand: else compilers may keep the sums in memory.
#pragma GCC unroll 8
  for (size_t row = 0; row < kTileRows; ++row)
#pragma GCC unroll 3
    for (size_t v = 0; v < kVectors; ++v) sum[row][v] = hn::Zero(d);

  const uint32_t* weights = r.weights;
  const uint32_t* group = r.data + position;
  for (size_t g = 0; g < r.groups; ++g, group += r.group_stride)
    for (size_t t = 0; t < r.taps; ++t, weights += kTileRows) {
      const int32_t* data = reinterpret_cast<const int32_t*>(group + r.offsets[t]);
      Ints x[kVectors];
#pragma GCC unroll 3
      for (size_t v = 0; v < kVectors; ++v) x[v] = hn::LoadU(d, data + v * kLanes32);
#pragma GCC unroll 8
      for (size_t row = 0; row < kTileRows; ++row) {
        Ints weight = hn::Set(d, static_cast<int32_t>(weights[row]));
#pragma GCC unroll 3
        for (size_t v = 0; v < kVectors; ++v) sum[row][v] = Dot::step(sum[row][v], x[v], weight);
      }
    }

#pragma GCC unroll 8
  for (size_t row = 0; row < kTileRows; ++row)
#pragma GCC unroll 3
    for (size_t v = 0; v < kVectors; ++v)
      hn::Store(sum[row][v], d, sums + (row * kVectors + v) * kLanes32);
}

// All positions [begin, end), the last vector whole; emit(row, first position, sum).
template <class Dot, class Emit>
HWY_INLINE void dot_positions(const Reduction& r, size_t begin, size_t end, Emit&& emit) {
  HWY_ALIGN int32_t sums[kTileRows * kTileVectors * kLanes32];
  for (size_t p = begin; p < end; p += kTileVectors * kLanes32) {
    size_t vectors = std::min(kTileVectors, (end - p + kLanes32 - 1) / kLanes32);
    if (vectors == kTileVectors)
      dot_tile<Dot, kTileVectors>(r, p, sums);
    else if (kTileVectors > 2 && vectors == 2)
      dot_tile<Dot, 2>(r, p, sums);
    else
      dot_tile<Dot, 1>(r, p, sums);
    for (size_t row = 0; row < kTileRows; ++row)
      for (size_t v = 0; v < vectors; ++v)
        emit(row, p + v * kLanes32, hn::Load(I32(), sums + (row * vectors + v) * kLanes32));
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace tputwin::fast
HWY_AFTER_NAMESPACE();

#endif
