// Other shapes for the same elements (ONNX Reshape, Squeeze, Unsqueeze), and shapes as values
// (ONNX Shape).
#include <algorithm>

#include "host/operator.h"

namespace tputwin::host {
namespace {

// Copies an array into another shape of as many elements.
Status reshaped(Call& call, Shape shape) {
  return call.same_type_output(0, 0, std::move(shape), [](auto in, auto out) -> Status {
    std::ranges::copy(in, out.begin());
    return {};
  });
}

// Returns the extents for which 0 and -1 stand.
Result<Shape> completed(const Call& call, Shape wanted, bool zero_is_zero) {
  const Shape& from = call.shape(0);
  int64_t others = 1, open = -1;
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] == 0 && !zero_is_zero) {
      if (i >= from.size()) return call.fail("0 keeps an extent that there is");
      wanted[i] = from[i];
    }
    if (wanted[i] < -1 || (wanted[i] == -1 && open >= 0))
      return call.fail("extents are at least 0, and one at most is -1");
    if (wanted[i] == -1)
      open = static_cast<int64_t>(i);
    else if (__builtin_mul_overflow(others, wanted[i], &others))
      return call.fail("the shape has fewer than 2^63 elements");
  }
  const int64_t elements = count(from);
  if (open >= 0 && (others == 0 || elements % others != 0))
    return call.fail("the open extent is an integer");
  if (open >= 0) wanted[static_cast<size_t>(open)] = elements / others;
  if (open < 0 && others != elements) return call.fail("both shapes have as many elements");
  return wanted;
}

}  // namespace

OperatorFunction make_reshape(Parameters& parameters) {
  const Shape given = parameters.integers("shape");
  const bool zero_is_zero = parameters.flag("allowzero", false);
  constexpr int64_t kNone = -1;
  const int64_t flat = parameters.integer("flatten", kNone, kNone, kMaxRank);
  return [=](Call& call) -> Status {
    Shape wanted = given;
    if (flat != kNone) {
      const Shape& from = call.shape(0);
      const auto middle = from.begin() + std::min<int64_t>(flat, static_cast<int64_t>(from.size()));
      wanted = {count({from.begin(), middle}), count({middle, from.end()})};
      return reshaped(call, std::move(wanted));
    }
    if (call.inputs() > 1) {
      TW_ASSIGN_OR_RETURN(values, call.integers(1));
      wanted = std::move(values);
    }
    TW_ASSIGN_OR_RETURN(shape, completed(call, std::move(wanted), zero_is_zero));
    return reshaped(call, std::move(shape));
  };
}

OperatorFunction make_squeeze(Parameters& parameters) {
  const std::vector<int64_t> axes = parameters.integers("axes");
  return [=](Call& call) -> Status {
    const Shape& from = call.shape(0);
    std::vector<bool> gone(from.size());
    for (size_t i = 0; axes.empty() && i < from.size(); ++i) gone[i] = from[i] == 1;
    for (const int64_t wanted : axes) {
      TW_ASSIGN_OR_RETURN(axis, call.axis(0, wanted));
      if (from[axis] != 1) return call.fail("an axis that goes has the extent 1");
      gone[axis] = true;
    }
    Shape shape;
    for (size_t i = 0; i < from.size(); ++i)
      if (!gone[i]) shape.push_back(from[i]);
    return reshaped(call, std::move(shape));
  };
}

OperatorFunction make_unsqueeze(Parameters& parameters) {
  const std::vector<int64_t> axes = parameters.integers("axes");
  parameters.require(axes.size() <= kMaxRank, "axes", "at most 8");
  return [=](Call& call) -> Status {
    const Shape& from = call.shape(0);
    std::vector<bool> added(from.size() + axes.size());
    const auto rank = static_cast<int64_t>(added.size());
    for (const int64_t axis : axes) {
      const int64_t at = axis < 0 ? axis + rank : axis;
      if (at < 0 || at >= rank || added[static_cast<size_t>(at)])
        return call.fail("axes are those of the result, each once");
      added[static_cast<size_t>(at)] = true;
    }
    Shape shape;
    auto next = from.begin();
    for (const bool is_new : added) shape.push_back(is_new ? 1 : *next++);
    return reshaped(call, std::move(shape));
  };
}

OperatorFunction make_shape(Parameters& parameters) {
  const int64_t start = parameters.integer("start", 0);
  const int64_t end = parameters.integer("end", kMaxRank);
  return [=](Call& call) -> Status {
    const Shape& from = call.shape(0);
    const auto rank = static_cast<int64_t>(from.size());
    const auto at = [&](int64_t i) { return std::clamp<int64_t>(i < 0 ? i + rank : i, 0, rank); };
    const int64_t first = at(start), last = std::max(first, at(end));
    const Shape extents(from.begin() + first, from.begin() + last);
    return call.write_integers(0, {last - first}, extents);
  };
}

}  // namespace tputwin::host
