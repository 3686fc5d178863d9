// Region proposals of Faster R-CNN: scores (1,2A,H,W; the second half is taken), box deltas
// (1,4A,H,W) and, as a third input, height, width and scale of the image. Output (post_nms_topN,
// 5): (0, x1, y1, x2, y2); rows left over are 0.
#include <cmath>

#include "bmnet/cpu_ops/boxes.h"
#include "bmnet/cpu_ops/operator.h"

namespace tputwin::net::cpu {
namespace {

using Parameter = ::bmnet::TGProposalParameter;

std::vector<float> values_or(const google::protobuf::RepeatedField<float>& given,
                             std::initializer_list<float> otherwise) {
  if (given.empty()) return otherwise;
  return {given.begin(), given.end()};
}

Box centered(float x, float y, float width, float height) {
  return {x - (width - 1) / 2, y - (height - 1) / 2, x + (width - 1) / 2, y + (height - 1) / 2};
}

// Around the square (0, 0, base-1, base-1): each ratio in each scale. Widths round half to even.
std::vector<Box> make_anchors(const Parameter& param) {
  const auto base = static_cast<float>(param.base_size());
  const float center = (base - 1) / 2;
  std::vector<Box> anchors;
  for (float ratio : values_or(param.ratio(), {0.5F, 1, 2})) {
    const float width = std::nearbyint(std::sqrt(base * base / ratio));
    const float height = std::nearbyint(width * ratio);
    for (float scale : values_or(param.scale(), {8, 16, 32}))
      anchors.push_back(centered(center, center, width * scale, height * scale));
  }
  return anchors;
}

struct ImageSize {
  float height, width, scale;
};

Box transform(const Box& anchor, const float* delta, int64_t step, const ImageSize& image) {
  const float width = anchor.xmax - anchor.xmin + 1, height = anchor.ymax - anchor.ymin + 1;
  const float x = delta[0] * width + anchor.xmin + width / 2;
  const float y = delta[step] * height + anchor.ymin + height / 2;
  const float w = std::exp(delta[2 * step]) * width, h = std::exp(delta[3 * step]) * height;
  const auto inside = [](float v, float extent) { return std::max(std::min(v, extent - 1), 0.0F); };
  return {inside(x - w / 2, image.width), inside(y - h / 2, image.height),
          inside(x + w / 2, image.width), inside(y + h / 2, image.height)};
}

ImageSize image_size(const Call& call, const Shape4& map) {
  if (call.in.size() > 2 && count(call.in[2]) >= 3)
    return {call.in[2].data[0], call.in[2].data[1], call.in[2].data[2]};
  const auto stride = static_cast<float>(call.op.tg_proposal_param().feat_stride());
  return {static_cast<float>(map.h) * stride, static_cast<float>(map.w) * stride, 1};
}

}  // namespace

Status proposal(const Call& call) {
  TW_RETURN_IF_ERROR(require(call, 2));
  const Parameter& param = call.op.tg_proposal_param();
  const std::vector<Box> anchors = make_anchors(param);
  const Shape4 map = shape4(call.in[0]);
  const auto per_pixel = static_cast<int64_t>(anchors.size());
  const int64_t plane = map.h * map.w;
  if (map.n != 1 || map.c != 2 * per_pixel || count(call.in[1]) != 4 * per_pixel * plane)
    return fail(call, "one image, two scores and four deltas for each of " +
                          std::to_string(per_pixel) + " anchors");
  const ImageSize image = image_size(call, map);
  const float smallest = static_cast<float>(param.min_size()) * image.scale;
  std::vector<Box> boxes;
  std::vector<float> scores;
  for (int64_t i = 0; i < plane; ++i)
    for (int64_t a = 0; a < per_pixel; ++a) {
      const auto x = static_cast<float>(i % map.w * param.feat_stride());
      const auto y = static_cast<float>(i / map.w * param.feat_stride());
      const Box& base = anchors[static_cast<size_t>(a)];
      const Box box = transform({base.xmin + x, base.ymin + y, base.xmax + x, base.ymax + y},
                                call.in[1].data + 4 * a * plane + i, plane, image);
      if (box.xmax - box.xmin + 1 < smallest || box.ymax - box.ymin + 1 < smallest) continue;
      boxes.push_back(box);
      scores.push_back(call.in[0].data[(per_pixel + a) * plane + i]);
    }
  const auto candidates = best(scores, -INFINITY, static_cast<int>(param.pre_nms_topn()));
  auto kept = suppress(boxes, candidates, param.nms_thresh(), 1, 1);
  const auto rows = static_cast<size_t>(count(call.out[0]) / 5);
  kept.resize(std::min({kept.size(), rows, static_cast<size_t>(param.post_nms_topn())}));
  std::fill_n(call.out[0].data, count(call.out[0]), 0.0F);
  for (size_t r = 0; r < kept.size(); ++r) {
    const Box& box = boxes[kept[r]];
    const float row[] = {0, box.xmin, box.ymin, box.xmax, box.ymax};
    std::ranges::copy(row, call.out[0].data + r * 5);
  }
  return {};
}

}  // namespace tputwin::net::cpu
