// The sliding windows of convolution and pooling functions, from their arguments.
#pragma once

#include "ops/contract/window.h"
#include "sdk/tpukernel/call.h"

namespace tputwin::tpu {

// NULL: no padding; stride and dilation 1; nothing inserted.
struct WindowArguments {
  const dim2* kernel;
  const padding_t* padding;
  const dim2* stride = nullptr;
  const dim2* dilation = nullptr;
  const dim2* insert = nullptr;
};

// The window over an input, arguments of any value being checked.
Window window_of(Call& call, const Shape& in, const WindowArguments& arguments);

inline Shape output_shape(const Shape& in, uint32_t channels, const Window& window) {
  return {in.n, channels, window.h.output(in.h), window.w.output(in.w)};
}

// The number of output channels; 1 if it is none.
uint32_t output_channels(Call& call, int output_c);

// One parameter per channel, compact at a multiple of 64.
inline TensorView channels(Call& call, std::string_view argument, local_addr_t address,
                           uint32_t count, DType dtype) {
  return call.compact(argument, address, {1, count, 1, 1}, dtype, call.chip().eu_bytes);
}

// What the taps outside an input count as.
struct Outside {
  Source padding, insertion;
};

// Two values side by side per channel of the input: of the padding, and of inserted rows and
// columns, which without any is not looked at.
Outside outside_of(Call& call, std::string_view argument, local_addr_t address,
                   const TensorView& in, bool has_insertion);

}  // namespace tputwin::tpu
