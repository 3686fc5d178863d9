// Rules of the BM1880 for windows, biases and matrices.
#include "ops/rules/bm1880.h"

#include <algorithm>

#include "base/bits.h"
#include "base/errors/ops.h"
#include "memory/layout.h"

namespace tputwin {
namespace {

Status check_bm1880_axis(const Axis& a, uint32_t extent, const Chip& chip) {
  const Chip::Limits& most = chip.limits;
  TW_RETURN_IF_ERROR(require(std::max(a.pad_before, a.pad_after) <= most.window.padding,
                             errors::ops_pad, "window", a));
  TW_RETURN_IF_ERROR(require(std::max(a.insert, a.insert_last) <= most.window.insert,
                             errors::ops_insert, "window", a));
  TW_RETURN_IF_ERROR(
      require(a.stride - 1 < most.window.stride, errors::ops_window_stride, "window", a));
  TW_RETURN_IF_ERROR(
      require(a.dilation - 1 < most.window.dilation, errors::ops_dilation, "window", a));
  TW_RETURN_IF_ERROR(require(extent > 1 || a.insert == 0, errors::ops_insert_single, "window", a));
  return require(a.kernel - 1 < most.extent, errors::ops_extent, "window", a);
}

}  // namespace

Status check_bm1880_window(const Window& window, const Shape& in, const Chip& chip) {
  TW_RETURN_IF_ERROR(check_bm1880_axis(window.h, in.h, chip));
  return check_bm1880_axis(window.w, in.w, chip);
}

Status check_bm1880_output(const TensorView& out, const Shape& in, uint32_t channels,
                           const Window& window) {
  return check_shape("ofmap", out, {in.n, channels, window.h.output(in.h), window.w.output(in.w)},
                     errors::ops_output_extent);
}

Status check_bm1880_bias(const std::optional<TensorView>& bias, uint32_t channels,
                         const Chip& chip) {
  if (!bias) return {};
  TW_RETURN_IF_ERROR(require(bias->space == Space::local, errors::ops_space, "bias", *bias));
  TW_RETURN_IF_ERROR(check_bm1880_16bit("bias", *bias));
  TW_RETURN_IF_ERROR(check_shape("bias", *bias, {1, channels, 1, 1}, errors::ops_bias_shape));
  TW_RETURN_IF_ERROR(
      check_bm1880_layout("bias", *bias, local_stride(chip, bias->shape, /*aligned=*/false)));
  return check_bm1880_lane_zero("bias", *bias, chip);
}

Status check_bm1880_feature_map(std::string_view name, const TensorView& view, const Chip& chip) {
  TW_RETURN_IF_ERROR(check_bm1880_operand(name, view, chip));
  TW_RETURN_IF_ERROR(check_bm1880_8bit(name, view));
  return check_bm1880_aligned(name, view, chip);
}

Status check_bm1880_matrix(std::string_view name, const MatrixView& m, const Chip& chip,
                           ErrorId layout_rule) {
  const Shape& s = m.tensor.shape;
  // A block is one or two whole rows of execution units, so aligned and packed layouts coincide.
  TW_RETURN_IF_ERROR(require(m.rows == s.n && s.h == 1 && s.w >= chip.eu_bytes &&
                                 s.w % chip.eu_bytes == 0 && m.cols > 0 &&
                                 s.c == ceil_div(uint64_t{m.cols}, s.w),
                             layout_rule, name, m));
  return require(m.tensor.stride == local_stride(chip, s, /*aligned=*/true), layout_rule, name, m);
}

}  // namespace tputwin
