// The layers of Faster R-CNN: proposals of regions, and pooling over regions.
#include <algorithm>
#include <cmath>

#include "host/detection/detectors.h"
#include "host/operator.h"

namespace tputwin::host {
namespace {

// ---- Proposals ----

Box centered(float x, float y, float width, float height) {
  return {x - (width - 1) / 2, y - (height - 1) / 2, x + (width - 1) / 2, y + (height - 1) / 2};
}

// Returns each ratio at each scale around the square (0, 0, base-1, base-1). Ties of widths round
// to even.
std::vector<Box> make_anchors(const ProposalParameters& p) {
  const auto base = static_cast<float>(p.base_size);
  const float center = (base - 1) / 2;
  std::vector<Box> anchors;
  for (float ratio : p.ratios) {
    const float width = std::nearbyint(std::sqrt(base * base / ratio));
    const float height = std::nearbyint(width * ratio);
    for (float scale : p.scales)
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

// Without sizes, returns the extent of the map times the stride.
ImageSize image_size(const ProposalParameters& p, const ProposalInputs& in, int64_t image) {
  if (const auto given = static_cast<int64_t>(in.sizes.size()); given >= 3) {
    const float* row = in.sizes.data() + (given >= 3 * (image + 1) ? 3 * image : 0);
    return {row[0], row[1], row[2]};
  }
  const auto stride = static_cast<float>(p.stride);
  return {static_cast<float>(in.scores.h) * stride, static_cast<float>(in.scores.w) * stride, 1};
}

struct Regions {
  std::vector<Box> boxes;
  std::vector<float> scores;
};

// Returns all anchors of one image, moved by their deltas, except those that are too small.
Regions move_anchors(const ProposalParameters& p, const ProposalInputs& in,
                     const std::vector<Box>& anchors, int64_t image) {
  const auto per_pixel = static_cast<int64_t>(anchors.size());
  const int64_t plane = in.scores.plane(), row = in.scores.w;
  const float* scores = in.scores.values + (2 * image + 1) * per_pixel * plane;
  const float* deltas = in.deltas.values + 4 * image * per_pixel * plane;
  const ImageSize size = image_size(p, in, image);
  const float smallest = static_cast<float>(p.min_size) * size.scale;
  Regions regions;
  for (int64_t i = 0; i < plane; ++i)
    for (int64_t a = 0; a < per_pixel; ++a) {
      const auto x = static_cast<float>(i % row * p.stride);
      const auto y = static_cast<float>(i / row * p.stride);
      const Box& base = anchors[static_cast<size_t>(a)];
      const Box box = transform({base.xmin + x, base.ymin + y, base.xmax + x, base.ymax + y},
                                deltas + 4 * a * plane + i, plane, size);
      if (box.xmax - box.xmin + 1 < smallest || box.ymax - box.ymin + 1 < smallest) continue;
      regions.boxes.push_back(box);
      regions.scores.push_back(scores[a * plane + i]);
    }
  return regions;
}

// ---- Pooling ----

constexpr int64_t kRegionRow = 5;

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

float largest_of(const float* plane, int64_t width, Range rows, Range columns) {
  if (rows.length() * columns.length() == 0) return 0;
  return reduce(plane, width, rows, columns, -INFINITY,
                [](float a, float b) { return std::max(a, b); });
}

float average_of(const float* plane, int64_t width, Range rows, Range columns) {
  const int64_t area = rows.length() * columns.length();
  if (area == 0) return 0;
  const float sum =
      reduce(plane, width, rows, columns, 0.0F, [](float a, float b) { return a + b; });
  return sum / static_cast<float>(area);
}

// Where the bins of a region are. A start is `whole + part`.
struct Bins {
  int64_t top = 0, left = 0;
  float y = 0, x = 0, height, width;
};

Bins bins_of(const RegionPooling& p, const float* region) {
  const auto parts = [&](float h, float w) {
    return std::pair(h / static_cast<float>(p.height), w / static_cast<float>(p.width));
  };
  if (p.by_position) {
    const float x = std::round(region[1]) * p.scale, y = std::round(region[2]) * p.scale;
    const auto [h, w] = parts(std::max((std::round(region[4]) + 1) * p.scale - y, 0.1F),
                              std::max((std::round(region[3]) + 1) * p.scale - x, 0.1F));
    return {.y = y, .x = x, .height = h, .width = w};
  }
  float corner[4];
  for (int i = 0; i < 4; ++i) corner[i] = std::round(region[i + 1] * p.scale);
  const auto [h, w] =
      parts(std::max(corner[3] - corner[1] + 1, 1.0F), std::max(corner[2] - corner[0] + 1, 1.0F));
  return {.top = static_cast<int64_t>(corner[1]),
          .left = static_cast<int64_t>(corner[0]),
          .height = h,
          .width = w};
}

Status run_pooling(Call& call, RegionPooling p) {
  TW_ASSIGN_OR_RETURN(in, maps_of(call, 0));
  TW_ASSIGN_OR_RETURN(regions, call.floats(1));
  if (!p.by_position) p.channels = in.c;
  if (std::string broken = pooling_rule(p, in, regions); !broken.empty())
    return call.fail(std::move(broken));
  const auto number = static_cast<int64_t>(regions.size()) / kRegionRow;
  TW_ASSIGN_OR_RETURN(out, call.float_output(0, {number, p.channels, p.height, p.width}));
  pool_regions(p, in, regions, out.data());
  return {};
}

Status run_proposal(Call& call, const ProposalParameters& p) {
  ProposalInputs in;
  TW_ASSIGN_OR_RETURN(scores, maps_of(call, 0));
  TW_ASSIGN_OR_RETURN(deltas, maps_of(call, 1));
  in.scores = scores;
  in.deltas = deltas;
  if (call.inputs() > 2) {
    TW_ASSIGN_OR_RETURN(sizes, call.floats(2));
    in.sizes = sizes;
  }
  if (std::string broken = proposal_rule(p, in); !broken.empty())
    return call.fail(std::move(broken));
  const int64_t rows = in.scores.n * p.results;
  TW_ASSIGN_OR_RETURN(out, call.float_output(0, {rows, kRegionRow}));
  if (call.outputs() == 1) {
    propose(p, in, out.data(), nullptr);
    return {};
  }
  TW_ASSIGN_OR_RETURN(out_scores, call.float_output(1, {rows, 1}));
  propose(p, in, out.data(), out_scores.data());
  return {};
}

}  // namespace

std::string proposal_rule(const ProposalParameters& p, const ProposalInputs& in) {
  const auto anchors = static_cast<int64_t>(p.scales.size() * p.ratios.size());
  const Maps &s = in.scores, &d = in.deltas;
  if (s.c == 2 * anchors && d.n == s.n && d.c == 4 * anchors && d.plane() == s.plane()) return "";
  return "two scores and four deltas for each of " + std::to_string(anchors) + " anchors";
}

void propose(const ProposalParameters& p, const ProposalInputs& in, float* rows, float* scores) {
  const std::vector<Box> anchors = make_anchors(p);
  std::fill_n(rows, in.scores.n * p.results * kRegionRow, 0.0F);
  if (scores != nullptr) std::fill_n(scores, in.scores.n * p.results, 0.0F);
  for (int64_t n = 0; n < in.scores.n; ++n) {
    const Regions regions = move_anchors(p, in, anchors, n);
    const auto candidates = best(regions.scores, -INFINITY, static_cast<int>(p.candidates));
    auto kept = suppress(regions.boxes, candidates, p.nms_threshold, 1, 1);
    kept.resize(std::min(kept.size(), static_cast<size_t>(p.results)));
    int64_t at = n * p.results;
    for (size_t i : kept) {
      const Box& box = regions.boxes[i];
      const float row[] = {static_cast<float>(n), box.xmin, box.ymin, box.xmax, box.ymax};
      std::ranges::copy(row, rows + at * kRegionRow);
      if (scores != nullptr) scores[at] = regions.scores[i];
      ++at;
    }
  }
}

std::string pooling_rule(const RegionPooling& p, const Maps& in, std::span<const float> regions) {
  if (!(p.scale > 0)) return "spatial_scale is positive";
  if (p.by_position && in.c != p.channels * p.height * p.width)
    return "output_dim * group_size * group_size input channels";
  if (regions.size() % kRegionRow != 0) return "regions are rows of five";
  for (size_t r = 0; r < regions.size(); r += kRegionRow) {
    const float* region = regions.data() + r;
    const std::string name = "region " + std::to_string(r / kRegionRow);
    if (!(region[0] >= 0) || region[0] >= static_cast<float>(in.n))
      return name + " is in image " + std::to_string(region[0]);
    if (!std::all_of(region, region + kRegionRow,
                     [&](float v) { return std::fabs(v) * std::max(p.scale, 1.0F) < 1e6F; }))
      return name + " is no box";
  }
  return "";
}

void pool_regions(const RegionPooling& p, const Maps& in, std::span<const float> regions,
                  float* out) {
  for (size_t r = 0; r < regions.size(); r += kRegionRow) {
    const float* region = regions.data() + r;
    const Bins bins = bins_of(p, region);
    const float* image = in.values + static_cast<int64_t>(region[0]) * in.c * in.plane();
    for (int64_t c = 0; c < p.channels; ++c)
      for (int64_t h = 0; h < p.height; ++h)
        for (int64_t w = 0; w < p.width; ++w) {
          const Range rows = bin(bins.top, bins.y, bins.height, h, in.h),
                      columns = bin(bins.left, bins.x, bins.width, w, in.w);
          const int64_t channel = p.by_position ? (c * p.height + h) * p.width + w : c;
          const float* plane = image + channel * in.plane();
          *out++ = p.by_position ? average_of(plane, in.w, rows, columns)
                                 : largest_of(plane, in.w, rows, columns);
        }
  }
}

OperatorFunction make_proposal(Parameters& parameters) {
  ProposalParameters p{.stride = parameters.integer("feat_stride", 16, 1, kMostOfLayer),
                       .min_size = parameters.integer("min_size", 16, 0, kMostOfLayer),
                       .base_size = parameters.integer("base_size", 16, 1, kMostOfLayer),
                       .candidates = parameters.integer("pre_nms_topn", 6000, 1),
                       .results = parameters.integer("post_nms_topn", 300, 1, kMostOfLayer),
                       .nms_threshold = parameters.number("nms_thresh", 0.7F)};
  for (const auto& [key, list] : {std::pair("scale", &p.scales), std::pair("ratio", &p.ratios)}) {
    if (!parameters.has(key)) continue;
    *list = parameters.list(key);
    parameters.require(std::ranges::all_of(*list, [](float v) { return v > 0; }), key,
                       "numbers above 0");
  }
  return [=](Call& call) { return run_proposal(call, p); };
}

OperatorFunction make_roi_pooling(Parameters& parameters) {
  const RegionPooling p{.scale = parameters.number("spatial_scale", 1),
                        .height = parameters.integer("pooled_h", 0, 1, kMostOfLayer),
                        .width = parameters.integer("pooled_w", 0, 1, kMostOfLayer)};
  return [=](Call& call) { return run_pooling(call, p); };
}

OperatorFunction make_psroi_pooling(Parameters& parameters) {
  const int64_t group = parameters.integer("group_size", 0, 1, 1024);
  const RegionPooling p{.scale = parameters.number("spatial_scale", 1),
                        .channels = parameters.integer("output_dim", 0, 1, kMostOfLayer),
                        .height = group,
                        .width = group,
                        .by_position = true};
  return [=](Call& call) { return run_pooling(call, p); };
}

}  // namespace tputwin::host
