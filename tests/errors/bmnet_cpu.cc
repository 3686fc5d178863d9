// TW-NET: the int8 interpreter and the host's operators.
#include <bmnet/targets/cpu/cpu_op.hpp>

#include "base/errors/bmnet.h"
#include "bmnet/cpu_ops/cpu_ops.h"
#include "bmnet/reference/execute.h"
#include "errors/trigger.h"

namespace tputwin::testing {
namespace {

using namespace net;

// Runs a net of one layer on one byte.
Status run_layer(const std::string& type, std::vector<float> weight = {}) {
  Network network;
  const char* types[] = {"start", type.c_str(), "end"};
  for (int i = 0; i < 3; ++i) {
    TensorOp& op = network.ops.emplace_back();
    op.set_name(std::string("op") + std::to_string(i));
    op.set_type(types[i]);
    op.mutable_tg_prelu_param();
    if (i > 0) op.add_bottom(i == 1 ? "in" : "out"), *op.add_input_shape() = make_shape({1, 1});
    if (i < 2) op.add_top(i == 0 ? "in" : "out"), *op.add_output_shape() = make_shape({1, 1});
  }
  if (!weight.empty()) network.blobs["op1"] = {Blob{{1}, weight}};
  return run_int8(network, std::vector<LayerIntegers>(3), {{"in", {1}}}).status();
}

TW_TRIGGER(net_ir_type, [] { return run_layer("tg_magic"); });
TW_TRIGGER(net_not_integer, [] { return run_layer("tg_prelu", {0.5F}); });
TW_TRIGGER(net_cpu_shape, [] {
  bmnet::LayerParameter op;
  op.set_type("Softmax");
  return run_cpu_op(op, {}, {});
});

struct AnyOp : bmnet::CpuOp {
  void run() override {}
};

// The plugin throws only the text of the error to the runtime.
TW_TRIGGER(net_cpu_payload, []() -> Status {
  char payload[] = "\xff\xff\xff";
  try {
    AnyOp().parse_cmd(payload, 3);
  } catch (const std::exception& error) {
    const std::string text = error.what();
    if (text.find("TW-NET-0502") != std::string::npos) return Error(errors::net_cpu_payload);
  }
  return {};
});

}  // namespace
}  // namespace tputwin::testing
