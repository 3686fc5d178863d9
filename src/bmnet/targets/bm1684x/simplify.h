// Rewriting of a float net so that more layers can follow each other in local memory.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "bmnet/ir/network.h"

namespace tputwin::net::bm1684x {

// Turns factors that are all equal into powers, and adds constants to the biases of inner products.
// Layers of two tensors repeat values as they read them. Reshapes move behind functions of one
// value, where pairs of them disappear. Readers skip reshapes that kernels view alike.
// A factor of a product, from 1/32 to 1, multiplies the left operand instead if that is smaller.
// `has_bytes`: layers of two tensors that bytes can have stay, and those that `bytes` names.
// Returns the new tensors, and those with other values than before, as multiples of earlier ones.
struct Multiple {
  std::string tensor;
  float factor = 1;
};
// BytesOfLayers says what layers of bytes need on targets that pack them.
struct BytesOfLayers {
  // True for layers that may read bytes, and must stay what they are.
  std::function<bool(const TensorOp&)> keeps;
  // True if the constants that a layer adds may become the bias of an inner product.
  std::function<bool(const TensorOp& product, const TensorOp& sum)> may_be_bias;
};
std::map<std::string, Multiple> simplify(Network& network, bool has_bytes,
                                         const BytesOfLayers& bytes = {});

}  // namespace tputwin::net::bm1684x
