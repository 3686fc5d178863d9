// Non-maximum suppression (torchvision.ops.nms): positions of the boxes (xmin, ymin, xmax, ymax)
// that no better one overlaps by more than the threshold. Best first; equal scores keep their
// order.
#include "host/detection/boxes.h"
#include "host/operator.h"
#include "host/order.h"

namespace tputwin::host {

OperatorFunction make_nms(Parameters& parameters) {
  const float threshold = parameters.number("iou_threshold", 0.5F);
  const float least = parameters.number("score_threshold", -INFINITY, -INFINITY);
  const int64_t most = parameters.integer("max_output", -1, -1);
  return [=](Call& call) -> Status {
    TW_RETURN_IF_ERROR(call.require_rank(0, 2));
    TW_ASSIGN_OR_RETURN(values, call.floats(0));
    TW_ASSIGN_OR_RETURN(scores, call.floats(1));
    if (call.shape(0)[1] != 4 || static_cast<int64_t>(scores.size()) != call.shape(0)[0])
      return call.fail("boxes are (n,4), scores n");
    std::vector<Box> boxes;
    for (size_t i = 0; i < scores.size(); ++i)
      boxes.push_back({values[4 * i], values[4 * i + 1], values[4 * i + 2], values[4 * i + 3]});
    std::vector<int64_t> candidates;
    for (int64_t i : sorted_positions(scores.data(), call.shape(0)[0], 1, /*descending=*/true))
      if (!(scores[static_cast<size_t>(i)] < least)) candidates.push_back(i);
    const auto kept = kept_boxes(boxes, candidates, threshold, most);
    return call.write_integers(0, {static_cast<int64_t>(kept.size())}, kept);
  };
}

}  // namespace tputwin::host
