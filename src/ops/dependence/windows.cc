// Marks of convolutions and pools.
#include "ops/contract/kernel_steps.h"
#include "ops/contract/taps.h"
#include "ops/conv/weights_bm1684x.h"
#include "ops/dependence/dependence.h"

namespace tputwin {
namespace {

// Returns true for operations that add over all input channels.
template <class Op>
constexpr bool kMixesChannels = false;
template <>
constexpr bool kMixesChannels<Conv2dBm1880> = true;
template <>
constexpr bool kMixesChannels<Winograd2d> = true;
template <>
constexpr bool kMixesChannels<Conv2dBm1684> = true;
template <>
constexpr bool kMixesChannels<Conv2dBm1684Int8> = true;
template <>
constexpr bool kMixesChannels<Winograd2dBm1684> = true;
template <>
constexpr bool kMixesChannels<Conv2dBm1684xFloat> = true;
template <>
constexpr bool kMixesChannels<Conv2dBm1684xInt8> = true;

// Returns the largest marks over all channels, as a tensor (N,1,H,W).
ElementMarks over_channels(const ElementMarks& marks) {
  const Shape& s = marks.shape();
  ElementMarks joined({s.n, 1, s.h, s.w});
  for (uint32_t n = 0; n < s.n; ++n)
    for (uint32_t c = 0; c < s.c; ++c)
      for (uint32_t h = 0; h < s.h; ++h) {
        const Mark* const from = marks.row(n, c, h);
        Mark* const to = joined.row(n, 0, h);
        for (uint32_t w = 0; w < s.w; ++w) to[w] = std::max(to[w], from[w]);
      }
  return joined;
}

// The taps of the positions of a window along one axis.
struct AxisTaps {
  std::vector<uint32_t> inside;  // indices in the input
  bool has_outside = false;      // some tap is padding or an inserted zero
};

std::vector<AxisTaps> taps_along(const Axis& axis, uint32_t positions, uint32_t extent,
                                 PadMode pads) {
  std::vector<AxisTaps> all(positions);
  for (uint32_t at = 0; at < positions; ++at)
    for (uint32_t k = 0; k < axis.kernel; ++k) {
      const AxisTap tap = tap_at(axis, at, k, extent, pads);
      if (tap.kind == TapKind::inside)
        all[at].inside.push_back(tap.index);
      else
        all[at].has_outside = true;
    }
  return all;
}

// Computes the largest marks under a window at each of its positions. The taps are the products of
// rows and columns, so columns are joined first and rows afterwards.
class WindowMarks {
 public:
  WindowMarks(const Window& window, const Shape& in, const Shape& positions)
      : rows_(taps_along(window.h, positions.h, in.h, window.pads)),
        columns_(taps_along(window.w, positions.w, in.w, window.pads)),
        joined_(uint64_t{in.h} * positions.w) {}

  // Raises the positions of one channel. `padding` is the mark of the values outside the input.
  void raise(const Mark* in, const Shape& extent, Mark padding, Mark* positions) {
    const size_t width = columns_.size();
    for (uint32_t h = 0; h < extent.h; ++h)
      for (size_t x = 0; x < width; ++x) {
        Mark mark = 0;
        for (const uint32_t w : columns_[x].inside)
          mark = std::max(mark, in[uint64_t{h} * extent.w + w]);
        joined_[h * width + x] = mark;
      }
    for (size_t y = 0; y < rows_.size(); ++y)
      for (size_t x = 0; x < width; ++x) {
        Mark& mark = positions[y * width + x];
        for (const uint32_t h : rows_[y].inside) mark = std::max(mark, joined_[h * width + x]);
        if (rows_[y].has_outside || columns_[x].has_outside) mark = std::max(mark, padding);
      }
  }

