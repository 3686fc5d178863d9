// Positions that sort an axis, and the sorted values (torch.sort with stable=True).
#include "host/operator.h"
#include "host/order.h"

namespace tputwin::host {

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
