// Pooling: max ignores the padding, the average counts it as zeros.
#include "base/parallel.h"
#include "bmnet/reference/layer.h"

namespace tputwin::net::reference {
namespace {

// The part of a window inside the input.
struct Range {
  int64_t begin, end;
};

Range inside(int64_t out, int stride, int kernel, int pad, int64_t extent) {
  const int64_t start = out * stride - pad;
  return {std::max<int64_t>(start, 0), std::min(start + kernel, extent)};
}

int64_t maximum(const int8_t* plane, int64_t width, Range rows, Range columns) {
  int64_t result = -128;
  for (int64_t y = rows.begin; y < rows.end; ++y)
    for (int64_t x = columns.begin; x < columns.end; ++x)
      result = std::max<int64_t>(result, plane[y * width + x]);
  return result;
}

int64_t sum(const int8_t* plane, int64_t width, Range rows, Range columns) {
  int64_t result = 0;
  for (int64_t y = rows.begin; y < rows.end; ++y)
    for (int64_t x = columns.begin; x < columns.end; ++x) result += plane[y * width + x];
  return result;
}

}  // namespace

Status pooling(const Layer& layer) {
  const bool average = layer.op.tg_pooling_param().pool() == ::bmnet::TGPoolingParameter::AVE;
  const Window2d w = pooling_window(layer.op);
  const Extents from = layer.in_extents(), to = layer.out_extents();
  const int factor = multiplier(layer.integers, 0), shift = layer.integers.right_shift;
  const bool rescaled = !layer.integers.multiplier.empty();
  parallel_for(static_cast<size_t>(to.n * to.c), 1, [&](size_t begin, size_t end) {
    for (auto p = static_cast<int64_t>(begin); p < static_cast<int64_t>(end); ++p) {
      const int8_t* plane = layer.in() + p * from.h * from.w;
      int8_t* out = layer.out() + p * to.h * to.w;
      for (int64_t oh = 0; oh < to.h; ++oh)
        for (int64_t ow = 0; ow < to.w; ++ow) {
          const Range rows = inside(oh, w.stride_h, w.kernel_h, w.pad_top, from.h);
          const Range columns = inside(ow, w.stride_w, w.kernel_w, w.pad_left, from.w);
          const int64_t value =
              average ? sum(plane, from.w, rows, columns) : maximum(plane, from.w, rows, columns);
          *out++ = average || rescaled ? sat8(rhu(value * factor, shift)) : sat8(value);
        }
    }
  });
  return {};
}

}  // namespace tputwin::net::reference
