// Random convolutions, depthwise convolutions and pools of the BM1684X.
#include "ops/conv/weights_bm1684x.h"
#include "selftest/window_family.h"

namespace tputwin::testing {
namespace {

class Windows : WindowFamily {
 public:
  Windows(Rng& rng, const Chip& chip) : WindowFamily(rng, chip, /*inserts=*/true) {}

  Operation conv2d_float() {
    if (!draw_window(/*is_convolution=*/true)) return CpuCall{};
    const DType dtype = float_type();
    Conv2dBm1684xFloat op{.window = window_};
    op.out = window_result(channels_, rng_.coin() ? DType::f32 : dtype);
    op.in = conv_input(dtype);
    op.weight = conv_weight(dtype);
    draw_bias(op, channels_, DType::f32);
    draw_outside(op, dtype);
    op.accumulate = op.out.dtype == DType::f32 && rng_.coin();
    op.is_rotated = rng_.chance(1, 4);
    return op;
  }

  Operation conv2d_quant() {
    if (!draw_window(/*is_convolution=*/true)) return CpuCall{};
    Conv2dBm1684xInt8 op{.window = window_};
    const bool is_wide = rng_.coin();
    op.out = window_result(channels_,
                           is_wide ? rng_.pick({DType::u32, DType::i32})
                                   : rng_.pick({DType::u8, DType::i8, DType::u16, DType::i16}));
    op.in = conv_input(byte_type());
    op.weight = conv_weight(byte_type());
    draw_bias(op, channels_, rng_.pick({DType::u16, DType::i16}));
    op.zero_point = parameter(channels_, lane_, byte_type());
    op.padding = parameter(shape_.c, 0, op.in.dtype);
    op.insertion = parameter(shape_.c, 0, op.in.dtype);
    op.accumulate = is_wide && rng_.coin();
    op.is_rotated = rng_.chance(1, 4);
    op.relu = !is_signed(op.out.dtype) && !is_wide && rng_.coin();
    op.rshift = is_wide ? 0 : rng_.range(0, rng_.chance(1, 8) ? 31 : 14);
    return op;
  }

  Operation depthwise2d_float() {
    if (!draw_window(/*is_convolution=*/false)) return CpuCall{};
    const DType dtype = float_type();
    Depthwise2dBm1684xFloat op{.window = window_};
    set_sides(op, dtype, dtype);
    op.weight = depthwise_weight(dtype);
    draw_bias(op, shape_.c, dtype);
    draw_outside(op, dtype);
    op.is_rotated = rng_.chance(1, 4);
    return op;
  }

  Operation depthwise2d_quant() {
    if (!draw_window(/*is_convolution=*/false)) return CpuCall{};
    Depthwise2dBm1684xInt8 op{.window = window_,
                              .rshift = rng_.range(0, rng_.chance(1, 8) ? 31 : 14)};
    op.rounding = static_cast<Rounding>(rng_.below(7));
    op.relu = rng_.coin();
    op.is_rotated = rng_.chance(1, 4);
    set_sides(op, op.relu ? DType::u8 : integer_type(), byte_type());
    op.weight = depthwise_weight(byte_type());
    const bool is_unsigned = !is_signed(op.in.dtype) && !is_signed(op.weight.view.dtype);
    draw_bias(op, shape_.c, is_unsigned ? DType::u32 : DType::i32);
    op.padding = parameter(shape_.c, lane_, op.in.dtype);
    op.insertion = parameter(shape_.c, lane_, op.in.dtype);
    return op;
  }

  Operation pool2d_float() {
    if (!draw_window(/*is_convolution=*/false)) return CpuCall{};
    const DType dtype = float_type();
    Pool2dBm1684xFloat op{.window = window_};
    op.kind = rng_.coin() ? Pool2dBm1684xFloat::Kind::maximum : Pool2dBm1684xFloat::Kind::average;
    set_sides(op, dtype, dtype);
    const ValueKind kind = rng_.coin() ? random_kind(rng_) : ValueKind::usual;
    if (op.kind == Pool2dBm1684xFloat::Kind::average) op.factor = random_bits(rng_, dtype, kind);
    if (op.kind == Pool2dBm1684xFloat::Kind::maximum) op.padding = random_bits(rng_, dtype, kind);
    draw_outside(op, dtype);
    return op;
  }

