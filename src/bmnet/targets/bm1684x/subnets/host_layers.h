// Layers that the host computes: rewriting before the compiler's passes.
#pragma once

#include "bmnet/ir/network.h"

namespace tputwin::net::bm1684x {

// Turns layers that the chip has no commands for, and the host has an operator for, into "tg_host".
// Reshapes of what the host reads become operators of the host, too.
Status place_on_host(Network& network);

// Returns an operator of the host without inputs and results, which the other two functions add.
TensorOp host_layer(const std::string& name, std::string text);
void add_input(TensorOp& op, const std::string& tensor, const TensorShape& shape);
void add_result(TensorOp& op, const std::string& tensor, const TensorShape& shape);

// Returns true if the net has operators of the host.
bool has_host_layers(const Network& network);

// Returns an order of the layers in which those of the chip, and those of the host, follow each
// other as far as possible.
std::vector<size_t> order_by_place(const Network& network);

// Returns the tensor that a chain of reshapes renames.
const std::string& renamed_tensor(const Network& network, const std::string& tensor);

}  // namespace tputwin::net::bm1684x
