// Prior boxes of SSD, (1,2,N): their corners relative to the image, and four variances for each.
// The list of aspect ratios must contain flipped ratios. Ratio 1 is optional because min_size
// covers it.
#include "bmnet/cpu_ops/operator.h"
#include "host/detection/ssd.h"

namespace tputwin::net::cpu {
namespace {

host::PriorParameters of_message(const ::bmnet::TGPriorBoxParameter& param) {
  return {.min_sizes = {param.min_size().begin(), param.min_size().end()},
          .max_sizes = {param.max_size().begin(), param.max_size().end()},
          .aspect_ratios = {param.aspect_ratio().begin(), param.aspect_ratio().end()},
          .variances = {param.variance().begin(), param.variance().end()},
          .step_h = param.step_h(),
          .step_w = param.step_w(),
          .offset = param.offset(),
          .clip = param.clip()};
}

}  // namespace

Status prior_box(const Call& call) {
  const auto& param = call.op.tg_prior_box_param();
  TW_RETURN_IF_ERROR(require(call, param.img_h() > 0 && param.img_w() > 0 ? 1 : 2));
  const Shape4 layer = shape4(call.in[0]), image = shape4(call.in[call.in.size() > 1 ? 1 : 0]);
  const auto extent = [&](uint32_t given, int64_t of_image) {
    return static_cast<float>(given > 0 ? given : of_image);
  };
  host::PriorParameters parameters = of_message(param);
  parameters.image_h = extent(param.img_h(), image.h);
  parameters.image_w = extent(param.img_w(), image.w);
  const int64_t per_pixel = host::priors_per_pixel(parameters);
  if (param.max_size_size() > 0 && param.max_size_size() != param.min_size_size())
    return fail(call, "as many max_size as min_size, or none");
  if (param.num_priors() > 0 && param.num_priors() != per_pixel)
    return fail(call, "num_priors is " + std::to_string(per_pixel));
  const int64_t half = layer.h * layer.w * per_pixel * 4;
  if (param.reduce_boxes()) return fail(call, "reduce_boxes is not supported");
  if (half == 0 || count(call.out[0]) != 2 * half)
    return fail(call, "the output has " + std::to_string(2 * half) + " values");
  host::write_priors(parameters, layer.h, layer.w, call.out[0].data);
  return {};
}

}  // namespace tputwin::net::cpu
