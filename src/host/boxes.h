// Boxes of detectors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tputwin::host {

struct Box {
  float xmin = 0, ymin = 0, xmax = 0, ymax = 0;
};

// Intersection over union. `pixel`: 1 where corners are pixels that belong to the box, else 0.
float overlap(const Box& a, const Box& b, float pixel = 0);

// Indices of the candidates that no better one overlaps by more than the threshold, in the order of
// `candidates` (best first). With eta below 1 the threshold shrinks with every box kept, down to
// 0.5.
std::vector<size_t> suppress(const std::vector<Box>& boxes, const std::vector<size_t>& candidates,
                             float threshold, float eta = 1, float pixel = 0);

// Indices of the scores above the threshold, best first, equal ones in their order; at most `limit`
// if that is not negative.
std::vector<size_t> best(const std::vector<float>& scores, float threshold, int limit);

// Intersection over union as torchvision and ONNX count it: NaN where neither box has an area.
float iou(const Box& a, const Box& b);

// Of the candidates, best first, those that no better one kept overlaps by more than the threshold;
// at most `limit` if that is not negative.
std::vector<int64_t> kept_boxes(const std::vector<Box>& boxes,
                                const std::vector<int64_t>& candidates, float threshold,
                                int64_t limit);

struct Detection {
  int label = 0;
  float score = 0;
  Box box;
};

// The best `limit` of them; of one label, and labels among each other, in their order.
void keep_best(std::vector<Detection>& detections, size_t limit);

// Rows (image, label, score, xmin, ymin, xmax, ymax) from `row` on; returns the place behind.
float* write_rows(const std::vector<Detection>& detections, size_t image, float* row);

}  // namespace tputwin::host
