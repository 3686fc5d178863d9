// Decodes the BM1684's commands with a sliding window: classes 0 and 1.
#include "base/bits.h"
#include "isa/bm1684/decode.h"

namespace tputwin::isa::bm1684_streams {
namespace {

uint32_t number(uint64_t value) { return static_cast<uint32_t>(value); }

Window window_of(const TiuCommand& c, Reader& r) {
  auto axis = [&](const Named& kernel, uint64_t stride, uint64_t dilation, uint64_t before,
                  uint64_t after, uint64_t insert) {
    return Axis{.kernel = r.extent(kernel),
                .stride = number(stride),
                .dilation = number(dilation) + 1,
                .pad_before = number(before),
                .pad_after = number(after),
                .insert = number(insert)};
  };
  r.require(c.res_op_y_str != 0, errors::isa_stream_window, TW_OF(c, res_op_y_str));
  r.require(c.res_op_x_str != 0, errors::isa_stream_window, TW_OF(c, res_op_x_str));
  return {axis(TW_OF(c, opd1_h), c.res_op_y_str, c.opd1_y_ins0, c.opd0_up_pad, c.opd0_dn_pad,
               c.opd0_y_ins0),
          axis(TW_OF(c, opd1_w), c.res_op_x_str, c.opd1_x_ins0, c.opd0_lf_pad, c.opd0_rt_pad,
               c.opd0_x_ins0)};
}

// The result must not have more rows and columns than the window produces, because the contents of
// further ones are undefined.
void check_fit(const TiuCommand& c, Reader& r, const Window& window, const Shape& in) {
  if (!r.ok()) return;
  r.require(window.h.output(in.h) >= c.res0_h, errors::isa_stream_window, TW_OF(c, res0_h));
  r.require(window.w.output(in.w) >= c.res0_w, errors::isa_stream_window, TW_OF(c, res0_w));
}

Shape input_shape(const TiuCommand& c, Reader& r, const Named& channels) {
  return r.shape(TW_OF(c, res0_n), channels, TW_OF(c, opd0_h), TW_OF(c, opd0_w));
}

bool has_bias(const TiuCommand& c) {
  constexpr uint64_t kWithBias = 3;
  return c.tsk_opd_num == kWithBias;
}

// 16-bit results of bytes keep four images per cell. Strides count the cells of the 8-bit layout.
TensorView packed_result(Reader& r, const Shape& shape, DType dtype) {
  constexpr uint8_t kImages = 4;
  TensorView view = r.aligned(kRes0, shape, element_bytes(dtype) == 1 ? dtype : DType::i8, kImages);
  if (element_bytes(dtype) == 1) return view;
  view.dtype = dtype;
  view.plane_stride = 1;
  for (uint32_t* stride : {&view.stride.n, &view.stride.c, &view.stride.h, &view.stride.w})
    *stride *= element_bytes(dtype);
  return view;
}

// The result of bytes is signed if an operand is signed and there is no ReLU.
DType packed_type(const TiuCommand& c, Reader& r, bool weights_signed) {
  const bool any_sign =
      c.opt_opd0_sign != 0 || weights_signed || (has_bias(c) && c.opt_opd2_sign != 0);
  const DType dtype = r.int_type(TW_OF(c, opt_res0_prec), any_sign && c.opt_relu == 0);
  r.require(!is_32bit(dtype), errors::isa_stream_type, TW_OF(c, opt_res0_prec));
  return dtype;
}

DType bias_type(const TiuCommand& c, Reader& r) {
  r.only(kOpd2.type, {kInt16});
  r.only(kOpd2.is_constant, {0});
  return c.opt_opd2_sign != 0 ? DType::i16 : DType::u16;
}

std::optional<TensorView> channel_bias(const TiuCommand& c, Reader& r, DType dtype) {
  if (!has_bias(c)) return std::nullopt;
  r.only(kOpd2.is_constant, {0});
  return r.per_channel(kOpd2, r.extent(TW_OF(c, res0_c)), dtype);
}

// ---- 0: over all input channels ----

// Constant weights are not dilated, regardless of the fields.
Window conv_window(const TiuCommand& c, Reader& r) {
  Window window = window_of(c, r);
  if (r.is_constant(kOpd1)) window.h.dilation = window.w.dilation = 1;
  return window;
}

// Returns the view of the weights; only the shape if they are constant.
TensorView conv_weights(Reader& r, uint32_t inputs, uint32_t outputs, const Window& window,
                        DType dtype, uint8_t pack) {
  const Shape shape{inputs, outputs, window.h.kernel, window.w.kernel};
  if (r.is_constant(kOpd1)) return {.dtype = dtype, .pack = pack, .shape = shape};
  if (kOpd1.layout.of(r.command()).value == kCompact) return r.compact(kOpd1, shape, dtype, pack);
  r.only(kOpd1.layout, {kStrided});
  return r.placed(kOpd1, shape, dtype, pack);
}

Operation conv2d_f32(const TiuCommand& c, Reader& r) {
  r.all_f32({&kRes0, &kOpd0, &kOpd1});
  r.only(kRes0.layout, {kAligned});
  constexpr uint8_t kPair = 2;
  Conv2dBm1684 op{.window = conv_window(c, r)};
  op.out = r.aligned(kRes0, r.result_shape(), DType::f32);
  op.in = r.placed(kOpd0, input_shape(c, r, TW_OF(c, opd0_c)), DType::f32);
  check_fit(c, r, op.window, op.in.shape);
  op.weight = conv_weights(r, op.in.shape.c, op.out.shape.c, op.window, DType::f32, kPair);
  if (r.is_constant(kOpd1)) op.constant_weight = number(c.opd1_addr);
  op.bias = channel_bias(c, r, DType::f32);
  op.is_rotated = c.opt_kernel_rotate != 0;
  op.accumulate = c.opt_res_add != 0;
  return op;
}

// Reads a bias stored after the weights of each channel, or in a compact array.
std::optional<TensorView> conv_bias(const TiuCommand& c, Reader& r) {
  if (!has_bias(c)) return std::nullopt;
  const Named layout = kOpd2.layout.of(c);
  r.supports(layout.value == kCompact || layout.value == kPerChannel || layout.value == kStrided,
             layout);
  TensorView view = r.per_channel(kOpd2, r.extent(TW_OF(c, res0_c)), bias_type(c, r));
  if (layout.value == kStrided && view.stride.c != 0)
    view.stride.c = number(c.opd2_c_str * element_bytes(view.dtype));
  return view;
}

Operation winograd2d(const TiuCommand& c, Reader& r) {
  constexpr uint64_t kTile = 4;
  r.only(TW_TIU_FIELD(opd1_h), {kTile});
  r.only(TW_TIU_FIELD(opd1_w), {kTile});
  r.only(kOpd1.layout, {kCompact});
  r.only(kOpd1.is_constant, {0});
  for (const TiuField& field : {TW_TIU_FIELD(res_op_x_str), TW_TIU_FIELD(res_op_y_str)})
    r.only(field, {1});
  for (const TiuField& field :
       {TW_TIU_FIELD(opd0_x_ins0), TW_TIU_FIELD(opd0_y_ins0), TW_TIU_FIELD(opd1_x_ins0),
        TW_TIU_FIELD(opd1_y_ins0), TW_TIU_FIELD(opt_kernel_rotate)})
    r.only(field, {0});
  Winograd2dBm1684 op{.window = window_of(c, r)};
  op.window.h.kernel = op.window.w.kernel = 3;  // kernel of the 4 x 4 transformed weights
  op.out = packed_result(r, r.result_shape(), packed_type(c, r, /*weights_signed=*/true));
  op.in = r.placed(kOpd0, input_shape(c, r, TW_OF(c, opd0_c)), r.data_type(kOpd0), 4);
  check_fit(c, r, op.window, op.in.shape);
  const Shape kernels{op.in.shape.c, op.out.shape.c, number(kTile), number(kTile)};
  op.weight = r.compact(kOpd1, kernels, DType::i8, 4);
  op.bias = conv_bias(c, r);
  op.rshift = number(c.opt_right_shift);
  return op;
}

Operation conv2d_int8(const TiuCommand& c, Reader& r) {
  r.only(TW_TIU_FIELD(opt_res_add), {0});
  r.only(kOpd1.type, {kInt8});
  if (c.opt_winograd != 0) return winograd2d(c, r);
  constexpr uint8_t kChannels = 4;
  Conv2dBm1684Int8 op{.window = conv_window(c, r)};
  const DType weight = r.data_type(kOpd1);
  op.out = packed_result(r, r.result_shape(), packed_type(c, r, is_signed(weight)));
  op.in = r.placed(kOpd0, input_shape(c, r, TW_OF(c, opd0_c)), r.data_type(kOpd0), 4);
  check_fit(c, r, op.window, op.in.shape);
  op.weight = conv_weights(r, op.in.shape.c, op.out.shape.c, op.window, weight, kChannels);
  if (r.is_constant(kOpd1))
    op.constant_weight = static_cast<int32_t>(element_bits(c.opd1_addr, weight));
  op.bias = conv_bias(c, r);
  op.is_rotated = c.opt_kernel_rotate != 0;
  op.rshift = number(c.opt_right_shift);
  return op;
}

// ---- 1: one filter per channel, and pooling ----

// A constant weight is the factor of an average.
Operation depthwise2d_f32(const TiuCommand& c, Reader& r) {
  r.all_f32({&kRes0, &kOpd0, &kOpd1});
  r.only(TW_TIU_FIELD(opt_kernel_rotate), {0});
  const Window window = window_of(c, r);
  const TensorView out = r.aligned(kRes0, r.result_shape(), DType::f32);
  const TensorView in = r.aligned(kOpd0, input_shape(c, r, TW_OF(c, res0_c)), DType::f32);
  check_fit(c, r, window, in.shape);
  if (r.is_constant(kOpd1)) {
    r.supports(!has_bias(c), TW_OF(c, tsk_opd_num));
    return Pool2dBm1684{.kind = Pool2dBm1684::Kind::average,
                        .out = out,
                        .in = in,
                        .window = window,
                        .factor = f32::from_bits(number(c.opd1_addr))};
  }
  const Shape weights{1, out.shape.c, window.h.kernel, window.w.kernel};
  return Depthwise2dBm1684{.out = out,
                           .in = in,
                           .weight = r.compact(kOpd1, weights, DType::f32),
                           .bias = channel_bias(c, r, DType::f32),
                           .window = window};
}

Operation depthwise2d_int8(const TiuCommand& c, Reader& r) {
  r.only(kOpd1.type, {kInt8});
  Depthwise2dBm1684Int8 op{.window = window_of(c, r)};
  const DType weight = r.data_type(kOpd1);
  op.out = packed_result(r, r.result_shape(), packed_type(c, r, is_signed(weight)));
  op.in = r.aligned(kOpd0, input_shape(c, r, TW_OF(c, res0_c)), r.data_type(kOpd0), 4);
  check_fit(c, r, op.window, op.in.shape);
  op.rshift = number(c.opt_right_shift);
  const Shape weights{1, op.out.shape.c, op.window.h.kernel, op.window.w.kernel};
  if (!r.is_constant(kOpd1)) {
    op.weight = Source::tensor(r.compact(kOpd1, weights, weight));
    if (has_bias(c)) op.bias = r.per_channel(kOpd2, op.out.shape.c, bias_type(c, r));
    return op;
  }
  // The reference model gives irregular averages with a signed weight, a bias or inserted zeros.
  r.only(kOpd1.sign, {0});
  r.supports(!has_bias(c), TW_OF(c, tsk_opd_num));
  r.only(TW_TIU_FIELD(opd0_x_ins0), {0});
  r.only(TW_TIU_FIELD(opd0_y_ins0), {0});
  op.weight =
      Source::value(mean_factor(uint64_t{op.window.h.kernel} * op.window.w.kernel), DType::u8);
  return op;
}

}  // namespace

Operation conv2d(const TiuCommand& c, Reader& r, const TiuVariant&) {
  if (c.opt_opd0_prec == kInt8) return conv2d_int8(c, r);
  r.only(TW_TIU_FIELD(opt_winograd), {0});
  return conv2d_f32(c, r);
}

Operation depthwise2d(const TiuCommand& c, Reader& r, const TiuVariant&) {
  r.only(TW_TIU_FIELD(opt_res_add), {0});
  return c.opt_opd0_prec == kInt8 ? depthwise2d_int8(c, r) : depthwise2d_f32(c, r);
}

Operation max_pool2d(const TiuCommand& c, Reader& r, const TiuVariant&) {
  r.only(TW_TIU_FIELD(opt_res_add), {0});
  const Window window = window_of(c, r);
  const Shape in_shape = input_shape(c, r, TW_OF(c, res0_c));
  check_fit(c, r, window, in_shape);
  if (c.opt_opd0_prec == kInt8) {
    r.only(kRes0.type, {kInt8});
    r.only(TW_TIU_FIELD(opt_right_shift), {0});
    const DType dtype = r.data_type(kOpd0);
    return Pool2dBm1684Int8{.out = packed_result(r, r.result_shape(), dtype),
                            .in = r.aligned(kOpd0, in_shape, dtype, 4),
                            .window = window,
                            .relu = c.opt_relu != 0};
  }
  r.all_f32({&kRes0, &kOpd0});
  // The input is read without inserted zeros, but padded as if they were there.
  for (const TiuField& field : {TW_TIU_FIELD(opd0_x_ins0), TW_TIU_FIELD(opd0_y_ins0)})
    r.only(field, {0});
  return Pool2dBm1684{.kind = Pool2dBm1684::Kind::maximum,
                      .out = r.aligned(kRes0, r.result_shape(), DType::f32),
                      .in = r.aligned(kOpd0, in_shape, DType::f32),
                      .window = window};
}

}  // namespace tputwin::isa::bm1684_streams
