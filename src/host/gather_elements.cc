// One element for each position along an axis (torch.gather, ONNX GatherElements):
// out[i][j] = data[index[i][j]][j] for axis 0 of two.
#include "host/index.h"

namespace tputwin::host {

OperatorFunction make_gather_elements(Parameters& parameters) {
  const int64_t axis_wanted = parameters.integer("axis", 0);
  return [=](Call& call) -> Status {
    TW_ASSIGN_OR_RETURN(axis, call.axis(0, axis_wanted));
    TW_ASSIGN_OR_RETURN(indices, call.integers(1));
    const Shape &from = call.shape(0), &to = call.shape(1);
    TW_RETURN_IF_ERROR(call.require_rank(1, from.size()));
    for (size_t i = 0; i < to.size(); ++i)
      if (i != axis && to[i] > from[i]) return call.fail("the positions reach beyond the data");
    return call.same_type_output(0, 0, to, [&](auto in, auto out) -> Status {
      Shape at(to.size(), 0);  // multi-index of the element
      for (size_t element = 0; element < out.size(); ++element) {
        int64_t offset = 0;
        for (size_t i = 0; i < at.size(); ++i) {
          int64_t along = at[i];
          if (i == axis) {
            TW_ASSIGN_OR_RETURN(index, position(call, indices[element], from[i]));
            along = index;
          }
          offset = offset * from[i] + along;
        }
        out[element] = in[static_cast<size_t>(offset)];
        for (size_t i = at.size(); i-- > 0 && ++at[i] == to[i];) at[i] = 0;
      }
      return {};
    });
  };
}

}  // namespace tputwin::host
