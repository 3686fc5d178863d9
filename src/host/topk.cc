// The k largest or smallest values along an axis, and their positions (ONNX TopK). The values are
// sorted; of equal values the first ones are chosen. Also whole axes, sorted.
#include "host/operator.h"
#include "host/order.h"

namespace tputwin::host {

OperatorFunction make_topk(Parameters& parameters) {
  const int64_t axis_wanted = parameters.integer("axis", -1);
  const int64_t k_wanted = parameters.integer("k", -1, -1);
  const bool largest = parameters.flag("largest", true);
  parameters.flag("sorted", true);  // sorted results also satisfy sorted=0
  return [=](Call& call) -> Status {
    TW_ASSIGN_OR_RETURN(axis, call.axis(0, axis_wanted));
    const AxisView view = view_axis(call.shape(0), axis);
    int64_t k = k_wanted;
    if (call.inputs() > 1) {
      TW_ASSIGN_OR_RETURN(given, call.integers(1));
      if (given.size() != 1) return call.fail("input 1 is one value, k");
      k = given[0];
    }
    if (k < 0 || k > view.extent)
      return call.fail("k is 0 to " + std::to_string(view.extent) + ", not " + std::to_string(k));
    Shape shape = call.shape(0);
    shape[axis] = k;
    std::vector<int64_t> positions(static_cast<size_t>(view.outer * k * view.inner));
    TW_RETURN_IF_ERROR(call.same_type_output(0, 0, shape, [&](auto in, auto out) -> Status {
      for_each_line(view, k, [&](int64_t from, int64_t to) {
        const auto order = sorted_positions(in.data() + from, view.extent, view.inner, largest);
        for (int64_t i = 0; i < k; ++i) {
          const auto at = static_cast<size_t>(to + i * view.inner);
          const int64_t position = order[static_cast<size_t>(i)];
          positions[at] = position;
          out[at] = in[static_cast<size_t>(from + position * view.inner)];
        }
      });
      return {};
    }));
    return call.write_integers(1, std::move(shape), positions);
  };
}

// Positions that sort an axis, and the sorted values (torch.sort with stable=True).
OperatorFunction make_argsort(Parameters& parameters) {
  const int64_t axis_wanted = parameters.integer("axis", -1);
  const bool descending = parameters.flag("descending", false);
  return [=](Call& call) -> Status {
    TW_ASSIGN_OR_RETURN(axis, call.axis(0, axis_wanted));
    const AxisView view = view_axis(call.shape(0), axis);
    std::vector<int64_t> positions(call.in(0).size());
    std::visit(
        [&](const auto& in) {
          for_each_line(view, view.extent, [&](int64_t from, int64_t to) {
            const auto order =
                sorted_positions(in.data() + from, view.extent, view.inner, descending);
            for (int64_t i = 0; i < view.extent; ++i)
              positions[static_cast<size_t>(to + i * view.inner)] = order[static_cast<size_t>(i)];
          });
        },
        call.in(0).values);
    TW_RETURN_IF_ERROR(call.write_integers(0, call.shape(0), positions));
    if (call.outputs() == 1) return {};
    return call.same_type_output(1, 0, call.shape(0), [&](auto in, auto out) -> Status {
      for_each_line(view, view.extent, [&](int64_t from, int64_t) {
        for (int64_t i = 0; i < view.extent; ++i) {
          const auto at = static_cast<size_t>(from + i * view.inner);
          out[at] = in[static_cast<size_t>(from + positions[at] * view.inner)];
        }
      });
      return {};
    });
  };
}

}  // namespace tputwin::host
