// bmk1880_tpu_*: convolutions, pooling, lookup, channel sums and matrix products.
#include "base/errors/bmkernel.h"
#include "sdk/bmkernel/call.h"

namespace tputwin::bmkernel {
namespace {

// Checks a 16-bit bias as the (2,C,1,1) tensor of its bytes; NULL means none.
bool bias_fits(Call& call, const Arg& bias, const Arg& ofmap) {
  if (bias.tensor == nullptr) return true;
  if (!call.is_tensor(bias)) return false;
  const Chip& chip = call.chip();
  Shape shape = nchw(chip, bias->shape);
  return call.require(shape == Shape{2, ofmap->shape.c, 1, 1}, errors::bmk_bias_shape, bias.name,
                      bias.tensor) &&
         call.require(strides(chip, *bias.tensor) == default_strides(chip, *bias.tensor, false),
                      errors::bmk_bias_layout, bias.name, bias.tensor);
}
std::optional<TensorView> bias_view(const Chip& chip, const Arg& bias, bool is_signed) {
  if (bias.tensor == nullptr) return {};
  return conv_bias(chip, bias->operand.laddr, bias->shape.c, is_signed);
}
std::optional<TensorView> bias_view(const Chip& chip, const Arg& bias) {
  return bias.tensor == nullptr ? std::nullopt : bias_view(chip, bias, is_signed(*bias.tensor));
}

// Returns the window of any call, from the members of its parameter struct.
template <class Param>
Window window(const Param& p, uint32_t kernel_h, uint32_t kernel_w) {
  Window w{.h = {.kernel = kernel_h, .pad_before = p.pad_top, .pad_after = p.pad_bottom},
           .w = {.kernel = kernel_w, .pad_before = p.pad_left, .pad_after = p.pad_right}};
  if constexpr (requires { p.stride_h; }) w.h.stride = p.stride_h, w.w.stride = p.stride_w;
  if constexpr (requires { p.dilation_h; })
    w.h.dilation = p.dilation_h, w.w.dilation = p.dilation_w;
  if constexpr (requires {
                  p.rshift_width;
                  p.ins_h;
                }) {
    w.h.insert = p.ins_h, w.h.insert_last = p.ins_last_h;
    w.w.insert = p.ins_w, w.w.insert_last = p.ins_last_w;
  }
  return w;
}

uint32_t low_5_bits(int width) { return static_cast<uint32_t>(width) & 31; }

std::optional<Operation> build(Call& call, const bmk1880_conv_param_t& p) {
  Arg ofmap = TW_ARG(ofmap), ifmap = TW_ARG(ifmap), weight = TW_ARG(weight), bias = TW_ARG(bias);
  if (!(call.is_tensor(ofmap) && call.is_tensor(ifmap) && call.is_tensor(weight) &&
        call.unaligned(weight) && bias_fits(call, bias, ofmap) && call.rshift(p.rshift_width)))
    return {};
  const Chip& chip = call.chip();
  Shape kernel = nchw(chip, weight->shape);
  return Conv2dBm1880{.out = view(chip, *ofmap.tensor, p.relu_enable ? DType::u8 : DType::i8),
                      .in = view(chip, *ifmap.tensor),
                      .weight = conv_weight(weight->operand.laddr, kernel,
                                            make_dtype(is_signed(*weight.tensor), true)),
                      .bias = bias_view(chip, bias),
                      .window = window(p, kernel.h, kernel.w),
                      .relu = p.relu_enable,
                      .rshift = low_5_bits(p.rshift_width)};
}

std::optional<Operation> build(Call& call, const bmk1880_winograd_param_t& p) {
  Arg ofmap = TW_ARG(ofmap), ifmap = TW_ARG(ifmap), weight = TW_ARG(weight), bias = TW_ARG(bias);
  if (!(call.is_tensor(ofmap) && call.is_tensor(ifmap) && call.is_tensor(weight) &&
        call.unaligned(weight) && bias_fits(call, bias, ofmap) && call.rshift(p.rshift_width)))
    return {};
  const Chip& chip = call.chip();
  return Winograd2d{.out = view(chip, *ofmap.tensor, p.relu_enable ? DType::u8 : DType::i8),
                    .in = view(chip, *ifmap.tensor),
                    .weight = view(chip, *weight.tensor),
                    .bias = bias_view(chip, bias),
                    .window = window(p, 3, 3),
                    .relu = p.relu_enable,
                    .rshift = low_5_bits(p.rshift_width)};
}

// Weight and bias are signed for all formats.
std::optional<Operation> build(Call& call, const bmk1880_depthwise_param_t& p) {
  Arg ofmap = TW_ARG(ofmap), ifmap = TW_ARG(ifmap), weight = TW_ARG(weight), bias = TW_ARG(bias);
  if (!(call.is_tensor(ofmap) && call.is_tensor(ifmap) && call.is_tensor(weight) &&
        bias_fits(call, bias, ofmap) && call.rshift(p.rshift_width)))
    return {};
  const Chip& chip = call.chip();
  Shape kernel = nchw(chip, weight->shape);
  return Depthwise2dBm1880{.out = view(chip, *ofmap.tensor, DType::i8),
                           .in = view(chip, *ifmap.tensor),
                           .weight = view(chip, *weight.tensor, DType::i8),
                           .bias = bias_view(chip, bias, /*is_signed=*/true),
                           .window = window(p, kernel.h, kernel.w),
                           .rshift = low_5_bits(p.rshift_width)};
}

bool pooling_maps(Call& call, const Arg& ofmap, const Arg& ifmap) {
  return call.is_tensor(ofmap) && call.is_tensor(ifmap) &&
         call.require(ofmap->fmt == ifmap->fmt, errors::bmk_result_sign_ignored, ofmap.name,
                      ofmap.tensor);
}

std::optional<Operation> build(Call& call, const bmk1880_max_pooling_param_t& p) {
  Arg ofmap = TW_ARG(ofmap), ifmap = TW_ARG(ifmap);
  if (!pooling_maps(call, ofmap, ifmap)) return {};
  DType dtype = make_dtype(is_signed(*ifmap.tensor), true);
  return Pool2dBm1880{.kind = Pool2dBm1880::Kind::maximum,
                      .out = view(call.chip(), *ofmap.tensor, dtype),
                      .in = view(call.chip(), *ifmap.tensor, dtype),
                      .window = window(p, p.kh, p.kw)};
}

std::optional<Operation> build(Call& call, const bmk1880_avg_pooling_param_t& p) {
  Arg ofmap = TW_ARG(ofmap), ifmap = TW_ARG(ifmap);
  if (!(pooling_maps(call, ofmap, ifmap) && call.rshift(p.rshift_width))) return {};
  DType dtype = make_dtype(is_signed(*ifmap.tensor), true);
  return Pool2dBm1880{.kind = Pool2dBm1880::Kind::average,
                      .out = view(call.chip(), *ofmap.tensor, dtype),
                      .in = view(call.chip(), *ifmap.tensor, dtype),
                      .window = window(p, p.kh, p.kw),
                      .multiplier = p.avg_pooling_const,
                      .rshift = low_5_bits(p.rshift_width)};
}

// The result is written unaligned and the input is read aligned, for all layouts of the tensors. A
// warning is given if that makes a difference.
std::optional<Operation> build(Call& call, const bmk1880_mdsum_param_t& p) {
  Arg low = TW_ARG(res_low), high = TW_ARG(res_high), a = TW_ARG(a);
  if (!(call.is_tensor(low) && call.is_tensor(a))) return {};
  const Chip& chip = call.chip();
  bool wide = high.tensor != nullptr;
  if (wide && !(call.is_tensor(high) &&
                call.require(high->fmt == low->fmt, errors::bmk_pair_fmt, high.name, high.tensor) &&
                call.require(shape_equal(high->shape, low->shape), errors::bmk_pair_shape,
                             high.name, high.tensor)))
    return {};
  bool unaligned_result = low->shape.c <= chip.lanes ||
                          strides(chip, *low.tensor) == default_strides(chip, *low.tensor, false);
  bool aligned_input = strides(chip, *a.tensor) == default_strides(chip, *a.tensor, true);
  bool is_signed_a = is_signed(*a.tensor);
  if (!(call.require(low->fmt == a->fmt, errors::bmk_result_sign_ignored, low.name, low.tensor) &&
        call.require(unaligned_result, errors::bmk_mdsum_result, low.name, low.tensor) &&
        call.require(aligned_input, errors::bmk_mdsum_input, a.name, a.tensor)))
    return {};
  Mdsum op{.out = local_tensor(chip, low->operand.laddr, nchw(chip, low->shape),
                               /*aligned=*/false, make_dtype(is_signed_a, !wide)),
           .a = view(chip, *a.tensor, make_dtype(is_signed_a, true),
                     default_strides(chip, *a.tensor, true))};
  if (wide) op.out.plane_stride = high->operand.laddr - low->operand.laddr;
  return op;
}

std::optional<Operation> build(Call& call, const bmk1880_lut_param_t& p) {
  Arg ofmap = TW_ARG(ofmap), ifmap = TW_ARG(ifmap), table = TW_ARG(table);
  if (!(call.is_tensor(ofmap) && call.is_tensor(ifmap) && call.is_tensor(table))) return {};
  const Chip& chip = call.chip();
  return Lut{.out = view(chip, *ofmap.tensor, DType::u8),
             .in = view(chip, *ifmap.tensor, DType::u8),
             .table = view(chip, *table.tensor, DType::u8)};
}

std::optional<Operation> build(Call& call, const bmk1880_matrix_mac_param_t& p) {
  Arg res = TW_ARG(res), left = TW_ARG(left), right = TW_ARG(right), bias = TW_ARG(bias);
  bool relu = p.ctrls & CTRL_RELU, accumulate = p.ctrls & CTRL_RA, has_bias = bias.tensor;
  if (!(call.is_matrix(res) && call.is_matrix(left) && call.is_matrix(right) &&
        (!has_bias || call.is_matrix(bias))))
    return {};
  uint32_t rows = left->shape.row, cols = right->shape.col;
  bool wide = accumulate || !p.res_is_int8;
  bool unsigned_add = accumulate && !is_signed(*left.tensor) && !is_signed(*right.tensor) &&
                      !(has_bias && is_signed(*bias.tensor));
  bool bias_ok = !has_bias || (bias->shape.row == 2 && bias->shape.col == cols);
  if (!(call.require((p.ctrls & ~(CTRL_RELU | CTRL_RA)) == 0, errors::bmk_ctrl_ignored, "ctrls",
                     p.ctrls) &&
        call.require(res->shape.row == rows * (wide ? 2 : 1), errors::bmk_matrix_rows, res.name,
                     res.tensor) &&
        call.require(!unsigned_add, errors::bmk_matrix_unsigned_add, res.name, res.tensor) &&
        call.require(bias_ok, errors::bmk_matrix_bias, bias.name, bias.tensor) &&
        call.rshift(p.rshift_width)))
    return {};
  const Chip& chip = call.chip();
  auto matrix_view = [&](const Arg& m, uint32_t rows, DType dtype) {
    MatrixView v = local_matrix(chip, m->operand.laddr, rows, m->shape.col, dtype);
    v.tensor.stride = strides(chip, *m.tensor);
    return v;
  };
  MatrixMac op{
      .res = matrix_view(res, rows, make_dtype(!relu, p.res_is_int8)),
      .left = matrix_view(left, rows, make_dtype(is_signed(*left.tensor), true)),
      .right = matrix_view(right, right->shape.row, make_dtype(is_signed(*right.tensor), true)),
      .relu = relu,
      .accumulate = accumulate,
      // without an old result there is nothing to shift left
      .lshift = accumulate ? static_cast<uint32_t>(p.lshift_width) : low_5_bits(p.lshift_width),
      .rshift = low_5_bits(p.rshift_width)};
  if (wide) op.res.tensor.plane_stride = rows * op.res.tensor.stride.n;
  if (has_bias) op.bias = matrix_view(bias, 1, make_dtype(is_signed(*bias.tensor), false));
  return op;
}

std::optional<Operation> build(Call& call, const bmk1880_matrix_mac_2_param_t& p) {
  Arg res = TW_ARG(res), left = TW_ARG(left), right = TW_ARG(right);
  if (!(call.is_tensor(res) && call.is_tensor(left) && call.is_tensor(right))) return {};
  const Chip& chip = call.chip();
  bool any_signed = is_signed(*left.tensor) || is_signed(*right.tensor);
  return MatrixMac2{.res = view(chip, *res.tensor, make_dtype(any_signed, true)),
                    .left = view(chip, *left.tensor),
                    .right = view(chip, *right.tensor)};
}

}  // namespace
}  // namespace tputwin::bmkernel

extern "C" {

#define TW_CALL(name)                                                                           \
  bmk1880_op_t* bmk1880_tpu_##name(bmk1880_context_t* ctx, const bmk1880_##name##_param_t* p) { \
    using namespace tputwin::bmkernel;                                                          \
    return issue(ctx, __func__, p, [](Call& call, const auto& p) { return build(call, p); });   \
  }
TW_CALL(conv)
TW_CALL(winograd)
TW_CALL(depthwise)
TW_CALL(max_pooling)
TW_CALL(avg_pooling)
TW_CALL(mdsum)
TW_CALL(lut)
TW_CALL(matrix_mac)
TW_CALL(matrix_mac_2)

}  // extern "C"
