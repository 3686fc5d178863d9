// Pooling over regions of interest. Input 1 has a row (image, x1, y1, x2, y2) for each region.
// ROIPooling takes the maximum, PSROIPooling the average over the channel that belongs to the bin.
#include <cmath>

#include "bmnet/cpu_ops/operator.h"

namespace tputwin::net::cpu {
namespace {

struct Range {
  int64_t begin, end;
  int64_t length() const { return std::max<int64_t>(end - begin, 0); }
};

// Returns bin `index` of a region that starts at `whole + part`. `whole` is added after rounding.
Range bin(int64_t whole, float part, float size, int64_t index, int64_t extent) {
  const auto begin = static_cast<int64_t>(std::floor(static_cast<float>(index) * size + part));
  const auto end = static_cast<int64_t>(std::ceil(static_cast<float>(index + 1) * size + part));
  return {std::clamp<int64_t>(whole + begin, 0, extent),
          std::clamp<int64_t>(whole + end, 0, extent)};
}

template <class Reduce>
float reduce(const float* plane, int64_t width, Range rows, Range columns, float start,
             const Reduce& step) {
  for (int64_t y = rows.begin; y < rows.end; ++y)
    for (int64_t x = columns.begin; x < columns.end; ++x) start = step(start, plane[y * width + x]);
  return start;
}

Status check(const Call& call, const Shape4& from, const Shape4& to, float scale) {
  const int64_t regions = count(call.in[1]) / 5;
  if (regions != to.n) return fail(call, "one output per region of interest");
  if (!(scale > 0)) return fail(call, "spatial_scale is positive");
  for (int64_t r = 0; r < regions; ++r)
    if (const float* roi = call.in[1].data + r * 5;
        !(roi[0] >= 0) || roi[0] >= static_cast<float>(from.n))
      return fail(call, "region " + std::to_string(r) + " is in image " + std::to_string(roi[0]));
    else if (!std::all_of(roi, roi + 5,
                          [=](float v) { return std::fabs(v) * std::max(scale, 1.0F) < 1e6F; }))
      return fail(call, "region " + std::to_string(r) + " is no box");
  return {};
}

}  // namespace

Status roi_pooling(const Call& call) {
  TW_RETURN_IF_ERROR(require(call, 2));
  const auto& param = call.op.tg_roi_pooling_param();
  const Shape4 from = shape4(call.in[0]), to = shape4(call.out[0]);
  TW_RETURN_IF_ERROR(check(call, from, to, param.spatial_scale()));
  if (to.c != from.c || to.h != param.pooled_h() || to.w != param.pooled_w())
    return fail(call, "the output has the channels of the input and pooled_h x pooled_w");
  float* out = call.out[0].data;
  for (int64_t r = 0; r < to.n; ++r) {
    const float* roi = call.in[1].data + r * 5;
    float corner[4];
    for (int i = 0; i < 4; ++i) corner[i] = std::round(roi[i + 1] * param.spatial_scale());
    const auto left = static_cast<int64_t>(corner[0]), top = static_cast<int64_t>(corner[1]);
    const float bin_w = std::max(corner[2] - corner[0] + 1, 1.0F) / static_cast<float>(to.w);
    const float bin_h = std::max(corner[3] - corner[1] + 1, 1.0F) / static_cast<float>(to.h);
    for (int64_t c = 0; c < to.c; ++c)
      for (int64_t h = 0; h < to.h; ++h)
        for (int64_t w = 0; w < to.w; ++w) {
          const Range rows = bin(top, 0, bin_h, h, from.h),
                      columns = bin(left, 0, bin_w, w, from.w);
          const float* plane =
              call.in[0].data + (static_cast<int64_t>(roi[0]) * from.c + c) * from.h * from.w;
          const bool empty = rows.length() * columns.length() == 0;
          *out++ = empty ? 0
                         : reduce(plane, from.w, rows, columns, -INFINITY,
                                  [](float a, float b) { return std::max(a, b); });
        }
  }
  return {};
}

Status psroi_pooling(const Call& call) {
  TW_RETURN_IF_ERROR(require(call, 2));
  const auto& param = call.op.tg_psroi_pooling_param();
  const Shape4 from = shape4(call.in[0]), to = shape4(call.out[0]);
  const int64_t group = param.group_size();
  TW_RETURN_IF_ERROR(check(call, from, to, param.spatial_scale()));
  if (to.c != param.output_dim() || to.h != group || to.w != group)
    return fail(call, "the output has output_dim channels of group_size x group_size");
  if (from.c != to.c * group * group)
    return fail(call, "output_dim * group_size * group_size input channels");
  float* out = call.out[0].data;
  for (int64_t r = 0; r < to.n; ++r) {
    const float *roi = call.in[1].data + r * 5, scale = param.spatial_scale();
    const float x = std::round(roi[1]) * scale, y = std::round(roi[2]) * scale;
    const float size_w = std::max((std::round(roi[3]) + 1) * scale - x, 0.1F);
    const float size_h = std::max((std::round(roi[4]) + 1) * scale - y, 0.1F);
    const float bin_w = size_w / static_cast<float>(group),
                bin_h = size_h / static_cast<float>(group);
    for (int64_t c = 0; c < to.c; ++c)
      for (int64_t h = 0; h < group; ++h)
        for (int64_t w = 0; w < group; ++w) {
          const Range rows = bin(0, y, bin_h, h, from.h), columns = bin(0, x, bin_w, w, from.w);
          const int64_t channel = (c * group + h) * group + w;
          const float* plane =
              call.in[0].data + (static_cast<int64_t>(roi[0]) * from.c + channel) * from.h * from.w;
          const int64_t area = rows.length() * columns.length();
          const float sum =
              reduce(plane, from.w, rows, columns, 0.0F, [](float a, float b) { return a + b; });
          *out++ = area == 0 ? 0 : sum / static_cast<float>(area);
        }
  }
  return {};
}

}  // namespace tputwin::net::cpu
