// Building blocks of kernels: loops over shapes, elements as numbers, epilogues of sums.
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

// Returns a view of the same bytes with another type.
inline TensorView as(TensorView view, DType dtype) {
  view.dtype = dtype;
  return view;
}

// Conversions of an element of a floating-point type to fp32 and back, rounded to nearest even.
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
// Returns the value of an element of an integer type.
inline int64_t read_integer(const Memory& memory, const Source& s, uint32_t n, uint32_t c,
                            uint32_t h, uint32_t w) {
  return integer_value(s.read(memory, n, c, h, w), s.view.dtype);
}

// Returns the 16-bit view whose low plane is `view`.
inline TensorView as_16bit(const TensorView& view) {
  return as(view, make_dtype(is_signed(view.dtype), /*is_8bit=*/false));
}

// Epilogue of convolutions: bias, ReLU, rounding shift, saturation (unsigned with ReLU).
inline int32_t requantize(int64_t sum, int32_t bias, bool relu, uint32_t rshift) {
  int32_t acc = wrap32(sum + bias);
  if (relu) acc = std::max(acc, 0);
  return saturate(round_shift(acc, rshift), relu ? DType::u8 : DType::i8);
}

// Epilogue of 8-bit convolutions and pools of the BM1684X: acc / 2^rshift, rounded, then saturated
// to the type of the result.
constexpr int32_t quantized(int64_t acc, bool relu, uint32_t rshift, Rounding rounding,
                            DType dtype) {
  if (relu && acc < 0) acc = 0;
  return saturate(shift_right(acc, rshift, rounding), dtype);
}

// Returns the bias of output channel c, or 0 without a bias.
inline int32_t bias_of(const std::optional<TensorView>& bias, const Memory& memory, uint32_t c) {
  return bias ? memory.read(*bias, 0, c, 0, 0) : 0;
}

// Epilogue of fp32 convolutions: adds the bias, then the old value.
inline float finish_f32(const TensorView& out, const std::optional<TensorView>& bias,
                        bool accumulate, const Memory& memory, uint32_t n, uint32_t c, uint32_t y,
                        uint32_t x, float sum) {
  if (bias) sum = f32::add(sum, memory.read_f32(*bias, 0, c, 0, 0));
  if (accumulate) sum = f32::add(sum, memory.read_f32(out, n, c, y, x));
  return sum;
}

}  // namespace tputwin
