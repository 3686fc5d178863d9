// Pass dequantize: converts outputs to floats, with a host operator after each.
#include "bmnet/pipeline/compilation.h"
#include "bmnet/pipeline/passes.h"

namespace tputwin::net::pass {

Status dequantize(Compilation& c) {
  if (!c.options.dequantize_outputs) return {};
  Network& n = c.net.network;
  TensorOp end = n.ops.back();  // a copy: inserting moves the original
  for (int i = 0; i < end.bottom_size(); ++i) {
    const std::string tensor = end.bottom(i);
    const TensorShape shape = *n.shape_of(tensor);
    if (shape.data_type_size() != 1) continue;
    TensorOp op;
    op.set_name(tensor + "_dequantized");
    set_type(op, Op::dequantized);
    op.add_bottom(tensor);
    op.add_top(op.name());
    *op.add_input_shape() = shape;
    *op.add_output_shape() = shape;
    op.mutable_output_shape(0)->set_data_type_size(4);
    LayerIntegers values;
    values.threshold_x = values.threshold_y = {c.net.threshold_of(tensor)};
    n.blob_names[op.name()] = n.blob_name(tensor);
    end.set_bottom(i, op.name());
    n.ops.insert(n.ops.end() - 1, op);
    c.net.integers.insert(c.net.integers.end() - 1, values);
  }
  n.ops.back() = std::move(end);
  return {};
}

}  // namespace tputwin::net::pass
