// What the operators of this folder share. One file per operator.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>

#include "bmnet/cpu_ops/cpu_ops.h"

namespace tputwin::net::cpu {

struct Call {
  const ::bmnet::LayerParameter& op;
  std::span<const ConstTensor> in;
  std::span<const MutableTensor> out;
};

inline int64_t product(const std::vector<int64_t>& shape, size_t begin, size_t end) {
  int64_t result = 1;
  for (size_t i = begin; i < std::min(end, shape.size()); ++i) result *= shape[i];
  return result;
}
inline int64_t count(const std::vector<int64_t>& shape) { return product(shape, 0, shape.size()); }
template <class Tensor>
int64_t count(const Tensor& tensor) {
  return count(tensor.shape);
}

// Extents in Caffe's order; missing ones at the end are 1, what is beyond the fourth joins it.
struct Shape4 {
  int64_t n = 1, c = 1, h = 1, w = 1;
};
template <class Tensor>
Shape4 shape4(const Tensor& tensor) {
  auto at = [&](size_t i) { return i < tensor.shape.size() ? tensor.shape[i] : 1; };
  return {at(0), at(1), at(2), product(tensor.shape, 3, tensor.shape.size())};
}

// The shape seen from one axis: `outer` times `extent` times `inner` elements.
struct AxisView {
  int64_t outer = 1, extent = 1, inner = 1;
};

Error fail(const Call& call, std::string rule);
// At least `inputs` inputs and exactly one output; with one shape if `same`.
Status require(const Call& call, size_t inputs, bool same = false);
Result<AxisView> view_axis(const Call& call, const std::vector<int64_t>& shape, int axis);

float sigmoid(float x);
// Softmax of `count` values that lie `step` apart.
void softmax(const float* in, float* out, int64_t count, int64_t step);

// a + b of the result's shape, in which extents of 1 are repeated.
Status add_repeated(const Call& call, const ConstTensor& a, const ConstTensor& b, float* sum);

// The operators: column `function` of ir/ops.def.
#define TW_OP_HOST(name, plugin, function, traits, ...) Status function(const Call&);
#define TW_PLUGIN(name, plugin, function) Status function(const Call&);
#include "bmnet/ir/ops.def"

}  // namespace tputwin::net::cpu
