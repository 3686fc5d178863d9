// ConvolutionParts: the window, the parts that become commands, and the order of weights of
// convolutions and inner products, of floats and of bytes.
#pragma once

#include "bmnet/targets/bm1684x/window.h"

namespace tputwin::net::bm1684x {

// One group of a convolution. A convolution by channel has one part.
struct ConvolutionPart {
  View input, output;
  std::span<const float> kernel;  // (OC, IC, KH, KW); by channel (C, KH, KW)
  std::span<const float> biases;  // one per output channel, or none
  // Means of the input: none, one per channel, or one per value of a sample.
  std::span<const float> means;

  int64_t input_channels() const { return input.e.c; }
  int64_t output_channels() const { return output.e.c; }
};

struct ConvolutionParts {
  std::vector<float> kernel;  // of all parts, as are the following
  View input, output;
  std::span<const float> biases, means;
  Window2d window;
  bool by_channel = false;
  bool do_relu = false;
  std::vector<ConvolutionPart> parts;

  int64_t taps() const { return int64_t{window.kernel_h} * window.kernel_w; }
  // Sets what all kernels of a part have.
  void set(WindowKernel& kernel, const ConvolutionPart& part) const;
};

Result<ConvolutionParts> convolution_parts(const Layer& layer);
// The window of an inner product is the whole map if a sample is one.
ConvolutionParts inner_product_parts(const Layer& layer);

// Returns the kernel of a part in the order of commands: groups of input channels, taps, channels
// of a group. The last group is filled up with zeros.
struct PackedKernel {
  std::vector<float> values;
  Extents e;
};
PackedKernel packed_kernel(const ConvolutionPart& part, int64_t taps, DType type);

}  // namespace tputwin::net::bm1684x
