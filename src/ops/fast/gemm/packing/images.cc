// The kernels of images.h.
#include "ops/fast/gemm/packing/images.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/fast/gemm/packing/images.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include <array>
#include <cstring>

#include "ops/fast/vec/types-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace {

constexpr int kByte = 8;

// Loads 32-bit cells i and following of a row and shifts the image's byte to the lowest byte. Bytes
// above it are not cleared.
HWY_INLINE Ints Lowest(const uint8_t* row, size_t i, int shift) {
  const Ints cells = hn::LoadU(I32(), reinterpret_cast<const int32_t*>(row) + i);
  return hn::ShiftRightSame(cells, shift);
}

// Calls vector(i) for the whole vectors of `count` 32-bit values at from[k]. Copies the rest to a
// buffer and computes it as one more vector.
template <size_t kRows, class Vector>
HWY_INLINE void ForWords(const uint8_t* const* from, size_t count, uint32_t* to,
                         const Vector& vector) {
  const size_t whole = count / kElements32 * kElements32;
  for (size_t i = 0; i < whole; i += kElements32)
    hn::StoreU(vector(from, i), I32(), reinterpret_cast<int32_t*>(to + i));
  if (whole == count) return;
  HWY_ALIGN uint32_t rest[kRows + 1][kElements32] = {};
  std::array<const uint8_t*, kRows> rows;
  const size_t bytes = (count - whole) * sizeof(uint32_t);
  for (size_t k = 0; k < kRows; ++k) {
    std::memcpy(rest[k], from[k] + whole * sizeof(uint32_t), bytes);
    rows[k] = reinterpret_cast<const uint8_t*>(rest[k]);
  }
  hn::Store(vector(rows.data(), 0), I32(), reinterpret_cast<int32_t*>(rest[kRows]));
  std::memcpy(to + whole, rest[kRows], bytes);
}

void Join(const uint8_t* const* rows, uint32_t image, size_t count, uint32_t mask, uint32_t* to) {
  const int shift = kByte * static_cast<int>(image);
  const Ints low = ints(0xff), flip = ints(static_cast<int32_t>(mask));
  ForWords<4>(rows, count, to, [&](const uint8_t* const* from, size_t i) HWY_ATTR {
    const auto byte = [&](size_t k) HWY_ATTR { return hn::And(Lowest(from[k], i, shift), low); };
    const Ints pair = hn::Or(byte(0), hn::ShiftLeft<8>(byte(1)));
    const Ints other = hn::Or(byte(2), hn::ShiftLeft<8>(byte(3)));
    return hn::Xor(hn::Or(pair, hn::ShiftLeft<16>(other)), flip);
  });
}

void JoinInt16(const uint8_t* const* rows, uint32_t image, size_t count, bool is_signed,
               uint32_t* to) {
  const int shift = kByte * static_cast<int>(image);
  ForWords<2>(rows, count, to, [&](const uint8_t* const* from, size_t i) HWY_ATTR {
    const auto word = [&](size_t k) HWY_ATTR {
      const Ints byte = Lowest(from[k], i, shift);
      return is_signed ? hn::ShiftRight<24>(hn::ShiftLeft<24>(byte)) : hn::And(byte, ints(0xff));
    };
    return hn::Or(hn::And(word(0), ints(0xffff)), hn::ShiftLeft<16>(word(1)));
  });
}

void Spread(const uint8_t* from, size_t count, uint32_t image, uint8_t* cells) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  // The stores are masked, because other threads may write other images of a cell.
  const __mmask64 bytes = 0x1111'1111'1111'1111u << image;
  const __m128i shift = _mm_cvtsi32_si128(kByte * static_cast<int>(image));
  for (size_t i = 0; i < count; i += kElements32) {
    const size_t left = count - i;
    const __mmask16 some = left < kElements32 ? static_cast<__mmask16>((1u << left) - 1) : 0xffff;
    const __mmask64 all = left < kElements32 ? (__mmask64{1} << 4 * left) - 1 : ~__mmask64{0};
    const __m512i words = _mm512_cvtepu8_epi32(_mm_maskz_loadu_epi8(some, from + i));
    _mm512_mask_storeu_epi8(cells + 4 * i, bytes & all, _mm512_sll_epi32(words, shift));
  }
#else
  uint8_t* to = cells + image;
  for (size_t i = 0; i < count; ++i) to[4 * i] = from[i];
#endif
}

ImageKernels Kernels() { return {.join = &Join, .join_int16 = &JoinInt16, .spread = &Spread}; }

}  // namespace
}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tputwin::fast {

HWY_EXPORT(Kernels);

ImageKernels image_kernels() { return HWY_DYNAMIC_DISPATCH(Kernels)(); }

}  // namespace tputwin::fast
#endif
