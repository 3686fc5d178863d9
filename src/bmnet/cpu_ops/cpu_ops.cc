#include "bmnet/cpu_ops/cpu_ops.h"

#include "bmnet/cpu_ops/operator.h"

namespace tputwin::net {
namespace {

struct Row {
  std::string_view type;    // IR type
  std::string_view plugin;  // file name of the plugin
  Status (*run)(const cpu::Call&);
  bool on_host = true;  // the IR type runs on the host; else only the plugin does
  bool float_output = false;
};

constexpr Row kOperators[] = {
    {"tg_softmax", "Softmax", cpu::softmax},
    {"tg_interp", "Interp", cpu::interp},
    {"tg_norm", "Normalize", cpu::normalize},
    {"tg_reduction", "Reduction", cpu::reduction},
    {"tg_prior_box", "PriorBox", cpu::prior_box, true, true},
    {"tg_detectoutput", "DetectOutput", cpu::detect_output, true, true},
    {"tg_proposal", "Proposal", cpu::proposal, true, true},
    {"tg_roi_pooling", "RoiPooling", cpu::roi_pooling},
    {"tg_psroi_pooling", "PSRoiPooling", cpu::psroi_pooling},
    {"tg_region", "Region", cpu::region, true, true},
    {"tg_yolo", "Yolo", cpu::yolo, true, true},
    {"tg_yolopost", "YoloPost", cpu::yolo_post, true, true},
    {"tg_dequantized", "Dequantized", cpu::identity, true, true},
    {"tg_tile", "Tile", cpu::tile, false},
    {"tg_reverse", "Reverse", cpu::reverse, false},
    {"tg_permute", "Permute", cpu::permute, false},
    {"", "Permute0321", cpu::permute, false},
    {"", "ELU", cpu::elu, false},
    {"", "LeakyRelu", cpu::leaky_relu, false},
};

const Row* find(std::string_view type) {
  for (const Row& row : kOperators)
    if (!type.empty() && (row.type == type || row.plugin == type)) return &row;
  return nullptr;
}

}  // namespace

std::string_view cpu_plugin_name(std::string_view ir_type) {
  const Row* row = find(ir_type);
  return row != nullptr && row->type == ir_type && row->on_host ? row->plugin : "";
}

bool has_float_output(std::string_view ir_type) {
  const Row* row = find(ir_type);
  return row != nullptr && row->float_output;
}

Status run_cpu_op(const ::bmnet::LayerParameter& op, std::span<const ConstTensor> inputs,
                  std::span<const MutableTensor> outputs) {
  const cpu::Call call{op, inputs, outputs};
  const Row* row = find(op.type());
  if (row == nullptr) return cpu::fail(call, "no operator of this type");
  if (inputs.empty() || outputs.empty()) return cpu::fail(call, "inputs and outputs are wanted");
  return row->run(call);
}

}  // namespace tputwin::net
