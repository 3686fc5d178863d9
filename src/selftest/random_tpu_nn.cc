// Random convolutions, depthwise convolutions and pools of the BM1684X.
#include "memory/layout.h"
#include "numerics/float16.h"
#include "selftest/random_bm1684x.h"

namespace tputwin::testing {
namespace {

constexpr uint64_t kMaxWork = 100000;

class NetworkGenerator {
 public:
  NetworkGenerator(Rng& rng, const Chip& chip) : rng_(rng), tensors_(rng, chip) {}

  Operation make(OperationKind kind) {
    for (;;) {
      draw_window();
      const bool is_conv =
          kind == OperationKind::conv2d_float || kind == OperationKind::conv2d_quant;
      const uint64_t planes = is_conv ? uint64_t{in_.c} * channels_ : in_.c;
      const uint64_t work = in_.n * planes * out_h_ * out_w_ * taps();
      if (out_h_ != 0 && out_w_ != 0 && work <= kMaxWork) return make_one(kind);
    }
  }

 private:
  Operation make_one(OperationKind kind) {
    switch (kind) {
      case OperationKind::conv2d_float:
        return conv2d_float();
      case OperationKind::conv2d_quant:
        return conv2d_quant();
      case OperationKind::depthwise2d_float:
        return depthwise2d_float();
      case OperationKind::depthwise2d_quant:
        return depthwise2d_quant();
      case OperationKind::pool2d_float:
        return pool2d_float();
      default:
        return pool2d_quant();
    }
  }

  Axis axis() {
    Axis a{.kernel = rng_.chance(1, 8) ? rng_.range(5, 9) : rng_.range(1, 4)};
    a.stride = rng_.chance(1, 3) ? rng_.range(2, rng_.chance(1, 4) ? 15 : 3) : 1;
    a.dilation = rng_.chance(1, 4) ? rng_.range(2, 3) : 1;
    a.insert = rng_.chance(1, 4) ? rng_.range(1, rng_.chance(1, 8) ? 14 : 3) : 0;
    if (rng_.coin())
      a.pad_before = rng_.range(0, 3), a.pad_after = rng_.range(0, rng_.chance(1, 8) ? 15 : 3);
    return a;
  }
  void draw_window() {
    window_ = {axis(), axis()};
    in_ = tensors_.shape(2500, 3);
    channels_ = rng_.pick({1u, 2u, 3u, 7u, 16u, 63u, 64u, 65u, 70u});
    out_h_ = window_.h.output(in_.h);
    out_w_ = window_.w.output(in_.w);
    lane_ = tensors_.start_lane();
  }
  uint64_t taps() const { return uint64_t{window_.h.kernel} * window_.w.kernel; }

  template <size_t N>
  DType type(const DType (&types)[N]) {
    return types[rng_.below(N)];
  }
  DType byte_type() { return rng_.pick({DType::u8, DType::i8}); }

  TensorView aligned(const Shape& shape, DType dtype) {
    return tensors_.dense(shape, lane_, dtype, /*aligned=*/true);
  }
  TensorView compact(const Shape& shape, uint32_t lane, DType dtype) {
    return tensors_.dense(shape, lane, dtype, /*aligned=*/false);
  }
  TensorView result(uint32_t channels, DType dtype) {
    return aligned({in_.n, channels, out_h_, out_w_}, dtype);
  }
  // Rows with gaps now and then.
  TensorView conv_input(DType dtype) {
    TensorView view = tensors_.dense(in_, 0, dtype, /*aligned=*/true);
    if (rng_.chance(3, 4)) return view;
    Shape wider = in_;
    wider.w += rng_.range(1, 3);
    view = tensors_.dense(wider, 0, dtype, /*aligned=*/true);
    view.shape = in_;
    return view;
  }
  TensorView per_channel(uint32_t channels, uint32_t lane, DType dtype) {
    return compact({1, channels, 1, 1}, lane, dtype);
  }
  Source number(DType dtype) {
    const uint32_t bits = random_bits(rng_, dtype, ValueKind::usual);
    const auto extended = dtype == DType::i8   ? static_cast<uint32_t>(static_cast<int8_t>(bits))
                          : dtype == DType::u8 ? bits & 0xff
                          : is_half(dtype)     ? bits & 0xffff
                                               : bits;
    return Source::value(extended, dtype);
  }
  Source conv_weight(DType dtype) {
    if (rng_.chance(1, 6)) return number(dtype);
    return Source::tensor(compact(weight_shape(in_.c, channels_, window_, dtype), lane_, dtype));
  }
  Source depthwise_weight(DType dtype) {
    if (rng_.chance(1, 6)) return number(dtype);
    return Source::tensor(compact({1, in_.c, window_.h.kernel, window_.w.kernel}, lane_, dtype));
  }
  Source parameter(uint32_t channels, uint32_t lane, DType dtype) {
    if (rng_.coin()) return number(dtype);
    return Source::tensor(per_channel(channels, lane, dtype));
  }
  // In place, where the result is no larger than its input.
  void maybe_overlap(TensorView& out, const TensorView& in) {
    const bool fits = out.stride.n <= in.stride.n && out.stride.c <= in.stride.c;
    if (fits && rng_.chance(1, 16)) out.address = in.address;
  }

