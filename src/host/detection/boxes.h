// Boxes of object detectors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tputwin::host {

struct Box {
  float xmin = 0, ymin = 0, xmax = 0, ymax = 0;
};

// Returns the intersection over union. `pixel` is 1 if corners are pixels inside the box, else 0.
float overlap(const Box& a, const Box& b, float pixel = 0);

// Returns the candidates that no better one overlaps by more than the threshold, in the order of
// `candidates` (best first). With eta below 1, each kept box multiplies the threshold by eta while
// it is above 0.5.
std::vector<size_t> suppress(const std::vector<Box>& boxes, const std::vector<size_t>& candidates,
                             float threshold, float eta = 1, float pixel = 0);

// Returns the indices of scores above the threshold, best first; equal scores keep their order. A
// limit that is not negative bounds their number.
std::vector<size_t> best(const std::vector<float>& scores, float threshold, int limit);

// Returns the intersection over union as torchvision and ONNX compute it: NaN if neither box has an
// area.
float iou(const Box& a, const Box& b);

// Returns the candidates (best first) that no better kept one overlaps by more than the threshold.
// A limit that is not negative bounds their number.
std::vector<int64_t> kept_boxes(const std::vector<Box>& boxes,
                                const std::vector<int64_t>& candidates, float threshold,
                                int64_t limit);

struct Detection {
  int label = 0;
  float score = 0;
  Box box;
};

// Keeps the best `limit` detections, sorted by label, and by falling score within a label. Fewer
// detections remain unchanged.
void keep_best(std::vector<Detection>& detections, size_t limit);

// Writes rows (image, label, score, xmin, ymin, xmax, ymax) from `row` on. Returns the end.
float* write_rows(const std::vector<Detection>& detections, size_t image, float* row);

}  // namespace tputwin::host
