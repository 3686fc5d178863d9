// Slices at positions along an axis (ONNX Gather), and rows of a table (torch's embedding).
#include <algorithm>

#include "host/index.h"

namespace tputwin::host {
namespace {

// Copies data[..., indices, ...] along the axis.
Status gather(Call& call, size_t data, size_t axis, const Shape& index_shape,
              const std::vector<int64_t>& indices) {
  const Shape& from = call.shape(data);
  const AxisView view = view_axis(from, axis);
  Shape shape(from.begin(), from.begin() + static_cast<ptrdiff_t>(axis));
  shape.insert(shape.end(), index_shape.begin(), index_shape.end());
  shape.insert(shape.end(), from.begin() + static_cast<ptrdiff_t>(axis) + 1, from.end());
  return call.same_type_output(0, data, std::move(shape), [&](auto in, auto out) -> Status {
    auto to = out.begin();
    for (int64_t outer = 0; outer < view.outer; ++outer)
      for (int64_t index : indices) {
        TW_ASSIGN_OR_RETURN(at, position(call, index, view.extent));
        const auto begin = in.begin() + (outer * view.extent + at) * view.inner;
        to = std::copy(begin, begin + view.inner, to);
      }
    return {};
  });
}

}  // namespace

OperatorFunction make_gather(Parameters& parameters) {
  const int64_t axis_wanted = parameters.integer("axis", 0);
  return [=](Call& call) -> Status {
    TW_ASSIGN_OR_RETURN(axis, call.axis(0, axis_wanted));
    TW_ASSIGN_OR_RETURN(indices, call.integers(1));
    return gather(call, 0, axis, call.shape(1), indices);
  };
}

OperatorFunction make_embedding(Parameters&) {
  return [](Call& call) -> Status {
    TW_RETURN_IF_ERROR(call.require_rank(1, 2));
    TW_ASSIGN_OR_RETURN(indices, call.integers(0));
    if (std::ranges::any_of(indices, [](int64_t index) { return index < 0; }))
      return call.fail("rows are counted from 0");
    return gather(call, 1, 0, call.shape(0), indices);
  };
}

}  // namespace tputwin::host
