// The largest or smallest values along an axis, and their positions.
#include <cmath>
#include <limits>
#include <numeric>

#include "bmnet/cpu_ops/operator.h"

namespace tputwin::net::cpu {
namespace {

using TopParameter = ::bmnet::TGTopParameter;

// Sorts the positions of values at a distance of `step`, wanted ones first. NaN comes first, as in
// the operators of src/host.
void sort_positions(const TopParameter& param, const float* x, int64_t step,
                    std::vector<int64_t>& positions) {
  std::iota(positions.begin(), positions.end(), 0);
  if (param.last()) std::ranges::reverse(positions);
  const auto key = [&](int64_t i) {
    const float value = param.smallest() ? -x[i * step] : x[i * step];
    return std::isnan(value) ? std::numeric_limits<float>::infinity() : value;
  };
  std::ranges::stable_sort(positions, std::greater<>(), key);
}

// Returns the position of the largest or smallest value, the last one of equal values if wanted. No
// value is larger or smaller than NaN, nor is NaN: it counts as the first element only, as in ONNX
// Runtime's ArgMax and ArgMin.
int64_t best_position(const TopParameter& param, const float* x, int64_t step, int64_t extent) {
  int64_t best = 0;
  for (int64_t i = 1; i < extent; ++i) {
    const float least = x[(param.smallest() ? i : best) * step],
                most = x[(param.smallest() ? best : i) * step];
    if (param.last() ? most >= least : most > least) best = i;
  }
  return best;
}

Status top(const Call& call, const TopParameter& param, bool values) {
  TW_RETURN_IF_ERROR(require(call, 1));
  TW_ASSIGN_OR_RETURN(view, view_axis(call, call.in[0].shape, param.axis()));
  const int64_t wanted = param.count();
  if (wanted < 1 || wanted > view.extent || count(call.out[0]) != view.outer * wanted * view.inner)
    return fail(call, "count is 1 to the extent of the axis, which is count in the result");
  std::vector<int64_t> positions(static_cast<size_t>(view.extent));
  for (int64_t o = 0; o < view.outer; ++o)
    for (int64_t i = 0; i < view.inner; ++i) {
      const float* x = call.in[0].data + o * view.extent * view.inner + i;
      float* y = call.out[0].data + o * wanted * view.inner + i;
      if (!param.has_count())  // ArgMax or ArgMin
        positions[0] = best_position(param, x, view.inner, view.extent);
      else
        sort_positions(param, x, view.inner, positions);
      for (int64_t k = 0; k < wanted; ++k) {
        const int64_t at = positions[static_cast<size_t>(k)];
        y[k * view.inner] = values ? x[at * view.inner] : static_cast<float>(at);
      }
    }
  return {};
}

}  // namespace

Status top_values(const Call& call) { return top(call, call.op.tg_top_values_param(), true); }
Status top_positions(const Call& call) {
  return top(call, call.op.tg_top_positions_param(), false);
}

}  // namespace tputwin::net::cpu
