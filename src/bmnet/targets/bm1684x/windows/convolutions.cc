// Convolutions beyond the fields of commands.
#include <algorithm>

#include "bmnet/lowering/window_rows.h"
#include "bmnet/targets/bm1684x/windows/layer_parts.h"

namespace tputwin::net::bm1684x {
namespace {

template <class List>
void set_list(List* list, std::initializer_list<int64_t> values) {
  list->Clear();
  for (const int64_t v : values) list->Add(static_cast<uint32_t>(v));
}

Sides pads_of(const Window2d& w) { return {w.pad_top, w.pad_bottom, w.pad_left, w.pad_right}; }

int64_t first_stride(int64_t stride, int64_t outputs) {
  if (outputs == 1 || stride <= kMostStride) return stride;
  for (int64_t d = kMostStride; d > 1; --d)
    if (stride % d == 0) return d;
  return 1;
}

}  // namespace

PartTensor add_zeros(LayerParts& parts, PartTensor x, Sides sides) {
  const int64_t channels = x.dims[1];
  const auto take = [](int64_t& side) {
    const int64_t some = std::min(side, kMostPadding);
    side -= some;
    return some;
  };
  while (sides.largest() > 0) {
    TensorOp op;
    set_type(op, Op::convolution);
    auto& p = *op.mutable_tg_convolution_param();
    for (auto* list : {p.mutable_kernel_size(), p.mutable_stride(), p.mutable_dilation()})
      set_list(list, {1, 1});
    const int64_t top = take(sides.top), bottom = take(sides.bottom);
    const int64_t left = take(sides.left), right = take(sides.right);
    set_list(p.mutable_pad(), {top, bottom, left, right});
    p.set_group(static_cast<uint32_t>(channels));
    *op.add_output_shape() = make_shape({1, channels, 1, 1});
    x = parts.add(std::move(op), {x},
                  {{{channels, 1, 1, 1}, std::vector<float>(static_cast<size_t>(channels), 1.0f)}});
    parts.set_threshold_of_input(x);
  }
  return x;
}

PartTensor convolve(LayerParts& parts, const PartTensor& x, const Window2d& w,
                    std::vector<Blob> blobs, int64_t outputs) {
  TensorOp op;
  set_type(op, Op::convolution);
  auto& p = *op.mutable_tg_convolution_param();
  p = parts.whole().tg_convolution_param();
  p.clear_ins();
  set_list(p.mutable_kernel_size(), {w.kernel_h, w.kernel_w});
  set_list(p.mutable_stride(), {w.stride_h, w.stride_w});
  set_list(p.mutable_dilation(), {w.dilation_h, w.dilation_w});
  set_list(p.mutable_pad(), {w.pad_top, w.pad_bottom, w.pad_left, w.pad_right});
  *op.add_output_shape() = make_shape({1, outputs, 1, 1});
  return parts.add(std::move(op), {x}, std::move(blobs));
}

// Pads become zeros. Of a stride a divisor stays, and each n-th result is taken.
PartTensor fit_convolution(LayerParts& parts) {
  const TensorOp& op = parts.whole();
  const Extents out = extents(op.output_shape(0));
  Window2d w = convolution_window(op);
  PartTensor x = parts.input();
  if (pads_of(w).largest() > kMostPadding) {
    x = add_zeros(parts, x, pads_of(w));
    w.pad_top = w.pad_bottom = w.pad_left = w.pad_right = 0;
  }
  const int64_t rows = first_stride(w.stride_h, out.h), columns = first_stride(w.stride_w, out.w);
  const int64_t row_step = w.stride_h / rows, column_step = w.stride_w / columns;
  w.stride_h = static_cast<int>(rows);
  w.stride_w = static_cast<int>(columns);
  x = convolve(parts, x, w, parts.blobs(), out.c);
  return every(parts, x, row_step, out.h, column_step, out.w);
}

namespace {

// Adds rows and columns of zeros between those of a map: a deconvolution by channel of one element.
PartTensor insert_zeros(LayerParts& parts, const PartTensor& x, int64_t rows, int64_t columns) {
  if (rows == 0 && columns == 0) return x;
  const int64_t channels = x.dims[1];
  TensorOp op;
  set_type(op, Op::convolution);
  auto& p = *op.mutable_tg_convolution_param();
  for (auto* list : {p.mutable_kernel_size(), p.mutable_dilation()}) set_list(list, {1, 1});
  set_list(p.mutable_stride(), {rows + 1, columns + 1});
  set_list(p.mutable_ins(), {rows, columns});
  set_list(p.mutable_pad(), {0, 0, 0, 0});
  p.set_group(static_cast<uint32_t>(channels));
  *op.add_output_shape() = make_shape({1, channels, 1, 1});
  const PartTensor y =
      parts.add(std::move(op), {x},
                {{{channels, 1, 1, 1}, std::vector<float>(static_cast<size_t>(channels), 1.0f)}});
  parts.set_threshold_of_input(y);
  return y;
}

// The convolutions that together are a deconvolution, along one axis. Zeros are between inputs:
// s - 1 of them. Result o reads tap k of the kernel at o + k - pad, which is an input m if it is
// s * m. With o - pad = s * q + phase, that is m = q + u for the tap k = s * u - phase. So all
// results of a phase are a convolution of the inputs, with `taps` taps.
struct PhaseAxis {
  int64_t stride, kernel, pad, extent, outputs;

