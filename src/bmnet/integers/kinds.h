// What quantisation asks about an op's type.
#pragma once

#include <string_view>

#include "bmnet/ir/network.h"

namespace tputwin::net {

// Moves bytes: what comes out has the input's threshold.
bool is_move(std::string_view type);
bool is_plain_relu(const TensorOp& op);
bool is_leaky_relu(const TensorOp& op);
// Thresholds of such an op are its input's unless the table says otherwise.
bool keeps_threshold(const TensorOp& op);
// Weights and a bias of 16 bits, a right shift.
bool is_weighted(std::string_view type);
// Blobs are integers in the int8 net. Those of operators of the host (Normalize) and of customized
// layers are floats there, too. BatchNorm: only float nets have it.
bool has_integer_blobs(std::string_view type);
// Integers that thresholds alone do not give.
bool needs_entry(const TensorOp& op);
// An operator of the host.
bool is_host_op(const TensorOp& op);
// The op's result `top` is floats in the int8 net, too.
bool holds_floats(const TensorOp& op, int top);

}  // namespace tputwin::net
