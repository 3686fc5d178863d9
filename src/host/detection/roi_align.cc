// Mean of bilinear samples in the bins of regions (ONNX RoiAlign, mode avg; torchvision's
// roi_align). Regions are (n,4), with their image numbers as input 2, or (n,5), beginning with the
// image number.
#include <algorithm>
#include <cmath>

#include "host/operator.h"

namespace tputwin::host {
namespace {

constexpr float kMostSamples = 4096;  // along one side of a bin

struct RoiAlign {
  int64_t height, width, samples;
  float scale;
  bool half_pixel;
};

struct FeatureMap {
  const float* data;
  int64_t height, width;

  float at(int64_t y, int64_t x) const { return data[y * width + x]; }
  // Returns 0 more than one pixel outside, and the border's value up to there.
  float sample(float y, float x) const {
    if (!(y >= -1 && y <= static_cast<float>(height) && x >= -1 && x <= static_cast<float>(width)))
      return 0;
    const Between v = between(y, height), u = between(x, width);
    return (1 - v.weight) * ((1 - u.weight) * at(v.low, u.low) + u.weight * at(v.low, u.high)) +
           v.weight * ((1 - u.weight) * at(v.high, u.low) + u.weight * at(v.high, u.high));
  }

 private:
  struct Between {
    int64_t low, high;
    float weight;
  };
  static Between between(float at, int64_t extent) {
    at = std::max(at, 0.0F);
    const auto low = static_cast<int64_t>(at);
    if (low >= extent - 1) return {extent - 1, extent - 1, 0};
    return {low, low + 1, at - static_cast<float>(low)};
  }
};

// One axis of a region: begin, length of its bins, and samples of each bin.
struct Side {
  float begin, bin;
  int64_t samples;

  float at(int64_t index, int64_t sample) const {
    return begin + static_cast<float>(index) * bin +
           (static_cast<float>(sample) + 0.5F) * bin / static_cast<float>(samples);
  }
};

Result<Side> side_of(const Call& call, const RoiAlign& p, float from, float to, int64_t bins) {
  const float offset = p.half_pixel ? 0.5F : 0;
  const float begin = from * p.scale - offset;
  float length = to * p.scale - offset - begin;
  if (!p.half_pixel) length = std::max(length, 1.0F);
  const float bin = length / static_cast<float>(bins);
  const float samples = p.samples > 0 ? static_cast<float>(p.samples) : std::ceil(bin);
  if (!std::isfinite(begin) || !(samples <= kMostSamples))
    return call.fail("a region is finite, with at most 4096 samples along a bin");
  return Side{begin, bin, std::max(static_cast<int64_t>(samples), int64_t{0})};
}

float mean(const FeatureMap& map, const Side& rows, const Side& columns, int64_t h, int64_t w) {
  float sum = 0;
  for (int64_t y = 0; y < rows.samples; ++y)
    for (int64_t x = 0; x < columns.samples; ++x)
      sum += map.sample(rows.at(h, y), columns.at(w, x));
  return sum / static_cast<float>(std::max<int64_t>(rows.samples * columns.samples, 1));
}

Result<std::vector<int64_t>> images_of(const Call& call, std::span<const float> regions) {
  if (call.inputs() > 2) return call.integers(2);
  std::vector<int64_t> images;
  for (size_t i = 0; i < regions.size(); i += 5) {
    if (!(regions[i] >= 0 && regions[i] < 0x1p31f) || regions[i] != std::trunc(regions[i]))
      return call.fail("a region's image is a number");
    images.push_back(static_cast<int64_t>(regions[i]));
  }
  return images;
}

Status run(Call& call, const RoiAlign& p) {
  TW_RETURN_IF_ERROR(call.require_rank(0, 4));
  TW_RETURN_IF_ERROR(call.require_rank(1, 2));
  TW_ASSIGN_OR_RETURN(in, call.floats(0));
  TW_ASSIGN_OR_RETURN(regions, call.floats(1));
  const Shape& from = call.shape(0);
  const int64_t number = call.shape(1)[0], columns_of_regions = call.shape(1)[1];
  if (columns_of_regions != (call.inputs() > 2 ? 4 : 5))
    return call.fail("regions are (n,4) with their images, or (n,5)");
  if (from[2] < 1 || from[3] < 1) return call.fail("the planes have pixels");
  TW_ASSIGN_OR_RETURN(images, images_of(call, regions));
  if (static_cast<int64_t>(images.size()) != number) return call.fail("one image per region");
  TW_ASSIGN_OR_RETURN(out, call.float_output(0, {number, from[1], p.height, p.width}));
  auto to = out.begin();
  for (int64_t r = 0; r < number; ++r) {
    const int64_t image = images[static_cast<size_t>(r)];
    if (image < 0 || image >= from[0]) return call.fail("a region is in one of the images");
    const float* corners = regions.data() + (r + 1) * columns_of_regions - 4;
    TW_ASSIGN_OR_RETURN(rows, side_of(call, p, corners[1], corners[3], p.height));
    TW_ASSIGN_OR_RETURN(columns, side_of(call, p, corners[0], corners[2], p.width));
    for (int64_t c = 0; c < from[1]; ++c) {
      const FeatureMap map{in.data() + (image * from[1] + c) * from[2] * from[3], from[2], from[3]};
      for (int64_t h = 0; h < p.height; ++h)
        for (int64_t w = 0; w < p.width; ++w) *to++ = mean(map, rows, columns, h, w);
    }
  }
  return {};
}

}  // namespace

OperatorFunction make_roi_align(Parameters& parameters) {
  const RoiAlign p{.height = parameters.integer("output_height", 1, 1),
                   .width = parameters.integer("output_width", 1, 1),
                   .samples = parameters.integer("sampling_ratio", 0, 0, 4096),
                   .scale = parameters.number("spatial_scale", 1),
                   .half_pixel = parameters.word("coordinate_transformation_mode",
                                                 {"half_pixel", "output_half_pixel"}) == 0};
  return [=](Call& call) { return run(call, p); };
}

}  // namespace tputwin::host
