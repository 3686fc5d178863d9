// What bodies are made of: loops over shapes, elements as numbers, how sums end.
#pragma once

#include <algorithm>
#include <optional>

#include "memory/memory.h"
#include "numerics/float16.h"
#include "numerics/float32.h"
#include "numerics/integer.h"
#include "numerics/rounding.h"
#include "ops/contract/source.h"

namespace tputwin {

// Calls f(n, c, h, w) for every index of a shape, w fastest.
template <class F>
void for_each_index(const Shape& s, F&& f) {
  for (uint32_t n = 0; n < s.n; ++n)
    for (uint32_t c = 0; c < s.c; ++c)
      for (uint32_t h = 0; h < s.h; ++h)
        for (uint32_t w = 0; w < s.w; ++w) f(n, c, h, w);
}

// The same bytes read as another type.
inline TensorView as(TensorView view, DType dtype) {
  view.dtype = dtype;
  return view;
}

// An element of a floating-point type as fp32, and back, rounded to nearest even.
inline float read_float(const Memory& memory, const TensorView& v, uint32_t n, uint32_t c,
                        uint32_t h, uint32_t w) {
  return float_value(static_cast<uint32_t>(memory.read(v, n, c, h, w)), v.dtype);
}
inline float read_float(const Memory& memory, const Source& s, uint32_t n, uint32_t c, uint32_t h,
                        uint32_t w) {
  return float_value(static_cast<uint32_t>(s.read(memory, n, c, h, w)), s.view.dtype);
}
inline void write_float(const Memory& memory, const TensorView& v, uint32_t n, uint32_t c,
                        uint32_t h, uint32_t w, float x) {
  memory.write(v, n, c, h, w, static_cast<int32_t>(float_bits(x, v.dtype)));
}
// An element of an integer type as the number it is.
inline int64_t read_integer(const Memory& memory, const Source& s, uint32_t n, uint32_t c,
                            uint32_t h, uint32_t w) {
  return integer_value(s.read(memory, n, c, h, w), s.view.dtype);
}

// The 16-bit value whose low plane a view names.
inline TensorView as_16bit(const TensorView& view) {
  return as(view, make_dtype(is_signed(view.dtype), /*is_8bit=*/false));
}

// How convolutions end: bias, ReLU, rounding shift, saturation (unsigned with ReLU).
inline int32_t requantize(int64_t sum, int32_t bias, bool relu, uint32_t rshift) {
  int32_t acc = wrap32(sum + bias);
  if (relu) acc = std::max(acc, 0);
  return saturate(round_shift(acc, rshift), relu ? DType::u8 : DType::i8);
}

// How 8-bit convolutions and pools of the BM1684X end: acc / 2^rshift, rounded, as the type of the
// result holds it: saturated.
constexpr int32_t quantized(int64_t acc, bool relu, uint32_t rshift, Rounding rounding,
                            DType dtype) {
  if (relu && acc < 0) acc = 0;
  return saturate(shift_right(acc, rshift, rounding), dtype);
}

// Bias of output channel c; 0 without one.
inline int32_t bias_of(const std::optional<TensorView>& bias, const Memory& memory, uint32_t c) {
  return bias ? memory.read(*bias, 0, c, 0, 0) : 0;
}

// How fp32 convolutions end: bias, then the old value.
inline float finish_f32(const TensorView& out, const std::optional<TensorView>& bias,
                        bool accumulate, const Memory& memory, uint32_t n, uint32_t c, uint32_t y,
                        uint32_t x, float sum) {
  if (bias) sum = f32::add(sum, memory.read_f32(*bias, 0, c, 0, 0));
  if (accumulate) sum = f32::add(sum, memory.read_f32(out, n, c, y, x));
  return sum;
}

}  // namespace tputwin
