// Layers of Caffe's detectors: YOLO v2 and v3, and Faster R-CNN. A rule that inputs break is
// returned as text, and an empty text if they keep all.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "host/detection/boxes.h"

namespace tputwin::host {

class Call;

// Feature maps (n,c,h,w).
struct Maps {
  const float* values = nullptr;
  int64_t n = 1, c = 1, h = 1, w = 1;
  int64_t plane() const { return h * w; }
};
// Returns an input of an operator, which must have four axes.
Result<Maps> maps_of(Call& call, size_t input);

// The largest number of classes, channels and others that a parameter may give.
constexpr int64_t kMostOfLayer = 1 << 20;

float sigmoid(float x);

// ---- YOLO: (n, anchors * entries, h, w), with the entries x, y, w, h, objectness, classes ----

// Version 2, as in darknet's region layer. It may have more than four coordinates. With a
// background, a class replaces the objectness.
struct RegionParameters {
  int64_t classes = 1, coords = 4, anchors = 1;
  bool softmax = true, background = false;
};
std::string region_rule(const RegionParameters& parameters, const Maps& in);
void activate_region(const RegionParameters& parameters, const Maps& in, float* out);

// Version 3: logistic functions of x, y, objectness and classes.
std::string yolo_rule(int64_t classes, const Maps& in);
void activate_yolo(int64_t classes, const Maps& in, float* out);

// Boxes from the results of activate_yolo(), one input per scale. An input with A anchors per pixel
// uses the next A numbers of `masks`, which are indices of `anchors`, pairs of widths and heights.
struct YoloParameters {
  int64_t classes = 1, width = 1, height = 1;  // of the image
  float object_threshold = 0.5F, nms_threshold = 0.45F;
  std::vector<int64_t> masks, anchors;
};
std::string yolo_boxes_rule(const YoloParameters& parameters, std::span<const Maps> in);
// Returns the detections of an image, in parts of it: `limit` at most.
std::vector<Detection> yolo_boxes(const YoloParameters& parameters, std::span<const Maps> in,
                                  int64_t image, size_t limit);

// ---- Faster R-CNN ----

struct ProposalParameters {
  int64_t stride = 16, min_size = 16, base_size = 16;
  int64_t candidates = 6000, results = 300;  // before and after the suppression
  float nms_threshold = 0.7F;
  std::vector<float> scales{8, 16, 32}, ratios{0.5F, 1, 2};
};
// Scores are (n,2A,h,w), of which the second half is used, and deltas of boxes (n,4A,h,w).
// `sizes` has rows of height, width and scale, one for each image or for all; or nothing.
struct ProposalInputs {
  Maps scores, deltas;
  std::span<const float> sizes;
};
std::string proposal_rule(const ProposalParameters& parameters, const ProposalInputs& in);
// Writes `results` rows (image, x1, y1, x2, y2) for each image, and their scores unless the pointer
// is null. Unused rows are 0.
void propose(const ProposalParameters& parameters, const ProposalInputs& in, float* rows,
             float* scores);

// Pooling over regions, which are rows (image, x1, y1, x2, y2): maxima, or averages over the
// channel of each bin.
struct RegionPooling {
  float scale = 1;
  int64_t channels = 1, height = 1, width = 1;  // of a result
  bool by_position = false;
};
std::string pooling_rule(const RegionPooling& pooling, const Maps& in,
                         std::span<const float> regions);
void pool_regions(const RegionPooling& pooling, const Maps& in, std::span<const float> regions,
                  float* out);

}  // namespace tputwin::host
