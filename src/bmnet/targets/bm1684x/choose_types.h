// The choice of the numbers of every tensor, and the conversions where they differ.
#pragma once

#include "bmnet/integers/quantized_net.h"
#include "bmnet/targets/bm1684x/numbers.h"

namespace tputwin::net::bm1684x {

struct TypeChoice {
  bool float_inputs = true;   // inputs of the net are fp32; otherwise of the type of the net
  bool float_outputs = true;  // the same for outputs
};

// Chooses the numbers of all tensors but those that `types` has already. Inserts operations "cast"
// that convert tensors, and sets the sizes of elements. With bytes the net has the thresholds of
// its tensors.
void choose_types(QuantizedNet& net, const TypeChoice& choice, Types& types);

// Returns true if the operation has commands for bytes.
bool computes_bytes(const TensorOp& op);

// Returns the layers that make integers of floats, and those that compute with such integers.
std::vector<std::string> integer_layers(const Network& network);

}  // namespace tputwin::net::bm1684x
