// Positions of non-zero elements, in order (ONNX NonZero: axes x count; torch.nonzero: count x
// axes). NaN is not zero.
#include "host/operator.h"

namespace tputwin::host {

OperatorFunction make_nonzero(Parameters& parameters) {
  const bool by_element = parameters.word("order", {"onnx", "torch"}) == 1;
  return [=](Call& call) -> Status {
    const Shape& from = call.shape(0);
    if (from.empty()) return call.fail("the input has axes");
    std::vector<int64_t> found;  // offsets
    std::visit(
        [&](const auto& in) {
          for (size_t i = 0; i < in.size(); ++i)
            if (in[i] != 0) found.push_back(static_cast<int64_t>(i));
        },
        call.in(0).values);
    const size_t axes = from.size(), number = found.size();
    std::vector<int64_t> positions(axes * number);
    for (size_t i = 0; i < number; ++i)
      for (size_t axis = axes; axis-- > 0; found[i] /= from[axis])
        positions[by_element ? i * axes + axis : axis * number + i] = found[i] % from[axis];
    Shape shape{static_cast<int64_t>(axes), static_cast<int64_t>(number)};
    if (by_element) std::swap(shape[0], shape[1]);
    return call.write_integers(0, std::move(shape), positions);
  };
}

}  // namespace tputwin::host
