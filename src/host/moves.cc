// Moves of elements: the axes in another order (ONNX Transpose), arrays one after the other
// (Concat) and a part of an axis (Slice).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "host/operator.h"

namespace tputwin::host {
namespace {

constexpr int64_t kMostParts = int64_t{1} << 20;

Status transpose(Call& call, const std::vector<int64_t>& given) {
  const Shape& from = call.shape(0);
  std::vector<size_t> order;
  std::vector<bool> seen(from.size());
  for (size_t i = from.size(); given.empty() && i-- > 0;) order.push_back(i);
  for (const int64_t wanted : given) {
    TW_ASSIGN_OR_RETURN(axis, call.axis(0, wanted));
    if (seen[axis]) return call.fail("the order has each axis once");
    seen[axis] = true;
    order.push_back(axis);
  }
  if (order.size() != from.size()) return call.fail("the order has each axis once");
  Shape shape, steps(from.size(), 1), strides;
  for (size_t i = from.size(); i-- > 1;) steps[i - 1] = steps[i] * from[i];
  for (const size_t axis : order) {
    shape.push_back(from[axis]);
    strides.push_back(steps[axis]);
  }
  return call.same_type_output(0, 0, shape, [&](auto in, auto out) -> Status {
    Shape at(shape.size(), 0);
    for (auto& element : out) {
      int64_t offset = 0;
      for (size_t i = 0; i < at.size(); ++i) offset += at[i] * strides[i];
      element = in[static_cast<size_t>(offset)];
      for (size_t i = at.size(); i-- > 0 && ++at[i] == shape[i];) at[i] = 0;
    }
    return {};
  });
}

Status concat(Call& call, int64_t axis_wanted) {
  TW_ASSIGN_OR_RETURN(axis, call.axis(0, axis_wanted));
  Shape shape = call.shape(0);
  shape[axis] = 0;
  for (size_t i = 0; i < call.inputs(); ++i) {
    Shape other = call.shape(i);
    if (other.size() != shape.size() || call.in(i).type() != call.in(0).type())
      return call.fail("inputs have one type, and as many axes");
    const int64_t extent = std::exchange(other[axis], shape[axis]);
    if (other != shape) return call.fail("inputs are equal but for the axis");
    shape[axis] += extent;
  }
  return call.same_type_output(0, 0, shape, [&](auto, auto out) -> Status {
    using List = std::vector<typename decltype(out)::value_type>;
    const AxisView whole = view_axis(shape, axis);
    int64_t begin = 0;
    for (size_t i = 0; i < call.inputs(); ++i) {
      const auto& part = std::get<List>(call.in(i).values);
      const int64_t run = call.shape(i)[axis] * whole.inner;
      for (int64_t outer = 0; outer < whole.outer; ++outer)
        std::copy_n(part.begin() + outer * run, run,
                    out.begin() + outer * whole.extent * whole.inner + begin);
      begin += run;
    }
    return {};
  });
}

// A part of an axis, as in ONNX: bounds beyond the ends are the ends.
struct Part {
  int64_t axis, start, end, step;
};

// One of equal parts of an axis, the last of which may be smaller (ONNX Split).
struct EqualPart {
  int64_t axis, number, parts;
  bool divides;  // the parts must be equal
};

Status slice(Call& call, const Part& part) {
  TW_ASSIGN_OR_RETURN(axis, call.axis(0, part.axis));
  const AxisView from = view_axis(call.shape(0), axis);
  const int64_t size = from.extent, step = part.step;
  const auto from_front = [&](int64_t at) {
    return at < 0 ? std::max<int64_t>(at + size, -1) : at;
  };
  const int64_t least = step > 0 ? 0 : -1, most = step > 0 ? size : size - 1;
  // A negative bound counts from the end; with a negative step, the lowest number is the end.
  const int64_t begin = std::clamp(from_front(part.start), least, most);
  const int64_t end = std::clamp(from_front(part.end), least, most);
  const int64_t span = step > 0 ? end - begin : begin - end;
  const int64_t found = span > 0 ? (span - 1) / std::abs(step) + 1 : 0;
  Shape shape = call.shape(0);
  shape[axis] = found;
  return call.same_type_output(0, 0, std::move(shape), [&](auto in, auto out) -> Status {
    auto to = out.begin();
    for (int64_t outer = 0; outer < from.outer; ++outer)
      for (int64_t i = 0; i < found; ++i)
        to = std::copy_n(in.begin() + (outer * size + begin + i * step) * from.inner, from.inner,
                         to);
    return {};
  });
}

// Takes bounds and the step from element `number` of the inputs after the first one.
Status computed_slice(Call& call, Part part, size_t number) {
  int64_t* const values[] = {&part.start, &part.end, &part.step};
  for (size_t i = 1; i < call.inputs(); ++i) {
    TW_ASSIGN_OR_RETURN(given, call.integers(i));
    if (number >= given.size()) return call.fail("starts, ends and steps have one for each axis");
    *values[i - 1] = given[number];
  }
  if (part.step == 0) return call.fail("a step is not 0");
  return slice(call, part);
}

Status equal_part(Call& call, const EqualPart& part) {
  TW_ASSIGN_OR_RETURN(axis, call.axis(0, part.axis));
  const int64_t extent = call.shape(0)[axis], size = (extent + part.parts - 1) / part.parts;
  if (part.divides && extent % part.parts != 0)
    return call.fail(fmt::format("the extent {} has {} equal parts", extent, part.parts));
  return slice(call, {part.axis, part.number * size, (part.number + 1) * size, 1});
}

// Repeats an array along its axes (ONNX Tile).
Status tile(Call& call, const std::vector<int64_t>& repeats) {
  const Shape& from = call.shape(0);
  if (repeats.size() != from.size()) return call.fail("there is one repeat for each axis");
  Shape shape = from;
  for (size_t i = 0; i < shape.size(); ++i) shape[i] *= repeats[i];
  return call.same_type_output(0, 0, shape, [&](auto in, auto out) -> Status {
    Shape at(shape.size(), 0);
    for (auto& element : out) {
      int64_t offset = 0;
      for (size_t i = 0; i < at.size(); ++i) offset = offset * from[i] + at[i] % from[i];
      element = in[static_cast<size_t>(offset)];
      for (size_t i = at.size(); i-- > 0 && ++at[i] == shape[i];) at[i] = 0;
    }
    return {};
  });
}

std::vector<int64_t> list_of_integers(Parameters& parameters, std::string_view key, int64_t least) {
  std::vector<int64_t> result;
  for (const float value : parameters.list(key)) {
    parameters.require(
        value >= static_cast<float>(least) && value < 0x1p24F && value == std::trunc(value), key,
        "it is integers with commas");
    result.push_back(static_cast<int64_t>(value));
  }
  return result;
}

}  // namespace

OperatorFunction make_tile(Parameters& parameters) {
  const auto repeats = list_of_integers(parameters, "repeats", 0);
  return [=](Call& call) { return tile(call, repeats); };
}

OperatorFunction make_transpose(Parameters& parameters) {
  const auto order = list_of_integers(parameters, "order", -int64_t{kMaxRank});
  return [=](Call& call) { return transpose(call, order); };
}

OperatorFunction make_concat(Parameters& parameters) {
  const int64_t axis = parameters.integer("axis", 0);
  return [=](Call& call) { return concat(call, axis); };
}

OperatorFunction make_slice(Parameters& parameters) {
  const Part part{.axis = parameters.integer("axis", 0),
                  .start = parameters.integer("start", 0),
                  .end = parameters.integer("end", std::numeric_limits<int32_t>::max()),
                  .step = parameters.integer("step", 1)};
  parameters.require(part.step != 0, "step", "not 0");
  const auto number = static_cast<size_t>(parameters.integer("number", 0, 0, kMaxRank));
  const EqualPart equal{part.axis, parameters.integer("part", 0, 0, kMostParts - 1),
                        parameters.integer("parts", 0, 0, kMostParts),
                        parameters.flag("divides", false)};
  parameters.require(equal.parts == 0 || equal.number < equal.parts, "part", "one of the parts");
  return [=](Call& call) {
    if (equal.parts != 0) return equal_part(call, equal);
    return call.inputs() > 1 ? computed_slice(call, part, number) : slice(call, part);
  };
}

}  // namespace tputwin::host
