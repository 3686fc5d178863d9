// Pooling over regions of interest. Input 1 has a row (image, x1, y1, x2, y2) for each region.
// ROIPooling takes the maximum, PSROIPooling the average over the channel that belongs to the bin.
#include "bmnet/cpu_ops/maps.h"

namespace tputwin::net::cpu {
namespace {

Status pool(const Call& call, const host::RegionPooling& p, const char* shape) {
  TW_RETURN_IF_ERROR(require(call, 2));
  const host::Maps in = maps_of(call.in[0]);
  const std::span<const float> regions{call.in[1].data, static_cast<size_t>(count(call.in[1]))};
  const Shape4 to = shape4(call.out[0]);
  if (count(call.in[1]) / 5 != to.n) return fail(call, "one output per region of interest");
  if (to.c != p.channels || to.h != p.height || to.w != p.width) return fail(call, shape);
  TW_RETURN_IF_ERROR(keeps(call, host::pooling_rule(p, in, regions)));
  host::pool_regions(p, in, regions, call.out[0].data);
  return {};
}

}  // namespace

Status roi_pooling(const Call& call) {
  const auto& param = call.op.tg_roi_pooling_param();
  TW_RETURN_IF_ERROR(require(call, 2));
  return pool(call,
              {.scale = param.spatial_scale(),
               .channels = shape4(call.in[0]).c,
               .height = param.pooled_h(),
               .width = param.pooled_w()},
              "the output has the channels of the input and pooled_h x pooled_w");
}

Status psroi_pooling(const Call& call) {
  const auto& param = call.op.tg_psroi_pooling_param();
  return pool(call,
              {.scale = param.spatial_scale(),
               .channels = param.output_dim(),
               .height = param.group_size(),
               .width = param.group_size(),
               .by_position = true},
              "the output has output_dim channels of group_size x group_size");
}

}  // namespace tputwin::net::cpu
