// Builds networks layer by layer. Fully connected layers are convolutions of one position.
#include "timing/networks.h"

#include <numeric>

namespace tputwin::testing {
namespace {

// The layers so far, and the size of the last output.
class Builder {
 public:
  Builder(uint32_t channels, uint32_t extent) : channels_(channels), extent_(extent) {}

  Builder& conv(uint32_t out, uint32_t taps = 1, uint32_t stride = 1) {
    extent_ = (extent_ + stride - 1) / stride;
    size_.layers.push_back({channels_, out, taps, stride, extent_, extent_});
    channels_ = out;
    return *this;
  }
  // Continues with another tensor.
  Builder& at(uint32_t channels, uint32_t extent) {
    channels_ = channels;
    extent_ = extent;
    return *this;
  }
  Builder& with(uint32_t channels) { return at(channels, extent_); }
  uint32_t channels() const { return channels_; }
  uint32_t extent() const { return extent_; }
  NetworkSize take() { return std::move(size_); }

 private:
  uint32_t channels_, extent_;
  NetworkSize size_;
};

void bottleneck_stage(Builder& net, uint32_t width, uint32_t blocks, uint32_t stride) {
  for (uint32_t i = 0; i < blocks; ++i) {
    const uint32_t in = net.channels(), extent = net.extent(), step = i == 0 ? stride : 1;
    if (i == 0) net.conv(4 * width, 1, step).at(in, extent);  // the shortcut
    net.conv(width).conv(width, 3, step).conv(4 * width);
  }
}

// C3 of YOLOv5: two branches of half the channels, one with bottlenecks.
void c3(Builder& net, uint32_t out, uint32_t blocks) {
  const uint32_t in = net.channels(), half = out / 2;
  net.conv(half).with(in).conv(half);
  for (uint32_t i = 0; i < blocks; ++i) net.conv(half).conv(half, 3);
  net.with(out).conv(out);
}

// C2f of YOLOv8: every bottleneck's output is an input of the last convolution.
void c2f(Builder& net, uint32_t out, uint32_t blocks) {
  const uint32_t half = out / 2;
  net.conv(out).with(half);
  for (uint32_t i = 0; i < blocks; ++i) net.conv(half, 3).conv(half, 3);
  net.with(half * (2 + blocks)).conv(out);
}

void sppf(Builder& net, uint32_t channels) {
  net.conv(channels / 2).with(2 * channels).conv(channels);
}

// The path down to three scales with their features, for both networks.
template <class Block>
void pyramid(Builder& net, Block block) {
  net.conv(128, 3, 2);
  block(128, 2);
  net.conv(256, 3, 2);
  block(256, 2);
}

// One scale of YOLOv8: four times 16 distances, and 80 classes.
void yolov8_head(Builder& net, uint32_t channels, uint32_t extent) {
  net.at(channels, extent).conv(64, 3).conv(64, 3).conv(64);
  net.at(channels, extent).conv(128, 3).conv(128, 3).conv(80);
}

}  // namespace

uint64_t NetworkSize::weights() const {
  uint64_t sum = 0;
  for (const ConvolutionSize& layer : layers) sum += layer.weights();
  return sum;
}

uint64_t NetworkSize::products() const {
  uint64_t sum = 0;
  for (const ConvolutionSize& layer : layers) sum += layer.products();
  return sum;
}

NetworkSize resnet50() {
  Builder net(3, 224);
  net.conv(64, 7, 2).at(64, 56);
  bottleneck_stage(net, 64, 3, 1);
  bottleneck_stage(net, 128, 4, 2);
  bottleneck_stage(net, 256, 6, 2);
  bottleneck_stage(net, 512, 3, 2);
  net.at(2048, 1).conv(1000);
  return net.take();
}

NetworkSize yolov5s() {
  Builder net(3, 640);
  const auto block = [&](uint32_t out, uint32_t blocks) { c3(net, out, blocks); };
  net.conv(32, 6, 2).conv(64, 3, 2);
  block(64, 1);
  pyramid(net, [&](uint32_t out, uint32_t blocks) { block(out, out == 128 ? blocks : 3); });
  net.conv(512, 3, 2);
  block(512, 1);
  sppf(net, 512);
  net.conv(256).at(512, 40);
  block(256, 1);
  net.conv(128).at(256, 80);
  block(128, 1);
  net.conv(128, 3, 2).with(256);
  block(256, 1);
  net.conv(256, 3, 2).with(512);
  block(512, 1);
  for (const auto& [channels, extent] : {std::pair(128, 80), {256, 40}, {512, 20}})
    net.at(channels, extent).conv(255);
  return net.take();
}

NetworkSize yolov8s() {
  Builder net(3, 640);
  const auto block = [&](uint32_t out, uint32_t blocks) { c2f(net, out, blocks); };
  net.conv(32, 3, 2).conv(64, 3, 2);
  block(64, 1);
  pyramid(net, block);
  net.conv(512, 3, 2);
  block(512, 1);
  sppf(net, 512);
  net.at(768, 40);
  block(256, 1);
  net.at(384, 80);
  block(128, 1);
  net.conv(128, 3, 2).with(384);
  block(256, 1);
  net.conv(256, 3, 2).with(768);
  block(512, 1);
  yolov8_head(net, 128, 80);
  yolov8_head(net, 256, 40);
  yolov8_head(net, 512, 20);
  return net.take();
}

}  // namespace tputwin::testing
