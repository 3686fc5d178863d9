// Position and value of the largest or smallest element along an axis (ONNX ArgMax and ArgMin). As
// in PyTorch, a NaN is chosen before all other values. With nan=unordered, as in ONNX Runtime, no
// value replaces a NaN, and a NaN replaces none: it is chosen if it is the first element.
#include "host/operator.h"
#include "host/order.h"

namespace tputwin::host {
namespace {

struct Choice {
  bool smallest, last, is_ordered;

  // Returns true if b replaces the earlier element a.
  template <class T>
  bool better(T a, T b) const {
    if (is_nan(a) || is_nan(b)) return is_ordered && is_nan(b) && (last || !is_nan(a));
    return (smallest ? b < a : a < b) || (last && a == b);
  }
};

}  // namespace

OperatorFunction make_argmax(Parameters& parameters) {
  const int64_t axis_wanted = parameters.integer("axis", 0);
  const bool keeps = parameters.flag("keepdims", true);
  const Choice choice{.smallest = parameters.flag("smallest", false),
                      .last = parameters.flag("select_last_index", false),
                      .is_ordered = parameters.word("nan", {"largest", "unordered"}) == 0};
  return [=](Call& call) -> Status {
    TW_ASSIGN_OR_RETURN(axis, call.axis(0, axis_wanted));
    const AxisView view = view_axis(call.shape(0), axis);
    if (view.extent == 0) return call.fail("the axis has elements");
    Shape shape = call.shape(0);
    if (keeps)
      shape[axis] = 1;
    else
      shape.erase(shape.begin() + static_cast<ptrdiff_t>(axis));
    std::vector<int64_t> positions(static_cast<size_t>(view.outer * view.inner));
    std::visit(
        [&](const auto& in) {
          for_each_line(view, 1, [&](int64_t from, int64_t to) {
            auto value = [&](int64_t i) { return in[static_cast<size_t>(from + i * view.inner)]; };
            int64_t best = 0;
            for (int64_t i = 1; i < view.extent; ++i)
              if (choice.better(value(best), value(i))) best = i;
            positions[static_cast<size_t>(to)] = best;
          });
        },
        call.in(0).values);
    TW_RETURN_IF_ERROR(call.write_integers(0, shape, positions));
    if (call.outputs() == 1) return {};
    return call.same_type_output(1, 0, std::move(shape), [&](auto in, auto out) -> Status {
      for_each_line(view, 1, [&](int64_t from, int64_t to) {
        const auto at = static_cast<size_t>(to);
        out[at] = in[static_cast<size_t>(from + positions[at] * view.inner)];
      });
      return {};
    });
  };
}

}  // namespace tputwin::host
