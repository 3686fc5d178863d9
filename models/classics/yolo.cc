// Tiny YOLO v2 (with the passthrough of its larger brother: Reorg, Concat, Region) and v3
// (Upsample, Concat, Yolo, YoloPost).
#include "classics/graph.h"

namespace tputwin::models {
namespace {

constexpr float kSlope = 0.1F;
constexpr int kVocClasses = 20;

// Convolutions 1 to 5 with a pooling after each: 416 x 416 becomes 13 x 13 ahead of the last
// pooling's factor, the result of convolution 5 being 26 x 26.
struct Darknet {
  Name conv5, pool5;
};

Name dark(Graph& g, const Name& name, const Name& x, int outputs, int kernel) {
  return g.conv_norm_relu(name, x, {.outputs = outputs, .kernel = kernel, .pad = kernel / 2},
                          kSlope);
}

Darknet darknet(Graph& g) {
  Name x = g.input({1, 3, 416, 416});
  Darknet backbone;
  int outputs = 16;
  for (int i = 1; i <= 5; ++i, outputs *= 2) {
    const Name number = std::to_string(i);
    x = dark(g, "conv" + number, x, outputs, 3);
    if (i == 5) backbone.conv5 = x;
    x = g.max_pool("pool" + number, x, 2, 2);
  }
  backbone.pool5 = x;
  return backbone;
}

Name yolo(Graph& g, const Name& name, const Name& x) {
  const Name conv = g.conv(name + "/conv", x, {.outputs = 3 * (kVocClasses + 5)});
  g.layer(name, "Yolo", {conv}).mutable_yolo_param()->set_classes(kVocClasses);
  return name;
}

}  // namespace

caffe::NetParameter yolo_v2_tiny() {
  Graph g("tiny-yolo-v2");
  const Darknet backbone = darknet(g);
  Name x = dark(g, "conv7", dark(g, "conv6", backbone.pool5, 512, 3), 512, 3);
  g.layer("reorg", "Reorg", {dark(g, "conv_passthrough", backbone.conv5, 32, 1)})
      .mutable_reorg_param()
      ->set_stride(2);
  x = dark(g, "conv8", g.concat("concat", {"reorg", x}), 512, 3);
  x = g.conv("conv9", x, {.outputs = 5 * (kVocClasses + 5)});
  auto& p = *g.layer("region", "Region", {x}).mutable_region_param();
  p.set_classes(kVocClasses);
  p.set_coords(4);
  p.set_num(5);
  p.set_softmax(1);
  return g.net;
}

caffe::NetParameter yolo_v3_tiny() {
  Graph g("tiny-yolo-v3");
  const Darknet backbone = darknet(g);
  Name x = dark(g, "conv7", dark(g, "conv6", backbone.pool5, 512, 3), 256, 1);
  const Name coarse = yolo(g, "yolo1", dark(g, "conv8", x, 512, 3));
  g.layer("upsample", "Upsample", {dark(g, "conv9", x, 128, 1)})
      .mutable_upsample_param()
      ->add_size(2);
  x = g.concat("concat", {"upsample", backbone.conv5});
  const Name fine = yolo(g, "yolo2", dark(g, "conv10", x, 256, 3));
  auto& p = *g.layer("detections", "YoloPost", {coarse, fine}).mutable_yolopost_param();
  p.set_classes(kVocClasses);
  p.set_netw(416);
  p.set_neth(416);
  p.set_num(6);
  for (int mask : {3, 4, 5, 0, 1, 2}) p.mutable_yolomask()->add_mask(mask);
  for (int anchor : {10, 14, 23, 27, 37, 58, 81, 82, 135, 169, 344, 319})
    p.mutable_anchors()->add_anchor(anchor);
  return g.net;
}

}  // namespace tputwin::models
