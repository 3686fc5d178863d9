// Output of SSD (Caffe's DetectionOutput). Decodes locations (input 0) with the priors (input 2),
// and suppresses overlapping boxes per class by their confidences (input 1). Rows are (image,
// label, score, xmin, ymin, xmax, ymax).
#include <cmath>

#include "host/detection/ssd.h"
#include "host/operator.h"

namespace tputwin::host {
namespace {

constexpr int64_t kRow = 7;

SsdParameters read_ssd(Parameters& parameters) {
  SsdParameters p;
  p.num_classes = static_cast<int>(parameters.integer("num_classes", 0, 1, 1 << 20));
  p.background_label = static_cast<int>(parameters.integer("background_label_id", 0));
  p.share_location = parameters.flag("share_location", true);
  p.variance_encoded = parameters.flag("variance_encoded_in_target", false);
  p.code = static_cast<BoxCode>(
      1 + parameters.word("code_type", {"corner", "center_size", "corner_size"}));
  p.confidence_threshold = parameters.number("confidence_threshold", -INFINITY, -INFINITY);
  p.nms_threshold = parameters.number("nms_threshold", 0.3F, 0, 1);
  p.eta = parameters.number("eta", 1, 0, 1);
  p.top_k = static_cast<int>(parameters.integer("top_k", -1, -1));
  return p;
}

Status check(const Call& call, const SsdParameters& p, int64_t priors) {
  const Shape &locations = call.shape(0), &confidences = call.shape(1);
  const int64_t sets = p.share_location ? 1 : p.num_classes;
  if (locations.empty() || confidences.empty() || locations[0] != confidences[0])
    return call.fail("locations and confidences are of as many images");
  if (count(call.shape(2)) % 8 != 0 || count(locations) != locations[0] * priors * sets * 4)
    return call.fail("four locations per prior and image");
  if (count(confidences) != locations[0] * priors * p.num_classes)
    return call.fail("num_classes confidences per prior and image");
  return {};
}

}  // namespace

OperatorFunction make_detection_output(Parameters& parameters) {
  const SsdParameters p = read_ssd(parameters);
  const int64_t keep = parameters.integer("keep_top_k", -1, -1);
  return [=](Call& call) -> Status {
    const int64_t priors = count(call.shape(2)) / 8;
    TW_RETURN_IF_ERROR(check(call, p, priors));
    TW_ASSIGN_OR_RETURN(locations, call.floats(0));
    TW_ASSIGN_OR_RETURN(confidences, call.floats(1));
    TW_ASSIGN_OR_RETURN(prior_values, call.floats(2));
    const int64_t images = call.shape(0)[0], sets = p.share_location ? 1 : p.num_classes;
    std::vector<std::vector<Detection>> found;
    int64_t rows = 0;
    for (int64_t n = 0; n < images; ++n) {
      found.push_back(ssd_detections(
          p, {locations.data() + n * priors * sets * 4,
              confidences.data() + n * priors * p.num_classes, prior_values.data(), priors}));
      if (keep >= 0) keep_best(found.back(), static_cast<size_t>(keep));
      rows += static_cast<int64_t>(found.back().size());
    }
    TW_ASSIGN_OR_RETURN(out, call.float_output(0, {1, 1, rows, kRow}));
    float* row = out.data();
    for (size_t n = 0; n < found.size(); ++n) row = write_rows(found[n], n, row);
    return {};
  };
}

}  // namespace tputwin::host
