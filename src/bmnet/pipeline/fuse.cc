// Pass fuse: fuses ReLU into the layer before it.
//
// A ReLU without slope is fused if it is the only reader of its input. It becomes the do_activation
// of the producer. The chip's ReLU bit of convolutions is not used because it would make the result
// unsigned.
#include <algorithm>

#include "bmnet/pipeline/compilation.h"
#include "bmnet/pipeline/passes.h"

namespace tputwin::net::pass {
namespace {

// Sets do_activation of a layer. Returns false if the layer does not have it.
bool activate(TensorOp& op) {
  if (!has_trait(op, trait::takes_relu)) return false;
  const auto* param = TensorOp::descriptor()->FindFieldByName(op.type() + "_param");
  const auto* flag = param->message_type()->FindFieldByName("do_activation");
  auto* message = op.GetReflection()->MutableMessage(&op, param);
  message->GetReflection()->SetBool(message, flag, true);
  return true;
}

// Converts a clip whose table is that of a ReLU. Quantized ONNX has such clips if the zero point is
// the lowest integer.
void make_relu(TensorOp& op, LayerIntegers& integers) {
  if (!is(op, Op::clip) || !integers.table) return;
  for (int x = -128; x < 128; ++x)
    if ((*integers.table)[static_cast<uint8_t>(x)] != std::max(x, 0)) return;
  op.clear_tg_clip_param();
  set_type(op, Op::activation);
  op.mutable_tg_activation_param()->set_activation(::bmnet::RELU);
  integers.table.reset();
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
    make_relu(ops[i], c.net.integers[i]);
    if (!is_plain_relu(ops[i]) || readers(c.net.network, ops[i].bottom(0)) != 1) continue;
    auto producer = std::find_if(
        ops.begin(), ops.begin() + static_cast<ptrdiff_t>(i),
        [&](const TensorOp& op) { return op.top_size() == 1 && op.top(0) == ops[i].bottom(0); });
    if (producer == ops.begin() + static_cast<ptrdiff_t>(i) ||
        is_left_to_host(*producer) != is_left_to_host(ops[i]) || !activate(*producer))
      continue;
    producer->set_top(0, ops[i].top(0));
    *producer->mutable_output_shape(0) = ops[i].output_shape(0);
    const size_t from = static_cast<size_t>(producer - ops.begin());
    c.net.integers[from].threshold_y = c.net.integers[i].threshold_y;
    ops.erase(ops.begin() + static_cast<ptrdiff_t>(i));
    c.net.integers.erase(c.net.integers.begin() + static_cast<ptrdiff_t>(i));
    --i;
  }
  return {};
}

}  // namespace tputwin::net::pass
