// Declarations that the operators of this directory share. Each operator has a file of its own.
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

// Extents in Caffe's order. Missing trailing extents are 1; extents after the fourth are multiplied
// into it.
struct Shape4 {
  int64_t n = 1, c = 1, h = 1, w = 1;
};
template <class Tensor>
Shape4 shape4(const Tensor& tensor) {
  auto at = [&](size_t i) { return i < tensor.shape.size() ? tensor.shape[i] : 1; };
  return {at(0), at(1), at(2), product(tensor.shape, 3, tensor.shape.size())};
}

// A shape around one axis: `outer` times `extent` times `inner` elements.
struct AxisView {
  int64_t outer = 1, extent = 1, inner = 1;
};

Error fail(const Call& call, std::string rule);
// Checks for at least `inputs` inputs and exactly one output. If `same`, all must have one shape.
Status require(const Call& call, size_t inputs, bool same = false);
Result<AxisView> view_axis(const Call& call, const std::vector<int64_t>& shape, int axis);

// Softmax of `count` values at a distance of `step`.
void softmax(const float* in, float* out, int64_t count, int64_t step);

// Computes a + b in the result's shape. Extents of 1 are repeated.
Status add_repeated(const Call& call, const ConstTensor& a, const ConstTensor& b, float* sum);

// The operators, declared from column `function` of ir/ops.def.
#define TW_OP_HOST(name, plugin, function, traits, ...) Status function(const Call&);
#define TW_PLUGIN(name, plugin, function) Status function(const Call&);
#include "bmnet/ir/ops.def"

}  // namespace tputwin::net::cpu
