// Local response normalization in floats.
#include <cmath>

#include "base/parallel.h"
#include "bmnet/cpu_ops/operator.h"

namespace tputwin::net::cpu {
namespace {

struct FloatLrn {
  Shape4 shape;
  int64_t size;
  float alpha, beta, k;

  // `x` and `y` are the planes of one image.
  void across(const float* x, float* y) const {
    const int64_t plane = shape.h * shape.w, before = (size - 1) / 2, after = size - 1 - before;
    for (int64_t c = 0; c < shape.c; ++c)
      for (int64_t i = 0; i < plane; ++i) {
        float sum = 0;
        for (int64_t o = std::max<int64_t>(0, c - before); o <= std::min(shape.c - 1, c + after);
             ++o)
          sum += x[o * plane + i] * x[o * plane + i];
        y[c * plane + i] =
            x[c * plane + i] * std::pow(k + alpha / static_cast<float>(size) * sum, -beta);
      }
  }

  // `x` and `y` are one plane. Computes Caffe's average pooling of squares, with 1 for k.
  void within(const float* x, float* y) const {
    const int64_t before = (size - 1) / 2;
    const auto range = [&](int64_t i, int64_t extent) {
      return std::pair(i - before, std::min(i - before + size, extent + before));
    };
    for (int64_t row = 0; row < shape.h; ++row)
      for (int64_t column = 0; column < shape.w; ++column) {
        const auto [top, bottom] = range(row, shape.h);
        const auto [left, right] = range(column, shape.w);
        float sum = 0;
        for (int64_t r = std::max<int64_t>(0, top); r < std::min(bottom, shape.h); ++r)
          for (int64_t c = std::max<int64_t>(0, left); c < std::min(right, shape.w); ++c)
            sum += x[r * shape.w + c] * x[r * shape.w + c];
        const auto divisor = static_cast<float>((bottom - top) * (right - left));
        y[row * shape.w + column] =
            x[row * shape.w + column] * std::pow(1 + alpha * sum / divisor, -beta);
      }
  }
};

}  // namespace

Status lrn(const Call& call) {
  TW_RETURN_IF_ERROR(require(call, 1, true));
  const auto& p = call.op.tg_lrn_param();
  const FloatLrn lrn{shape4(call.in[0]), p.local_size(), p.alpha(), p.beta(), p.k()};
  const bool across = p.norm_region() == ::bmnet::TGLRNParameter::ACROSS_CHANNELS;
  const int64_t plane = lrn.shape.h * lrn.shape.w;
  const int64_t pieces = across ? lrn.shape.n : lrn.shape.n * lrn.shape.c;
  const int64_t length = across ? plane * lrn.shape.c : plane;
  parallel_for(static_cast<size_t>(pieces), 1, [&](size_t begin, size_t end) {
    for (size_t piece = begin; piece < end; ++piece) {
      const float* x = call.in[0].data + static_cast<int64_t>(piece) * length;
      float* y = call.out[0].data + static_cast<int64_t>(piece) * length;
      across ? lrn.across(x, y) : lrn.within(x, y);
    }
  });
  return {};
}

}  // namespace tputwin::net::cpu
