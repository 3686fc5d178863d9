// Boxes of YOLO v3 from the results of Yolo layers, one input per scale. An input with A anchors
// per pixel uses the next A numbers of `mask`, which are indices of `anchor` pairs. Output: a fixed
// number of rows (image, label, score, xmin, ymin, xmax, ymax), relative to the image. Unused rows
// hold -1.
#include <cmath>

#include "bmnet/cpu_ops/operator.h"
#include "host/boxes.h"

namespace tputwin::net::cpu {
namespace {

using host::best;
using host::Box;
using host::Detection;
using host::keep_best;
using host::suppress;
using host::write_rows;

using Parameter = ::bmnet::TGYoloPostParameter;

struct Candidates {
  std::vector<Box> boxes;
  std::vector<std::vector<float>> scores;  // by class
};

struct Anchor {
  float width, height;  // relative to the image
};

// Adds the box and scores of one anchor at one pixel of a map, if its objectness exceeds the
// threshold.
void add(const float* entry, int64_t plane, float x, float y, const Shape4& map,
         const Anchor& anchor, const Parameter& param, Candidates& to) {
  const float objectness = entry[4 * plane];
  if (objectness <= param.obj_threshold()) return;
  const float center_x = (x + entry[0]) / static_cast<float>(map.w);
  const float center_y = (y + entry[plane]) / static_cast<float>(map.h);
  const float w = std::exp(entry[2 * plane]) * anchor.width;
  const float h = std::exp(entry[3 * plane]) * anchor.height;
  to.boxes.push_back({center_x - w / 2, center_y - h / 2, center_x + w / 2, center_y + h / 2});
  for (int c = 0; c < param.classes(); ++c)
    to.scores[static_cast<size_t>(c)].push_back(objectness * entry[(5 + c) * plane]);
}

std::vector<Detection> detect(const Parameter& param, const Candidates& candidates) {
  std::vector<Detection> detections;
  for (size_t label = 0; label < candidates.scores.size(); ++label) {
    const auto& scores = candidates.scores[label];
    const auto order = best(scores, param.obj_threshold(), -1);
    for (size_t i : suppress(candidates.boxes, order, param.nms_threshold()))
      detections.push_back({static_cast<int>(label), scores[i], candidates.boxes[i]});
  }
  return detections;
}

Result<std::vector<std::vector<Anchor>>> anchors_of(const Call& call) {
  const Parameter& param = call.op.tg_yolopost_param();
  std::vector<std::vector<Anchor>> result;
  int next = 0;
  for (const ConstTensor& input : call.in) {
    const int64_t channels = shape4(input).c, entries = int64_t{5} + param.classes();
    if (channels % entries != 0) return fail(call, "classes + 5 channels per anchor");
    auto& anchors = result.emplace_back();
    for (int64_t a = 0; a < channels / entries; ++a, ++next) {
      const int64_t index = next < param.mask_size() ? param.mask(next) : next;
      if (index < 0 || 2 * index + 1 >= param.anchor_size())
        return fail(call, "no anchor " + std::to_string(index));
      const auto size = [&](int64_t at) {
        return static_cast<float>(param.anchor(static_cast<int>(at)));
      };
      anchors.push_back({size(2 * index) / static_cast<float>(param.netw()),
                         size(2 * index + 1) / static_cast<float>(param.neth())});
    }
  }
  return result;
}

}  // namespace

Status yolo_post(const Call& call) {
  TW_RETURN_IF_ERROR(require(call, 1));
  const Parameter& param = call.op.tg_yolopost_param();
  if (param.classes() < 1 || param.netw() < 1 || param.neth() < 1)
    return fail(call, "classes, netw and neth are positive");
  TW_ASSIGN_OR_RETURN(anchors, anchors_of(call));
  const int64_t images = shape4(call.in[0]).n, entries = int64_t{5} + param.classes();
  std::fill_n(call.out[0].data, count(call.out[0]), -1.0F);
  float* row = call.out[0].data;
  const auto limit = static_cast<size_t>(count(call.out[0]) / 7 / std::max<int64_t>(images, 1));
  for (int64_t n = 0; n < images; ++n) {
    Candidates candidates;
    candidates.scores.resize(static_cast<size_t>(param.classes()));
    for (size_t i = 0; i < call.in.size(); ++i) {
      const Shape4 map = shape4(call.in[i]);
      if (map.n != images) return fail(call, "all inputs hold the same number of images");
      const int64_t plane = map.h * map.w;
      const float* entry = call.in[i].data + n * map.c * plane;
      for (const Anchor& anchor : anchors[i]) {
        for (int64_t p = 0; p < plane; ++p)
          add(entry + p, plane, static_cast<float>(p % map.w), static_cast<float>(p / map.w), map,
              anchor, param, candidates);
        entry += entries * plane;
      }
    }
    std::vector<Detection> detections = detect(param, candidates);
    keep_best(detections, limit);
    row = write_rows(detections, static_cast<size_t>(n), row);
  }
  return {};
}

}  // namespace tputwin::net::cpu
