// Anchors of all pixels of a layer (n,c,h,w), in pixels of the image (torchvision's
// AnchorGenerator). Rows are (xmin, ymin, xmax, ymax), ordered by h, w, aspect ratio, size.
#include <algorithm>
#include <cmath>

#include "host/detection/boxes.h"
#include "host/operator.h"

namespace tputwin::host {
namespace {

// Returns anchors around (0, 0), rounded to whole pixels, ties to even.
std::vector<Box> base_anchors(const std::vector<float>& sizes, const std::vector<float>& ratios) {
  std::vector<Box> boxes;
  for (float ratio : ratios)
    for (float size : sizes) {
      const float h_ratio = std::sqrt(ratio), w_ratio = 1 / h_ratio;
      const float w = w_ratio * size / 2, h = h_ratio * size / 2;
      boxes.push_back(
          {std::nearbyint(-w), std::nearbyint(-h), std::nearbyint(w), std::nearbyint(h)});
    }
  return boxes;
}

}  // namespace

OperatorFunction make_anchors(Parameters& parameters) {
  const auto sizes = parameters.list("sizes"), ratios = parameters.list("aspect_ratios");
  const auto positive = [](const std::vector<float>& list) {
    return !list.empty() && std::ranges::all_of(list, [](float value) { return value > 0; });
  };
  parameters.require(positive(sizes), "sizes", "sizes are above 0");
  parameters.require(positive(ratios), "aspect_ratios", "ratios are above 0");
  const auto stride_h = static_cast<float>(parameters.integer("stride_h", 0, 1));
  const auto stride_w = static_cast<float>(parameters.integer("stride_w", 0, 1));
  return [=, boxes = base_anchors(sizes, ratios)](Call& call) -> Status {
    TW_RETURN_IF_ERROR(call.require_rank(0, 4));
    const int64_t height = call.shape(0)[2], width = call.shape(0)[3];
    TW_ASSIGN_OR_RETURN(
        out, call.float_output(0, {height * width * static_cast<int64_t>(boxes.size()), 4}));
    auto to = out.begin();
    for (int64_t i = 0; i < height * width; ++i) {
      const float x = static_cast<float>(i % width) * stride_w;
      const float y = static_cast<float>(i / width) * stride_h;
      for (const Box& box : boxes)
        for (float corner : {box.xmin + x, box.ymin + y, box.xmax + x, box.ymax + y})
          *to++ = corner;
    }
    return {};
  };
}

}  // namespace tputwin::host
