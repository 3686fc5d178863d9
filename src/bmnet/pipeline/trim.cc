// Pass trim: cuts off rows and columns that a layer's only window does not read, if there are more
// than commands can skip. A command skips up to stride - 1 of them. Example: a window of 20x20 at
// stride 20 on 39x39 elements does not read 19, and the largest stride is 15.
#include "bmnet/lowering/window_rows.h"
#include "bmnet/pipeline/compilation.h"
#include "bmnet/pipeline/passes.h"

namespace tputwin::net::pass {
namespace {

// Returns the number of elements to keep on an axis with one window.
int64_t kept(Axis axis, int64_t outputs) {
  if (outputs != 1) return axis.extent;
  axis.stride = std::min(axis.stride, static_cast<int>(kMostStride));
  const AxisTile tile = tile_axis(axis, {0, 1});
  return axis.extent - tile.input.end > tile.most_unread ? tile.input.end : axis.extent;
}

// Returns the extents of the input that the layer reads.
Extents needed(const TensorOp& op) {
  const Window2d w = is(op, Op::pooling) ? pooling_window(op) : convolution_window(op);
  const Extents in = extents(op.input_shape(0)), out = extents(op.output_shape(0));
  return {in.n, in.c, kept(rows_of(w, in), out.h), kept(columns_of(w, in), out.w)};
}

// Returns the layer that cuts the input of `reader`. Its result becomes that input.
TensorOp cut_before(TensorOp& reader, const Extents& e) {
  TensorOp op;
  op.set_name(reader.name() + "/cut");
  set_type(op, Op::crop);
  op.mutable_tg_crop_param();
  op.add_bottom(reader.bottom(0));
  op.add_top(op.name());
  *op.add_input_shape() = reader.input_shape(0);
  *op.add_output_shape() = make_shape({e.n, e.c, e.h, e.w}, reader.input_shape(0).data_type_size());
  reader.set_bottom(0, op.name());
  *reader.mutable_input_shape(0) = op.output_shape(0);
  return op;
}

}  // namespace

Status trim(Compilation& c) {
  std::vector<TensorOp>& ops = c.net.network.ops;
  std::vector<LayerIntegers>& integers = c.net.integers;
  for (size_t i = 0; i < ops.size(); ++i) {
    if (!is(ops[i], Op::pooling) && !is(ops[i], Op::convolution)) continue;
    if (is_left_to_host(ops[i])) continue;
    const Extents e = needed(ops[i]);
    if (e == extents(ops[i].input_shape(0))) continue;
    TensorOp op = cut_before(ops[i], e);
    LayerIntegers same;
    same.threshold_x = same.threshold_y = {integers[i].threshold_x[0]};
    const auto at = static_cast<std::ptrdiff_t>(i);
    ops.insert(ops.begin() + at, std::move(op));
    integers.insert(integers.begin() + at, std::move(same));
    ++i;
  }
  return {};
}

}  // namespace tputwin::net::pass
