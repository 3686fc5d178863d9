// Pass fuse: ReLU becomes part of the layer before it.
//
// A ReLU without slope behind the only layer that makes its input becomes that layer's
// do_activation. The chip's own ReLU bit of convolutions is not used: it would make the result
// unsigned.
#include <algorithm>

#include "bmnet/pipeline/compilation.h"
#include "bmnet/pipeline/passes.h"

namespace tputwin::net::pass {
namespace {

// Sets do_activation of a layer that has it.
bool activate(TensorOp& op) {
  if (op.type() == "tg_convolution")
    op.mutable_tg_convolution_param()->set_do_activation(true);
  else if (op.type() == "tg_inner_product")
    op.mutable_tg_inner_product_param()->set_do_activation(true);
  else if (op.type() == "tg_scale")
    op.mutable_tg_scale_param()->set_do_activation(true);
  else if (op.type() == "tg_eltwise")
    op.mutable_tg_eltwise_param()->set_do_activation(true);
  else
    return false;
  return true;
}

bool is_plain_relu(const TensorOp& op) {
  return op.type() == "tg_activation" && op.tg_activation_param().activation() == ::bmnet::RELU &&
         op.tg_activation_param().activation_arg_size() == 0;
}

size_t readers(const Network& net, const std::string& tensor) {
  size_t n = 0;
  for (const TensorOp& op : net.ops)
    n += static_cast<size_t>(std::count(op.bottom().begin(), op.bottom().end(), tensor));
  return n;
}

}  // namespace

Status fuse(Compilation& c) {
  if (!c.at_least(Level::layer_group)) return {};
  std::vector<TensorOp>& ops = c.net.network.ops;
  for (size_t i = 0; i < ops.size(); ++i) {
    if (!is_plain_relu(ops[i]) || readers(c.net.network, ops[i].bottom(0)) != 1) continue;
    auto maker = std::find_if(
        ops.begin(), ops.begin() + static_cast<ptrdiff_t>(i),
        [&](const TensorOp& op) { return op.top_size() == 1 && op.top(0) == ops[i].bottom(0); });
    if (maker == ops.begin() + static_cast<ptrdiff_t>(i) || !activate(*maker)) continue;
    maker->set_top(0, ops[i].top(0));
    const size_t from = static_cast<size_t>(maker - ops.begin());
    c.net.integers[from].threshold_y = c.net.integers[i].threshold_y;
    ops.erase(ops.begin() + static_cast<ptrdiff_t>(i));
    c.net.integers.erase(c.net.integers.begin() + static_cast<ptrdiff_t>(i));
    --i;
  }
  return {};
}

}  // namespace tputwin::net::pass
