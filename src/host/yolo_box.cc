// Boxes and scores of a YOLO v3 head (PaddlePaddle's yolo_box). Input 0 is (n, anchors * (5 +
// classes), h, w); an anchor's entries are x, y, width, height, objectness, classes. Input 1 is the
// images' height and width. Outputs: corners (n, anchors*h*w, 4) in pixels, and scores (n,
// anchors*h*w, classes). Both are 0 where the objectness is below the threshold.
#include <algorithm>
#include <cmath>

#include "host/detectors.h"
#include "host/operator.h"

namespace tputwin::host {
namespace {

struct YoloBox {
  std::vector<float> anchors;
  int64_t classes, downsample;
  float threshold, scale;
  bool clip;
};

struct Place {
  int64_t anchor, y, x, height, width;
  float image_h, image_w;
};

void write_box(const YoloBox& p, const float* entry, int64_t plane, const Place& at, float* box) {
  const float bias = -0.5F * (p.scale - 1);
  const auto middle = [&](float value, int64_t pixel, float image, int64_t extent) {
    return (static_cast<float>(pixel) + sigmoid(value) * p.scale + bias) * image /
           static_cast<float>(extent);
  };
  const auto size = [&](float value, size_t which, float image, int64_t extent) {
    return std::exp(value) * p.anchors[2 * static_cast<size_t>(at.anchor) + which] * image /
           static_cast<float>(p.downsample * extent);
  };
  const float x = middle(entry[0], at.x, at.image_w, at.width);
  const float y = middle(entry[plane], at.y, at.image_h, at.height);
  const float w = size(entry[2 * plane], 0, at.image_w, at.width);
  const float h = size(entry[3 * plane], 1, at.image_h, at.height);
  const float corners[] = {x - w / 2, y - h / 2, x + w / 2, y + h / 2};
  std::ranges::copy(corners, box);
  if (!p.clip) return;
  for (int i : {0, 1}) box[i] = box[i] > 0 ? box[i] : 0;
  box[2] = box[2] < at.image_w - 1 ? box[2] : at.image_w - 1;
  box[3] = box[3] < at.image_h - 1 ? box[3] : at.image_h - 1;
}

Status run(Call& call, const YoloBox& p) {
  TW_RETURN_IF_ERROR(call.require_rank(0, 4));
  TW_ASSIGN_OR_RETURN(in, call.floats(0));
  TW_ASSIGN_OR_RETURN(sizes, call.integers(1));
  const Shape& from = call.shape(0);
  const auto anchors = static_cast<int64_t>(p.anchors.size() / 2);
  const int64_t entries = 5 + p.classes, plane = from[2] * from[3], boxes = anchors * plane;
  if (from[1] != anchors * entries) return call.fail("5 + class_num channels per anchor");
  if (static_cast<int64_t>(sizes.size()) != 2 * from[0])
    return call.fail("input 1 is a height and a width for each image");
  TW_ASSIGN_OR_RETURN(corners, call.float_output(0, {from[0], boxes, 4}));
  TW_ASSIGN_OR_RETURN(scores, call.float_output(1, {from[0], boxes, p.classes}));
  for (int64_t n = 0; n < from[0]; ++n)
    for (int64_t a = 0; a < anchors; ++a)
      for (int64_t i = 0; i < plane; ++i) {
        const float* entry = in.data() + (n * from[1] + a * entries) * plane + i;
        const float objectness = sigmoid(entry[4 * plane]);
        if (objectness < p.threshold) continue;
        const int64_t box = n * boxes + a * plane + i;
        const auto image = static_cast<size_t>(2 * n);
        write_box(p, entry, plane,
                  {a, i / from[3], i % from[3], from[2], from[3], static_cast<float>(sizes[image]),
                   static_cast<float>(sizes[image + 1])},
                  corners.data() + box * 4);
        for (int64_t c = 0; c < p.classes; ++c)
          scores[static_cast<size_t>(box * p.classes + c)] =
              objectness * sigmoid(entry[(5 + c) * plane]);
      }
  return {};
}

}  // namespace

OperatorFunction make_yolo_box(Parameters& parameters) {
  const YoloBox p{.anchors = parameters.list("anchors"),
                  .classes = parameters.integer("class_num", 0, 1, 1 << 20),
                  .downsample = parameters.integer("downsample_ratio", 32, 1, 1 << 20),
                  .threshold = parameters.number("conf_thresh", 0),
                  .scale = parameters.number("scale_x_y", 1),
                  .clip = parameters.flag("clip_bbox", true)};
  parameters.require(!p.anchors.empty() && p.anchors.size() % 2 == 0, "anchors",
                     "a width and a height for each");
  return [=](Call& call) { return run(call, p); };
}

}  // namespace tputwin::host
