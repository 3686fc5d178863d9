// Concatenations of one block of a dense net, as one that grows.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "bmnet/ir/network.h"

namespace tputwin::net::bm1684x {

// Replaces inputs of a concatenation that another one has joined before by the result of that. The
// tensors are then stored inside each other, and nothing is copied.
//
// `ranges` holds thresholds of bytes, by tensor. Concatenations inside each other get the largest
// of their thresholds, if no one grows to more than twice its own. So do tensors that nothing but
// one such concatenation reads: they would be rounded to its steps anyway.
// `have_one_type` is true for layers whose results have the same numbers.
void join_concats(Network& network, std::map<std::string, float>& ranges,
                  const std::function<bool(const TensorOp&, const TensorOp&)>& have_one_type);

}  // namespace tputwin::net::bm1684x
