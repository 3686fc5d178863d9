// Inputs of a deformable convolution's weights (torchvision's deform_conv2d). Each tap of the
// kernel reads a bilinear value at its position plus its offset, 0 outside, times a mask if there
// is one. Inputs: (n,c,h,w), offsets (n, 2*groups*kh*kw, oh, ow) with y before x, masks (n,
// groups*kh*kw, oh, ow). Output: (n, c*kh*kw, oh, ow).
#include <cmath>

#include "host/operator.h"

namespace tputwin::host {
namespace {

struct Window {
  int64_t kernel, stride, pad, dilation;

  int64_t extent(int64_t in) const {
    const int64_t span = in + 2 * pad - dilation * (kernel - 1) - 1;
    return span < 0 ? 0 : span / stride + 1;
  }
  float at(int64_t out, int64_t tap) const {
    return static_cast<float>(out * stride - pad + tap * dilation);
  }
};

struct Deformable {
  Window h, w;
  int64_t groups;
};

Window window(Parameters& parameters, const char* axis) {
  const auto value = [&](const char* name, int64_t otherwise, int64_t least) {
    return parameters.integer(std::string(name) + "_" + axis, otherwise, least, 1 << 16);
  };
  return {value("kernel", 0, 1), value("stride", 1, 1), value("pad", 0, 0),
          value("dilation", 1, 1)};
}

float sample(const float* plane, int64_t height, int64_t width, float y, float x) {
  if (!(y > -1 && y < static_cast<float>(height) && x > -1 && x < static_cast<float>(width)))
    return 0;
  const auto top = static_cast<int64_t>(std::floor(y)), left = static_cast<int64_t>(std::floor(x));
  const float down = y - static_cast<float>(top), right = x - static_cast<float>(left);
  const auto at = [&](int64_t row, int64_t column) {
    return row >= 0 && row < height && column >= 0 && column < width ? plane[row * width + column]
                                                                     : 0.0F;
  };
  return (1 - down) * (1 - right) * at(top, left) + (1 - down) * right * at(top, left + 1) +
         down * (1 - right) * at(top + 1, left) + down * right * at(top + 1, left + 1);
}

Status run(Call& call, const Deformable& p) {
  for (size_t i = 0; i < call.inputs(); ++i) TW_RETURN_IF_ERROR(call.require_rank(i, 4));
  const Shape& from = call.shape(0);
  const int64_t taps = p.h.kernel * p.w.kernel, height = p.h.extent(from[2]),
                width = p.w.extent(from[3]), positions = height * width;
  TW_ASSIGN_OR_RETURN(in, call.floats(0));
  TW_ASSIGN_OR_RETURN(offsets, call.floats(1));
  std::span<const float> masks;
  if (from[1] % p.groups != 0) return call.fail("offset_groups divides the channels");
  if (call.shape(1) != Shape{from[0], 2 * p.groups * taps, height, width})
    return call.fail("offsets are (n, 2 * offset_groups * taps, oh, ow)");
  if (call.inputs() > 2) {
    TW_ASSIGN_OR_RETURN(given, call.floats(2));
    if (call.shape(2) != Shape{from[0], p.groups * taps, height, width})
      return call.fail("masks are (n, offset_groups * taps, oh, ow)");
    masks = given;
  }
  TW_ASSIGN_OR_RETURN(out, call.float_output(0, {from[0], from[1] * taps, height, width}));
  auto to = out.begin();
  for (int64_t line = 0; line < from[0] * from[1] * taps; ++line) {
    const int64_t tap = line % taps, plane = line / taps, image = plane / from[1];
    const int64_t group = plane % from[1] / (from[1] / p.groups);
    const int64_t mask = ((image * p.groups + group) * taps + tap) * positions;
    const float* data = in.data() + plane * from[2] * from[3];
    for (int64_t i = 0; i < positions; ++i) {
      const float* offset = offsets.data() + 2 * mask + i;
      const float y = p.h.at(i / width, tap / p.w.kernel) + offset[0];
      const float x = p.w.at(i % width, tap % p.w.kernel) + offset[positions];
      const float value = sample(data, from[2], from[3], y, x);
      *to++ = masks.empty() ? value : value * masks[static_cast<size_t>(mask + i)];
    }
  }
  return {};
}

}  // namespace

OperatorFunction make_deformable_gather(Parameters& parameters) {
  const Deformable p{.h = window(parameters, "h"),
                     .w = window(parameters, "w"),
                     .groups = parameters.integer("offset_groups", 1, 1, 1 << 16)};
  return [=](Call& call) { return run(call, p); };
}

}  // namespace tputwin::host
