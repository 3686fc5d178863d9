// Pass outputs: gives every output bytes of its own, one after the other in order, as in the
// vendor's models. An output that only renames an input or another output gets a copy.
#include <set>

#include "bmnet/pipeline/compilation.h"
#include "bmnet/pipeline/passes.h"

namespace tputwin::net::pass {
namespace {

// Returns the tensor whose bytes a chain of reshapes renames.
const std::string& renamed(const Network& network, const std::string& tensor) {
  const std::string* found = &tensor;
  for (const TensorOp* op = network.producer(*found); is(*op, Op::reshape);
       op = network.producer(*found))
    found = &op->bottom(0);
  return *found;
}

// Returns an operation that copies a tensor: a crop that cuts nothing.
TensorOp copy_of(const std::string& tensor, const TensorShape& shape) {
  TensorOp op;
  op.set_name(tensor + "/copy");
  set_type(op, Op::crop);
  op.mutable_tg_crop_param();
  op.add_bottom(tensor);
  op.add_top(op.name());
  *op.add_input_shape() = *op.add_output_shape() = shape;
  return op;
}

}  // namespace

Status outputs(Compilation& c) {
  Network& network = c.net.network;
  TensorOp end = network.ops.back();  // a copy: inserting moves the original
  std::set<std::string> taken;
  for (const std::string& input : network.inputs()) taken.insert(input);
  for (int i = 0; i < end.bottom_size(); ++i) {
    const std::string tensor = end.bottom(i);
    if (taken.insert(renamed(network, tensor)).second) continue;
    TensorOp op = copy_of(tensor, *network.shape_of(tensor));
    LayerIntegers same;
    same.threshold_x = same.threshold_y = {c.net.threshold_of(tensor)};
    network.blob_names[op.top(0)] = network.blob_name(tensor);
    end.set_bottom(i, op.top(0));
    network.ops.insert(network.ops.end() - 1, std::move(op));
    c.net.integers.insert(c.net.integers.end() - 1, std::move(same));
  }
  network.ops.back() = std::move(end);
  return {};
}

}  // namespace tputwin::net::pass
