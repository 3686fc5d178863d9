// The nodes that become operators of the host, by kind. Dims of tensors whose extents are known at
// run time are the largest ones.
#pragma once

#include "bmnet/onnx/reader/kinds.h"
#include "bmnet/onnx/reader/on_host.h"

namespace tputwin::net::onnx_reader {

inline ValueKind kind_of(const Node& node) { return kind_of_results(node).kind; }
// Returns the larger of each two extents, from the last one on.
Dims largest(const Dims& a, const Dims& b);

// Returns true if the node is an operator of two values that has been imported.
bool elements_of_host(Node& node);
// Returns true if that is an operator which elements_of_host() imports.
bool is_arithmetic_of_host(std::string_view type);
// Returns true if that is an operator which function_of_host() imports.
bool is_function_of_host(std::string_view type);
// Returns true if the node is a function of one value, or a reduction that others stand for.
bool function_of_host(Node& node);
void gelu_of_host(Node& node);
void is_inf_of_host(Node& node);
void hardmax_of_host(Node& node);
void softmax_of_host(Node& node, bool log);
void operands_of_host(Node& node, const char* type);
void bit_shift_of_host(Node& node);
void size_of_host(Node& node);
void compress_of_host(Node& node);
void range_of_host(Node& node);
void scatter_elements_of_host(Node& node);
void cast_of_host(Node& node);
void clip_of_host(Node& node);
void where_of_host(Node& node);
void gather_of_host(Node& node);
void gather_elements_of_host(Node& node);
void gather_nd_of_host(Node& node);
void scatter_nd_of_host(Node& node);
void non_zero_of_host(Node& node);
void top_k_of_host(Node& node);
void non_max_suppression_of_host(Node& node);
void grid_sample_of_host(Node& node);
void roi_align_of_host(Node& node);
void deform_conv_of_host(Node& node);
void reshape_of_host(Node& node);
void flatten_of_host(Node& node);
void squeeze_of_host(Node& node);
void unsqueeze_of_host(Node& node);
void shape_of_host(Node& node);
void transpose_of_host(Node& node);
void concat_of_host(Node& node);
void slice_of_host(Node& node);
void split_of_host(Node& node);
void if_of_host(Node& node);
void constant_of_shape_of_host(Node& node);
void expand_of_host(Node& node);
void tile_of_host(Node& node);
void pad_of_host(Node& node);
void reduce_of_host(Node& node, std::string_view operation);
void cum_sum_of_host(Node& node);
void arg_of_host(Node& node, bool smallest);

}  // namespace tputwin::net::onnx_reader
