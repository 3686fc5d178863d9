// Boxes of detectors: overlap, decoding, suppression.
#include "host/detection/boxes.h"

#include <algorithm>
#include <numeric>

namespace tputwin::host {
namespace {

float area(const Box& box, float pixel) {
  if (box.xmax < box.xmin || box.ymax < box.ymin) return 0;
  return (box.xmax - box.xmin + pixel) * (box.ymax - box.ymin + pixel);
}

}  // namespace

float overlap(const Box& a, const Box& b, float pixel) {
  const Box common{std::max(a.xmin, b.xmin), std::max(a.ymin, b.ymin), std::min(a.xmax, b.xmax),
                   std::min(a.ymax, b.ymax)};
  const float intersection = area(common, pixel);
  if (intersection <= 0) return 0;
  return intersection / (area(a, pixel) + area(b, pixel) - intersection);
}

std::vector<size_t> suppress(const std::vector<Box>& boxes, const std::vector<size_t>& candidates,
                             float threshold, float eta, float pixel) {
  std::vector<size_t> kept;
  for (size_t candidate : candidates) {
    const bool free = std::ranges::all_of(kept, [&](size_t other) {
      return overlap(boxes[candidate], boxes[other], pixel) <= threshold;
    });
    if (!free) continue;
    kept.push_back(candidate);
    if (eta > 0 && eta < 1 && threshold > 0.5F) threshold *= eta;
  }
  return kept;
}

std::vector<size_t> best(const std::vector<float>& scores, float threshold, int limit) {
  std::vector<size_t> indices;
  for (size_t i = 0; i < scores.size(); ++i)
    if (scores[i] > threshold) indices.push_back(i);
  std::ranges::stable_sort(indices, [&](size_t a, size_t b) { return scores[a] > scores[b]; });
  if (limit >= 0) indices.resize(std::min(indices.size(), static_cast<size_t>(limit)));
  return indices;
}

float iou(const Box& a, const Box& b) {
  auto area = [](const Box& box) { return (box.xmax - box.xmin) * (box.ymax - box.ymin); };
  const float width = std::max(0.0F, std::min(a.xmax, b.xmax) - std::max(a.xmin, b.xmin));
  const float height = std::max(0.0F, std::min(a.ymax, b.ymax) - std::max(a.ymin, b.ymin));
  return width * height / (area(a) + area(b) - width * height);
}

std::vector<int64_t> kept_boxes(const std::vector<Box>& boxes,
                                const std::vector<int64_t>& candidates, float threshold,
                                int64_t limit) {
  std::vector<int64_t> kept;
  for (int64_t candidate : candidates) {
    if (limit >= 0 && static_cast<int64_t>(kept.size()) >= limit) break;
    const bool covered = std::ranges::any_of(kept, [&](int64_t other) {
      return iou(boxes[static_cast<size_t>(other)], boxes[static_cast<size_t>(candidate)]) >
             threshold;
    });
    if (!covered) kept.push_back(candidate);
  }
  return kept;
}

void keep_best(std::vector<Detection>& detections, size_t limit) {
  if (detections.size() <= limit) return;
  std::ranges::stable_sort(detections, std::greater<>(), &Detection::score);
  detections.resize(limit);
  std::ranges::stable_sort(detections, std::less<>(), &Detection::label);
}

float* write_rows(const std::vector<Detection>& detections, size_t image, float* row) {
  for (const Detection& d : detections) {
    const float values[] = {static_cast<float>(image),
                            static_cast<float>(d.label),
                            d.score,
                            d.box.xmin,
                            d.box.ymin,
                            d.box.xmax,
                            d.box.ymax};
    row = std::ranges::copy(values, row).out;
  }
  return row;
}

}  // namespace tputwin::host
