// The operators of the host, by IR type and by plugin.
#include "bmnet/cpu_ops/cpu_ops.h"

#include "bmnet/cpu_ops/operator.h"
#include "bmnet/ir/ops.h"

namespace tputwin::net {
namespace operators {

using enum trait::Trait;

constexpr std::string_view kNoType = "tg_none";

struct Row {
  // Type in the IR; kNoType for plugins of customized layers.
  std::string_view type;
  std::string_view plugin;  // file name of the plugin
  Status (*run)(const cpu::Call&);
  unsigned traits = no_traits;
};

constexpr Row kOperators[] = {
#define TW_OP_HOST(name, plugin, function, traits, ...) \
  {"tg_" #name, #plugin, cpu::function, traits},
#define TW_PLUGIN(name, plugin, function) {"tg_" #name, #plugin, cpu::function},
#include "bmnet/ir/ops.def"
};

}  // namespace operators

namespace {

using operators::kNoType;
using operators::Row;

const Row* find(std::string_view type) {
  for (const Row& row : operators::kOperators)
    if (type != kNoType && (row.type == type || row.plugin == type)) return &row;
  return nullptr;
}

}  // namespace

std::string_view cpu_plugin_name(std::string_view ir_type) {
  const Row* row = find(ir_type);
  return row != nullptr && row->type == ir_type ? row->plugin : "";
}

bool has_float_output(std::string_view ir_type) {
  const Row* row = find(ir_type);
  return row != nullptr && (row->traits & trait::float_results) != 0;
}

bool reads_only_shapes(std::string_view type) {
  const Row* row = find(type);
  return row != nullptr && (row->traits & trait::shapes_only) != 0;
}

Status run_cpu_op(const ::bmnet::LayerParameter& op, std::span<const ConstTensor> inputs,
                  std::span<const MutableTensor> outputs) {
  const cpu::Call call{op, inputs, outputs};
  const Row* row = find(op.type());
  if (row == nullptr) return cpu::fail(call, "no operator of this type");
  if (inputs.empty() || outputs.empty()) return cpu::fail(call, "inputs and outputs are wanted");
  if (row->type == kNoType || row->type == op.type()) return row->run(call);
  // Operators find their parameters by the IR type. A plugin's call has the plugin's name.
  ::bmnet::LayerParameter typed = op;
  typed.set_type(std::string(row->type));
  return row->run({typed, inputs, outputs});
}

}  // namespace tputwin::net
