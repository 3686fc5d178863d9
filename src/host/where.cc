// x where the condition is not zero, else y (ONNX Where). Shapes are broadcast. NaN is not zero.
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

}  // namespace tputwin::host
