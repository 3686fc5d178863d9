// okk_bdc_conv2d, okk_bdc_depthwise2d, okk_bdc_avg_pool2d, okk_bdc_max_pool2d, okk_bdc_matmul: fp32
// windows and matrix products.
#include <okk.h>

#include <algorithm>

#include "base/bits.h"
#include "base/errors/okkernel.h"
#include "ops/rules/bm1684_window.h"
#include "sdk/okkernel/call.h"

namespace tputwin::okk {
namespace {

constexpr int kUnlimited = INT32_MAX;

struct AxisNames {
  std::string_view kernel, output;
};

// Returns one axis of the window, from arguments of any value. `extent` is that of the input.
Axis axis(Call& call, const AxisNames& names, int kernel, int before, int after, int stride,
          int dilation, uint32_t extent) {
  const auto& most = call.chip().limits.window;
  const bool valid =
      call.in_range(kernel, 1, kUnlimited, errors::okk_window_kernel, names.kernel) &&
      call.in_range(before, 0, most.padding, errors::okk_window_padding, "padding") &&
      call.in_range(after, 0, most.padding, errors::okk_window_padding, "padding") &&
      call.in_range(stride, 1, most.stride, errors::okk_window_stride, "stride") &&
      call.in_range(dilation, 1, kUnlimited, errors::okk_window_dilation_0, "dilation");
  if (!valid) return {};
  const int64_t slack = int64_t{before} + extent + after - (int64_t{kernel} - 1) * dilation - 1;
  const int64_t outputs = slack < 0 ? 0 : slack / stride + 1;
  if (!call.in_range(outputs, 1, most.extent, errors::okk_window_output, names.output)) return {};
  return {.kernel = static_cast<uint32_t>(kernel),
          .stride = static_cast<uint32_t>(stride),
          .dilation = static_cast<uint32_t>(dilation),
          .pad_before = static_cast<uint32_t>(before),
          .pad_after = static_cast<uint32_t>(after)};
}

// NULL means no padding, stride 1, dilation 1.
Window window(Call& call, const Shape& in, int kernel_h, int kernel_w, const Padding* padding,
              const dim2* stride, const dim2* dilation) {
  const Padding pad = padding != nullptr ? *padding : Padding{0, 0, 0, 0};
  const dim2 step = stride != nullptr ? *stride : dim2{1, 1};
  const dim2 spread = dilation != nullptr ? *dilation : dim2{1, 1};
  return {
      axis(call, {"kernel_h", "output_h"}, kernel_h, pad.top, pad.bottom, step.h, spread.h, in.h),
      axis(call, {"kernel_w", "output_w"}, kernel_w, pad.left, pad.right, step.w, spread.w, in.w)};
}

Shape output_shape(const Shape& in, uint32_t channels, const Window& window) {
  return {in.n, channels, window.h.output(in.h), window.w.output(in.w)};
}

TensorView aligned(Call& call, std::string_view argument, local_addr_t address,
                   const Shape& shape) {
  return call.dense(argument, address, shape, /*aligned=*/true, DType::f32);
}

TensorView compact(Call& call, std::string_view argument, local_addr_t address, const Shape& shape,
                   uint8_t pack = 1) {
  return call.dense(argument, address, shape, /*aligned=*/false, DType::f32, pack);
}

// (IC,OC,KH,KW), two input channels in a cell. A stride of NULL means compact.
TensorView weight(Call& call, local_addr_t address, const Shape& shape, const dim4* stride) {
  if (stride == nullptr) return compact(call, "weight_addr", address, shape, /*pack=*/2);
  return call.lanes("weight_addr", address, shape, stride, DType::f32, /*pack=*/2);
}

void pool2d(Call& call, Pool2dBm1684::Kind kind, local_addr_t output_addr, local_addr_t input_addr,
            const dim4* input_shape, int kernel_h, int kernel_w, const Padding* padding,
            const dim2* stride) {
  const Shape in = call.shape(input_shape, "input_shape", Channels::all);
  Pool2dBm1684 op{.kind = kind,
                  .window = window(call, in, kernel_h, kernel_w, padding, stride, nullptr)};
  if (!call.ok()) return;
  if (kind == Pool2dBm1684::Kind::average) op.factor = share_of(op.window);
  op.out = aligned(call, "output_addr", output_addr, output_shape(in, in.c, op.window));
  op.in = aligned(call, "input_addr", input_addr, in);
  call.issue(op);
}

// Returns a matrix whose last channel is full.
MatrixView whole_channels(Call& call, std::string_view argument, local_addr_t address,
                          uint32_t rows, uint32_t cols, uint32_t per_channel) {
  return call.lane_matrix(argument, address, rows, align_up(cols, per_channel), per_channel);
}

bool valid_matrix(Call& call, std::string_view cols_argument, int cols,
                  std::string_view per_channel_argument, int per_channel) {
  return call.in_range(cols, 1, kUnlimited, errors::okk_matmul_extent, cols_argument) &&
         call.in_range(per_channel, 1, kUnlimited, errors::okk_matmul_extent,
                       per_channel_argument) &&
         call.in_range(per_channel, 1, std::min(128, cols), errors::okk_matmul_per_channel,
                       per_channel_argument);
}

}  // namespace
}  // namespace tputwin::okk

