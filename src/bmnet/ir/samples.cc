// Samples of a batch, operation by operation.
#include "bmnet/ir/samples.h"

#include <algorithm>

namespace tputwin::net {
namespace {

// Results of these operations are rows or priors, not samples.
bool is_head_of_detector(const TensorOp& op) {
  switch (properties(op.type()).op) {
    case Op::prior_box:
    case Op::detectoutput:
    case Op::proposal:
    case Op::roi_pooling:
    case Op::psroi_pooling:
    case Op::yolopost:
    case Op::host:
      return true;
    default:
      return false;
  }
}

}  // namespace

bool is_per_sample(const TensorOp& op) {
  for (const TensorShape& shape : op.output_shape())
    if (shape.dim(0) != op.input_shape(0).dim(0)) return false;
  switch (properties(op.type()).op) {
    case Op::concat:
      return op.tg_concat_param().axis() != 0;
    case Op::slice:
      return op.tg_slice_param().axis() != 0;
    case Op::permute:
      return op.tg_permute_param().order(0) == 0;
    case Op::softmax:
      return op.tg_softmax_param().axis() != 0 &&
             (!op.tg_softmax_param().has_addend_shape() ||
              op.tg_softmax_param().addend_shape().dim(0) == 1);
    case Op::tile:
      return op.tg_tile_param().axis() != 0;
    case Op::reverse:
      return op.tg_reverse_param().axis() != 0;
    case Op::standardize:
      return op.tg_standardize_param().axis() != 0 && !op.tg_standardize_param().per_channel();
    case Op::arithmetic:
      return op.bottom_size() == 2 || op.tg_arithmetic_param().b_shape().dim(0) == 1;
    case Op::reduction:
      return op.tg_reduction_param().axis() != 0;
    case Op::matmul:
      return op.output_shape(0).dim_size() > 2;
    case Op::top_values:
      return op.tg_top_values_param().axis() != 0;
    case Op::top_positions:
      return op.tg_top_positions_param().axis() != 0;
    case Op::host:
      return false;
    default:
      return true;
  }
}

bool mixes_samples(const Network& network) {
  return std::ranges::any_of(network.ops, [](const TensorOp& op) {
    const bool computes = !is(op, Op::start) && !is(op, Op::end) && op.input_shape_size() > 0;
    return computes && !is_head_of_detector(op) && !is_per_sample(op);
  });
}

}  // namespace tputwin::net
