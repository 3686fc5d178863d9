// Sliding windows of convolution and pooling functions, from their arguments.
#pragma once

#include <optional>

#include "ops/contract/window.h"
#include "sdk/tpukernel/call.h"

namespace tputwin::tpu {

// NULL means no padding, stride and dilation 1, nothing inserted.
struct WindowArguments {
  const dim2* kernel;
  const padding_t* padding;
  const dim2* stride = nullptr;
  const dim2* dilation = nullptr;
  const dim2* insert = nullptr;
};

// Returns the window over an input; checks the values of the arguments.
Window window_of(Call& call, const Shape& in, const WindowArguments& arguments);

inline Shape output_shape(const Shape& in, uint32_t channels, const Window& window) {
  return {in.n, channels, window.h.output(in.h), window.w.output(in.w)};
}

// Shared arguments of functions with a window. A deconvolution inserts rows and columns, has stride
// 1 and rotates its kernel by 180 degrees.
struct Form {
  local_addr_t output_addr, input_addr;
  const dim4* input_shape;
  const dim4* input_stride = nullptr;
  std::optional<int> output_c;  // none: the number of input channels
  WindowArguments window;
  data_type_t output_dtype{}, input_dtype{};
  bool is_deconvolution = false;
};

// Sets window, output and input of an operation.
template <class Op>
void set_sides(Call& call, const Form& form, const Shape& in, uint32_t channels, DType out_type,
               DType in_type, Op& op) {
  op.window = window_of(call, in, form.window);
  if constexpr (requires { op.is_rotated; }) op.is_rotated = form.is_deconvolution;
  op.out = call.aligned("output_addr", form.output_addr, output_shape(in, channels, op.window),
                        out_type);
  op.in = call.lanes("input_addr", form.input_addr, in, form.input_stride, in_type);
}

// Returns the number of output channels; 1 if it is invalid.
uint32_t output_channels(Call& call, int output_c);

// As set_form, for a function that names the types of both.
template <class Op>
void set_form(Call& call, const Form& form, Types outputs, Types inputs, Op& op) {
  const Shape in = call.shape(form.input_shape, "input_shape");
  const uint32_t channels = form.output_c ? output_channels(call, *form.output_c) : in.c;
  const DType out_type = call.type("output_dtype", form.output_dtype, outputs);
  const DType in_type = call.type("input_dtype", form.input_dtype, inputs);
  set_sides(call, form, in, channels, out_type, in_type, op);
}

// Weights at an address, or one value.
struct Weights {
  local_addr_t address = 0;
  const scalar_t* constant = nullptr;
};

// Compact at a multiple of 64.
inline Source weights_of(Call& call, const Weights& weights, const Shape& shape, DType dtype) {
  if (weights.constant != nullptr) return constant(*weights.constant, dtype);
  return Source::tensor(
      call.compact("weight_addr", weights.address, shape, dtype, call.chip().eu_bytes));
}

// One parameter per channel, compact at a multiple of 64.
inline TensorView channels(Call& call, std::string_view argument, local_addr_t address,
                           uint32_t count, DType dtype) {
  return call.compact(argument, address, {1, count, 1, 1}, dtype, call.chip().eu_bytes);
}

// Values of taps outside the input.
struct Outside {
  Source padding, insertion;
};

// Two adjacent values per channel of the input: of the padding, and of inserted rows and columns.
// The second is ignored without insertion.
Outside outside_of(Call& call, std::string_view argument, local_addr_t address,
                   const TensorView& in, bool has_insertion);

}  // namespace tputwin::tpu
