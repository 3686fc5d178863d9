// Source positions of resized lines.
#pragma once

#include <algorithm>
#include <cstdint>

namespace tputwin::host {

// A position between two pixels of the input, at fraction `weight` from `first` to `next`.
struct Between {
  int64_t first, next;
  float weight;
};

// Maps the first and last pixels of the input to those of the output (Caffe's Interp,
// align_corners).
inline Between aligned_corners(int64_t out, int64_t out_extent, int64_t in_extent) {
  const float ratio =
      out_extent > 1 ? static_cast<float>(in_extent - 1) / static_cast<float>(out_extent - 1) : 0;
  const float at = ratio * static_cast<float>(out);
  const auto first = static_cast<int64_t>(at);
  return {first, std::min(first + 1, in_extent - 1), at - static_cast<float>(first)};
}

// Treats pixels as areas with their values in the centers (PyTorch without align_corners).
inline Between half_pixels(int64_t out, int64_t out_extent, int64_t in_extent) {
  const float ratio = static_cast<float>(in_extent) / static_cast<float>(out_extent);
  const float at = std::max((static_cast<float>(out) + 0.5F) * ratio - 0.5F, 0.0F);
  const auto first = std::min(static_cast<int64_t>(at), in_extent - 1);
  return {first, std::min(first + 1, in_extent - 1), at - static_cast<float>(first)};
}

// Bilinear. The rows of `in` are `pitch` elements apart. place(out, out extent, in extent) returns
// a Between.
template <class Place>
void resize_plane(const float* in, int64_t pitch, int64_t height, int64_t width, int64_t to_height,
                  int64_t to_width, float* out, const Place& place) {
  for (int64_t h = 0; h < to_height; ++h) {
    const Between y = place(h, to_height, height);
    for (int64_t w = 0; w < to_width; ++w) {
      const Between x = place(w, to_width, width);
      const float *upper = in + y.first * pitch, *lower = in + y.next * pitch;
      *out++ = (1 - y.weight) * ((1 - x.weight) * upper[x.first] + x.weight * upper[x.next]) +
               y.weight * ((1 - x.weight) * lower[x.first] + x.weight * lower[x.next]);
    }
  }
}

}  // namespace tputwin::host
