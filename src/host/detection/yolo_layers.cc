// The output layers of YOLO v2 and v3, and the boxes of v3 in two manners.
#include <algorithm>
#include <cmath>

#include "host/detection/detectors.h"
#include "host/operator.h"

namespace tputwin::host {
namespace {

void softmax(const float* in, float* out, int64_t count, int64_t step) {
  float largest = in[0], sum = 0;
  for (int64_t i = 1; i < count; ++i) largest = std::max(largest, in[i * step]);
  for (int64_t i = 0; i < count; ++i) sum += out[i * step] = std::exp(in[i * step] - largest);
  for (int64_t i = 0; i < count; ++i) out[i * step] /= sum;
}

// The entries of one anchor at one pixel, at a distance of `step`.
struct Entries {
  const float* in;
  float* out;
  int64_t step;
  void activate(int64_t begin, int64_t end) const {
    for (int64_t e = begin; e < end; ++e) out[e * step] = sigmoid(in[e * step]);
  }
};

template <class Function>
void each_anchor(const Maps& in, float* out, int64_t entries, const Function& function) {
  const int64_t plane = in.plane();
  std::copy_n(in.values, in.n * in.c * plane, out);
  for (int64_t a = 0; a < in.n * in.c / entries; ++a)
    for (int64_t i = 0; i < plane; ++i) {
      const int64_t at = a * entries * plane + i;
      function(Entries{in.values + at, out + at, plane});
    }
}

// ---- Boxes ----

struct Candidates {
  std::vector<Box> boxes;
  std::vector<std::vector<float>> scores;  // by class
};

struct Anchor {
  float width, height;  // relative to the image
};

// Adds the box and scores of one anchor at one pixel of a map, if its objectness exceeds the
// threshold.
void add(const float* entry, int64_t pixel, const Maps& map, const Anchor& anchor,
         const YoloParameters& p, Candidates& to) {
  const int64_t plane = map.plane();
  const auto x = static_cast<float>(pixel % map.w), y = static_cast<float>(pixel / map.w);
  const float objectness = entry[4 * plane];
  if (objectness <= p.object_threshold) return;
  const float center_x = (x + entry[0]) / static_cast<float>(map.w);
  const float center_y = (y + entry[plane]) / static_cast<float>(map.h);
  const float w = std::exp(entry[2 * plane]) * anchor.width;
  const float h = std::exp(entry[3 * plane]) * anchor.height;
  to.boxes.push_back({center_x - w / 2, center_y - h / 2, center_x + w / 2, center_y + h / 2});
  for (int64_t c = 0; c < p.classes; ++c)
    to.scores[static_cast<size_t>(c)].push_back(objectness * entry[(5 + c) * plane]);
}

std::vector<Detection> detect(const YoloParameters& p, const Candidates& candidates) {
  std::vector<Detection> detections;
  for (size_t label = 0; label < candidates.scores.size(); ++label) {
    const auto& scores = candidates.scores[label];
    const auto order = best(scores, p.object_threshold, -1);
    for (size_t i : suppress(candidates.boxes, order, p.nms_threshold))
      detections.push_back({static_cast<int>(label), scores[i], candidates.boxes[i]});
  }
  return detections;
}

// Returns the index of the anchor that the n-th anchor of all inputs is.
int64_t anchor_index(const YoloParameters& p, size_t n) {
  return n < p.masks.size() ? p.masks[n] : static_cast<int64_t>(n);
}

std::vector<int64_t> counts_of(Parameters& parameters, std::string_view key) {
  std::vector<int64_t> integers;
  for (const float value : parameters.list(key)) {
    const bool is_count = value >= 0 && value < 0x1p24F && value == std::trunc(value);
    parameters.require(is_count, key, "it is integers from 0 on, with commas");
    integers.push_back(is_count ? static_cast<int64_t>(value) : 0);
  }
  return integers;
}

// Computes maps of the shape of the input.
template <class Rule, class Function>
Status map_to_map(Call& call, const Rule& rule, const Function& function) {
  TW_ASSIGN_OR_RETURN(in, maps_of(call, 0));
  if (std::string broken = rule(in); !broken.empty()) return call.fail(std::move(broken));
  TW_ASSIGN_OR_RETURN(out, call.float_output(0, call.shape(0)));
  function(in, out.data());
  return {};
}

}  // namespace

float sigmoid(float x) { return 1 / (1 + std::exp(-x)); }

Result<Maps> maps_of(Call& call, size_t i) {
  TW_RETURN_IF_ERROR(call.require_rank(i, 4));
  TW_ASSIGN_OR_RETURN(values, call.floats(i));
  const Shape& s = call.shape(i);
  return Maps{values.data(), s[0], s[1], s[2], s[3]};
}

std::string region_rule(const RegionParameters& p, const Maps& in) {
  if (p.coords < 2 || p.classes < 1) return "coords at least 2, classes at least 1";
  if (in.c != p.anchors * (p.coords + 1 + p.classes))
    return "num * (coords + 1 + classes) channels";
  return "";
}

void activate_region(const RegionParameters& p, const Maps& in, float* out) {
  const int64_t entries = p.coords + 1 + p.classes;
  const int64_t first = p.coords + (p.background ? 0 : 1);  // index of the first class
  each_anchor(in, out, entries, [&](const Entries& e) {
    e.activate(0, 2);
    if (!p.background) e.activate(p.coords, p.coords + 1);
    if (p.softmax)
      softmax(e.in + first * e.step, e.out + first * e.step, entries - first, e.step);
    else
      e.activate(p.coords + 1, entries);
  });
}

std::string yolo_rule(int64_t classes, const Maps& in) {
  const int64_t entries = 5 + classes;
  return classes < 1 || in.c % entries != 0 ? std::to_string(entries) + " channels per anchor" : "";
}

void activate_yolo(int64_t classes, const Maps& in, float* out) {
  each_anchor(in, out, 5 + classes, [&](const Entries& e) {
    e.activate(0, 2);
    e.activate(4, 5 + classes);
  });
}

std::string yolo_boxes_rule(const YoloParameters& p, std::span<const Maps> in) {
  if (p.classes < 1 || p.width < 1 || p.height < 1) return "classes, netw and neth are positive";
  size_t anchors = 0;
  for (const Maps& map : in) {
    if (map.n != in[0].n) return "all inputs hold the same number of images";
    if (map.c % (5 + p.classes) != 0) return "classes + 5 channels per anchor";
    anchors += static_cast<size_t>(map.c / (5 + p.classes));
  }
  for (size_t i = 0; i < anchors; ++i)
    if (const int64_t index = anchor_index(p, i);
        index < 0 || 2 * index + 1 >= static_cast<int64_t>(p.anchors.size()))
      return "no anchor " + std::to_string(index);
  return "";
}

std::vector<Detection> yolo_boxes(const YoloParameters& p, std::span<const Maps> in, int64_t image,
                                  size_t limit) {
  Candidates candidates;
  candidates.scores.resize(static_cast<size_t>(p.classes));
  size_t next = 0;
  for (const Maps& map : in) {
    const float* entry = map.values + image * map.c * map.plane();
    for (int64_t a = 0; a < map.c / (5 + p.classes); ++a, ++next) {
      const auto index = static_cast<size_t>(anchor_index(p, next));
      const Anchor anchor{
          static_cast<float>(p.anchors[2 * index]) / static_cast<float>(p.width),
          static_cast<float>(p.anchors[2 * index + 1]) / static_cast<float>(p.height)};
      for (int64_t i = 0; i < map.plane(); ++i) add(entry + i, i, map, anchor, p, candidates);
      entry += (5 + p.classes) * map.plane();
    }
  }
  std::vector<Detection> detections = detect(p, candidates);
  keep_best(detections, limit);
  return detections;
}

OperatorFunction make_region(Parameters& parameters) {
  const RegionParameters p{.classes = parameters.integer("classes", 0, 1, kMostOfLayer),
                           .coords = parameters.integer("coords", 4, 2, kMostOfLayer),
                           .anchors = parameters.integer("num", 1, 1, kMostOfLayer),
                           .softmax = parameters.flag("softmax", true),
                           .background = parameters.flag("background", false)};
  return [=](Call& call) {
    return map_to_map(
        call, [&](const Maps& in) { return region_rule(p, in); },
        [&](const Maps& in, float* out) { activate_region(p, in, out); });
  };
}

OperatorFunction make_yolo(Parameters& parameters) {
  const int64_t classes = parameters.integer("classes", 0, 1, kMostOfLayer);
  return [=](Call& call) {
    return map_to_map(
        call, [&](const Maps& in) { return yolo_rule(classes, in); },
        [&](const Maps& in, float* out) { activate_yolo(classes, in, out); });
  };
}

OperatorFunction make_yolo_detections(Parameters& parameters) {
  const YoloParameters p{.classes = parameters.integer("classes", 0, 1, kMostOfLayer),
                         .width = parameters.integer("netw", 416, 1, kMostOfLayer),
                         .height = parameters.integer("neth", 416, 1, kMostOfLayer),
                         .object_threshold = parameters.number("obj_threshold", 0.5F),
                         .nms_threshold = parameters.number("nms_threshold", 0.45F),
                         .masks = counts_of(parameters, "masks"),
                         .anchors = counts_of(parameters, "anchors")};
  const int64_t keep = parameters.integer("keep_top_k", 200, 1);
  parameters.require(!p.anchors.empty() && p.anchors.size() % 2 == 0, "anchors",
                     "a width and a height for each");
  return [=](Call& call) -> Status {
    std::vector<Maps> in;
    for (size_t i = 0; i < call.inputs(); ++i) {
      TW_ASSIGN_OR_RETURN(map, maps_of(call, i));
      in.push_back(map);
    }
    if (std::string broken = yolo_boxes_rule(p, in); !broken.empty())
      return call.fail(std::move(broken));
    std::vector<std::vector<Detection>> found;
    int64_t rows = 0;
    for (int64_t n = 0; n < in[0].n; ++n) {
      found.push_back(yolo_boxes(p, in, n, static_cast<size_t>(keep)));
      rows += static_cast<int64_t>(found.back().size());
    }
    TW_ASSIGN_OR_RETURN(out, call.float_output(0, {1, 1, rows, 7}));
    float* row = out.data();
    for (size_t n = 0; n < found.size(); ++n) row = write_rows(found[n], n, row);
    return {};
  };
}

namespace {

// ---- PaddlePaddle's yolo_box ----

// Boxes and scores of a YOLO v3 head. Input 0 is (n, anchors * (5 + classes), h, w); an anchor's
// entries are x, y, width, height, objectness, classes. Input 1 is the images' height and width.
// Outputs: corners (n, anchors*h*w, 4) in pixels, and scores (n, anchors*h*w, classes). Both are 0
// where the objectness is below the threshold.
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

Status run_yolo_box(Call& call, const YoloBox& p) {
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
  return [=](Call& call) { return run_yolo_box(call, p); };
}

}  // namespace tputwin::host