  Operation conv2d_float() {
    const DType dtype = type(kFloatTypes);
    Conv2dFloat op{.window = window_};
    op.out = result(channels_, rng_.coin() ? DType::f32 : dtype);
    op.in = conv_input(dtype);
    op.weight = conv_weight(dtype);
    if (rng_.coin()) op.bias = per_channel(channels_, lane_, DType::f32);
    op.accumulate = op.out.dtype == DType::f32 && rng_.coin();
    op.is_turned = rng_.chance(1, 4);
    return op;
  }

  Operation conv2d_quant() {
    Conv2dQuant op{.window = window_};
    const bool is_wide = rng_.coin();
    op.out = result(channels_, is_wide ? rng_.pick({DType::u32, DType::i32})
                                       : rng_.pick({DType::u8, DType::i8, DType::u16, DType::i16}));
    op.in = conv_input(byte_type());
    op.weight = conv_weight(byte_type());
    if (rng_.coin()) op.bias = per_channel(channels_, lane_, rng_.pick({DType::u16, DType::i16}));
    op.zero_point = parameter(channels_, lane_, byte_type());
    op.padding = parameter(in_.c, 0, op.in.dtype);
    op.insertion = parameter(in_.c, 0, op.in.dtype);
    op.accumulate = is_wide && rng_.coin();
    op.is_turned = rng_.chance(1, 4);
    op.relu = !is_signed(op.out.dtype) && !is_wide && rng_.coin();
    op.rshift = is_wide ? 0 : rng_.range(0, rng_.chance(1, 8) ? 31 : 14);
    return op;
  }

  Operation depthwise2d_float() {
    const DType dtype = type(kFloatTypes);
    Depthwise2dFloat op{.window = window_};
    op.out = result(in_.c, dtype);
    op.in = aligned(in_, dtype);
    maybe_overlap(op.out, op.in);
    op.weight = depthwise_weight(dtype);
    if (rng_.coin()) op.bias = per_channel(in_.c, lane_, dtype);
    op.is_turned = rng_.chance(1, 4);
    return op;
  }

  Operation depthwise2d_quant() {
    Depthwise2dQuant op{.window = window_, .rshift = rng_.range(0, rng_.chance(1, 8) ? 31 : 14)};
    op.rounding = static_cast<Rounding>(rng_.below(7));
    op.relu = rng_.coin();
    op.is_turned = rng_.chance(1, 4);
    op.out = result(in_.c, op.relu ? DType::u8 : type(kIntegerTypes));
    op.in = aligned(in_, byte_type());
    maybe_overlap(op.out, op.in);
    op.weight = depthwise_weight(byte_type());
    if (rng_.coin()) {
      const bool is_unsigned = !is_signed(op.in.dtype) && !is_signed(op.weight.view.dtype);
      op.bias = per_channel(in_.c, lane_, is_unsigned ? DType::u32 : DType::i32);
    }
    op.padding = parameter(in_.c, lane_, op.in.dtype);
    op.insertion = parameter(in_.c, lane_, op.in.dtype);
    return op;
  }

  Operation pool2d_float() {
    const DType dtype = type(kFloatTypes);
    Pool2dFloat op{.window = window_};
    op.kind = rng_.coin() ? Pool2dFloat::Kind::maximum : Pool2dFloat::Kind::average;
    op.out = result(in_.c, dtype);
    op.in = aligned(in_, dtype);
    maybe_overlap(op.out, op.in);
    const ValueKind kind = rng_.coin() ? random_kind(rng_) : ValueKind::usual;
    op.value = random_bits(rng_, dtype, kind);
    return op;
  }

  Operation pool2d_quant() {
    Pool2dQuant op{.window = window_};
    op.kind = rng_.coin() ? Pool2dQuant::Kind::maximum : Pool2dQuant::Kind::average;
    const bool is_average = op.kind == Pool2dQuant::Kind::average;
    const DType dtype = byte_type();
    DType wider = dtype;
    if (is_average)
      wider = is_signed(dtype) ? rng_.pick({DType::i8, DType::i16, DType::i32})
                               : rng_.pick({DType::u8, DType::u16, DType::u32});
    op.out = result(in_.c, wider);
    op.in = aligned(in_, dtype);
    maybe_overlap(op.out, op.in);
    op.padding = static_cast<int32_t>(number(dtype).constant);
    op.multiplier = rng_.range(1, 255);
    op.rshift = rng_.range(0, rng_.chance(1, 8) ? 31 : 12);
    return op;
  }

  Rng& rng_;
  Bm1684Tensors tensors_;
  Window window_;
  Shape in_;
  uint32_t channels_ = 1, out_h_ = 0, out_w_ = 0, lane_ = 0;
};

}  // namespace

Operation random_tpu_nn(Rng& rng, OperationKind kind, const Chip& chip) {
  return NetworkGenerator(rng, chip).make(kind);
}

}  // namespace tputwin::testing
