// The data, with slices replaced by updates or combined with them, at positions (ONNX ScatterND).
// Updates of one position apply in order; without a reduction the last one wins. Also elements at
// positions along one axis (ONNX ScatterElements): data[index[i][j]][j] = updates[i][j] for axis 0.
#include <algorithm>

#include "host/index.h"

namespace tputwin::host {
namespace {

enum Reduction : size_t { kNone, kAdd, kMul, kMax, kMin };

// As max and min of numpy: NaN propagates.
template <class T>
T reduce(size_t reduction, T there, T update) {
  switch (reduction) {
    case kAdd:
      if constexpr (std::is_integral_v<T>)
        return static_cast<T>(static_cast<uint32_t>(there) + static_cast<uint32_t>(update));
      return there + update;
    case kMul:
      if constexpr (std::is_integral_v<T>)
        return static_cast<T>(static_cast<uint32_t>(there) * static_cast<uint32_t>(update));
      return there * update;
    case kMax:
      return there < update || update != update ? update : there;
    case kMin:
      return update < there || update != update ? update : there;
    default:
      return update;
  }
}

}  // namespace

OperatorFunction make_scatternd(Parameters& parameters) {
  const size_t reduction = parameters.word("reduction", {"none", "add", "mul", "max", "min"});
  return [=](Call& call) -> Status {
    const Shape &data = call.shape(0), &index = call.shape(1);
    if (index.empty() || index.back() < 1 || static_cast<size_t>(index.back()) > data.size())
      return call.fail("the last axis of the positions is 1 to the axes of the data");
    const auto depth = static_cast<size_t>(index.back());
    Shape wanted(index.begin(), index.end() - 1);
    wanted.insert(wanted.end(), data.begin() + static_cast<ptrdiff_t>(depth), data.end());
    if (wanted != call.shape(2)) return call.fail("the updates are " + describe(wanted));
    if (call.in(0).type() != call.in(2).type())
      return call.fail("the updates have the type of the data");
    TW_ASSIGN_OR_RETURN(indices, call.integers(1));
    const int64_t slice = count({data.begin() + static_cast<ptrdiff_t>(depth), data.end()});
    return call.same_type_output(0, 0, data, [&](auto in, auto out) -> Status {
      using T = typename decltype(out)::value_type;
      const auto& updates = std::get<std::vector<T>>(call.in(2).values);
      std::ranges::copy(in, out.begin());
      for (size_t i = 0; i < indices.size() / depth; ++i) {
        TW_ASSIGN_OR_RETURN(
            offset,
            slice_offset(call, data, 0, std::span(indices).subspan(i * depth, depth), slice));
        for (int64_t k = 0; k < slice; ++k) {
          T& there = out[static_cast<size_t>(offset + k)];
          there = reduce(reduction, there,
                         updates[i * static_cast<size_t>(slice) + static_cast<size_t>(k)]);
        }
      }
      return {};
    });
  };
}

OperatorFunction make_scatter_elements(Parameters& parameters) {
  const int64_t axis_wanted = parameters.integer("axis", 0);
  const size_t reduction = parameters.word("reduction", {"none", "add", "mul", "max", "min"});
  return [=](Call& call) -> Status {
    TW_ASSIGN_OR_RETURN(axis, call.axis(0, axis_wanted));
    TW_ASSIGN_OR_RETURN(indices, call.integers(1));
    const Shape &data = call.shape(0), &index = call.shape(1);
    TW_RETURN_IF_ERROR(call.require_rank(1, data.size()));
    if (index != call.shape(2)) return call.fail("there is an update for each position");
    if (call.in(0).type() != call.in(2).type())
      return call.fail("the updates have the type of the data");
    for (size_t i = 0; i < index.size(); ++i)
      if (i != axis && index[i] > data[i]) return call.fail("the positions reach beyond the data");
    return call.same_type_output(0, 0, data, [&](auto in, auto out) -> Status {
      using T = typename decltype(out)::value_type;
      const auto& updates = std::get<std::vector<T>>(call.in(2).values);
      std::ranges::copy(in, out.begin());
      Shape at(index.size(), 0);  // multi-index of the update
      for (size_t update = 0; update < updates.size(); ++update) {
        Shape to = at;
        to[axis] = indices[update];
        TW_ASSIGN_OR_RETURN(offset, slice_offset(call, data, 0, to, 1));
        T& there = out[static_cast<size_t>(offset)];
        there = reduce(reduction, there, updates[update]);
        for (size_t i = at.size(); i-- > 0 && ++at[i] == index[i];) at[i] = 0;
      }
      return {};
    });
  };
}

}  // namespace tputwin::host
