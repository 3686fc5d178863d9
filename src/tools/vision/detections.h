// Results of nets for a picture: classes with scores, boxes with labels.
#pragma once

#include <span>
#include <vector>

#include "tools/net.h"
#include "tools/vision/description.h"

namespace tputwin::tools {

struct Scored {
  int label;
  float score;
};
// Returns the labels of the highest scores, the first of equal ones first.
std::vector<Scored> best(std::span<const float> scores, size_t count);

// A box in pixels of the sample at first, then of the picture.
struct Detection {
  int label;
  float score;
  float x1, y1, x2, y2;
};

// One output of a net for one picture, as floats.
struct OutputView {
  std::string name;
  std::vector<uint64_t> shape;  // without the batch
  std::span<const float> values;
};

// Returns the boxes of sample `image` of the batch, without those that a better one overlaps, the
// best first. `ssd` has all samples in one output.
Result<std::vector<Detection>> detect(std::span<const OutputView> outputs, size_t image,
                                      const net::Extents& sample, const DetectionOptions& options);

// Removes boxes that overlap a better box of the same label by more than `overlap` of their union.
std::vector<Detection> suppressed(std::vector<Detection> boxes, float overlap);

}  // namespace tputwin::tools
