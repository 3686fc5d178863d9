// Maxima, averages and repetitions beyond the fields of commands.
#include <algorithm>

#include "bmnet/lowering/window_rows.h"
#include "bmnet/targets/bm1684x/windows/layer_parts.h"

namespace tputwin::net::bm1684x {
namespace {

// MaximumAxis is what is left of a window along one axis.
struct MaximumAxis {
  int64_t kernel, stride, before, after, extent, outputs;

  bool has_large_pads() const { return std::max(before, after) > kMostPadding; }
  bool is_done() const { return kernel == 1 && stride == 1 && before == 0 && after == 0; }
};

// One pooling along one axis.
struct MaximumStep {
  int64_t kernel = 1, stride = 1, before = 0, after = 0;
};

int64_t largest_divisor(int64_t value, int64_t most) {
  for (int64_t d = std::min(value, most); d > 1; --d)
    if (value % d == 0) return d;
  return 1;
}

// Takes a part of the window. A maximum of k1 elements of which k2 are combined is one of
// k1 + k2 - 1, and pads and strides go together likewise: pads add up, strides are a product.
// Example: 33 elements with pads of 16 are 16 elements with pads of 15, then 18 with pads of 1.
MaximumStep next_step(MaximumAxis& axis) {
  MaximumStep step;
  if (axis.has_large_pads()) {
    step.before = std::min(axis.before, kMostPadding);
    step.after = std::min(axis.after, kMostPadding);
    step.kernel = std::max(step.before, step.after) + 1;
  } else {
    step = {axis.kernel, largest_divisor(axis.stride, kMostStride), axis.before, axis.after};
    if (axis.outputs == 1) step.stride = 1;
  }
  axis.kernel -= step.kernel - 1;
  axis.before -= step.before;
  axis.after -= step.after;
  axis.stride = axis.outputs == 1 ? 1 : axis.stride / step.stride;
  return step;
}

// A stride that has no divisor is left for moves.
bool is_left_to_moves(const MaximumAxis& axis) {
  return axis.kernel == 1 && !axis.has_large_pads() &&
         largest_divisor(axis.stride, kMostStride) == 1;
}

template <class List>
void put(List* list, std::initializer_list<int64_t> values) {
  for (const int64_t v : values) list->Add(static_cast<uint32_t>(v));
}

PartTensor pool(LayerParts& parts, const PartTensor& x, const MaximumStep& rows,
                const MaximumStep& columns) {
  TensorOp op;
  set_type(op, Op::pooling);
  auto& p = *op.mutable_tg_pooling_param();
  p.set_pool(::bmnet::TGPoolingParameter::MAX);
  put(p.mutable_kernel_size(), {rows.kernel, columns.kernel});
  put(p.mutable_stride(), {rows.stride, columns.stride});
  put(p.mutable_pad(), {rows.before, rows.after, columns.before, columns.after});
  p.set_ceil_mode(false);
  return parts.add(std::move(op), {x});
}

}  // namespace

PartTensor fit_max_pooling(LayerParts& parts) {
  const TensorOp& op = parts.whole();
  const Window2d w = pooling_window(op);
  const Extents in = extents(op.input_shape(0)), out = extents(op.output_shape(0));
  MaximumAxis rows{w.kernel_h, w.stride_h, w.pad_top, w.pad_bottom, in.h, out.h};
  MaximumAxis columns{w.kernel_w, w.stride_w, w.pad_left, w.pad_right, in.w, out.w};
  PartTensor x = parts.input();
  const auto is_open = [](const MaximumAxis& a) { return !a.is_done() && !is_left_to_moves(a); };
  // One after the other: a window of 16 x 16 has 256 taps, two of 16 have 32.
  while (is_open(rows)) x = pool(parts, x, next_step(rows), {});
  while (is_open(columns)) x = pool(parts, x, {}, next_step(columns));
  return every(parts, x, rows.stride, out.h, columns.stride, out.w);
}

namespace {

// Caffe divides by the taps within the padded input.
void put_taps(int64_t kernel, int64_t stride, int64_t pad, int64_t extent, int64_t outputs,
              google::protobuf::RepeatedField<uint32_t>& source,
              google::protobuf::RepeatedField<float>& weight) {
  for (int64_t i = 0; i < outputs; ++i) {
    const int64_t begin = i * stride - pad;
    const int64_t counted = std::min(begin + kernel, extent + pad) - begin;
    for (int64_t k = begin; k < begin + kernel; ++k) {
      source.Add(static_cast<uint32_t>(std::clamp<int64_t>(k, 0, extent - 1)));
      weight.Add(k >= 0 && k < extent ? 1.0f / static_cast<float>(counted) : 0.0f);
    }
  }
}

}  // namespace

PartTensor fit_average(LayerParts& parts) {
  const TensorOp& whole = parts.whole();
  const Window2d w = pooling_window(whole);
  const Extents in = extents(whole.input_shape(0)), out = extents(whole.output_shape(0));
  TensorOp op;
  set_type(op, Op::resample);
  auto& p = *op.mutable_tg_resample_param();
  p.set_row_taps(static_cast<uint32_t>(w.kernel_h));
  p.set_column_taps(static_cast<uint32_t>(w.kernel_w));
  put_taps(w.kernel_h, w.stride_h, w.pad_top, in.h, out.h, *p.mutable_row_source(),
           *p.mutable_row_weight());
  put_taps(w.kernel_w, w.stride_w, w.pad_left, in.w, out.w, *p.mutable_column_source(),
           *p.mutable_column_weight());
  return parts.add(std::move(op), {parts.input()});
}

// Repeats rows and columns in several steps. What remains after them is a copy of each row or
// column, as an axis of its own.
PartTensor fit_upsample(LayerParts& parts) {
  const auto& sizes = parts.whole().tg_upsample_param().size();
  int64_t rows = sizes[0], columns = sizes[sizes.size() - 1];
  PartTensor x = parts.input();
  for (;;) {
    const int64_t r = largest_divisor(rows, kMostPadding);
    const int64_t c = largest_divisor(columns, kMostPadding);
    if (r == 1 && c == 1) break;
    TensorOp op;
    set_type(op, Op::upsample);
    put(op.mutable_tg_upsample_param()->mutable_size(), {r, c});
    x = parts.add(std::move(op), {x});
    rows /= r;
    columns /= c;
  }
  const int64_t n = x.dims[0], h = x.dims[2], w = x.dims[3];
  if (rows > 1) {
    x = parts.tile(parts.reshape(x, {n, x.dims[1] * h, 1, w}), 2, rows);
    x = parts.reshape(x, {n, x.dims[1] / h, h * rows, w});
  }
  if (columns > 1) {
    const int64_t channels = x.dims[1], all_rows = x.dims[2];
    x = parts.tile(parts.reshape(x, {n, channels * all_rows * w, 1, 1}), 2, columns);
    x = parts.reshape(x, {n, channels, all_rows, w * columns});
  }
  return x;
}

}  // namespace tputwin::net::bm1684x
