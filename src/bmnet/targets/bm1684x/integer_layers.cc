// Layers whose results are integers of the model.
#include <algorithm>
#include <set>

#include "bmnet/targets/bm1684x/choose_types.h"

namespace tputwin::net::bm1684x {
namespace {

// True if whole operands give whole results. A Floor makes whole numbers of quotients.
bool keeps_integers(const TensorOp& op) {
  if (is(op, Op::function)) {
    const std::string& name = op.tg_function_param().name();
    return name == "floor" || name == "sign" || name == "is_positive";
  }
  if (is(op, Op::activation)) return op.tg_activation_param().activation() == ::bmnet::ABS;
  if (is(op, Op::arithmetic))
    return op.bottom_size() == 2 ||
           op.tg_arithmetic_param().operation() != ::bmnet::TGArithmeticParameter::DIV;
  return has_trait(op, trait::moves_elements) || is(op, Op::eltwise) || is(op, Op::reduction) ||
         is(op, Op::power) || is(op, Op::scale) || is(op, Op::clip);
}

}  // namespace

std::vector<std::string> integer_layers(const Network& network) {
  std::set<std::string> integers;
  std::vector<std::string> layers;
  for (const TensorOp& op : network.ops) {
    const bool is_integer = is(op, Op::function) && op.tg_function_param().name() == "integer";
    const bool reads_integers =
        op.bottom_size() > 0 && std::ranges::all_of(op.bottom(), [&](const std::string& t) {
          return integers.contains(t);
        });
    if (!is_integer && !(reads_integers && keeps_integers(op))) continue;
    integers.insert(op.top().begin(), op.top().end());
    layers.push_back(op.name());
  }
  return layers;
}

}  // namespace tputwin::net::bm1684x