  int64_t taps() const { return (kernel - 1 + stride - 1) / stride + 1; }
  int64_t first() const { return floor_div(-pad); }
  int64_t last() const { return floor_div(outputs - 1 - pad); }
  int64_t count() const { return last() - first() + 1; }
  int64_t pad_before() const { return -first(); }
  int64_t pad_after() const { return last() + taps() - extent; }
  // Returns the tap of the kernel; -1 if there is none.
  int64_t tap(int64_t phase, int64_t u) const {
    const int64_t k = stride * u - phase;
    return k < kernel ? k : -1;
  }
  int64_t offset() const { return -pad - stride * first(); }

 private:
  int64_t floor_div(int64_t a) const { return a >= 0 ? a / stride : -((stride - 1 - a) / stride); }
};

// Returns the weights (outputs * phases, inputs, taps, taps).
std::vector<float> weights_of_phases(const std::vector<float>& kernel, int64_t pairs,
                                     int64_t inputs, const PhaseAxis& y, const PhaseAxis& x) {
  const int64_t outputs = pairs / inputs, taps = y.taps() * x.taps();
  std::vector<float> result(static_cast<size_t>(pairs * y.stride * x.stride * taps));
  size_t to = 0;
  for (int64_t o = 0; o < outputs; ++o)
    for (int64_t py = 0; py < y.stride; ++py)
      for (int64_t px = 0; px < x.stride; ++px)
        for (int64_t i = 0; i < inputs; ++i)
          for (int64_t u = 0; u < y.taps(); ++u)
            for (int64_t v = 0; v < x.taps(); ++v, ++to) {
              const int64_t ky = y.tap(py, u), kx = x.tap(px, v);
              if (ky < 0 || kx < 0) continue;
              result[to] =
                  kernel[static_cast<size_t>(((o * inputs + i) * y.kernel + ky) * x.kernel + kx)];
            }
  return result;
}

// Moves phases, which are channels, between rows and between columns.
PartTensor interleave(LayerParts& parts, PartTensor t, int64_t channels, const PhaseAxis& y,
                      const PhaseAxis& x) {
  const int64_t n = t.dims[0], h = y.count(), w = x.count();
  // (n, channels * rows' phases, columns' phases, h * w): columns' phases become the last axis.
  t = parts.reshape(t, {n, channels * y.stride, x.stride, h * w});
  t = parts.permute(t, {0, 1, 3, 2});
  // (n * channels, rows' phases, h, columns): rows' phases move behind h.
  t = parts.reshape(t, {n * channels, y.stride, h, w * x.stride});
  t = parts.permute(t, {0, 2, 1, 3});
  return parts.reshape(t, {n, channels, h * y.stride, w * x.stride});
}

int clamp_pad(int64_t pad) { return static_cast<int>(std::max<int64_t>(pad, 0)); }

}  // namespace

// A deconvolution is a convolution of a map with zeros between its elements.
PartTensor fit_dilated_deconvolution(LayerParts& parts) {
  const TensorOp& op = parts.whole();
  const Extents out = extents(op.output_shape(0));
  Window2d w = convolution_window(op);
  const PartTensor x = insert_zeros(parts, parts.input(), w.ins_h, w.ins_w);
  w.ins_h = w.ins_w = 0;
  std::vector<Blob> blobs = parts.blobs();
  blobs[0] = {{out.c, extents(op.input_shape(0)).c / op.tg_convolution_param().group(), w.kernel_h,
               w.kernel_w},
              convolution_kernel(op, blobs[0])};
  return convolve(parts, x, w, std::move(blobs), out.c);
}

PartTensor fit_deconvolution(LayerParts& parts) {
  const TensorOp& op = parts.whole();
  const Window2d w = convolution_window(op);
  const Extents in = extents(op.input_shape(0)), out = extents(op.output_shape(0));
  const PhaseAxis y{w.ins_h + 1, w.kernel_h, w.pad_top, in.h, out.h};
  const PhaseAxis x{w.ins_w + 1, w.kernel_w, w.pad_left, in.w, out.w};
  const int64_t phases = y.stride * x.stride, group = op.tg_convolution_param().group();
  const int64_t inputs = in.c / group;
  const std::vector<Blob>& own = parts.blobs();
  std::vector<Blob> blobs{
      {{out.c * phases, inputs, y.taps(), x.taps()},
       weights_of_phases(convolution_kernel(op, own[0]), out.c * inputs, inputs, y, x)}};
  if (own.size() > 1) {
    Blob bias{{out.c * phases}, {}};
    for (const float value : own[1].data)
      bias.data.insert(bias.data.end(), static_cast<size_t>(phases), value);
    blobs.push_back(std::move(bias));
  }
  Window2d window{.kernel_h = static_cast<int>(y.taps()), .kernel_w = static_cast<int>(x.taps())};
  window.pad_top = clamp_pad(y.pad_before());
  window.pad_bottom = clamp_pad(y.pad_after());
  window.pad_left = clamp_pad(x.pad_before());
  window.pad_right = clamp_pad(x.pad_after());
  PartTensor t = parts.input();
  if (pads_of(window).largest() > kMostPadding) {
    t = add_zeros(parts, t, pads_of(window));
    window.pad_top = window.pad_bottom = window.pad_left = window.pad_right = 0;
  }
  t = convolve(parts, t, window, std::move(blobs), out.c * phases);
  // Inputs that no result reads make further ones.
  t = parts.crop(t, {0, 0, 0, 0}, {t.dims[0], t.dims[1], y.count(), x.count()});
  t = interleave(parts, t, out.c, y, x);
  return parts.crop(t, {0, 0, y.offset(), x.offset()}, {t.dims[0], out.c, out.h, out.w});
}

}  // namespace tputwin::net::bm1684x
