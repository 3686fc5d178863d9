// Nets of bytes in cells of four images (4N).
#include "bmnet/targets/bm1684/bytes/cells.h"

#include "bmnet/targets/bm1684/bytes/quantize.h"

namespace tputwin::net::bm1684 {
namespace {

using bm1684x::PackedNet;

TensorShape cells_of(TensorShape shape) {
  shape.set_dim(0, ceil_div(shape.dim(0), kImages));
  shape.set_data_type_size(4);
  return shape;
}

TensorShape floats_of(TensorShape shape) {
  shape.set_data_type_size(4);
  return shape;
}

int axis_of_move(int axis, const TensorOp& op) {
  return axis < 0 ? axis + op.input_shape(0).dim_size() : axis;
}

// True if a move keeps every sample: then it moves cells as it moves elements.
bool keeps_samples(const TensorOp& op) {
  const int64_t samples = op.input_shape(0).dim(0);
  for (const TensorShape& s : op.input_shape())
    if (s.dim(0) != samples) return false;
  for (const TensorShape& s : op.output_shape())
    if (s.dim(0) != samples) return false;
  switch (properties(op.type()).op) {
    case Op::permute:
      return op.tg_permute_param().order_size() == 0 || op.tg_permute_param().order(0) == 0;
    case Op::concat:
      return axis_of_move(op.tg_concat_param().axis(), op) != 0;
    case Op::slice:
      return axis_of_move(op.tg_slice_param().axis(), op) != 0;
    case Op::reshape:
    case Op::reorg:
    case Op::shuffle_channel:
      return true;
    default:
      return false;  // in floats
  }
}

class Packing {
 public:
  explicit Packing(QuantizedNet quantized) : from_(std::move(quantized)) {}

  PackedNet run() {
    to_.net.network.name = from_.network.name;
    to_.net.network.blobs = std::move(from_.network.blobs);
    to_.net.network.blob_names = from_.network.blob_names;
    to_.net.network.output_dims = from_.network.output_dims;
    for (size_t i = 0; i < from_.network.ops.size(); ++i)
      place(from_.network.ops[i], from_.integers[i]);
    return std::move(to_);
  }

 private:
  struct Tensor {
    bool is_cells = false;
    TensorShape shape;  // of the elements
    float threshold = 1;
  };

  void place(TensorOp op, LayerIntegers integers) {
    const bool has_cells = takes_cells(op, integers);
    op.set_cpu_op(false);
    // In floats nothing is rescaled.
    if (!has_cells && is(op, Op::concat)) integers.multiplier.clear();
    for (int i = 0; i < op.bottom_size(); ++i) {
      const std::string tensor = op.bottom(i);
      if (is(op, Op::end))
        op.set_bottom(i, output(tensor, i));
      else
        op.set_bottom(i, converted(tensor, has_cells));
      // Layers may view a tensor in another shape.
      const TensorShape own = op.input_shape(i);
      *op.mutable_input_shape(i) = has_cells ? cells_of(own) : floats_of(own);
    }
    for (int t = 0; t < op.top_size(); ++t) {
      const auto at = static_cast<size_t>(t);
      tensors_[op.top(t)] = {has_cells, op.output_shape(t),
                             at < integers.threshold_y.size() ? integers.threshold_y[at] : 1};
      *op.mutable_output_shape(t) = shape_of(op.top(t), has_cells);
      set_type_of(op.top(t), has_cells);
      if (has_cells) to_.maps.insert(op.top(t));
    }
    const bool is_plain_move = has_trait(op, trait::moves_elements) && integers.multiplier.empty();
    if (has_cells && !is_plain_move) to_.layers[op.name()] = integers;
    add(std::move(op), integers);
  }

  bool takes_cells(const TensorOp& op, const LayerIntegers& integers) const {
    if (op.cpu_op()) return false;
    if (computes_bytes(op)) return true;
    const auto has_cells = [&](const std::string& t) { return tensors_.at(t).is_cells; };
    if (op.bottom_size() == 0 || !std::ranges::all_of(op.bottom(), has_cells)) return false;
    if (integers.table) return true;  // of pass rescale
    return has_trait(op, trait::moves_elements) && keeps_samples(op);
  }

  TensorShape shape_of(const std::string& tensor, bool cells) const {
    const TensorShape& shape = tensors_.at(tensor).shape;
    return cells ? cells_of(shape) : floats_of(shape);
  }

  void set_type_of(const std::string& tensor, bool cells) {
    to_.types.others[tensor] = {cells ? DType::b32 : DType::f32, 1};
  }

  // Returns the tensor in the wanted form, by a cast if it has the other one.
  std::string converted(const std::string& tensor, bool cells) {
    if (tensors_.at(tensor).is_cells == cells) return tensor;
    return cast(tensor, tensor + (cells ? "/cells" : "/fp32"));
  }

  std::string output(const std::string& tensor, int index) {
    if (!tensors_.at(tensor).is_cells) return tensor;
    const std::string to = cast(tensor, tensor + "/output " + std::to_string(index));
    to_.net.network.blob_names[to] = from_.network.blob_name(tensor);
    return to;
  }

  std::string cast(const std::string& tensor, const std::string& to) {
    if (to_.types.others.contains(to)) return to;
    const Tensor& from = tensors_.at(tensor);
    TensorOp op;
    op.set_name(to);
    set_type(op, Op::cast);
    op.add_bottom(tensor);
    op.add_top(to);
    *op.add_input_shape() = shape_of(tensor, from.is_cells);
    *op.add_output_shape() = shape_of(tensor, !from.is_cells);
    set_type_of(to, !from.is_cells);
    LayerIntegers same;
    same.threshold_x = same.threshold_y = {from.threshold};
    to_.layers[to] = same;
    to_.contiguous.insert({tensor, to});
    add(std::move(op), same);
    return to;
  }

  // Casts view cells and floats alike.
  void add(TensorOp op, const LayerIntegers& integers) {
    for (const auto& tensors : {op.bottom(), op.top()})
      if (to_.layers.contains(op.name())) to_.maps.insert(tensors.begin(), tensors.end());
    to_.net.network.ops.push_back(std::move(op));
    to_.net.integers.push_back(integers);
  }

  QuantizedNet from_;
  PackedNet to_;
  std::map<std::string, Tensor> tensors_;
};

}  // namespace

PackedNet packed(QuantizedNet quantized) { return Packing(std::move(quantized)).run(); }

}  // namespace tputwin::net::bm1684
