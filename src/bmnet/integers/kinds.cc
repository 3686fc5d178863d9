#include "bmnet/integers/kinds.h"

#include <algorithm>
#include <array>

#include "bmnet/cpu_ops/cpu_ops.h"

namespace tputwin::net {

bool is_move(std::string_view type) {
  constexpr std::array kMoves{"tg_reshape", "tg_permute",  "tg_slice",
                              "tg_crop",    "tg_upsample", "tg_reorg",
                              "tg_tile",    "tg_reverse",  "tg_shuffle_channel"};
  return std::ranges::find(kMoves, type) != kMoves.end();
}

namespace {

bool is_relu(const TensorOp& op) {
  return op.type() == "tg_activation" && op.tg_activation_param().activation() == ::bmnet::RELU;
}

bool has_slope(const TensorOp& op) {
  const auto& p = op.tg_activation_param();
  return p.activation_arg_size() > 0 && p.activation_arg(0) != 0;
}

}  // namespace

bool is_plain_relu(const TensorOp& op) { return is_relu(op) && !has_slope(op); }
bool is_leaky_relu(const TensorOp& op) { return is_relu(op) && has_slope(op); }

bool keeps_threshold(const TensorOp& op) { return is_move(op.type()) || is_plain_relu(op); }

bool is_weighted(std::string_view type) {
  return type == "tg_convolution" || type == "tg_inner_product" || type == "tg_scale";
}

bool has_integer_blobs(std::string_view type) {
  return is_weighted(type) || type == "tg_prelu" || type == "tg_batchnorm";
}

bool needs_entry(const TensorOp& op) {
  return is_weighted(op.type()) || op.type() == "tg_pooling" || op.type() == "tg_prelu" ||
         op.type() == "tg_eltwise" || op.type() == "tg_lrn" || is_leaky_relu(op);
}

bool is_host_op(const TensorOp& op) { return !cpu_plugin_name(op.type()).empty(); }

bool holds_floats(const TensorOp& op, int top) {
  return top < op.output_shape_size() && op.output_shape(top).data_type_size() == 4;
}

}  // namespace tputwin::net
