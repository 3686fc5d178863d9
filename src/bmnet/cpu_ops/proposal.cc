// Region proposals of Faster R-CNN. Inputs: scores (1,2A,H,W), of which the second half is used;
// box deltas (1,4A,H,W); optionally height, width and scale of the image. Output (post_nms_topN,
// 5): (0, x1, y1, x2, y2). Unused rows are 0.
#include <cmath>

#include "bmnet/cpu_ops/operator.h"
#include "host/boxes.h"

namespace tputwin::net::cpu {
namespace {

using host::best;
using host::Box;
using host::suppress;

using Parameter = ::bmnet::TGProposalParameter;

std::vector<float> values_or(const google::protobuf::RepeatedField<float>& given,
                             std::initializer_list<float> otherwise) {
  if (given.empty()) return otherwise;
  return {given.begin(), given.end()};
}

Box centered(float x, float y, float width, float height) {
  return {x - (width - 1) / 2, y - (height - 1) / 2, x + (width - 1) / 2, y + (height - 1) / 2};
}

// Returns each ratio at each scale around the square (0, 0, base-1, base-1). Ties of widths round
// to even.
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

// Returns the image size from the third input, which has a row per image or one row for all.
// Without it, returns the extent of the map times the stride.
ImageSize image_size(const Call& call, int64_t image) {
  if (call.in.size() > 2 && count(call.in[2]) >= 3) {
    const float* row = call.in[2].data + (count(call.in[2]) >= 3 * (image + 1) ? 3 * image : 0);
    return {row[0], row[1], row[2]};
  }
  const Shape4 map = shape4(call.in[0]);
  const auto stride = static_cast<float>(call.op.tg_proposal_param().feat_stride());
  return {static_cast<float>(map.h) * stride, static_cast<float>(map.w) * stride, 1};
}

struct Regions {
  std::vector<Box> boxes;
  std::vector<float> scores;
};

// Returns all anchors of one image, moved by their deltas, except those that are too small.
Regions move_anchors(const Call& call, const std::vector<Box>& anchors, int64_t image) {
  const Parameter& param = call.op.tg_proposal_param();
  const Shape4 map = shape4(call.in[0]);
  const auto per_pixel = static_cast<int64_t>(anchors.size());
  const int64_t plane = map.h * map.w;
  const float* scores = call.in[0].data + (2 * image + 1) * per_pixel * plane;
  const float* deltas = call.in[1].data + 4 * image * per_pixel * plane;
  const ImageSize size = image_size(call, image);
  const float smallest = static_cast<float>(param.min_size()) * size.scale;
  Regions regions;
  for (int64_t i = 0; i < plane; ++i)
    for (int64_t a = 0; a < per_pixel; ++a) {
      const auto x = static_cast<float>(i % map.w * param.feat_stride());
      const auto y = static_cast<float>(i / map.w * param.feat_stride());
      const Box& base = anchors[static_cast<size_t>(a)];
      const Box box = transform({base.xmin + x, base.ymin + y, base.xmax + x, base.ymax + y},
                                deltas + 4 * a * plane + i, plane, size);
      if (box.xmax - box.xmin + 1 < smallest || box.ymax - box.ymin + 1 < smallest) continue;
      regions.boxes.push_back(box);
      regions.scores.push_back(scores[a * plane + i]);
    }
  return regions;
}

}  // namespace

Status proposal(const Call& call) {
  const Parameter& param = call.op.tg_proposal_param();
  const std::vector<Box> anchors = make_anchors(param);
  const Shape4 map = shape4(call.in[0]);
  const auto per_pixel = static_cast<int64_t>(anchors.size());
  if (call.in.size() < 2 || map.c != 2 * per_pixel || count(call.in[1]) != 2 * count(call.in[0]))
    return fail(call,
                "two scores and four deltas for each of " + std::to_string(per_pixel) + " anchors");
  const int64_t limit = param.post_nms_topn();
  if (count(call.out[0]) % (5 * map.n) != 0 || count(call.out[0]) / (5 * map.n) != limit ||
      (call.out.size() > 1 && count(call.out[1]) != map.n * limit))
    return fail(call, "post_nms_topN rows of five per image, and as many scores");
  for (const MutableTensor& out : call.out) std::fill_n(out.data, count(out), 0.0F);
  for (int64_t n = 0; n < map.n; ++n) {
    const Regions regions = move_anchors(call, anchors, n);
    const auto candidates = best(regions.scores, -INFINITY, static_cast<int>(param.pre_nms_topn()));
    auto kept = suppress(regions.boxes, candidates, param.nms_thresh(), 1, 1);
    kept.resize(std::min(kept.size(), static_cast<size_t>(limit)));
    int64_t at = n * limit;
    for (size_t i : kept) {
      const Box& box = regions.boxes[i];
      const float row[] = {static_cast<float>(n), box.xmin, box.ymin, box.xmax, box.ymax};
      std::ranges::copy(row, call.out[0].data + at * 5);
      if (call.out.size() > 1) call.out[1].data[at] = regions.scores[i];
      ++at;
    }
  }
  return {};
}

}  // namespace tputwin::net::cpu
