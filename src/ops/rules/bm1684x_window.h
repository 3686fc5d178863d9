// Rules that all operations of the BM1684X with a sliding window share.
#pragma once

#include "ops/contract/source.h"
#include "ops/contract/window.h"
#include "ops/rules/bm1684x.h"

namespace tputwin {

// The numbers of a window, and a result (n, channels, output_h, output_w) of it.
Status check_bm1684x_window(const Window& window, const TensorView& in, const TensorView& out,
                            uint32_t channels, const Chip& chip);
// A tensor (1, channels, 1, 1), and one that starts where the result does.
Status check_bm1684x_channels_anywhere(std::string_view name, const TensorView& view,
                                       uint32_t channels, const Chip& chip);
Status check_bm1684x_channels(std::string_view name, const TensorView& view, uint32_t channels,
                              const TensorView& result, const Chip& chip);

// A parameter that is one number, or a tensor (1, channels, 1, 1) in lockstep with `beside`.
Status check_bm1684x_parameter(std::string_view name, const Source& source, uint32_t channels,
                               const TensorView& beside, const Chip& chip);
// The input of a convolution over all channels: from NPU 0, elements of a row side by side.
Status check_bm1684x_conv2d_input(const TensorView& in, const Chip& chip);
// Types of a filter of integers: 8-bit inputs and weights, and an integer result.
Status check_bm1684x_int8_filter(const TensorView& in, const Source& weight, const TensorView& out);
// Its weights: one number, or a tensor, which a command may have in other lanes than the result.
Status check_bm1684x_conv2d_weight(const Source& weight, const Shape& shape, const Chip& chip);
// Weights by channel: one number, or a tensor that starts where the result does.
Status check_bm1684x_depthwise2d_weight(const Source& weight, const Shape& shape,
                                        const TensorView& result, const Chip& chip);

}  // namespace tputwin
