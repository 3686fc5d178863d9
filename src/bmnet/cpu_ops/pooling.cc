// Pooling in floats: windows are clipped to the image, averages divide by the window clipped to the
// padded image, as in Caffe.
#include <limits>

#include "base/parallel.h"
#include "bmnet/cpu_ops/operator.h"
#include "bmnet/ir/network.h"

namespace tputwin::net::cpu {
namespace {

// Input range of an output position. `counted` is the number of positions that an average divides
// by.
struct CountedRange {
  int64_t begin, end, counted;
};

CountedRange range_of(int64_t i, int stride, int kernel, int pad, int64_t extent) {
  const int64_t begin = i * stride - pad;
  // Caffe pads both ends equally. A larger end pad of the IR only rounds the output size up.
  const int64_t end = std::min(begin + kernel, extent + pad);
  return {std::clamp<int64_t>(begin, 0, extent), std::clamp<int64_t>(end, 0, extent), end - begin};
}

float pool(const float* plane, int64_t width, const CountedRange& rows, const CountedRange& columns,
           bool max) {
  float result = max ? -std::numeric_limits<float>::infinity() : 0.0f;
  for (int64_t y = rows.begin; y < rows.end; ++y)
    for (int64_t x = columns.begin; x < columns.end; ++x) {
      const float value = plane[y * width + x];
      result = !max ? result + value : result > value ? result : value;
    }
  if (max) return rows.begin < rows.end && columns.begin < columns.end ? result : 0.0f;
  return result / static_cast<float>(std::max<int64_t>(1, rows.counted * columns.counted));
}

}  // namespace

Status pooling(const Call& call) {
  TW_RETURN_IF_ERROR(require(call, 1));
  const auto& parameter = call.op.tg_pooling_param();
  const Window2d w = pooling_window(call.op);
  const Extents in = extents(call.op.input_shape(0)), out = extents(call.op.output_shape(0));
  if (in.n != out.n || in.c != out.c || count(call.in[0]) != in.count() ||
      count(call.out[0]) != out.count())
    return fail(call, "every plane of the input becomes one of the output");
  const bool max = parameter.pool() == ::bmnet::TGPoolingParameter::MAX;
  const bool relu = parameter.do_activation();
  parallel_for(static_cast<size_t>(in.n * in.c), 4, [&](size_t begin, size_t end) {
    for (auto p = static_cast<int64_t>(begin); p < static_cast<int64_t>(end); ++p) {
      const float* plane = call.in[0].data + p * in.h * in.w;
      float* to = call.out[0].data + p * out.h * out.w;
      for (int64_t y = 0; y < out.h; ++y) {
        const CountedRange rows = range_of(y, w.stride_h, w.kernel_h, w.pad_top, in.h);
        for (int64_t x = 0; x < out.w; ++x, ++to) {
          *to = pool(plane, in.w, rows, range_of(x, w.stride_w, w.kernel_w, w.pad_left, in.w), max);
          if (relu) *to = std::max(*to, 0.0f);
        }
      }
    }
  });
  return {};
}

}  // namespace tputwin::net::cpu
