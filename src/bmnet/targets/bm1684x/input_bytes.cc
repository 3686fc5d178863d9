// Inputs that have bytes in the model.
#include "bmnet/targets/bm1684x/input_bytes.h"

#include <algorithm>

namespace tputwin::net::bm1684x {

bool keeps_numbers(const TensorOp& op) {
  if (is(op, Op::pooling)) return op.tg_pooling_param().pool() == ::bmnet::TGPoolingParameter::MAX;
  return has_trait(op, trait::moves_elements) && !is(op, Op::concat);
}

std::map<std::string, Numbers> bytes_of_inputs(const Network& network) {
  std::map<std::string, Numbers> bytes;
  for (const auto& [input, type] : network.byte_inputs) bytes[input] = {type, 1};
  for (const TensorOp& op : network.ops) {
    if (!keeps_numbers(op) && !is(op, Op::concat)) continue;
    const auto from = bytes.find(op.bottom(0));
    if (from == bytes.end()) continue;
    const Numbers numbers = from->second;
    if (std::ranges::all_of(op.bottom(), [&](const std::string& t) {
          const auto own = bytes.find(t);
          return own != bytes.end() && own->second == numbers;
        }))
      for (const std::string& t : op.top()) bytes[t] = numbers;
  }
  return bytes;
}

}  // namespace tputwin::net::bm1684x
