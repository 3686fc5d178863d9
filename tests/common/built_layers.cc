// The layers of built networks as the operations of each chip.
#include "common/built_bmodel.h"
#include "numerics/float16.h"
#include "ops/conv/weights_bm1684x.h"
#include "ops/operation.h"

namespace tputwin::testing {

// ---- BM1684X ----

BuiltBm1684x::BuiltBm1684x(std::string name, DType dtype)
    : BuiltBmodel(std::move(name), bm1684x(), dtype) {}

void BuiltBm1684x::compute_conv(const TensorView& in, const TensorView& out, const Window& window,
                                bool relu) {
  Conv2dBm1684xFloat op{.out = out, .in = in};
  op.window = window;
  op.weight =
      Source::tensor(weights(weight_shape(in.shape.c, out.shape.c, window, in.dtype), in.dtype));
  op.bias = weights({1, out.shape.c, 1, 1}, DType::f32);
  program_.add(op);
  if (relu) clamp(out);
}

void BuiltBm1684x::compute_maximum(const TensorView& in, const TensorView& out,
                                   const Window& window) {
  Pool2dBm1684xFloat op;
  op.out = out, op.in = in, op.window = window;
  program_.add(op);
}

void BuiltBm1684x::compute_average(const TensorView& in, const TensorView& out,
                                   const Window& window) {
  Pool2dBm1684xFloat op;
  op.kind = Pool2dBm1684xFloat::Kind::average;
  op.out = out, op.in = in, op.window = window;
  const float share = 1.0f / static_cast<float>(window.h.kernel * window.w.kernel);
  op.factor = in.dtype == DType::f16 ? f16::from_f32(share) : f32::bits(share);
  program_.add(op);
}

void BuiltBm1684x::compute_sum(const TensorView& a, const TensorView& b, const TensorView& out) {
  add_floats(a, b, out);
}

// ---- BM1684, fp32 ----

BuiltBm1684::BuiltBm1684(std::string name) : BuiltBmodel(std::move(name), bm1684(), DType::f32) {}

void BuiltBm1684::compute_conv(const TensorView& in, const TensorView& out, const Window& window,
                               bool relu) {
  constexpr uint8_t kPair = 2;
  Conv2dBm1684 op{.out = out, .in = in};
  op.window = window;
  op.weight =
      weights({in.shape.c, out.shape.c, window.h.kernel, window.w.kernel}, DType::f32, kPair);
  op.bias = weights({1, out.shape.c, 1, 1}, DType::f32);
  program_.add(op);
  if (relu) clamp(out);
}

void BuiltBm1684::compute_maximum(const TensorView& in, const TensorView& out,
                                  const Window& window) {
  program_.add(Pool2dBm1684{.out = out, .in = in, .window = window});
}

void BuiltBm1684::compute_average(const TensorView& in, const TensorView& out,
                                  const Window& window) {
  program_.add(Pool2dBm1684{.kind = Pool2dBm1684::Kind::average,
                            .out = out,
                            .in = in,
                            .window = window,
                            .factor = share_of(window)});
}

void BuiltBm1684::compute_sum(const TensorView& a, const TensorView& b, const TensorView& out) {
  add_floats(a, b, out);
}

// ---- BM1684, bytes ----

BuiltBm1684Int8::BuiltBm1684Int8(std::string name)
    : BuiltBmodel(std::move(name), bm1684(), DType::i8, /*pack=*/4) {}

// Weights have 6 bits: a shift by 5 plus half the bits of the number of terms keeps results in
// range.
void BuiltBm1684Int8::compute_conv(const TensorView& in, const TensorView& out,
                                   const Window& window, bool /*relu*/) {
  constexpr uint8_t kCell = 4;
  Conv2dBm1684Int8 op{.out = out, .in = in};
  op.window = window;
  op.weight =
      weights({in.shape.c, out.shape.c, window.h.kernel, window.w.kernel}, DType::i8, kCell);
  op.bias = weights({1, out.shape.c, 1, 1}, DType::i16);
  const uint32_t terms = in.shape.c * window.h.kernel * window.w.kernel;
  op.rshift = 5 + static_cast<uint32_t>(std::bit_width(terms)) / 2;
  program_.add(op);
}

void BuiltBm1684Int8::compute_maximum(const TensorView& in, const TensorView& out,
                                      const Window& window) {
  program_.add(Pool2dBm1684Int8{.out = out, .in = in, .window = window});
}

void BuiltBm1684Int8::compute_average(const TensorView& in, const TensorView& out,
                                      const Window& window) {
  const uint32_t taps = window.h.kernel * window.w.kernel, factor = mean_factor(taps);
  Depthwise2dBm1684Int8 op{.out = out, .in = in};
  op.window = window;
  op.weight = Source::value(factor, DType::u8);
  op.rshift = static_cast<uint32_t>(std::bit_width(taps * factor)) - 1;
  program_.add(op);
}

// Computes half of the sum, at least 0.
void BuiltBm1684Int8::compute_sum(const TensorView& a, const TensorView& b, const TensorView& out) {
  const auto fixed = [&](FixedPoint::Kind kind, const TensorView& left, const Source& right,
                         DType right_type, uint32_t rshift) {
    program_.add(FixedPoint{.kind = kind,
                            .out = out,
                            .a = Source::tensor(left),
                            .b = right,
                            .a_type = left.dtype,
                            .b_type = right_type,
                            .rshift = rshift});
  };
  fixed(FixedPoint::Kind::add, a, Source::tensor(b), b.dtype, 1);
  fixed(FixedPoint::Kind::max, out, Source::value(0u, DType::i8), DType::i8, 0);
}

}  // namespace tputwin::testing
