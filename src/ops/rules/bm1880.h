// Rules of the BM1880 that the BMKernel guide states for many functions; building blocks of
// check().
#pragma once

#include <optional>

#include "base/errors/ops.h"
#include "memory/layout.h"
#include "ops/rules/rule.h"

namespace tputwin {

// Checks that one operand of the tensor engine is in local memory, and its extents.
inline Status check_bm1880_operand(std::string_view name, const TensorView& view,
                                   const Chip& chip) {
  const Shape& s = view.shape;
  auto valid = [&](uint32_t extent) { return extent - 1 < chip.limits.extent; };
  TW_RETURN_IF_ERROR(require(view.space == Space::local, errors::ops_space, name, view));
  TW_RETURN_IF_ERROR(
      require(valid(s.n) && valid(s.c) && valid(s.h) && valid(s.w), errors::ops_extent, name, s));
  TW_RETURN_IF_ERROR(require(s.h <= chip.limits.height_width && s.w <= chip.limits.height_width,
                             errors::ops_height_width, name, s));
  return require(chip.types.has(view.dtype), errors::ops_width, name, view);
}

// Checks for 8 or 16 bits; the high bytes of a 16-bit operand must be after the low ones.
inline Status check_bm1880_8bit(std::string_view name, const TensorView& view) {
  return require(!is_16bit(view.dtype), errors::ops_width, name, view);
}

inline Status check_bm1880_high_plane(std::string_view name, const TensorView& view) {
  return require(view.plane_stride - 1 < 65535u, errors::ops_high_plane, name, view);
}

inline Status check_bm1880_16bit(std::string_view name, const TensorView& view) {
  TW_RETURN_IF_ERROR(require(is_16bit(view.dtype), errors::ops_width, name, view));
  return check_bm1880_high_plane(name, view);
}

inline Status check_bm1880_layout(std::string_view name, const TensorView& view,
                                  const Stride& stride) {
  return require(view.stride == stride, errors::ops_layout, name, view);
}

inline Status check_bm1880_lane_zero(std::string_view name, const TensorView& view,
                                     const Chip& chip) {
  return require(view.address < chip.lane_bytes, errors::ops_lane_zero, name, view);
}

// Checks for aligned default strides; check_bm1880_aligned also requires an aligned start.
inline Status check_bm1880_aligned_strides(std::string_view name, const TensorView& view,
                                           const Chip& chip) {
  return check_bm1880_layout(name, view, local_stride(chip, view.shape, /*aligned=*/true));
}

inline Status check_bm1880_aligned(std::string_view name, const TensorView& view,
                                   const Chip& chip) {
  TW_RETURN_IF_ERROR(check_bm1880_aligned_strides(name, view, chip));
  return require(view.address % chip.eu_bytes == 0, errors::ops_aligned_start, name, view);
}

inline Status check_bm1880_stride_fields(std::string_view name, const TensorView& view) {
  const Stride& s = view.stride;
  return require((s.n | s.c | s.h | s.w) <= 65535u, errors::ops_stride_field, name, view);
}

inline Status check_bm1880_rshift(uint32_t rshift) {
  return require(rshift < 32, errors::ops_rshift, "rshift_width", rshift);
}

inline Status check_bm1880_lshift(uint32_t lshift) {
  return require(lshift < 32, errors::ops_lshift, "lshift_width", lshift);
}

// Warnings.
inline Status advise_bm1880_aligned_start(std::string_view name, const TensorView& view,
                                          const Chip& chip) {
  return require(view.address % chip.eu_bytes == 0, errors::ops_aligned_advised, name, view);
}

inline Status advise_bm1880_start_lane(std::string_view name, const TensorView& view,
                                       const TensorView& result, const Chip& chip) {
  return require(start_lane(view, chip) == start_lane(result, chip), errors::ops_start_lane, name,
                 view);
}

// Checks window fields, and the output extents that follow from them. `in` must have valid extents.
Status check_bm1880_window(const Window& window, const Shape& in, const Chip& chip);
Status check_bm1880_output(const TensorView& out, const Shape& in, uint32_t channels,
                           const Window& window);
Status check_bm1880_bias(const std::optional<TensorView>& bias, uint32_t channels,
                         const Chip& chip);
// Checks the feature map of a window: 8-bit, with aligned layout and start.
Status check_bm1880_feature_map(std::string_view name, const TensorView& view, const Chip& chip);

// Checks a matrix in the blocks of local memory, aligned.
Status check_bm1880_matrix(std::string_view name, const MatrixView& matrix, const Chip& chip,
                           ErrorId layout_rule);

// Checks one side of a DMA transfer.
inline Status check_bm1880_dma_operand(std::string_view name, const TensorView& view,
                                       const Chip& chip) {
  const Shape& s = view.shape;
  auto valid = [&](uint32_t extent) { return extent - 1 < chip.limits.dma_extent; };
  TW_RETURN_IF_ERROR(check_bm1880_8bit(name, view));
  TW_RETURN_IF_ERROR(require(valid(s.n) && valid(s.c) && valid(s.h) && valid(s.w),
                             errors::ops_dma_extent, name, s));
  TW_RETURN_IF_ERROR(
      require(view.stride.h <= chip.limits.dma_extent, errors::ops_dma_stride, name, view));
  return require(view.stride.w == 1, errors::ops_dma_packed, name, view);
}

}  // namespace tputwin
