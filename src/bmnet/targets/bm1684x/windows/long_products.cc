// Products of matrices whose rows are too long for local memory.
#include <algorithm>

#include "bmnet/targets/bm1684x/lower.h"
#include "bmnet/targets/bm1684x/target.h"
#include "bmnet/targets/bm1684x/windows/layer_parts.h"

namespace tputwin::net::bm1684x {
namespace {

// More samples are products of matrices, fewer are convolutions.
constexpr int64_t kFewSamples = 8;
// The longest rows of 16 bits and bytes, and those of their parts.
constexpr int64_t kLongestShort = 16384, kShortPart = 8192;

// Returns the longest rows of the left matrix: each row of the right one takes whole units of a
// lane. A quarter is left for the others. Columns that do not fill units need a copy.
int64_t longest_rows(int64_t columns) {
  const int64_t most = chip().lane_bytes / chip().eu_bytes * 3 / 4;
  const int64_t width = chip().eu_bytes / element_bytes(DType::f32);
  return columns % width == 0 ? most : most / 2;
}

int64_t columns_of(const TensorOp& op) {
  return op.output_shape(0).dim(op.output_shape(0).dim_size() - 1);
}

int64_t length_of(const TensorOp& op) {
  if (is(op, Op::matmul)) return op.input_shape(0).dim(op.input_shape(0).dim_size() - 1);
  return count(op.input_shape(0)) / op.input_shape(0).dim(0);
}

bool is_matrix_product(const TensorOp& op) {
  return is(op, Op::matmul) || op.input_shape(0).dim(0) > kFewSamples;
}

// True if a convolution has no window of this length: a prime is neither few channels nor columns.
bool has_no_window(const Extents& e) {
  const int64_t columns = chip().limits.window.extent;
  return e.c > chip().limits.channels || (columns != 0 && e.w > columns);
}

// True if a lane does not hold the weights of an output of a convolution whose window is the
// sample, and the sample.
bool is_long_window(const TensorOp& op, DType type) {
  const Extents e = window_extents(1, length_of(op));
  if (has_no_window(e)) return true;
  const int64_t sample =
      ceil_div(e.c, chip().lanes) * align_up_to(e.h * e.w * element_bytes(type), chip().eu_bytes);
  return length_of(op) * element_bytes(type) + sample > chip().lane_bytes * 7 / 8;
}

// Returns the length of parts.
int64_t part_length(const TensorOp& op, DType type) {
  constexpr int64_t kUnit = 2048;  // multiples of it have a window
  const int64_t whole = std::max(length_of(op) / kUnit * kUnit, kUnit);
  if (!is_matrix_product(op))
    return std::min<int64_t>(whole, chip().lane_bytes / 4 / element_bytes(type));
  return type == DType::f32 ? longest_rows(columns_of(op)) : kShortPart;
}

PartTensor crop_axis(LayerParts& parts, const PartTensor& x, size_t axis, Span range) {
  std::vector<int64_t> offset(4, 0), to = x.dims;
  offset[axis] = range.begin;
  to[axis] = range.count();
  return parts.crop(x, offset, to);
}

// The columns of a matrix in a range.
std::vector<float> part_of_columns(const std::vector<float>& values, int64_t length, Span range) {
  std::vector<float> part;
  for (auto row = values.begin(); row != values.end(); row += length)
    part.insert(part.end(), row + range.begin, row + range.end);
  return part;
}

PartTensor multiply(LayerParts& parts, const PartTensor& left, Span range) {
  const TensorOp& whole = parts.whole();
  TensorOp op;
  set_type(op, Op::matmul);
  const PartTensor right{whole.bottom(1), dims(whole.input_shape(1))};
  return parts.add(std::move(op), {left, crop_axis(parts, right, right.dims.size() - 2, range)});
}

PartTensor multiply_by_weights(LayerParts& parts, const PartTensor& left, int64_t length,
                               Span range) {
  const std::vector<Blob>& all = parts.blobs();
  TensorOp op;
  set_type(op, Op::inner_product);
  auto& p = *op.mutable_tg_inner_product_param();
  p = parts.whole().tg_inner_product_param();
  const bool is_first = range.begin == 0;
  p.set_bias_term(p.bias_term() && is_first);
  p.set_do_activation(false);
  op.set_cpu_op(parts.whole().cpu_op());
  std::vector<Blob> blobs{
      {{p.num_output(), range.count()}, part_of_columns(all[0].data, length, range)}};
  if (p.bias_term()) blobs.push_back(all[1]);
  const PartTensor y = parts.add(std::move(op), {left}, std::move(blobs));
  parts.set_partial_sum(y);
  return y;
}

}  // namespace

bool is_long_product(const TensorOp& op, DType type) {
  if (is(op, Op::matmul) && op.bottom_size() != 2) return false;
  if (!is(op, Op::matmul) && !is(op, Op::inner_product)) return false;
  if (!is_matrix_product(op)) return is_long_window(op, type);
  return length_of(op) > (type == DType::f32 ? longest_rows(columns_of(op)) : kLongestShort);
}

PartTensor fit_product(LayerParts& parts, DType type) {
  const TensorOp& whole = parts.whole();
  const int64_t length = length_of(whole), most = part_length(whole, type);
  const bool has_weights = is(whole, Op::inner_product);
  PartTensor left = parts.input();
  if (has_weights) left = parts.reshape(left, {left.dims[0], length});
  PartTensor result;
  for (int64_t k = 0; k < length; k += most) {
    const Span range{k, std::min(k + most, length)};
    const PartTensor part = crop_axis(parts, left, left.dims.size() - 1, range);
    const PartTensor product = has_weights ? multiply_by_weights(parts, part, length, range)
                                           : multiply(parts, part, range);
    result = k == 0 ? product : add_parts(parts, result, product);
  }
  if (!has_weights) return result;
  result = rectified(parts, result, whole.tg_inner_product_param().do_activation());
  return parts.reshape(result, dims(whole.output_shape(0)));
}

}  // namespace tputwin::net::bm1684x
