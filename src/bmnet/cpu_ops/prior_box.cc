// Prior boxes of SSD, (1,2,N): their corners relative to the image, and four variances for each.
// The list of aspect ratios is complete: flipped ones are in it, and 1 may be, which min_size
// covers.
#include <array>
#include <cmath>

#include "bmnet/cpu_ops/boxes.h"
#include "bmnet/cpu_ops/operator.h"

namespace tputwin::net::cpu {
namespace {

struct Size {
  float width, height;
};

// Sizes of the priors of one pixel, in SSD's order.
std::vector<Size> prior_sizes(const ::bmnet::TGPriorBoxParameter& param) {
  std::vector<Size> sizes;
  for (int s = 0; s < param.min_size_size(); ++s) {
    const float smallest = param.min_size(s);
    sizes.push_back({smallest, smallest});
    if (s < param.max_size_size()) {
      const float middle = std::sqrt(smallest * param.max_size(s));
      sizes.push_back({middle, middle});
    }
    for (float ratio : param.aspect_ratio())
      if (std::fabs(ratio - 1) >= 1e-6F)
        sizes.push_back({smallest * std::sqrt(ratio), smallest / std::sqrt(ratio)});
  }
  return sizes;
}

std::array<float, 4> variances(const ::bmnet::TGPriorBoxParameter& param) {
  std::array<float, 4> result;
  result.fill(param.variance_size() > 0 ? param.variance(0) : 0.1F);
  if (param.variance_size() == 4) std::ranges::copy(param.variance(), result.begin());
  return result;
}

}  // namespace

Status prior_box(const Call& call) {
  const auto& param = call.op.tg_prior_box_param();
  TW_RETURN_IF_ERROR(require(call, param.img_h() > 0 && param.img_w() > 0 ? 1 : 2));
  const Shape4 layer = shape4(call.in[0]);
  const auto extent = [&](uint32_t given, int64_t of_image) {
    return static_cast<float>(given > 0 ? given : of_image);
  };
  const Shape4 image = shape4(call.in[call.in.size() > 1 ? 1 : 0]);
  const float img_h = extent(param.img_h(), image.h), img_w = extent(param.img_w(), image.w);
  const bool stepped = param.step_h() > 0 && param.step_w() > 0;
  const float step_h = stepped ? param.step_h() : img_h / static_cast<float>(layer.h);
  const float step_w = stepped ? param.step_w() : img_w / static_cast<float>(layer.w);
  const std::vector<Size> sizes = prior_sizes(param);
  if (param.max_size_size() > 0 && param.max_size_size() != param.min_size_size())
    return fail(call, "as many max_size as min_size, or none");
  if (param.num_priors() > 0 && param.num_priors() != static_cast<int>(sizes.size()))
    return fail(call, "num_priors is " + std::to_string(sizes.size()));
  const int64_t half = layer.h * layer.w * static_cast<int64_t>(sizes.size()) * 4;
  if (param.reduce_boxes()) return fail(call, "reduce_boxes is not supported");
  if (half == 0 || count(call.out[0]) != 2 * half)
    return fail(call, "the output has " + std::to_string(2 * half) + " values");
  float* out = call.out[0].data;
  for (int64_t h = 0; h < layer.h; ++h)
    for (int64_t w = 0; w < layer.w; ++w)
      for (const Size& size : sizes) {
        const float x = (static_cast<float>(w) + param.offset()) * step_w;
        const float y = (static_cast<float>(h) + param.offset()) * step_h;
        for (float corner : {(x - size.width / 2) / img_w, (y - size.height / 2) / img_h,
                             (x + size.width / 2) / img_w, (y + size.height / 2) / img_h})
          *out++ = param.clip() ? std::clamp(corner, 0.0F, 1.0F) : corner;
      }
  for (int64_t i = 0; i < half / 4; ++i) out = std::ranges::copy(variances(param), out).out;
  return {};
}

}  // namespace tputwin::net::cpu