  Operation pool2d_quant() {
    if (!draw_window(/*is_convolution=*/false)) return CpuCall{};
    Pool2dBm1684xInt8 op{.window = window_};
    op.kind = rng_.coin() ? Pool2dBm1684xInt8::Kind::maximum : Pool2dBm1684xInt8::Kind::average;
    const bool is_average = op.kind == Pool2dBm1684xInt8::Kind::average;
    const DType dtype = byte_type();
    DType wider = dtype;
    if (is_average)
      wider = is_signed(dtype) ? rng_.pick({DType::i8, DType::i16, DType::i32})
                               : rng_.pick({DType::u8, DType::u16, DType::u32});
    set_sides(op, wider, dtype);
    op.padding = static_cast<int32_t>(usual(dtype).constant);
    if (rng_.chance(1, 3)) op.padding = saturate(INT32_MIN, dtype);
    op.insertion = static_cast<int32_t>(usual(dtype).constant);
    op.multiplier = rng_.range(1, 255);
    op.rshift = rng_.range(0, rng_.chance(1, 8) ? 31 : 12);
    return op;
  }

 private:
  bool draw_window(bool is_convolution) {
    const bool drawn = WindowFamily::draw_window(is_convolution);
    if (rng_.chance(1, 8)) window_.pads = static_cast<PadMode>(rng_.range(1, 3));
    return drawn;
  }
  // Draws a bias: a tensor, a number, or none.
  template <class Op>
  void draw_bias(Op& op, uint32_t channels, DType dtype) {
    using Number = decltype(op.constant_bias);
    const bool small = is_32bit(dtype) && !is_float(dtype) && rng_.chance(3, 4);
    const auto bits = static_cast<int32_t>(small ? rng_.below(5000) : usual(dtype).constant);
    if (rng_.coin())
      op.bias = compact({1, channels, 1, 1}, dtype);
    else if (rng_.chance(1, 4))
      op.constant_bias = static_cast<Number>(is_float(dtype) ? bits : integer_value(bits, dtype));
  }
  // Draws the values that floating-point windows read outside their input, of every kind.
  template <class Op>
  void draw_outside(Op& op, DType dtype) {
    if (rng_.chance(1, 4)) op.padding = random_bits(rng_, dtype, random_kind(rng_));
    if (rng_.chance(1, 4)) op.insertion = random_bits(rng_, dtype, random_kind(rng_));
  }

  DType byte_type() { return rng_.pick({DType::u8, DType::i8}); }

  template <class Op>
  void set_sides(Op& op, DType out, DType in) {
    op.out = window_result(shape_.c, out);
    op.in = aligned(in);
    maybe_overlap(op.out, op.in);
  }
  // Returns an input whose rows sometimes have gaps.
  TensorView conv_input(DType dtype) {
    TensorView view = tensors_.dense(shape_, 0, dtype, /*aligned=*/true);
    if (rng_.chance(3, 4)) return view;
    Shape wider = shape_;
    wider.w += rng_.range(1, 3);
    view = tensors_.dense(wider, 0, dtype, /*aligned=*/true);
    view.shape = shape_;
    return view;
  }

  Source usual(DType dtype) {
    return Source::value(extended(random_bits(rng_, dtype, ValueKind::usual), dtype), dtype);
  }
  Source conv_weight(DType dtype) {
    if (rng_.chance(1, 6)) return usual(dtype);
    return Source::tensor(compact(weight_shape(shape_.c, channels_, window_, dtype), dtype));
  }
  Source depthwise_weight(DType dtype) {
    return rng_.chance(1, 6) ? usual(dtype) : Source::tensor(depthwise_filter(dtype));
  }
  Source parameter(uint32_t channels, uint32_t lane, DType dtype) {
    if (rng_.coin()) return usual(dtype);
    return Source::tensor(tensors_.dense({1, channels, 1, 1}, lane, dtype, /*aligned=*/false));
  }
};

}  // namespace

TW_FAMILY(random_bm1684x_windows, Windows, {conv2d_bm1684x_float, &Windows::conv2d_float},
          {conv2d_bm1684x_int8, &Windows::conv2d_quant},
          {depthwise2d_bm1684x_float, &Windows::depthwise2d_float},
          {depthwise2d_bm1684x_int8, &Windows::depthwise2d_quant},
          {pool2d_bm1684x_float, &Windows::pool2d_float},
          {pool2d_bm1684x_int8, &Windows::pool2d_quant})

}  // namespace tputwin::testing
