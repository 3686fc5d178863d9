// Pooling in int8: the maximum ignores padding; the average counts zeros within Caffe's pads.
#include <fmt/format.h>

#include <algorithm>

#include "base/parallel.h"
#include "bmnet/float/kernels.h"
#include "bmnet/integers/choice.h"
#include "bmnet/reference/layer.h"

namespace tputwin::net {
Result<FloatKernel> make_float_pooling(const TensorOp& op, const std::vector<Blob>& blobs) {
  return make_float_host(op, blobs);
}

// ---- Integers ----

Status choose_pooling(const IntegerChoice& layer) {
  const auto& p = layer.op.tg_pooling_param();
  float ratio = layer.x() / layer.y();
  if (p.pool() == ::bmnet::TGPoolingParameter::AVE) {
    const Window2d window = pooling_window(layer.op);
    ratio = average_ratio(layer.x(), layer.y(), window.kernel_h, window.kernel_w);
  }
  if (!(ratio < 256)) return layer.range(ratio);
  const Multiplier rescale = unsigned_multiplier(ratio);
  layer.entry.add_threshold_x_quantized(rescale.multiplier);
  layer.entry.set_right_shift_width(rescale.shift);
  return {};
}

namespace {

// The table has the numbers of whole windows. Windows that reach beyond the padded input divide by
// fewer taps.
void read_overhanging(EntryReader& reader, LayerIntegers& integers) {
  const Overhang over = average_overhang(reader.op);
  if (!over.any()) return;
  const Window2d w = pooling_window(reader.op);
  const auto add = [&](int rows, int columns) {
    const float ratio =
        average_ratio(integers.threshold_x.at(0), integers.threshold_y.at(0), rows, columns);
    if (!(ratio < 256))
      reader.fail(errors::net_weight_range, "T_x / T_y / taps", fmt::format("{}", ratio),
                  fmt::format("{} x {} taps", rows, columns));
    integers.overhanging.push_back(unsigned_multiplier(ratio));
  };
  add(w.kernel_h, w.kernel_w - over.w);
  add(w.kernel_h - over.h, w.kernel_w);
  add(w.kernel_h - over.h, w.kernel_w - over.w);
}

}  // namespace

void read_pooling(EntryReader& reader, LayerIntegers& integers) {
  const bool plain = reader.op.tg_pooling_param().pool() == ::bmnet::TGPoolingParameter::MAX &&
                     reader.entry.threshold_x_quantized_size() == 0;
  if (!plain) integers.multiplier = reader.multipliers(1, 0, 255);
  read_overhanging(reader, integers);
}

// ---- int8 ----
//
//   MAX   y = sat8(rhu(max * multiplier[0], right_shift)); multiplier in [0, 255]; y = max without
//         a multiplier
//   AVE   y = sat8(rhu(sum * multiplier[0], right_shift)); windows that reach beyond the padded
//         input (average_overhang) have numbers of their own: overhanging

namespace reference {
namespace {

// The part of a window that is inside the input.
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

// Multipliers for the sum or maximum of each window.
class Scales {
 public:
  explicit Scales(const Layer& layer)
      : over_(average_overhang(layer.op)),
        last_(layer.out_extents()),
        whole_{multiplier(layer.integers, 0), layer.integers.right_shift},
        overhanging_(layer.integers.overhanging) {}
  const Multiplier& at(int64_t oh, int64_t ow) const {
    const bool row = over_.h > 0 && oh + 1 == last_.h, column = over_.w > 0 && ow + 1 == last_.w;
    if (!row && !column) return whole_;
    return overhanging_[row ? (column ? 2 : 1) : 0];
  }

 private:
  Overhang over_;
  Extents last_;
  Multiplier whole_;
  std::span<const Multiplier> overhanging_;
};

}  // namespace

Status pooling(const Layer& layer) {
  const bool average = layer.op.tg_pooling_param().pool() == ::bmnet::TGPoolingParameter::AVE;
  const Window2d w = pooling_window(layer.op);
  const Extents from = layer.in_extents(), to = layer.out_extents();
  if (average_overhang(layer.op).any() && layer.integers.overhanging.size() != 3)
    return fail(layer.op, errors::net_multiplier);
  const Scales scales(layer);
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
          const Multiplier& scale = scales.at(oh, ow);
          *out++ =
              average || rescaled ? sat8(rhu(value * scale.multiplier, scale.shift)) : sat8(value);
        }
    }
  });
  return {};
}

}  // namespace reference
}  // namespace tputwin::net
