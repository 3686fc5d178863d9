// Sums, means, products and extremes over axes (ONNX ReduceSum and others). Sums are fp32, in the
// order of the elements. With integers=1 sums and products are exact, and those that fp32 cannot
// hold are an error.
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

Status fold(Call& call, size_t kind, const std::vector<int64_t>& axes, bool keeps, bool integers) {
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
  // Sums and products of integers are exact here.
  std::vector<double> exact(integers ? out.size() : 0, first_of(kind));
  Shape at(from.size(), 0);
  for (const float value : in) {
    int64_t offset = 0;
    for (size_t i = 0; i < at.size(); ++i) offset += at[i] * strides[i];
    const auto to = static_cast<size_t>(offset);
    if (integers)
      exact[to] = kind == kFoldProduct ? exact[to] * value : exact[to] + value;
    else
      out[to] = combined(kind, out[to], value);
    for (size_t i = at.size(); i-- > 0 && ++at[i] == from[i];) at[i] = 0;
  }
  for (size_t i = 0; i < exact.size(); ++i) {
    TW_RETURN_IF_ERROR(call.require_exact(exact[i]));
    out[i] = static_cast<float>(exact[i]);
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
  const bool integers = parameters.flag("integers", false);
  parameters.require(!integers || kind == kFoldSum || kind == kFoldProduct, "integers",
                     "it is for sum and prod");
  return [=](Call& call) { return fold(call, kind, axes, keeps, integers); };
}

}  // namespace tputwin::host