using namespace tputwin;
using namespace tputwin::okk;

void okk_bdc_conv2d(local_addr_t output_addr, local_addr_t input_addr, local_addr_t weight_addr,
                    local_addr_t bias_addr, const dim4* input_shape, int output_c, int kernel_h,
                    int kernel_w, const dim4* input_stride, const dim4* kernel_stride,
                    bool using_bias, bool result_add, const Padding* padding, const dim2* stride,
                    const dim2* dilation) {
  Call call(__func__);
  const Shape in = call.shape(input_shape, "input_shape");
  call.in_range(output_c, 1, call.chip().limits.channels, errors::okk_output_channels, "output_c");
  Conv2dBm1684 op{.window = window(call, in, kernel_h, kernel_w, padding, stride, dilation),
                  .accumulate = result_add};
  if (!call.ok()) return;
  const auto channels = static_cast<uint32_t>(output_c);
  op.out = aligned(call, "output_addr", output_addr, output_shape(in, channels, op.window));
  op.in = call.lanes("input_addr", input_addr, in, input_stride, DType::f32);
  op.weight = weight(call, weight_addr, {in.c, channels, op.window.h.kernel, op.window.w.kernel},
                     kernel_stride);
  if (using_bias) op.bias = compact(call, "bias_addr", bias_addr, {1, channels, 1, 1});
  // A rule of the document only: the command reads its sources before it writes.
  call.require(op.out != op.in && !overlap_in_part(op.out, op.in, call.chip()),
               errors::okk_output_on_input, "output_addr", describe(op.out));
  call.issue(op);
}

void okk_bdc_depthwise2d(local_addr_t output_addr, local_addr_t input_addr,
                         local_addr_t weight_addr, local_addr_t bias_addr, const dim4* input_shape,
                         int kernel_h, int kernel_w, bool using_bias, const Padding* padding,
                         const dim2* stride, const dim2* dilation) {
  Call call(__func__);
  const Shape in = call.shape(input_shape, "input_shape");
  Depthwise2dBm1684 op{.window = window(call, in, kernel_h, kernel_w, padding, stride, dilation)};
  if (!call.ok()) return;
  op.out = aligned(call, "output_addr", output_addr, output_shape(in, in.c, op.window));
  op.in = aligned(call, "input_addr", input_addr, in);
  op.weight =
      compact(call, "weight_addr", weight_addr, {1, in.c, op.window.h.kernel, op.window.w.kernel});
  if (using_bias) op.bias = compact(call, "bias_addr", bias_addr, {1, in.c, 1, 1});
  call.issue(op);
}

void okk_bdc_avg_pool2d(local_addr_t output_addr, local_addr_t input_addr, const dim4* input_shape,
                        int kernel_h, int kernel_w, const Padding* padding, const dim2* stride) {
  Call call(__func__);
  pool2d(call, Pool2dBm1684::Kind::average, output_addr, input_addr, input_shape, kernel_h,
         kernel_w, padding, stride);
}

void okk_bdc_max_pool2d(local_addr_t output_addr, local_addr_t input_addr, const dim4* input_shape,
                        int kernel_h, int kernel_w, const Padding* padding, const dim2* stride) {
  Call call(__func__);
  pool2d(call, Pool2dBm1684::Kind::maximum, output_addr, input_addr, input_shape, kernel_h,
         kernel_w, padding, stride);
}

void okk_bdc_matmul(local_addr_t output_addr, local_addr_t left_addr, local_addr_t right_addr,
                    local_addr_t bias_addr, int left_rows, int left_cols, int right_cols,
                    int left_cols_per_channel, int right_cols_per_channel, bool using_bias,
                    bool result_add) {
  Call call(__func__);
  const bool valid =
      call.in_range(left_rows, 1, kUnlimited, errors::okk_matmul_extent, "left_rows") &&
      valid_matrix(call, "left_cols", left_cols, "left_cols_per_channel", left_cols_per_channel) &&
      valid_matrix(call, "right_cols", right_cols, "right_cols_per_channel",
                   right_cols_per_channel);
  if (!valid) return;
  const auto rows = static_cast<uint32_t>(left_rows), depth = static_cast<uint32_t>(left_cols);
  const auto cols = static_cast<uint32_t>(right_cols);
  const auto left_width = static_cast<uint32_t>(left_cols_per_channel);
  const auto right_width = static_cast<uint32_t>(right_cols_per_channel);
  MatmulBm1684 op{.out = whole_channels(call, "output_addr", output_addr, rows, cols, right_width),
                  .left = call.lane_matrix("left_addr", left_addr, rows, depth, left_width),
                  .right = whole_channels(call, "right_addr", right_addr, depth, cols, right_width),
                  .accumulate = result_add};
  if (using_bias) op.bias = whole_channels(call, "bias_addr", bias_addr, 1, cols, right_width);
  call.issue(op);
}
