// Checks of kernels, strides, dilations, pads and inserted zeros of a window.
#include "sdk/tpukernel/window.h"

#include "base/errors/tpukernel.h"
#include "ops/contract/taps.h"
#include "ops/rules/bm1684x_window.h"

namespace tputwin::tpu {
namespace {

// Returns one axis, from arguments of any value. `extent` is that of the input.
Axis axis_of(Call& call, int kernel, int before, int after, int stride, int dilation, int insert,
             uint32_t extent) {
  const Chip::Limits& most = call.chip().limits;
  const bool valid =
      call.in_range(kernel, 1, most.extent, errors::tpu_window_kernel, "kernel") &&
      call.in_range(before, 0, most.window.padding, errors::tpu_window_padding, "padding") &&
      call.in_range(after, 0, most.window.padding, errors::tpu_window_padding, "padding") &&
      call.in_range(stride, 1, most.window.stride, errors::tpu_window_stride, "stride") &&
      call.in_range(dilation, 1, most.window.dilation, errors::tpu_window_dilation, "dilation") &&
      call.in_range(insert, 0, most.window.insert, errors::tpu_window_insert, "insert");
  if (!valid) return {};
  const Axis axis{.kernel = static_cast<uint32_t>(kernel),
                  .stride = static_cast<uint32_t>(stride),
                  .dilation = static_cast<uint32_t>(dilation),
                  .pad_before = static_cast<uint32_t>(before),
                  .pad_after = static_cast<uint32_t>(after),
                  .insert = static_cast<uint32_t>(insert)};
  const bool fits =
      call.in_range(axis.output(extent), 1, most.extent, errors::tpu_window_output, "input_shape");
  return fits ? axis : Axis{};
}

}  // namespace

Window window_of(Call& call, const Shape& in, const WindowArguments& arguments) {
  if (!call.present(arguments.kernel, "kernel")) return {};
  auto pair = [](const dim2* p, int otherwise) {
    return p != nullptr ? *p : dim2{otherwise, otherwise};
  };
  const padding_t pad = arguments.padding != nullptr ? *arguments.padding : padding_t{0, 0, 0, 0};
  const dim2 stride = pair(arguments.stride, 1), dilation = pair(arguments.dilation, 1);
  const dim2 kernel = *arguments.kernel, insert = pair(arguments.insert, 0);
  return {axis_of(call, kernel.h, pad.top, pad.bottom, stride.h, dilation.h, insert.h, in.h),
          axis_of(call, kernel.w, pad.left, pad.right, stride.w, dilation.w, insert.w, in.w)};
}

uint32_t output_channels(Call& call, int output_c) {
  const bool valid =
      call.in_range(output_c, 1, call.chip().limits.channels, errors::tpu_shape, "output_c");
  return valid ? static_cast<uint32_t>(output_c) : 1;
}

Outside outside_of(Call& call, std::string_view argument, local_addr_t address,
                   const TensorView& in, bool has_insertion) {
  constexpr uint32_t kValues = 2;
  TensorView padding =
      call.compact(argument, address, {1, in.shape.c, 1, kValues}, in.dtype, call.chip().eu_bytes);
  padding.shape.w = 1;
  if (!has_insertion) return {Source::tensor(padding), Source::value(0u, in.dtype)};
  TensorView insertion = padding;
  insertion.address += element_bytes(in.dtype);
  return {Source::tensor(padding), Source::tensor(insertion)};
}

}  // namespace tputwin::tpu
