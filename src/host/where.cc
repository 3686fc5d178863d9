// x where the condition is not zero, else y (ONNX Where). Shapes are broadcast. NaN is not zero.
// Also elements that a mask chooses, and arrays repeated to a computed shape (ONNX Expand).
#include <algorithm>

#include "host/broadcast.h"
#include "host/operator.h"

namespace tputwin::host {

OperatorFunction make_where(Parameters&) {
  return [](Call& call) -> Status {
    auto shape = broadcast(call.shape(1), call.shape(2));
    if (shape) shape = broadcast(*shape, call.shape(0));
    if (!shape) return call.fail("the shapes go together");
    if (call.in(1).type() != call.in(2).type()) return call.fail("x and y have one type");
    return call.same_type_output(0, 1, *shape, [&](auto x, auto out) -> Status {
      using T = typename decltype(out)::value_type;
      const auto& y = std::get<std::vector<T>>(call.in(2).values);
      const auto of_x = broadcast_offsets(call.shape(1), *shape);
      const auto of_y = broadcast_offsets(call.shape(2), *shape);
      const auto of_condition = broadcast_offsets(call.shape(0), *shape);
      std::visit(
          [&](const auto& condition) {
            for (size_t i = 0; i < out.size(); ++i)
              out[i] = condition[of_condition[i]] != 0 ? x[of_x[i]] : y[of_y[i]];
          },
          call.in(0).values);
      return {};
    });
  };
}

// Repeats extents of 1, and adds leading axes.
OperatorFunction make_expand(Parameters&) {
  return [](Call& call) -> Status {
    TW_ASSIGN_OR_RETURN(wanted, call.integers(1));
    if (wanted.size() > kMaxRank) return call.fail("at most 8 axes");
    if (std::ranges::any_of(wanted, [](int64_t extent) { return extent < 0; }))
      return call.fail("extents are at least 0");
    const auto shape = broadcast(call.shape(0), wanted);
    if (!shape) return call.fail("the shapes go together");
    return call.same_type_output(0, 0, *shape, [&](auto in, auto out) -> Status {
      const auto from = broadcast_offsets(call.shape(0), *shape);
      for (size_t i = 0; i < out.size(); ++i) out[i] = in[from[i]];
      return {};
    });
  };
}

// The elements whose mask is not zero, in order (torch.masked_select). Shapes are broadcast.
OperatorFunction make_masked_select(Parameters&) {
  return [](Call& call) -> Status {
    const auto shape = broadcast(call.shape(0), call.shape(1));
    if (!shape) return call.fail("the shapes go together");
    const auto of_data = broadcast_offsets(call.shape(0), *shape);
    const auto of_mask = broadcast_offsets(call.shape(1), *shape);
    std::vector<size_t> chosen;
    std::visit(
        [&](const auto& mask) {
          for (size_t i = 0; i < of_mask.size(); ++i)
            if (mask[of_mask[i]] != 0) chosen.push_back(of_data[i]);
        },
        call.in(1).values);
    return call.same_type_output(0, 0, {static_cast<int64_t>(chosen.size())},
                                 [&](auto in, auto out) -> Status {
                                   for (size_t i = 0; i < chosen.size(); ++i)
                                     out[i] = in[chosen[i]];
                                   return {};
                                 });
  };
}

}  // namespace tputwin::host
