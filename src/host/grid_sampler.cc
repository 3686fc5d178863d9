// Samples of planes (n,c,h,w) at positions (n,oh,ow,2), with x before y (torch's grid_sample). -1
// and 1 are the borders. A NaN counts as -1.
#include <algorithm>
#include <cmath>

#include "host/operator.h"

namespace tputwin::host {
namespace {

enum Padding : size_t { kZeros, kBorder, kReflection };

struct Sampler {
  bool nearest, aligned;
  size_t padding;
};

float reflect(float at, float least, float most) {
  const float span = most - least;
  if (span == 0) return 0;
  const float away = std::fabs(at - least), extra = std::fmod(away, span);
  return std::fmod(std::floor(away / span), 2.0F) == 0 ? extra + least : span - extra + least;
}

// Converts a grid value to a pixel position.
float pixel(const Sampler& s, float value, int64_t extent) {
  if (std::isnan(value)) value = -1;
  const auto size = static_cast<float>(extent);
  float at = s.aligned ? (value + 1) / 2 * (size - 1) : ((value + 1) * size - 1) / 2;
  if (s.padding == kReflection)
    at = s.aligned ? reflect(at, 0, size - 1) : reflect(at, -0.5F, size - 0.5F);
  return s.padding == kZeros ? at : std::clamp(at, 0.0F, size - 1);
}

struct Plane {
  const float* data;
  int64_t height, width;

  // Returns 0 outside. Positions are compared before they become integers.
  float at(float y, float x) const {
    if (!(y >= 0 && y < static_cast<float>(height) && x >= 0 && x < static_cast<float>(width)))
      return 0;
    return data[static_cast<int64_t>(y) * width + static_cast<int64_t>(x)];
  }
};

float sample(const Sampler& s, const Plane& plane, float y, float x) {
  if (s.nearest) return plane.at(std::nearbyint(y), std::nearbyint(x));
  const float top = std::floor(y), left = std::floor(x), down = y - top, right = x - left;
  return plane.at(top, left) * (1 - down) * (1 - right) +
         plane.at(top, left + 1) * (1 - down) * right +
         plane.at(top + 1, left) * down * (1 - right) + plane.at(top + 1, left + 1) * down * right;
}

Status run(Call& call, const Sampler& s) {
  for (size_t i : {0u, 1u}) TW_RETURN_IF_ERROR(call.require_rank(i, 4));
  TW_ASSIGN_OR_RETURN(in, call.floats(0));
  TW_ASSIGN_OR_RETURN(grid, call.floats(1));
  const Shape &from = call.shape(0), &to = call.shape(1);
  if (to[0] != from[0] || to[3] != 2) return call.fail("the positions are (n,h,w,2)");
  if (from[2] < 1 || from[3] < 1) return call.fail("the planes have pixels");
  if (std::ranges::any_of(grid, [](float value) { return std::isinf(value); }))
    return call.fail("positions are not infinite");
  const int64_t positions = to[1] * to[2];
  TW_ASSIGN_OR_RETURN(out, call.float_output(0, {from[0], from[1], to[1], to[2]}));
  auto result = out.begin();
  for (int64_t p = 0; p < from[0] * from[1]; ++p) {
    const Plane plane{in.data() + p * from[2] * from[3], from[2], from[3]};
    const float* at = grid.data() + p / from[1] * positions * 2;
    for (int64_t i = 0; i < positions; ++i)
      *result++ = sample(s, plane, pixel(s, at[2 * i + 1], from[2]), pixel(s, at[2 * i], from[3]));
  }
  return {};
}

}  // namespace

OperatorFunction make_grid_sampler(Parameters& parameters) {
  const Sampler s{.nearest = parameters.word("mode", {"bilinear", "nearest"}) == 1,
                  .aligned = parameters.flag("align_corners", false),
                  .padding = parameters.word("padding_mode", {"zeros", "border", "reflection"})};
  return [=](Call& call) { return run(call, s); };
}

}  // namespace tputwin::host
