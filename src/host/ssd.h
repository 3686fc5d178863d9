// What SSD's layers compute: prior boxes, and detections out of them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "host/boxes.h"

namespace tputwin::host {

// How locations are told relative to priors.
enum class BoxCode { corner = 1, center_size = 2, corner_size = 3 };

struct SsdParameters {
  int num_classes = 1, background_label = 0;
  bool share_location = true, variance_encoded = false;
  BoxCode code = BoxCode::corner;
  float confidence_threshold = 0, nms_threshold = 0, eta = 1;
  int top_k = -1;
};

// One image: four locations per prior (and class, unless they share), num_classes confidences per
// prior, and the priors' corners, behind which their variances lie.
struct SsdImage {
  const float *locations, *confidences, *priors;
  int64_t count;  // of priors
};

// Detections by label, best first.
std::vector<Detection> ssd_detections(const SsdParameters& parameters, const SsdImage& image);

struct PriorParameters {
  std::vector<float> min_sizes, max_sizes;      // as many, or no max; fractions are cut off
  std::vector<float> aspect_ratios;             // flipped ones too; 1 is covered by min_size
  std::vector<float> variances;                 // four, one, or none: 0.1
  float step_h = 0, step_w = 0, offset = 0.5F;  // steps of 0: image / layer
  float image_h = 0, image_w = 0;
  bool clip = false;
};

int64_t priors_per_pixel(const PriorParameters& parameters);
// Corners relative to the image, then variances: 2 x 4 values for each prior of each pixel.
void write_priors(const PriorParameters& parameters, int64_t height, int64_t width, float* out);

}  // namespace tputwin::host
