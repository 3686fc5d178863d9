// Rules for windows of the BM1684X and for their parameters.
#include "ops/rules/bm1684x_window.h"

#include "base/errors/tpukernel.h"

#include <algorithm>

namespace tputwin {
namespace {

Status check_bm1684x_axis(const Axis& a, uint32_t extent, const Chip& chip) {
  const Chip::Limits& most = chip.limits;
  TW_RETURN_IF_ERROR(require(a.kernel - 1 < most.extent, errors::tpu_window_kernel, "kernel", a));
  TW_RETURN_IF_ERROR(require(std::max(a.pad_before, a.pad_after) <= most.window.padding,
                             errors::tpu_window_padding, "padding", a));
  TW_RETURN_IF_ERROR(
      require(a.stride - 1 < most.window.stride, errors::tpu_window_stride, "stride", a));
  TW_RETURN_IF_ERROR(
      require(a.dilation - 1 < most.window.dilation, errors::tpu_window_dilation, "dilation", a));
  TW_RETURN_IF_ERROR(require(a.insert <= most.window.insert && a.insert_last == 0,
                             errors::tpu_window_insert, "insert", a));
  return require(a.output(extent) - 1 < most.extent, errors::tpu_window_output, "input_shape", a);
}

// Checks padding that repeats inputs. Edge padding is always valid. Other modes must have no
// inserted elements, and not more padding than inputs to copy.
Status check_pads(const Axis& a, uint32_t extent, PadMode pads) {
  const bool has_pads = (a.pad_before | a.pad_after) != 0;
  if (!has_pads || pads == PadMode::constant || pads == PadMode::edge) return {};
  const uint32_t most = pads == PadMode::reflected ? extent - 1 : extent;
  return require(a.insert == 0 && std::max(a.pad_before, a.pad_after) <= most,
                 errors::tpu_window_pads, "padding", a);
}

}  // namespace

Status check_bm1684x_window(const Window& window, const TensorView& in, const TensorView& out,
                            uint32_t channels, const Chip& chip) {
  TW_RETURN_IF_ERROR(check_bm1684x_axis(window.h, in.shape.h, chip));
  TW_RETURN_IF_ERROR(check_bm1684x_axis(window.w, in.shape.w, chip));
  TW_RETURN_IF_ERROR(check_pads(window.h, in.shape.h, window.pads));
  TW_RETURN_IF_ERROR(check_pads(window.w, in.shape.w, window.pads));
  return check_bm1684x_shape(
      "output_addr", out,
      {in.shape.n, channels, window.h.output(in.shape.h), window.w.output(in.shape.w)});
}

Status check_bm1684x_channels_anywhere(std::string_view name, const TensorView& view,
                                       uint32_t channels, const Chip& chip) {
  TW_RETURN_IF_ERROR(check_bm1684x_operand(name, view, chip));
  return check_bm1684x_shape(name, view, {1, channels, 1, 1});
}

Status check_bm1684x_channels(std::string_view name, const TensorView& view, uint32_t channels,
                              const TensorView& result, const Chip& chip) {
  TW_RETURN_IF_ERROR(check_bm1684x_channels_anywhere(name, view, channels, chip));
  return check_bm1684x_start(name, view, result, chip);
}

Status check_bm1684x_parameter(std::string_view name, const Source& source, uint32_t channels,
                               const TensorView& other, const Chip& chip) {
  if (source.is_constant) return {};
  return check_bm1684x_channels(name, source.view, channels, other, chip);
}

Status check_bm1684x_conv2d_input(const TensorView& in, const Chip& chip) {
  TW_RETURN_IF_ERROR(check_bm1684x_operand("input_addr", in, chip));
  TW_RETURN_IF_ERROR(check_bm1684x_npu_0("input_addr", in, chip));
  return require(in.shape.w == 1 || in.stride.w == element_bytes(in.dtype), errors::tpu_w_stride_1,
                 "input_stride", in);
}

Status check_bm1684x_int8_filter(const TensorView& in, const Source& weight,
                                 const TensorView& out) {
  auto is_8bit = [](DType dtype) { return dtype == DType::u8 || dtype == DType::i8; };
  TW_RETURN_IF_ERROR(require(is_8bit(in.dtype), errors::tpu_dtype, "input_dtype", in));
  TW_RETURN_IF_ERROR(
      require(is_8bit(weight.view.dtype), errors::tpu_dtype, "weight_dtype", weight.view));
  return require(!is_float(out.dtype) && out.dtype != DType::b32, errors::tpu_dtype, "output_dtype",
                 out);
}

Status check_bm1684x_conv2d_weight(const Source& weight, const Shape& shape, const Chip& chip) {
  if (weight.is_constant) return {};
  TW_RETURN_IF_ERROR(check_bm1684x_operand("weight_addr", weight.view, chip));
  return check_bm1684x_shape("weight_addr", weight.view, shape);
}

Status check_bm1684x_depthwise2d_weight(const Source& weight, const Shape& shape,
                                        const TensorView& result, const Chip& chip) {
  if (weight.is_constant) return {};
  TW_RETURN_IF_ERROR(check_bm1684x_conv2d_weight(weight, shape, chip));
  return check_bm1684x_start("weight_addr", weight.view, result, chip);
}

}  // namespace tputwin
