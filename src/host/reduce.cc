// Sums, means, products and extremes over axes (ONNX ReduceSum and others). Sums are fp32, in the
// order of the elements.
#include <algorithm>
#include <cmath>

#include "host/operator.h"

namespace tputwin::host {
namespace {

enum Folding : size_t { kFoldSum, kFoldMean, kFoldMax, kFoldMin, kFoldProduct };

float combined(size_t kind, float a, float b) {
  switch (kind) {
    case kFoldMax:
      return std::isnan(b) || b > a ? b : a;
    case kFoldMin:
      return std::isnan(b) || b < a ? b : a;
    case kFoldProduct:
      return a * b;
    default:
      return a + b;
  }
}

float first_of(size_t kind) {
  return kind == kFoldMax       ? -INFINITY
         : kind == kFoldMin     ? INFINITY
         : kind == kFoldProduct ? 1.0F
                                : 0.0F;
}

Status fold(Call& call, size_t kind, const std::vector<int64_t>& axes, bool keeps) {
  const Shape& from = call.shape(0);
  std::vector<bool> is_reduced(from.size(), axes.empty());
  for (const int64_t wanted : axes) {
    TW_ASSIGN_OR_RETURN(axis, call.axis(0, wanted));
    is_reduced[axis] = true;
  }
  Shape shape, strides(from.size(), 0);
  int64_t stride = 1, folded = 1;
  for (size_t i = from.size(); i-- > 0;) {
    if (is_reduced[i]) {
      folded *= from[i];
      continue;
    }
    strides[i] = stride;
    stride *= from[i];
  }
  for (size_t i = 0; i < from.size(); ++i)
    if (keeps || !is_reduced[i]) shape.push_back(is_reduced[i] ? 1 : from[i]);
  TW_ASSIGN_OR_RETURN(in, call.floats(0));
  TW_ASSIGN_OR_RETURN(out, call.float_output(0, std::move(shape)));
  std::ranges::fill(out, first_of(kind));
  Shape at(from.size(), 0);
  for (const float value : in) {
    int64_t to = 0;
    for (size_t i = 0; i < at.size(); ++i) to += at[i] * strides[i];
    float& result = out[static_cast<size_t>(to)];
    result = combined(kind, result, value);
    for (size_t i = at.size(); i-- > 0 && ++at[i] == from[i];) at[i] = 0;
  }
  if (kind == kFoldMean)
    for (float& result : out) result /= static_cast<float>(folded);
  return {};
}

}  // namespace

OperatorFunction make_reduce(Parameters& parameters) {
  const size_t kind = parameters.word("op", {"sum", "mean", "max", "min", "prod"});
  std::vector<int64_t> axes;
  for (const float axis : parameters.list("axes")) {
    parameters.require(std::fabs(axis) <= kMaxRank, "axes", "at most 8");
    axes.push_back(static_cast<int64_t>(axis));
  }
  const bool keeps = parameters.flag("keepdims", true);
  return [=](Call& call) { return fold(call, kind, axes, keeps); };
}

}  // namespace tputwin::host
