// Shapes, arguments and errors, shared by operators of the host.
#include "bmnet/cpu_ops/operator.h"

#include "base/errors/bmnet.h"

#include <cmath>

namespace tputwin::net::cpu {

Error fail(const Call& call, std::string rule) {
  return Error(errors::net_cpu_shape)
      .in("layer " + call.op.name() + " (" + call.op.type() + ")")
      .detail(std::move(rule));
}

Status require(const Call& call, size_t inputs, bool same) {
  if (call.in.size() < inputs || call.out.size() != 1)
    return fail(call, std::to_string(inputs) + " inputs and one output are wanted, not " +
                          std::to_string(call.in.size()) + " and " +
                          std::to_string(call.out.size()));
  if (same && count(call.in[0]) != count(call.out[0]))
    return fail(call, "input and output have the same number of elements");
  return {};
}

Result<AxisView> view_axis(const Call& call, const std::vector<int64_t>& shape, int axis) {
  const int axes = static_cast<int>(shape.size());
  if (axis < -axes || axis >= axes) return fail(call, "axis " + std::to_string(axis));
  const auto at = static_cast<size_t>(axis < 0 ? axis + axes : axis);
  return AxisView{product(shape, 0, at), shape[at], product(shape, at + 1, shape.size())};
}

void softmax(const float* in, float* out, int64_t count, int64_t step) {
  float largest = in[0], sum = 0;
  for (int64_t i = 1; i < count; ++i) largest = std::max(largest, in[i * step]);
  for (int64_t i = 0; i < count; ++i) sum += out[i * step] = std::exp(in[i * step] - largest);
  for (int64_t i = 0; i < count; ++i) out[i * step] /= sum;
}

}  // namespace tputwin::net::cpu
