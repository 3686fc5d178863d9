// Slices at positions along several axes (ONNX GatherND). The last axis of the positions holds one
// position for each indexed axis of the data, from the first axis after the batch axes on.
#include <algorithm>

#include "host/index.h"

namespace tputwin::host {

OperatorFunction make_gathernd(Parameters& parameters) {
  const auto batch_axes = static_cast<size_t>(parameters.integer("batch_dims", 0, 0, kMaxRank));
  return [=](Call& call) -> Status {
    const Shape &data = call.shape(0), &index = call.shape(1);
    if (index.size() <= batch_axes || data.size() < batch_axes ||
        !std::equal(data.begin(), data.begin() + static_cast<ptrdiff_t>(batch_axes), index.begin()))
      return call.fail("data and positions share the batch axes");
    const auto depth = static_cast<size_t>(index.back());
    if (depth < 1 || depth > data.size() - batch_axes)
      return call.fail("the last axis of the positions is 1 to the other axes of the data");
    TW_ASSIGN_OR_RETURN(indices, call.integers(1));
    const auto sliced = data.begin() + static_cast<ptrdiff_t>(batch_axes + depth);
    Shape shape(index.begin(), index.end() - 1);
    shape.insert(shape.end(), sliced, data.end());
    const int64_t slice = count({sliced, data.end()});
    const int64_t batches =
        count({data.begin(), data.begin() + static_cast<ptrdiff_t>(batch_axes)});
    return call.same_type_output(0, 0, std::move(shape), [&](auto in, auto out) -> Status {
      const size_t lookups = indices.size() / depth;
      if (lookups == 0 || batches == 0) return {};
      const auto per_batch = static_cast<int64_t>(in.size()) / batches;
      auto to = out.begin();
      for (size_t i = 0; i < lookups; ++i) {
        const auto batch = static_cast<int64_t>(i / (lookups / static_cast<size_t>(batches)));
        TW_ASSIGN_OR_RETURN(offset,
                            slice_offset(call, data, batch_axes,
                                         std::span(indices).subspan(i * depth, depth), slice));
        const auto from = in.begin() + batch * per_batch + offset;
        to = std::copy(from, from + slice, to);
      }
      return {};
    });
  };
}

}  // namespace tputwin::host
