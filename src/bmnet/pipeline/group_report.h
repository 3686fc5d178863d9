// Decisions of the compiler, as text for users (`--explain`) and as the optimized IR
// (store_prototxt).
#pragma once

#include <string>

#include "bmnet/groups/partition.h"
#include "bmnet/pipeline/compile.h"

namespace tputwin::net {

void explain_group(std::string& text, const Network& network, const PricedGroup& group);
void explain_layer(std::string& text, const TensorOp& op, std::string_view how);
void explain_total(std::string& text, const Compiled& compiled);

// Adds the tl_ layers of a group: tl_group, its kernels slice by slice with their local addresses
// and transfers, tl_group_end. A group of one kernel on one slice is added as its tg_ layer.
void describe_group(::bmnet::NetParameter& net, const Network& network, const PricedGroup& group,
                    const TensorPositions& tensors, const WeightOffsets& weights, int index);
// Adds start and end around all layers.
void frame(::bmnet::NetParameter& net, const Network& network, const Compiled& compiled);

}  // namespace tputwin::net
