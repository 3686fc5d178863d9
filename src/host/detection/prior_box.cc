// Prior boxes of SSD (Caffe's PriorBox), (1,2,4N): their corners relative to the image, and four
// variances for each. Input 0 is the layer. Input 1 is the image, unless parameters give its size.
#include <algorithm>
#include <cmath>

#include "host/detection/ssd.h"
#include "host/operator.h"

namespace tputwin::host {
namespace {

// Returns 1 and the given ratios without duplicates. With `flip`, the inverse follows each.
std::vector<float> all_ratios(const std::vector<float>& given, bool flip) {
  std::vector<float> ratios{1};
  for (float ratio : given) {
    const bool there =
        std::ranges::any_of(ratios, [&](float other) { return std::fabs(ratio - other) < 1e-6F; });
    if (there) continue;
    ratios.push_back(ratio);
    if (flip) ratios.push_back(1 / ratio);
  }
  return ratios;
}

bool all_positive(const std::vector<float>& list) {
  return std::ranges::all_of(list, [](float value) { return value > 0; });
}

PriorParameters read_prior(Parameters& parameters) {
  PriorParameters p;
  p.min_sizes = parameters.list("min_size");
  parameters.require(!p.min_sizes.empty() && all_positive(p.min_sizes), "min_size",
                     "sizes are above 0");
  p.max_sizes = parameters.list("max_size");
  parameters.require(p.max_sizes.empty() || p.max_sizes.size() == p.min_sizes.size(), "max_size",
                     "as many as min_size, or none");
  for (size_t i = 0; i < std::min(p.max_sizes.size(), p.min_sizes.size()); ++i)
    parameters.require(p.max_sizes[i] > p.min_sizes[i], "max_size", "it is above min_size");
  const auto ratios = parameters.list("aspect_ratio");
  parameters.require(all_positive(ratios), "aspect_ratio", "ratios are above 0");
  p.aspect_ratios = all_ratios(ratios, parameters.flag("flip", true));
  p.clip = parameters.flag("clip", false);
  p.variances = parameters.list("variance");
  parameters.require(p.variances.empty() || p.variances.size() == 1 || p.variances.size() == 4,
                     "variance", "one or four");
  p.image_h = parameters.number("img_h", 0, 0);
  p.image_w = parameters.number("img_w", 0, 0);
  p.step_h = parameters.number("step_h", 0, 0);
  p.step_w = parameters.number("step_w", 0, 0);
  p.offset = parameters.number("offset", 0.5F);
  return p;
}

}  // namespace

OperatorFunction make_prior_box(Parameters& parameters) {
  const PriorParameters p = read_prior(parameters);
  return [=](Call& call) -> Status {
    const bool sized = p.image_h > 0 && p.image_w > 0;
    TW_RETURN_IF_ERROR(call.require_rank(0, 4));
    if (!sized && call.inputs() < 2) return call.fail("input 1 is the image, or img_h and img_w");
    PriorParameters here = p;
    if (!sized) {
      TW_RETURN_IF_ERROR(call.require_rank(1, 4));
      here.image_h = static_cast<float>(call.shape(1)[2]);
      here.image_w = static_cast<float>(call.shape(1)[3]);
    }
    const int64_t height = call.shape(0)[2], width = call.shape(0)[3];
    if (count(call.shape(0)) == 0 || !(here.image_h > 0 && here.image_w > 0))
      return call.fail("layer and image have pixels");
    TW_ASSIGN_OR_RETURN(out,
                        call.float_output(0, {1, 2, height * width * priors_per_pixel(p) * 4}));
    write_priors(here, height, width, out.data());
    return {};
  };
}

}  // namespace tputwin::host
