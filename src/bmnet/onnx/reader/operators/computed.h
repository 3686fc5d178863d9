// Operators whose parameters the net computes, as nodes of other operators.
#pragma once

#include "bmnet/onnx/reader/node.h"

namespace tputwin::net::onnx_reader {

// Returns true if the node has the input, and it is no constant.
bool is_computed(const Node& node, size_t input);
// Returns true if one of these inputs is computed.
bool any_computed(const Node& node, std::initializer_list<size_t> inputs);

// Clip: a maximum and a minimum.
void expand_clip(Node& node);
// Pad with a value that is computed.
void expand_pad(Node& node);
// Conv and ConvTranspose whose weights are computed: a product of matrices.
void expand_conv_of_tensors(Node& node);
void expand_conv_transpose_of_tensors(Node& node);
// Conv and ConvTranspose whose bias alone is computed: the sum is another node.
void expand_computed_bias(Node& node);
// Normalizations whose scale or offset is computed: by constants of 1 and 0, then by the tensors.
void expand_batch_normalization(Node& node);
void expand_instance_normalization(Node& node);
void expand_layer_normalization(Node& node);
// Returns true if a scale or offset of LayerNormalization is broadcast to the tensor, instead of
// having a value for each normalized element.
bool any_broadcast(const Node& node, std::initializer_list<size_t> inputs);
void expand_group_normalization(Node& node);

}  // namespace tputwin::net::onnx_reader
