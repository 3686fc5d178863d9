// SSD: computes and decodes prior boxes.
#include "host/detection/ssd.h"

#include <algorithm>
#include <cmath>

#include "base/parallel.h"

namespace tputwin::host {
namespace {

// The four offsets of a location, times the variances unless they are encoded already.
struct Offsets {
  float v[4];
};

Box decode_center(const Box& prior, const Offsets& at) {
  const float width = prior.xmax - prior.xmin, height = prior.ymax - prior.ymin;
  const float x = (prior.xmin + prior.xmax) / 2 + at.v[0] * width;
  const float y = (prior.ymin + prior.ymax) / 2 + at.v[1] * height;
  const float w = std::exp(at.v[2]) * width, h = std::exp(at.v[3]) * height;
  return {x - w / 2, y - h / 2, x + w / 2, y + h / 2};
}

Box decode(const SsdParameters& parameters, const Box& prior, const float* variance,
           const float* location) {
  Offsets at;
  for (int i = 0; i < 4; ++i)
    at.v[i] = location[i] * (parameters.variance_encoded ? 1 : variance[i]);
  if (parameters.code == BoxCode::center_size) return decode_center(prior, at);
  const bool sized = parameters.code == BoxCode::corner_size;
  const float w = sized ? prior.xmax - prior.xmin : 1, h = sized ? prior.ymax - prior.ymin : 1;
  return {prior.xmin + at.v[0] * w, prior.ymin + at.v[1] * h, prior.xmax + at.v[2] * w,
          prior.ymax + at.v[3] * h};
}

std::vector<Box> decode_all(const SsdParameters& parameters, const SsdImage& image, int label) {
  const int64_t sets = parameters.share_location ? 1 : parameters.num_classes;
  std::vector<Box> boxes;
  for (int64_t p = 0; p < image.count; ++p) {
    const float* corners = image.priors + p * 4;
    const int64_t set = parameters.share_location ? 0 : label;
    boxes.push_back(decode(parameters, {corners[0], corners[1], corners[2], corners[3]},
                           image.priors + (image.count + p) * 4,
                           image.locations + (p * sets + set) * 4));
  }
  return boxes;
}

struct Size {
  float width, height;
};

Size size_of(double width, double height) {
  return {static_cast<float>(width), static_cast<float>(height)};
}

// Returns the sizes of the priors of one pixel, in SSD's order. SSD first truncates min_size and
// max_size to integers, so 35.84 counts as 35.
std::vector<Size> prior_sizes(const PriorParameters& parameters) {
  std::vector<Size> sizes;
  for (size_t s = 0; s < parameters.min_sizes.size(); ++s) {
    const double smallest = std::trunc(parameters.min_sizes[s]);
    sizes.push_back(size_of(smallest, smallest));
    if (s < parameters.max_sizes.size()) {
      const double middle = std::sqrt(smallest * std::trunc(parameters.max_sizes[s]));
      sizes.push_back(size_of(middle, middle));
    }
    for (float ratio : parameters.aspect_ratios) {
      if (std::fabs(ratio - 1) < 1e-6F) continue;
      const double root = std::sqrt(static_cast<double>(ratio));
      sizes.push_back(size_of(smallest * root, smallest / root));
    }
  }
  return sizes;
}

std::array<float, 4> variances(const PriorParameters& parameters) {
  std::array<float, 4> result;
  result.fill(parameters.variances.empty() ? 0.1F : parameters.variances[0]);
  if (parameters.variances.size() == 4) std::ranges::copy(parameters.variances, result.begin());
  return result;
}

std::vector<Detection> detections_of(const SsdParameters& parameters, const SsdImage& image,
                                     int label, const std::vector<Box>& boxes) {
  std::vector<Detection> detections;
  std::vector<float> scores(static_cast<size_t>(image.count));
  for (int64_t p = 0; p < image.count; ++p)
    scores[static_cast<size_t>(p)] = image.confidences[p * parameters.num_classes + label];
  const auto candidates = best(scores, parameters.confidence_threshold, parameters.top_k);
  for (size_t i : suppress(boxes, candidates, parameters.nms_threshold, parameters.eta))
    detections.push_back({label, scores[i], boxes[i]});
  return detections;
}

}  // namespace

std::vector<Detection> ssd_detections(const SsdParameters& parameters, const SsdImage& image) {
  const std::vector<Box> shared =
      parameters.share_location ? decode_all(parameters, image, 0) : std::vector<Box>();
  const auto labels = static_cast<size_t>(std::max(0, parameters.num_classes));
  std::vector<std::vector<Detection>> of_label(labels);
  parallel_for(labels, 1, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const int label = static_cast<int>(i);
      if (label == parameters.background_label) continue;
      const std::vector<Box> own =
          parameters.share_location ? std::vector<Box>() : decode_all(parameters, image, label);
      of_label[i] =
          detections_of(parameters, image, label, parameters.share_location ? shared : own);
    }
  });
  std::vector<Detection> detections;
  for (const std::vector<Detection>& found : of_label)
    detections.insert(detections.end(), found.begin(), found.end());
  return detections;
}

int64_t priors_per_pixel(const PriorParameters& parameters) {
  return static_cast<int64_t>(prior_sizes(parameters).size());
}

void write_priors(const PriorParameters& parameters, int64_t height, int64_t width, float* out) {
  const bool stepped = parameters.step_h > 0 && parameters.step_w > 0;
  const float img_h = parameters.image_h, img_w = parameters.image_w;
  const float step_h = stepped ? parameters.step_h : img_h / static_cast<float>(height);
  const float step_w = stepped ? parameters.step_w : img_w / static_cast<float>(width);
  const std::vector<Size> sizes = prior_sizes(parameters);
  for (int64_t h = 0; h < height; ++h)
    for (int64_t w = 0; w < width; ++w)
      for (const Size& size : sizes) {
        const double x = (static_cast<float>(w) + parameters.offset) * step_w;
        const double y = (static_cast<float>(h) + parameters.offset) * step_h;
        for (double corner : {(x - size.width / 2.0) / img_w, (y - size.height / 2.0) / img_h,
                              (x + size.width / 2.0) / img_w, (y + size.height / 2.0) / img_h})
          *out++ = static_cast<float>(parameters.clip ? std::clamp(corner, 0.0, 1.0) : corner);
      }
  const auto priors = height * width * static_cast<int64_t>(sizes.size());
  for (int64_t i = 0; i < priors; ++i) out = std::ranges::copy(variances(parameters), out).out;
}

}  // namespace tputwin::host
