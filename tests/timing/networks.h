// Networks by their architecture: the sizes of their layers, for bounds of their times.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace tputwin::testing {

// A convolution with one sum for each output, over `taps` * `taps` positions and all channels.
struct ConvolutionSize {
  uint32_t in_channels, out_channels, taps, stride, out_height, out_width;
  uint64_t weights() const { return uint64_t{in_channels} * out_channels * taps * taps; }
  uint64_t products() const { return weights() * out_height * out_width; }
};

struct NetworkSize {
  std::vector<ConvolutionSize> layers;
  uint64_t weights() const;
  uint64_t products() const;
};

NetworkSize resnet50();  // 224x224
NetworkSize yolov5s();   // version 6.1, 640x640, three outputs
NetworkSize yolov8s();   // 640x640, detection

}  // namespace tputwin::testing
