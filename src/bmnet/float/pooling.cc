// Pooling by Caffe's rules: windows are clipped to the image; averages divide by the window clipped
// to the padded image.
#include <algorithm>
#include <limits>

#include "base/parallel.h"
#include "bmnet/float/kernels.h"

namespace tputwin::net {
namespace {

// Of output position `i`: what is read, and how many positions the average counts.
struct Range {
  int64_t begin, end, counted;
};

Range range_of(int64_t i, int stride, int kernel, int pad, int64_t extent) {
  const int64_t begin = i * stride - pad;
  // Pads of Caffe are the same at both ends; what the IR has beyond that at the end only rounds up.
  const int64_t end = std::min(begin + kernel, extent + pad);
  return {std::clamp<int64_t>(begin, 0, extent), std::clamp<int64_t>(end, 0, extent), end - begin};
}

float pool(const float* plane, int64_t width, const Range& rows, const Range& columns, bool max) {
  float result = max ? -std::numeric_limits<float>::max() : 0.0f;
  for (int64_t y = rows.begin; y < rows.end; ++y)
    for (int64_t x = columns.begin; x < columns.end; ++x) {
      const float value = plane[y * width + x];
      result = max ? std::max(result, value) : result + value;
    }
  if (max) return rows.begin < rows.end && columns.begin < columns.end ? result : 0.0f;
  return result / static_cast<float>(std::max<int64_t>(1, rows.counted * columns.counted));
}

}  // namespace

Result<FloatKernel> make_float_pooling(const TensorOp& op, const std::vector<Blob>&) {
  const auto& parameter = op.tg_pooling_param();
  const Window2d w = pooling_window(op);
  const Extents in = extents(op.input_shape(0)), out = extents(op.output_shape(0));
  const bool max = parameter.pool() == ::bmnet::TGPoolingParameter::MAX;
  const bool relu = parameter.do_activation();
  return FloatKernel([=](std::span<const Blob* const> inputs,
                         std::span<Blob* const> outputs) -> Status {
    parallel_for(in.n * in.c, 4, [&](size_t begin, size_t end) {
      for (size_t p = begin; p < end; ++p) {
        const float* plane = inputs[0]->data.data() + p * in.h * in.w;
        float* to = outputs[0]->data.data() + p * out.h * out.w;
        for (int64_t y = 0; y < out.h; ++y) {
          const Range rows = range_of(y, w.stride_h, w.kernel_h, w.pad_top, in.h);
          for (int64_t x = 0; x < out.w; ++x, ++to) {
            *to =
                pool(plane, in.w, rows, range_of(x, w.stride_w, w.kernel_w, w.pad_left, in.w), max);
            if (relu) *to = std::max(*to, 0.0f);
          }
        }
      }
    });
    return {};
  });
}

}  // namespace tputwin::net
