// MobileNet v1 and v2: depthwise convolutions are convolutions with a group per channel.
#include "classics/mobilenet.h"

namespace tputwin::models {
namespace {

Name depthwise(Graph& g, const Name& name, const Name& x, int channels, int stride) {
  return g.conv_norm_relu(
      name, x, {.outputs = channels, .kernel = 3, .stride = stride, .pad = 1, .group = channels});
}

struct Residual {
  int expand, outputs, repeat, stride;
};

}  // namespace

MobileNetBackbone mobilenet_backbone(Graph& g, const Name& input) {
  Name x = g.conv_norm_relu("conv0", input, {.outputs = 32, .kernel = 3, .stride = 2, .pad = 1});
  struct Step {
    int stride, outputs;
  };
  static constexpr Step kSteps[] = {{1, 64},  {2, 128},  {1, 128}, {2, 256}, {1, 256},
                                    {2, 512}, {1, 512},  {1, 512}, {1, 512}, {1, 512},
                                    {1, 512}, {2, 1024}, {1, 1024}};
  MobileNetBackbone backbone;
  int channels = 32, number = 0;
  for (const Step& step : kSteps) {
    const Name name = "conv" + std::to_string(++number);
    x = depthwise(g, name + "/dw", x, channels, step.stride);
    x = g.conv_norm_relu(name, x, {.outputs = step.outputs});
    channels = step.outputs;
    if (number == 11) backbone.conv11 = x;
  }
  backbone.conv13 = x;
  return backbone;
}

caffe::NetParameter mobilenet_v1() {
  Graph g("MobileNet-v1");
  const Name x = mobilenet_backbone(g, g.input({1, 3, 224, 224})).conv13;
  g.softmax("prob", g.conv("fc7", g.global_pool("pool6", x), {.outputs = 1000}));
  return g.net;
}

caffe::NetParameter mobilenet_v2() {
  Graph g("MobileNet-v2");
  Name x = g.input({1, 3, 224, 224});
  x = g.conv_norm_relu("conv1", x, {.outputs = 32, .kernel = 3, .stride = 2, .pad = 1});
  int channels = 32, stage = 2;
  for (const Residual& r : {Residual{1, 16, 1, 1},
                            {6, 24, 2, 2},
                            {6, 32, 3, 2},
                            {6, 64, 4, 2},
                            {6, 96, 3, 1},
                            {6, 160, 3, 2},
                            {6, 320, 1, 1}}) {
    for (int i = 0; i < r.repeat; ++i) {
      const Name name = "conv" + std::to_string(stage) + "_" + std::to_string(i + 1);
      const int stride = i == 0 ? r.stride : 1, wide = channels * r.expand;
      Name y = x;
      if (r.expand > 1) y = g.conv_norm_relu(name + "/expand", y, {.outputs = wide});
      y = depthwise(g, name + "/dwise", y, wide, stride);
      y = g.conv_norm(name + "/linear", y, {.outputs = r.outputs});
      x = stride == 1 && channels == r.outputs ? g.add(name + "/sum", x, y) : y;
      channels = r.outputs;
    }
    ++stage;
  }
  x = g.conv_norm_relu("conv9", x, {.outputs = 1280});
  g.softmax("prob", g.conv("fc7", g.global_pool("pool6", x), {.outputs = 1000}));
  return g.net;
}

}  // namespace tputwin::models
