// The table of operations.
#include "bmnet/ir/ops.h"

#include <algorithm>
#include <iterator>

namespace tputwin::net {
namespace table {

using enum trait::Trait;

constexpr OpProperties kOps[] = {
#define TW_OP_END(name) {Op::name, #name, RunsOn::nothing, no_traits},
#define TW_OP_TPU(name, traits, ...) {Op::name, "tg_" #name, RunsOn::tpu, traits},
#define TW_OP_HOST(name, plugin, function, traits, ...) \
  {Op::name, "tg_" #name, RunsOn::host, traits},
#define TW_OP_SUBNET(name, traits, ...) {Op::name, "tg_" #name, RunsOn::host, traits},
#define TW_OP_CODE(name) {Op::name, "tg_" #name, RunsOn::code, no_traits},
#include "bmnet/ir/ops.def"
    {Op::unknown, "", RunsOn::nothing, no_traits}};

}  // namespace table

namespace {

using table::kOps;

bool is_relu(const TensorOp& op) {
  return is(op, Op::activation) && op.tg_activation_param().activation() == ::bmnet::RELU;
}

bool has_slope(const TensorOp& op) {
  const auto& p = op.tg_activation_param();
  return p.activation_arg_size() > 0 && p.activation_arg(0) != 0;
}

}  // namespace

const OpProperties& properties(std::string_view type) {
  const auto* last = std::prev(std::end(kOps));
  return *std::find_if(std::begin(kOps), last,
                       [&](const OpProperties& o) { return o.type == type; });
}

std::string_view type_name(Op op) { return kOps[static_cast<size_t>(op)].type; }

bool has_trait(const TensorOp& op, trait::Trait trait) {
  return (properties(op.type()).traits & trait) != 0;
}

bool can_leave_to_host(const TensorOp& op) {
  static constexpr std::string_view kPlugins[] = {
#define TW_PLUGIN(name, plugin, function) "tg_" #name,
#include "bmnet/ir/ops.def"
  };
  return properties(op.type()).runs_on == RunsOn::tpu &&
         (has_trait(op, trait::moves_elements) ||
          std::ranges::find(kPlugins, op.type()) != std::end(kPlugins));
}

bool is_left_to_host(const TensorOp& op) {
  return op.cpu_op() && properties(op.type()).runs_on == RunsOn::tpu;
}

bool runs_on_host(const TensorOp& op) {
  if (properties(op.type()).runs_on == RunsOn::host) return true;
  return is_left_to_host(op) && (!has_trait(op, trait::moves_elements) || is(op, Op::upsample));
}

bool is_plain_relu(const TensorOp& op) { return is_relu(op) && !has_slope(op); }
bool is_leaky_relu(const TensorOp& op) { return is_relu(op) && has_slope(op); }

bool keeps_threshold(const TensorOp& op) {
  if (is_left_to_host(op) && is_plain_relu(op)) return false;
  return has_trait(op, trait::keeps_threshold) || is_plain_relu(op);
}

bool needs_entry(const TensorOp& op) {
  if (is_left_to_host(op)) return false;
  return has_trait(op, trait::needs_entry) || is_leaky_relu(op);
}

bool holds_floats(const TensorOp& op, int top) {
  return top < op.output_shape_size() && op.output_shape(top).data_type_size() == 4;
}

}  // namespace tputwin::net
