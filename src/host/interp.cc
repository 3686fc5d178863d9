// Planes (n,c,h,w) resized to height x width. Modes: bilinear with aligned corners (Caffe's Interp,
// whose negative pads crop rows and columns), bilinear without (PyTorch's interpolate), or nearest.
#include <algorithm>

#include "host/operator.h"
#include "host/resample.h"

namespace tputwin::host {
namespace {

enum Mode : size_t { kBilinear, kNearest };

// PyTorch's nearest: floor(out * in_extent / out_extent).
Between nearest_pixel(int64_t out, int64_t out_extent, int64_t in_extent) {
  const float ratio = static_cast<float>(in_extent) / static_cast<float>(out_extent);
  const auto at = std::min(static_cast<int64_t>(static_cast<float>(out) * ratio), in_extent - 1);
  return {at, at, 0};
}

void copy_nearest(const float* in, int64_t pitch, int64_t height, int64_t width, int64_t to_height,
                  int64_t to_width, float* out) {
  for (int64_t h = 0; h < to_height; ++h)
    for (int64_t w = 0; w < to_width; ++w)
      *out++ = in[nearest_pixel(h, to_height, height).first * pitch +
                  nearest_pixel(w, to_width, width).first];
}

}  // namespace

OperatorFunction make_interp(Parameters& parameters) {
  const int64_t to_height = parameters.integer("height", 0, 1);
  const int64_t to_width = parameters.integer("width", 0, 1);
  const size_t mode = parameters.word("mode", {"bilinear", "nearest"});
  const bool aligned = parameters.flag("align_corners", mode == kBilinear);
  parameters.require(mode == kBilinear || !aligned, "align_corners", "it is of mode bilinear");
  const int64_t begin = parameters.integer("pad_beg", 0, INT32_MIN, 0);
  const int64_t end = parameters.integer("pad_end", 0, INT32_MIN, 0);
  return [=](Call& call) -> Status {
    TW_RETURN_IF_ERROR(call.require_rank(0, 4));
    TW_ASSIGN_OR_RETURN(in, call.floats(0));
    const Shape& from = call.shape(0);
    const int64_t height = from[2] + begin + end, width = from[3] + begin + end;
    if (height < 1 || width < 1) return call.fail("the pads leave rows and columns");
    TW_ASSIGN_OR_RETURN(out, call.float_output(0, {from[0], from[1], to_height, to_width}));
    for (int64_t p = 0; p < from[0] * from[1]; ++p) {
      const float* plane = in.data() + (p * from[2] - begin) * from[3] - begin;
      float* to = out.data() + p * to_height * to_width;
      if (mode == kNearest)
        copy_nearest(plane, from[3], height, width, to_height, to_width, to);
      else
        resize_plane(plane, from[3], height, width, to_height, to_width, to,
                     aligned ? aligned_corners : half_pixels);
    }
    return {};
  };
}

}  // namespace tputwin::host
