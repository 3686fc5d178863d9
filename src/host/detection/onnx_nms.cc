// ONNX NonMaxSuppression: rows (image, class, box) of the kept boxes. Inputs: boxes (images, boxes,
// 4) and scores (images, classes, boxes). Optional inputs 2 to 4 are max_output_boxes_per_class,
// iou_threshold and score_threshold.
#include <algorithm>
#include <cmath>

#include "host/detection/boxes.h"
#include "host/operator.h"
#include "host/order.h"

namespace tputwin::host {
namespace {

struct Limits {
  int64_t most;
  float overlap, score;
};

// Converts (y1, x1, y2, x2) of any two opposite corners, or (x, y, width, height) of the center.
Box box_of(const float* values, bool from_center) {
  if (from_center)
    return {values[0] - values[2] / 2, values[1] - values[3] / 2, values[0] + values[2] / 2,
            values[1] + values[3] / 2};
  return {std::min(values[1], values[3]), std::min(values[0], values[2]),
          std::max(values[1], values[3]), std::max(values[0], values[2])};
}

Result<Limits> limits_of(const Call& call, Limits limits) {
  if (call.inputs() > 2) {
    TW_ASSIGN_OR_RETURN(most, call.integers(2));
    if (most.size() != 1 || most[0] < 0) return call.fail("input 2 is one number, 0 or more");
    limits.most = most[0];
  }
  if (call.inputs() > 3) {
    TW_ASSIGN_OR_RETURN(overlap, call.scalar(3));
    limits.overlap = overlap;
  }
  if (call.inputs() > 4) {
    TW_ASSIGN_OR_RETURN(score, call.scalar(4));
    limits.score = score;
  }
  if (!(limits.overlap >= 0 && limits.overlap <= 1)) return call.fail("iou_threshold is 0 to 1");
  return limits;
}

}  // namespace

OperatorFunction make_onnx_nms(Parameters& parameters) {
  const bool from_center = parameters.flag("center_point_box", false);
  const Limits given{parameters.integer("max_output_boxes_per_class", 0, 0),
                     parameters.number("iou_threshold", 0, 0, 1),
                     parameters.number("score_threshold", -INFINITY, -INFINITY)};
  return [=](Call& call) -> Status {
    TW_RETURN_IF_ERROR(call.require_rank(0, 3));
    TW_RETURN_IF_ERROR(call.require_rank(1, 3));
    TW_ASSIGN_OR_RETURN(values, call.floats(0));
    TW_ASSIGN_OR_RETURN(all_scores, call.floats(1));
    TW_ASSIGN_OR_RETURN(limits, limits_of(call, given));
    const int64_t images = call.shape(0)[0], number = call.shape(0)[1], classes = call.shape(1)[1];
    if (call.shape(0)[2] != 4 || call.shape(1)[0] != images || call.shape(1)[2] != number)
      return call.fail("boxes are (images, boxes, 4), scores (images, classes, boxes)");
    std::vector<int64_t> rows;
    for (int64_t image = 0; image < images; ++image) {
      std::vector<Box> boxes;
      for (int64_t i = 0; i < number; ++i)
        boxes.push_back(box_of(values.data() + (image * number + i) * 4, from_center));
      for (int64_t label = 0; label < classes; ++label) {
        const float* scores = all_scores.data() + (image * classes + label) * number;
        std::vector<int64_t> candidates;
        for (int64_t i : sorted_positions(scores, number, 1, /*descending=*/true))
          if (limits.score == -INFINITY || scores[i] > limits.score) candidates.push_back(i);
        for (int64_t i : kept_boxes(boxes, candidates, limits.overlap, limits.most))
          rows.insert(rows.end(), {image, label, i});
      }
    }
    return call.write_integers(0, {static_cast<int64_t>(rows.size() / 3), 3}, rows);
  };
}

}  // namespace tputwin::host
