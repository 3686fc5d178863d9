// The layers of SSD: prior boxes, and detections.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "host/detection/boxes.h"

namespace tputwin::host {

// Encodings of locations relative to priors.
enum class BoxCode { corner = 1, center_size = 2, corner_size = 3 };

struct SsdParameters {
  int num_classes = 1, background_label = 0;
  bool share_location = true, variance_encoded = false;
  BoxCode code = BoxCode::corner;
  float confidence_threshold = 0, nms_threshold = 0, eta = 1;
  int top_k = -1;
};

// The inputs of one image: four locations per prior (and class, unless classes share them),
// num_classes confidences per prior, and the corners of all priors followed by their variances.
struct SsdImage {
  const float *locations, *confidences, *priors;
  int64_t count;  // of priors
};

// Returns detections sorted by label, best first.
std::vector<Detection> ssd_detections(const SsdParameters& parameters, const SsdImage& image);

struct PriorParameters {
  // Equal numbers of sizes, or no max_sizes; fractions are truncated.
  std::vector<float> min_sizes, max_sizes;
  // With flipped ones; 1 is covered by min_size.
  std::vector<float> aspect_ratios;
  std::vector<float> variances;                 // four, one, or none: 0.1
  float step_h = 0, step_w = 0, offset = 0.5F;  // steps of 0: image / layer
  float image_h = 0, image_w = 0;
  bool clip = false;
};

int64_t priors_per_pixel(const PriorParameters& parameters);
// Writes corners relative to the image, then variances: 2 x 4 values for each prior of each pixel.
void write_priors(const PriorParameters& parameters, int64_t height, int64_t width, float* out);

}  // namespace tputwin::host
