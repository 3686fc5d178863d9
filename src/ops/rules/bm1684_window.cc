// Rules for windows of the BM1684.
#include "ops/rules/bm1684_window.h"

#include "base/errors/okkernel.h"

#include <algorithm>

namespace tputwin {
namespace {

uint64_t padded(const Axis& a, uint32_t extent) {
  return uint64_t{a.pad_before} + uint64_t{extent - 1} * (a.insert + 1) + 1 + a.pad_after;
}

Status check_bm1684_axis(const Axis& a, uint32_t extent, Insertion insertion, const Chip& chip) {
  const auto& most = chip.limits.window;
  TW_RETURN_IF_ERROR(
      require(a.kernel >= 1, errors::okk_window_kernel, "kernel_h, kernel_w", a.kernel));
  TW_RETURN_IF_ERROR(require(std::max(a.pad_before, a.pad_after) <= most.padding,
                             errors::okk_window_padding, "padding", a));
  TW_RETURN_IF_ERROR(require(a.stride >= 1 && a.stride <= most.stride, errors::okk_window_stride,
                             "stride", a.stride));
  TW_RETURN_IF_ERROR(
      require(a.dilation >= 1, errors::okk_window_dilation_0, "dilation", a.dilation));
  const uint32_t most_inserted = insertion == Insertion::allowed ? most.padding : 0;
  TW_RETURN_IF_ERROR(require(a.insert <= most_inserted && a.insert_last == 0, errors::okk_extents,
                             "input_addr", a));
  const uint64_t reach = uint64_t{a.kernel - 1} * a.dilation + 1;
  return require(reach <= padded(a, extent) && a.output(extent) <= most.extent,
                 errors::okk_window_output, "input_shape", a);
}

Status advise_axis(const Axis& a, uint32_t extent, const Chip& chip) {
  const auto& most = chip.limits.window;
  TW_RETURN_IF_ERROR(
      require(extent <= most.extent, errors::okk_window_input, "input_shape", extent));
  TW_RETURN_IF_ERROR(
      require(padded(a, extent) <= most.extent, errors::okk_window_padded, "input_shape", extent));
  return require(a.dilation <= most.dilation, errors::okk_window_dilation, "dilation", a.dilation);
}

}  // namespace

Status check_bm1684_window(const Window& window, const TensorView& in, const TensorView& out,
                           uint32_t channels, const Chip& chip, Insertion insertion) {
  TW_RETURN_IF_ERROR(check_bm1684_axis(window.h, in.shape.h, insertion, chip));
  TW_RETURN_IF_ERROR(check_bm1684_axis(window.w, in.shape.w, insertion, chip));
  const Shape &s = out.shape,
              most{in.shape.n, channels, window.h.output(in.shape.h), window.w.output(in.shape.w)};
  return require(s.n == most.n && s.c == most.c && s.h <= most.h && s.w <= most.w,
                 errors::okk_extents, "output_addr", s);
}

Status advise_bm1684_window(const Window& window, const Shape& in, const Chip& chip) {
  TW_RETURN_IF_ERROR(advise_axis(window.h, in.h, chip));
  return advise_axis(window.w, in.w, chip);
}

}  // namespace tputwin
