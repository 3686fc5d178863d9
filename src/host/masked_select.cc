// The elements whose mask is not zero, in order (torch.masked_select). Shapes are broadcast.
#include "host/broadcast.h"
#include "host/operator.h"

namespace tputwin::host {

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
