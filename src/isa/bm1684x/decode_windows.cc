// Decodes the BM1684X's commands with a sliding window: classes CONV (0) and PorD (1).
#include "isa/bm1684x/decode.h"
#include "ops/contract/taps.h"
#include "ops/conv/weights_bm1684x.h"

namespace tputwin::isa::bm1684x_streams {
namespace {

// Returns the padding mode, which is constant without padding. With inserted elements, the edge
// mode is still unambiguous, as the first and last elements of an axis are inputs. Reflected and
// circular padding would be ambiguous.
PadMode pads_of(const TiuCommand& c, CommandReader& r) {
  const bool pads_h = (c.opd0_up_pad | c.opd0_dn_pad) != 0;
  const bool pads_w = (c.opd0_lf_pad | c.opd0_rt_pad) != 0;
  if (!pads_h && !pads_w) return PadMode::constant;
  const auto mode = static_cast<PadMode>(c.pad_mode);  // two bits
  if (mode == PadMode::constant) return mode;
  const bool both = (pads_h && c.opd0_y_ins0 != 0) || (pads_w && c.opd0_x_ins0 != 0);
  r.supports(mode == PadMode::edge || !both, TW_OF(c, pad_mode),
             "elements may be reflected before or after others are inserted between them");
  const bool inserts = (c.opd0_x_ins0 | c.opd0_y_ins0) != 0;
  r.unconfirmed(inserts, TW_OF(c, pad_mode),
                "padding repeats inputs of its axis, as without inserted elements");
  return mode;
}

Window window_of(const TiuCommand& c, CommandReader& r) {
  auto u32 = [](uint64_t value) { return static_cast<uint32_t>(value); };
  return {.h = {.kernel = r.extent(TW_OF(c, opd1_h)),
                .stride = r.extent(TW_OF(c, res_op_y_str)),
                .dilation = u32(c.opd1_y_ins0) + 1,
                .pad_before = u32(c.opd0_up_pad),
                .pad_after = u32(c.opd0_dn_pad),
                .insert = u32(c.opd0_y_ins0)},
          .w = {.kernel = r.extent(TW_OF(c, opd1_w)),
                .stride = r.extent(TW_OF(c, res_op_x_str)),
                .dilation = u32(c.opd1_x_ins0) + 1,
                .pad_before = u32(c.opd0_lf_pad),
                .pad_after = u32(c.opd0_rt_pad),
                .insert = u32(c.opd0_x_ins0)},
          .pads = pads_of(c, r)};
}

// Checks that the window produces the extents of the result from those of the input.
void check_fit(const TiuCommand& c, CommandReader& r, const Window& window, const Shape& in) {
  r.require(window.h.output(in.h) == c.res0_h, errors::isa_stream_window, TW_OF(c, res0_h));
  r.require(window.w.output(in.w) == c.res0_w, errors::isa_stream_window, TW_OF(c, res0_w));
}

// Values of taps outside the input: constants, or pairs of bytes per channel.
struct Outside {
  Source padding, insertion;
};
Outside outside_of(const TiuCommand& c, CommandReader& r, const TensorView& in) {
  if (c.opd3_const != 0)
    return {constant_source(c.opd3_addr, in.dtype), constant_source(c.res1_addr, in.dtype)};
  constexpr uint32_t kValues = 2;
  TensorView padding = r.compact(TW_OF(c, opd3_addr), {1, in.shape.c, 1, kValues}, in.dtype);
  padding.shape.w = 1;
  padding.stride.w = 0;
  const bool inserts = c.opd0_x_ins0 != 0 || c.opd0_y_ins0 != 0;
  if (!inserts) return {Source::tensor(padding), Source::value(0u, in.dtype)};
  TensorView insertion = padding;
  insertion.address += element_bytes(in.dtype);
  return {Source::tensor(padding), Source::tensor(insertion)};
}

// Sets the constants outside the input, if taps fall there.
template <class Op>
void set_constants_outside(const TiuCommand& c, CommandReader& r, Op& op) {
  const Axis &h = op.window.h, &w = op.window.w;
  const bool pads = (h.pad_before | h.pad_after | w.pad_before | w.pad_after) != 0;
  using Bits = decltype(op.padding);
  if (pads && op.window.pads == PadMode::constant) {
    r.supports(c.opd3_const != 0, TW_OF(c, opd3_const),
               "a tensor of padding is described for convolutions of bytes only");
    op.padding = static_cast<Bits>(element_bits(c.opd3_addr, op.in.dtype));
  }
  if ((h.insert | w.insert) != 0)
    op.insertion = static_cast<Bits>(element_bits(c.res1_addr, op.in.dtype));
}

// Reads one bias per channel, or a constant.
template <class Op>
void set_channel_bias(const TiuCommand& c, CommandReader& r, DType dtype, Op& op) {
  if (c.opd2_const == 0) {
    op.bias = r.compact(TW_OF(c, opd2_addr), {1, op.out.shape.c, 1, 1}, dtype);
    return;
  }
  const auto bits = static_cast<int32_t>(element_bits(c.opd2_addr, dtype));
  using Number = decltype(op.constant_bias);
  op.constant_bias = static_cast<Number>(is_float(dtype) ? bits : integer_value(bits, dtype));
}

// ---- CONV ----

TensorView conv_input(const TiuCommand& c, CommandReader& r, DType dtype) {
  const Shape shape =
      r.shape(TW_OF(c, res0_n), TW_OF(c, opd0_c), TW_OF(c, opd0_h), TW_OF(c, opd0_w));
  r.require(c.opd0_str == kAligned || c.opd0_str == kStrided, errors::isa_stream_layout,
            TW_OF(c, opd0_str));
  return r.placed(TW_OF(c, opd0_addr), TW_OF(c, opd0_str), shape, dtype,
                  {c.opd0_n_str, c.opd0_c_str, c.opd0_h_str, c.opd0_w_str});
}

// Sets window, input, result and weights.
template <class Op>
void set_conv(const TiuCommand& c, CommandReader& r, DType out, DType in, DType weight, Op& op) {
  op.window = window_of(c, r);
  op.is_rotated = c.kernel_rotate != 0;
  op.in = conv_input(c, r, in);
  op.out = r.aligned(TW_OF(c, res0_addr), result_shape(c, r), out);
  check_fit(c, r, op.window, op.in.shape);
  const Shape shape = weight_shape(op.in.shape.c, op.out.shape.c, op.window, weight);
  op.weight = c.opd1_const != 0 ? constant_source(c.opd1_addr, weight)
                                : Source::tensor(r.compact(TW_OF(c, opd1_addr), shape, weight));
}

Operation conv2d_float(const TiuCommand& c, CommandReader& r) {
  Conv2dBm1684xFloat op{.accumulate = c.res_add != 0};
  const DType in = r.float_type(TW_OF(c, opd0_prec));
  set_conv(c, r, r.float_type(TW_OF(c, res0_prec)), in, in, op);
  set_constants_outside(c, r, op);
  set_channel_bias(c, r, DType::f32, op);
  return op;
}

// 8-bit types of input and weights.
struct ByteTypes {
  DType in, weight;
};
ByteTypes byte_types(const TiuCommand& c, CommandReader& r) {
  r.require(c.opd0_prec == kInt8, errors::isa_stream_type, TW_OF(c, opd0_prec));
  return {make_dtype(c.opd0_sign != 0, /*is_8bit=*/true),
          make_dtype(c.opd1_sign != 0, /*is_8bit=*/true)};
}

}  // namespace

Operation conv2d(const TiuCommand& c, CommandReader& r, const TiuVariant&) {
  if (c.opd0_prec != kInt8) return conv2d_float(c, r);
  Conv2dBm1684xInt8 op{.accumulate = c.res_add != 0};
  const ByteTypes t = byte_types(c, r);
  r.require(c.res0_prec == kInt32, errors::isa_stream_type, TW_OF(c, res0_prec));
  set_conv(c, r, DType::i32, t.in, t.weight, op);
  op.zero_point =
      c.opd2_const != 0
          ? constant_source(c.opd2_addr, t.weight)
          : Source::tensor(r.compact(TW_OF(c, opd2_addr), {1, op.out.shape.c, 1, 1}, t.weight));
  const Outside outside = outside_of(c, r, op.in);
  op.padding = outside.padding;
  op.insertion = outside.insertion;
  return op;
}

Operation conv2d_symmetric(const TiuCommand& c, CommandReader& r, const TiuVariant& v) {
  Conv2dBm1684xInt8 op{.rshift = static_cast<uint32_t>(c.opd3_addr & 0xff), .relu = v.relu};
  const ByteTypes t = byte_types(c, r);
  const bool bias_sign = c.opd2_sign != 0;
  const DType out = r.int_type(TW_OF(c, res0_prec), !v.relu && (any_sign(c) || bias_sign));
  set_conv(c, r, out, t.in, t.weight, op);
  set_channel_bias(c, r, make_dtype(bias_sign, /*is_8bit=*/false), op);
  return op;
}

// ---- PorD ----

namespace {

// Sets window, input and result, which have equal channels.
template <class Op>
void set_window(const TiuCommand& c, CommandReader& r, DType out, DType in, Op& op) {
  op.window = window_of(c, r);
  const Shape result = result_shape(c, r);
  op.out = r.aligned(TW_OF(c, res0_addr), result, out);
  op.in =
      r.aligned(TW_OF(c, opd0_addr),
                {result.n, result.c, r.extent(TW_OF(c, opd0_h)), r.extent(TW_OF(c, opd0_w))}, in);
  check_fit(c, r, op.window, op.in.shape);
}

template <class Op>
void set_depthwise(const TiuCommand& c, CommandReader& r, DType out, DType in, DType weight,
                   Op& op) {
  set_window(c, r, out, in, op);
  op.is_rotated = c.kernel_rotate != 0;
  const Shape shape = depthwise_weight_shape(op.in, op.window);
  op.weight = c.opd1_const != 0 ? constant_source(c.opd1_addr, weight)
                                : Source::tensor(r.compact(TW_OF(c, opd1_addr), shape, weight));
}

Operation depthwise2d_float(const TiuCommand& c, CommandReader& r) {
  Depthwise2dBm1684xFloat op;
  const DType in = r.float_type(TW_OF(c, opd0_prec));
  set_depthwise(c, r, r.float_type(TW_OF(c, res0_prec)), in, in, op);
  set_constants_outside(c, r, op);
  set_channel_bias(c, r, in, op);
  return op;
}

// For integers, res1_addr holds the insertion value and, from bit 8 on, the shift.
uint32_t right_shift(const TiuCommand& c) { return static_cast<uint32_t>(c.res1_addr >> 8 & 0xff); }

}  // namespace

Operation depthwise2d(const TiuCommand& c, CommandReader& r, const TiuVariant& v) {
  if (c.opd0_prec != kInt8) {
    r.require(!v.relu, errors::isa_stream_type, TW_OF(c, opd0_prec));
    return depthwise2d_float(c, r);
  }
  Depthwise2dBm1684xInt8 op{
      .rshift = right_shift(c), .relu = v.relu, .rounding = r.rounding(TW_OF(c, opd2_n_str))};
  const ByteTypes t = byte_types(c, r);
  set_depthwise(c, r, r.int_type(TW_OF(c, res0_prec), !v.relu && any_sign(c)), t.in, t.weight, op);
  set_channel_bias(c, r, c.opd2_sign != 0 ? DType::i32 : DType::u32, op);
  const Outside outside = outside_of(c, r, op.in);
  op.padding = outside.padding;
  op.insertion = outside.insertion;
  return op;
}

Operation average_pool2d(const TiuCommand& c, CommandReader& r, const TiuVariant&) {
  if (c.opd0_prec != kInt8) {
    Pool2dBm1684xFloat op{.kind = Pool2dBm1684xFloat::Kind::average};
    const DType dtype = r.float_type(TW_OF(c, opd0_prec));
    set_window(c, r, r.float_type(TW_OF(c, res0_prec)), dtype, op);
    set_constants_outside(c, r, op);
    op.factor = element_bits(c.opd1_addr, dtype);
    return op;
  }
  Pool2dBm1684xInt8 op{.kind = Pool2dBm1684xInt8::Kind::average,
                       .multiplier = static_cast<uint32_t>(c.opd1_addr & 0xff),
                       .rshift = static_cast<uint32_t>(c.opd2_addr & 0xff)};
  const DType in = make_dtype(c.opd0_sign != 0, /*is_8bit=*/true);
  set_window(c, r, r.int_type(TW_OF(c, res0_prec), c.opd0_sign != 0), in, op);
  set_constants_outside(c, r, op);
  return op;
}

Operation max_pool2d(const TiuCommand& c, CommandReader& r, const TiuVariant&) {
  r.require(c.res0_prec == c.opd0_prec, errors::isa_stream_type, TW_OF(c, res0_prec));
  if (c.opd0_prec != kInt8) {
    Pool2dBm1684xFloat op{.kind = Pool2dBm1684xFloat::Kind::maximum};
    const DType dtype = r.float_type(TW_OF(c, opd0_prec));
    set_window(c, r, dtype, dtype, op);
    set_constants_outside(c, r, op);
    return op;
  }
  Pool2dBm1684xInt8 op;
  const DType dtype = make_dtype(c.opd0_sign != 0, /*is_8bit=*/true);
  set_window(c, r, dtype, dtype, op);
  set_constants_outside(c, r, op);
  return op;
}

}  // namespace tputwin::isa::bm1684x_streams
