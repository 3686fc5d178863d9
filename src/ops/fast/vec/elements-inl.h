// Converts contiguous elements of any type to 32-bit elements and back. Included once per target
// (see Highway's foreach_target.h).
#if defined(TPUTWIN_FAST_ELEMENTS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TPUTWIN_FAST_ELEMENTS_INL_H
#undef TPUTWIN_FAST_ELEMENTS_INL_H
#else
#define TPUTWIN_FAST_ELEMENTS_INL_H
#endif

#include <hwy/highway.h>

#include <cstring>

#include "numerics/float32.h"
#include "ops/fast/vec/float16-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {

// to[i] = convert(p[i]) for i < count, with elements widened to 32 bits.
template <class T, class Convert>
HWY_INLINE void WidenWith(const T* p, size_t count, int32_t* to, const Convert& convert) {
  const I32 d;
  const hn::Rebind<T, I32> dt;
  const size_t elements = hn::Lanes(d), whole = count / elements * elements;
  for (size_t i = 0; i < whole; i += elements)
    hn::StoreU(convert(hn::PromoteTo(d, hn::LoadU(dt, p + i))), d, to + i);
  if (whole == count) return;
  HWY_ALIGN T rest[hn::MaxLanes(dt)] = {};
  HWY_ALIGN int32_t converted[kElements32];
  std::memcpy(rest, p + whole, (count - whole) * sizeof *p);
  hn::Store(convert(hn::PromoteTo(d, hn::Load(dt, rest))), d, converted);
  std::memcpy(to + whole, converted, (count - whole) * sizeof *to);
}

// Replaces NaN, because the processor's conversion keeps the payload of a NaN and the chip's does
// not.
inline void WidenFloat16(const uint16_t* p, size_t count, int32_t* to) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
  const hn::Rebind<hwy::float16_t, F32> d16;
  const Floats invalid = floats(ints(static_cast<int32_t>(f32::kInvalid)));
  for (; count >= kElements32; count -= kElements32, p += kElements32, to += kElements32) {
    const Floats x =
        hn::PromoteTo(F32(), hn::LoadU(d16, reinterpret_cast<const hwy::float16_t*>(p)));
    hn::StoreU(bits(hn::IfThenElse(hn::IsNaN(x), invalid, x)), I32(), to);
  }
#endif
  WidenWith(p, count, to, [](Ints v) HWY_ATTR { return bits(from_f16(v)); });
}

// Widens fp16 and bf16 to fp32, and extends integers.
inline void WidenElements(DType dtype, const uint8_t* p, size_t count, int32_t* to) {
  const auto same = [](Ints v) HWY_ATTR { return v; };
  const auto as = [&]<class T>(T) { return reinterpret_cast<const T*>(p); };
  switch (dtype) {
    case DType::u8:
      return WidenWith(p, count, to, same);
    case DType::i8:
      return WidenWith(as(int8_t{}), count, to, same);
    case DType::u16:
      return WidenWith(as(uint16_t{}), count, to, same);
    case DType::i16:
      return WidenWith(as(int16_t{}), count, to, same);
    case DType::f16:
      return WidenFloat16(as(uint16_t{}), count, to);
    case DType::bf16:
      return WidenWith(as(uint16_t{}), count, to,
                       [](Ints v) HWY_ATTR { return hn::ShiftLeft<16>(v); });
    default:
      std::memcpy(to, p, count * sizeof *to);
  }
}

// p[i] = the low bits of convert(from[i]) for i < count. Whole vectors are read.
template <class T, class Convert>
HWY_INLINE void NarrowWith(const int32_t* from, size_t count, T* p, const Convert& convert) {
  const I32 d;
  const hn::Rebind<T, I32> dt;
  const size_t elements = hn::Lanes(d), whole = count / elements * elements;
  const auto narrow = [&](size_t i)
                          HWY_ATTR { return LowBits<T>(d, convert(hn::LoadU(d, from + i))); };
  for (size_t i = 0; i < whole; i += elements) hn::StoreU(narrow(i), dt, p + i);
  if (whole == count) return;
  HWY_ALIGN T rest[hn::MaxLanes(dt)];
  hn::Store(narrow(whole), dt, rest);
  std::memcpy(p + whole, rest, (count - whole) * sizeof *p);
}

inline void NarrowElements(DType dtype, const int32_t* from, size_t count, uint8_t* p) {
  const auto same = [](Ints v) HWY_ATTR { return v; };
  const auto d16 = reinterpret_cast<uint16_t*>(p);
  switch (dtype) {
    case DType::u8:
    case DType::i8:
      return NarrowWith(from, count, p, same);
    case DType::u16:
    case DType::i16:
      return NarrowWith(from, count, d16, same);
    case DType::f16:
      return NarrowWith(from, count, d16, [](Ints v) HWY_ATTR { return to_f16(floats(v)); });
    case DType::bf16:
      return NarrowWith(from, count, d16, [](Ints v) HWY_ATTR { return to_bf16(floats(v)); });
    default:
      std::memcpy(p, from, count * sizeof *from);
  }
}

}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
