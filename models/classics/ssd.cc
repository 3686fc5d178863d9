// SSD on MobileNet v1, 300 x 300.
#include "classics/mobilenet.h"

namespace tputwin::models {
namespace {

constexpr int kClasses = 21;

struct Heads {
  Names locations, confidences, priors;
};

Name permuted(Graph& g, const Name& name, const Name& x, int outputs) {
  const Name conv = g.conv(name, x, {.outputs = outputs});
  auto& order = *g.layer(name + "_perm", "Permute", {conv}).mutable_permute_param();
  for (uint32_t axis : {0u, 2u, 3u, 1u}) order.add_order(axis);
  return g.flatten(name + "_flat", name + "_perm");
}

// Boxes of sizes min and max (0: none) at every pixel of `map`.
void head(Graph& g, const Name& map, const Name& name, float min, float max, Heads& heads) {
  const int boxes = max > 0 ? 6 : 3;
  heads.locations.push_back(permuted(g, name + "_mbox_loc", map, boxes * 4));
  heads.confidences.push_back(permuted(g, name + "_mbox_conf", map, boxes * kClasses));
  auto& p = *g.layer(name + "_mbox_priorbox", "PriorBox", {map, "data"}).mutable_prior_box_param();
  p.add_min_size(min);
  p.add_aspect_ratio(2);
  if (max > 0) {
    p.add_max_size(max);
    p.add_aspect_ratio(3);
  }
  p.set_flip(true);
  p.set_clip(false);
  for (float v : {0.1F, 0.1F, 0.2F, 0.2F}) p.add_variance(v);
  heads.priors.push_back(name + "_mbox_priorbox");
}

void output(Graph& g, const Heads& heads) {
  const Name loc = g.concat("mbox_loc", heads.locations);
  const Name conf = g.concat("mbox_conf", heads.confidences);
  const Name priors = g.concat("mbox_priorbox", heads.priors, 2);
  auto& shape =
      *g.layer("mbox_conf_reshape", "Reshape", {conf}).mutable_reshape_param()->mutable_shape();
  for (int64_t d : {0, -1, kClasses}) shape.add_dim(d);
  const Name scores =
      g.flatten("mbox_conf_flatten", g.softmax("mbox_conf_softmax", "mbox_conf_reshape", 2));
  auto& p = *g.layer("detection_out", "DetectionOutput", {loc, scores, priors})
                 .mutable_detectoutput_param();
  p.set_num_classes(kClasses);
  p.set_share_location(true);
  p.set_background_label_id(0);
  p.mutable_nms_param()->set_nms_threshold(0.45F);
  p.mutable_nms_param()->set_top_k(100);
  p.set_code_type(caffe::DetectOutputParameter::CENTER_SIZE);
  p.set_keep_top_k(100);
  p.set_confidence_threshold(0.25F);
}

}  // namespace

caffe::NetParameter ssd_mobilenet() {
  Graph g("MobileNet-SSD");
  const MobileNetBackbone backbone = mobilenet_backbone(g, g.input({1, 3, 300, 300}));
  Heads heads;
  head(g, backbone.conv11, "conv11", 60, 0, heads);
  head(g, backbone.conv13, "conv13", 105, 150, heads);
  struct Extra {
    int number, squeeze, outputs;
    float min, max;
  };
  Name x = backbone.conv13;
  for (const Extra& e : {Extra{14, 256, 512, 150, 195},
                         {15, 128, 256, 195, 240},
                         {16, 128, 256, 240, 285},
                         {17, 64, 128, 285, 300}}) {
    const Name name = "conv" + std::to_string(e.number);
    x = g.conv_norm_relu(name + "_1", x, {.outputs = e.squeeze});
    x = g.conv_norm_relu(name + "_2", x,
                         {.outputs = e.outputs, .kernel = 3, .stride = 2, .pad = 1});
    head(g, x, name + "_2", e.min, e.max, heads);
  }
  output(g, heads);
  return g.net;
}

}  // namespace tputwin::models
