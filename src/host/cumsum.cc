// Sums up to each element along an axis (ONNX CumSum). Sums are fp32, in the order of the elements.
// With integers=1 they are exact, and those that fp32 cannot hold are an error.
#include "host/operator.h"

namespace tputwin::host {
namespace {

struct Sums {
  int64_t axis = 0;
  bool exclusive = false, reverse = false, integers = false;
};

// Writes the sums of `count` elements that are `step` apart.
template <class Number>
Status sum_up(const Call& call, const Sums& sums, const float* in, float* out, int64_t count,
              int64_t step) {
  Number sum = 0;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t at = (sums.reverse ? count - 1 - i : i) * step;
    const Number before = sum;
    sum += in[at];
    const Number result = sums.exclusive ? before : sum;
    if (sums.integers) TW_RETURN_IF_ERROR(call.require_exact(result));
    out[at] = static_cast<float>(result);
  }
  return {};
}

Status cumulate(Call& call, const Sums& sums) {
  const Shape shape = call.shape(0);
  TW_ASSIGN_OR_RETURN(axis, call.axis(0, sums.axis));
  int64_t outer = 1, inner = 1;
  for (size_t i = 0; i < shape.size(); ++i)
    if (i != axis) (i < axis ? outer : inner) *= shape[i];
  TW_ASSIGN_OR_RETURN(in, call.floats(0));
  TW_ASSIGN_OR_RETURN(out, call.float_output(0, shape));
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < inner; ++i) {
      const int64_t first = o * shape[axis] * inner + i;
      const auto sum = sums.integers ? sum_up<double> : sum_up<float>;
      TW_RETURN_IF_ERROR(
          sum(call, sums, in.data() + first, out.data() + first, shape[axis], inner));
    }
  return {};
}

}  // namespace

OperatorFunction make_cumsum(Parameters& parameters) {
  constexpr auto kMostAxes = static_cast<int64_t>(kMaxRank);
  const Sums sums{.axis = parameters.integer("axis", 0, -kMostAxes, kMostAxes - 1),
                  .exclusive = parameters.flag("exclusive", false),
                  .reverse = parameters.flag("reverse", false),
                  .integers = parameters.flag("integers", false)};
  return [=](Call& call) { return cumulate(call, sums); };
}

}  // namespace tputwin::host
