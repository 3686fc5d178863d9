// Rules of the BM1684X that all operations with a sliding window share.
#pragma once

#include "ops/contract/source.h"
#include "ops/contract/window.h"
#include "ops/rules/bm1684x.h"

namespace tputwin {

// Checks the numbers of a window and its result (n, channels, output_h, output_w).
Status check_bm1684x_window(const Window& window, const TensorView& in, const TensorView& out,
                            uint32_t channels, const Chip& chip);
// Checks a tensor (1, channels, 1, 1); the second function also checks that it starts in the NPU of
// the result.
Status check_bm1684x_channels_anywhere(std::string_view name, const TensorView& view,
                                       uint32_t channels, const Chip& chip);
Status check_bm1684x_channels(std::string_view name, const TensorView& view, uint32_t channels,
                              const TensorView& result, const Chip& chip);

// Checks a parameter: one number, or a tensor (1, channels, 1, 1) that starts in the NPU of the
// other tensor.
Status check_bm1684x_parameter(std::string_view name, const Source& source, uint32_t channels,
                               const TensorView& other, const Chip& chip);
// Checks the input of a convolution over all channels: it starts in NPU 0 and its rows are dense.
Status check_bm1684x_conv2d_input(const TensorView& in, const Chip& chip);
// Checks the types of an integer filter: 8-bit inputs and weights, and an integer result.
Status check_bm1684x_int8_filter(const TensorView& in, const Source& weight, const TensorView& out);
// Checks the weights of a convolution: one number, or a tensor. Commands may have that tensor in
// other lanes than the result.
Status check_bm1684x_conv2d_weight(const Source& weight, const Shape& shape, const Chip& chip);
// Checks weights by channel: one number, or a tensor that starts in the NPU of the result.
Status check_bm1684x_depthwise2d_weight(const Source& weight, const Shape& shape,
                                        const TensorView& result, const Chip& chip);

}  // namespace tputwin
