// The layers that replace one layer, and moves among them.
#include "bmnet/targets/bm1684x/windows/layer_parts.h"

#include <fmt/format.h>

#include "bmnet/ir/infer.h"

namespace tputwin::net::bm1684x {

std::string LayerParts::next_name() {
  return fmt::format("{}/part {}", whole_.name(), ops_.size());
}

PartTensor LayerParts::add(TensorOp op, const std::vector<PartTensor>& inputs,
                           std::vector<Blob> blobs) {
  PartTensor made{next_name(), {1, 1, 1, 1}};
  if (!status_.ok()) return made;
  op.set_name(made.name);
  for (const PartTensor& in : inputs) {
    op.add_bottom(in.name);
    *op.add_input_shape() = make_shape(in.dims);
  }
  op.add_top(made.name);
  auto shapes = infer_shapes(op);
  if (!shapes.ok()) {
    status_ = shapes.error();
    return made;
  }
  op.clear_output_shape();
  *op.add_output_shape() = shapes->front();
  made.dims = dims(shapes->front());
  if (!blobs.empty()) network_.blobs[made.name] = std::move(blobs);
  ops_.push_back(std::move(op));
  return made;
}

PartTensor LayerParts::reshape(const PartTensor& x, const std::vector<int64_t>& to) {
  if (x.dims == to) return x;
  TensorOp op;
  set_type(op, Op::reshape);
  *op.add_output_shape() = make_shape(to);
  return add(std::move(op), {x});
}

PartTensor LayerParts::permute(const PartTensor& x, const std::vector<uint32_t>& order) {
  TensorOp op;
  set_type(op, Op::permute);
  for (const uint32_t axis : order) op.mutable_tg_permute_param()->add_order(axis);
  return add(std::move(op), {x});
}

PartTensor LayerParts::crop(const PartTensor& x, const std::vector<int64_t>& offset,
                            const std::vector<int64_t>& to) {
  if (x.dims == to) return x;
  TensorOp op;
  set_type(op, Op::crop);
  for (const int64_t at : offset) op.mutable_tg_crop_param()->add_offset(static_cast<uint32_t>(at));
  *op.add_output_shape() = make_shape(to);
  return add(std::move(op), {x});
}

PartTensor LayerParts::concat(const std::vector<PartTensor>& parts, int axis) {
  TensorOp op;
  set_type(op, Op::concat);
  op.mutable_tg_concat_param()->set_axis(axis);
  return add(std::move(op), parts);
}

PartTensor LayerParts::tile(const PartTensor& x, int axis, int64_t tiles) {
  TensorOp op;
  set_type(op, Op::tile);
  op.mutable_tg_tile_param()->set_axis(axis);
  op.mutable_tg_tile_param()->set_tiles(static_cast<int>(tiles));
  return add(std::move(op), {x});
}

// Rows and columns: each whole run of `step` elements becomes an axis, of which the first element
// stays. The last run may be shorter.
PartTensor every(LayerParts& parts, PartTensor x, int64_t row_step, int64_t rows,
                 int64_t column_step, int64_t columns) {
  const auto take = [&](const PartTensor& t, size_t axis, int64_t step, int64_t count) {
    // As (outer, runs, step, inner); samples stay an axis.
    const int64_t n = t.dims[0], extent = t.dims[axis];
    int64_t inner = 1;
    for (size_t i = axis + 1; i < t.dims.size(); ++i) inner *= t.dims[i];
    std::vector<int64_t> result = t.dims;
    result[axis] = count;
    if (step == 1 || count == 1) return parts.crop(t, {0, 0, 0, 0}, result);
    const int64_t outer = t.dims[1] * (axis == 3 ? t.dims[2] : 1);
    const bool is_whole = extent >= count * step;
    const int64_t runs = is_whole ? count : count - 1;
    std::vector<int64_t> used = t.dims;
    used[axis] = runs * step;
    PartTensor y = parts.crop(t, {0, 0, 0, 0}, used);
    y = parts.reshape(y, {n, outer * runs, step, inner});
    y = parts.crop(y, {0, 0, 0, 0}, {n, outer * runs, 1, inner});
    std::vector<int64_t> taken = t.dims;
    taken[axis] = runs;
    y = parts.reshape(y, taken);
    if (is_whole) return y;
    std::vector<int64_t> offset(4, 0), one = t.dims;
    offset[axis] = runs * step;
    one[axis] = 1;
    return parts.concat({y, parts.crop(t, offset, one)}, static_cast<int>(axis));
  };
  return take(take(x, 2, row_step, rows), 3, column_step, columns);
}

Result<std::vector<TensorOp>> LayerParts::finish(const PartTensor& result) {
  if (!status_.ok()) return status_.error();
  for (TensorOp& op : ops_)
    if (op.top(0) == result.name) op.set_top(0, whole_.top(0));
  return std::move(ops_);
}

}  // namespace tputwin::net::bm1684x