 private:
  const std::vector<AxisTaps> rows_, columns_;
  std::vector<Mark> joined_;  // columns of each row of the input
};

// Returns the marks at the positions of a window. Values outside the input have the marks
// `padding`, one for each channel.
ElementMarks under_window(const Window& window, const ElementMarks& in, const ElementMarks& padding,
                          const Shape& positions) {
  const Shape& s = in.shape();
  ElementMarks marks(positions);
  WindowMarks under(window, s, positions);
  for (uint32_t n = 0; n < s.n; ++n)
    for (uint32_t c = 0; c < s.c; ++c) {
      const Mark* const plane = in.row(n, c, 0);
      const Mark outside = padding.at(0, c, 0, 0);
      const bool is_plain =
          std::all_of(plane, plane + uint64_t{s.h} * s.w, [](Mark mark) { return mark == 0; });
      if (!is_plain || outside != 0) under.raise(plane, s, outside, marks.row(n, c, 0));
    }
  return marks;
}

// Returns true if the window's position of a result is that of the result itself.
template <class Op>
bool is_wide_enough(const Op& op) {
  return !places_results(op) || op.window.w.output(op.in.shape.w) == op.out.shape.w;
}

// Returns the shape of the window's positions that the result needs.
template <class Op>
Shape positions_of(const Op& op) {
  const Shape& out = op.out.shape;
  const uint32_t channels = kMixesChannels<Op> ? 1 : out.c;
  if (is_wide_enough(op)) return {out.n, channels, out.h, out.w};
  const ResultPlace last = place_in_window(op.window, op.in.shape, out, out.h - 1, out.w - 1);
  return {out.n, channels, last.y + 1, op.window.w.output(op.in.shape.w)};
}

// Returns the marks of values outside the input, as a tensor (1,C,1,1). They are parameters of the
// operations with zero points; other operations have constants there.
template <class Op>
ElementMarks padding_of(const Op& op, const MarkFlow& flow) {
  const uint32_t channels = kMixesChannels<Op> ? 1 : op.in.shape.c;
  ElementMarks marks({1, channels, 1, 1});
  if constexpr (requires { op.padding.is_constant; })
    for (const Source* source : {&op.padding, &op.insertion}) {
      if (source->is_constant) continue;
      const ElementMarks from = flow.load(source->view);
      for (uint32_t c = 0; c < from.shape().c; ++c)
        marks.raise(0, channels == 1 ? 0 : c, 0, 0, from.at(0, c, 0, 0));
    }
  return marks;
}

// Weights of the BM1684X end with a whole group of input channels, of which the last may be unused.
template <class Op>
bool is_used_weight(const Op& op, uint32_t h, uint32_t w) {
  if constexpr (std::is_same_v<Op, Conv2dBm1684xFloat> || std::is_same_v<Op, Conv2dBm1684xInt8>)
    return h / taps_of(op.window) * weight_group(op.in.dtype) + w < op.in.shape.c;
  else
    return true;
}

// Raises marks of output channels by those of a parameter whose channels are the output channels.
template <class Op>
void raise_channels(const Op& op, const TensorView& view, const MarkFlow& flow,
                    ElementMarks& channels) {
  const ElementMarks from = flow.load(view);
  for_each_index(view.shape, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
    if (c < channels.shape().c && is_used_weight(op, h, w))
      channels.raise(0, c, 0, 0, from.at(n, c, h, w));
  });
}

// Returns the marks of weights, biases and zero points, as a tensor (1,C,1,1).
template <class Op>
ElementMarks parameters_of(const Op& op, const MarkFlow& flow) {
  ElementMarks channels({1, op.out.shape.c, 1, 1});
  if constexpr (requires { op.weight.is_constant; }) {
    if (!op.weight.is_constant) raise_channels(op, op.weight.view, flow, channels);
  } else if constexpr (requires { op.constant_weight; }) {
    if (!op.constant_weight) raise_channels(op, op.weight, flow, channels);
  } else if constexpr (requires { op.weight; }) {
    raise_channels(op, op.weight, flow, channels);
  }
  if constexpr (requires { op.bias; })
    if (op.bias) channels.raise(flow.load(*op.bias));
  if constexpr (requires { op.zero_point; })
    if (!op.zero_point.is_constant) channels.raise(flow.load(op.zero_point.view));
  return channels;
}

template <class Op>
void pass_taps(const Op& op, MarkFlow& flow) {
  ElementMarks in = flow.load(op.in);
  if constexpr (kMixesChannels<Op>) in = over_channels(in);
  const ElementMarks positions =
      under_window(op.window, in, padding_of(op, flow), positions_of(op));
  ElementMarks marks(op.out.shape);
  if (is_wide_enough(op)) {
    marks.raise(positions);
  } else {
    for_each_index(op.out.shape, [&](uint32_t n, uint32_t c, uint32_t y, uint32_t x) {
      const ResultPlace at = place_in_window(op.window, op.in.shape, op.out.shape, y, x);
      marks.raise(n, c, y, x, positions.at(n, kMixesChannels<Op> ? 0 : c, at.y, at.x));
    });
  }
  marks.raise(parameters_of(op, flow));
  if constexpr (requires { op.accumulate; })
    if (op.accumulate) marks.raise(flow.load(op.out));
  flow.store(op.out, marks);
}

}  // namespace

void pass_window(const Operation& operation, MarkFlow& flow) {
  std::visit(
      [&](const auto& op) {
        if constexpr (requires {
                        op.window;
                        op.in;
                      })
          pass_taps(op, flow);
      },
      static_cast<const AnyOperation&>(operation));
}

}  // namespace tputwin
