// SSD's output: decodes locations (input 0) with the priors (input 2), suppresses overlapping boxes
// class by class by their confidences (input 1), and writes a fixed number of rows
// (image, label, score, xmin, ymin, xmax, ymax); rows left over hold -1.
#include <cmath>

#include "bmnet/cpu_ops/boxes.h"
#include "bmnet/cpu_ops/operator.h"

namespace tputwin::net::cpu {
namespace {

enum CodeType { kCorner = 1, kCenterSize = 2, kCornerSize = 3 };
using Parameter = ::bmnet::TGDetectOutputParameter;

// The four offsets of a location, with the variances unless they are encoded in them already.
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

Box decode(const Parameter& param, const Box& prior, const float* variance, const float* location) {
  Offsets at;
  for (int i = 0; i < 4; ++i)
    at.v[i] = location[i] * (param.variance_encoded_in_target() ? 1 : variance[i]);
  if (param.code_type() == kCenterSize) return decode_center(prior, at);
  const bool sized = param.code_type() == kCornerSize;
  const float w = sized ? prior.xmax - prior.xmin : 1, h = sized ? prior.ymax - prior.ymin : 1;
  return {prior.xmin + at.v[0] * w, prior.ymin + at.v[1] * h, prior.xmax + at.v[2] * w,
          prior.ymax + at.v[3] * h};
}

struct Image {
  const float *locations, *confidences, *priors;
  int64_t count;  // of priors
};

std::vector<Box> decode_all(const Parameter& param, const Image& image, int label) {
  const int64_t sets = param.share_location() ? 1 : param.num_classes();
  std::vector<Box> boxes;
  for (int64_t p = 0; p < image.count; ++p) {
    const float* corners = image.priors + p * 4;
    const int64_t set = param.share_location() ? 0 : label;
    boxes.push_back(decode(param, {corners[0], corners[1], corners[2], corners[3]},
                           image.priors + (image.count + p) * 4,
                           image.locations + (p * sets + set) * 4));
  }
  return boxes;
}

std::vector<Detection> detect(const Parameter& param, const Image& image) {
  std::vector<Detection> detections;
  std::vector<Box> boxes;
  for (int label = 0; label < param.num_classes(); ++label) {
    if (label == param.background_label_id()) continue;
    if (boxes.empty() || !param.share_location()) boxes = decode_all(param, image, label);
    std::vector<float> scores;
    for (int64_t p = 0; p < image.count; ++p)
      scores.push_back(image.confidences[p * param.num_classes() + label]);
    const auto candidates = best(scores, param.confidence_threshold(), param.top_k());
    for (size_t i : suppress(boxes, candidates, param.nms_threshold(), param.eta()))
      detections.push_back({label, scores[i], boxes[i]});
  }
  return detections;
}

}  // namespace

Status detect_output(const Call& call) {
  TW_RETURN_IF_ERROR(require(call, 3));
  const Parameter& param = call.op.tg_detectoutput_param();
  const int64_t images = call.in[0].shape.empty() ? 0 : call.in[0].shape[0];
  const int64_t priors = count(call.in[2]) / 8, rows = count(call.out[0]) / 7;
  const int64_t sets = param.share_location() ? 1 : param.num_classes();
  if (param.code_type() < kCorner || param.code_type() > kCornerSize)
    return fail(call, "code_type is CORNER 1, CENTER_SIZE 2 or CORNER_SIZE 3");
  if (images < 1 || count(call.in[0]) % images != 0 ||
      count(call.in[0]) / images != priors * sets * 4)
    return fail(call, "four locations per prior and image");
  if (count(call.in[1]) % images != 0 || count(call.in[1]) / images != priors * param.num_classes())
    return fail(call, "num_classes confidences per prior and image");
  std::fill_n(call.out[0].data, count(call.out[0]), -1.0F);
  int64_t limit = rows / images;
  if (param.keep_top_k() >= 0) limit = std::min<int64_t>(limit, param.keep_top_k());
  float* row = call.out[0].data;
  for (int64_t n = 0; n < images; ++n) {
    const Image image{call.in[0].data + n * priors * sets * 4,
                      call.in[1].data + n * priors * param.num_classes(), call.in[2].data, priors};
    std::vector<Detection> detections = detect(param, image);
    keep_best(detections, static_cast<size_t>(limit));
    row = write_rows(detections, static_cast<size_t>(n), row);
  }
  return {};
}

}  // namespace tputwin::net::cpu
