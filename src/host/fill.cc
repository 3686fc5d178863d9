// An array with all elements of a shape: its own come first along each axis, then zeros. Layers of
// the chip compute with it where a run determines how many rows there are.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "host/operator.h"

namespace tputwin::host {
namespace {

// Copies rows of the last axis to where they are in the larger shape.
template <class In, class Out>
void copy_rows(const Shape& from, const Shape& to, In in, Out out) {
  const size_t last = from.size() - 1;
  Shape at(from.size(), 0);
  for (size_t begin = 0; begin < in.size(); begin += static_cast<size_t>(from[last])) {
    int64_t offset = 0;
    for (size_t i = 0; i < last; ++i) offset = (offset + at[i]) * to[i + 1];
    std::copy_n(in.begin() + static_cast<ptrdiff_t>(begin), from[last], out.begin() + offset);
    for (size_t i = last; i-- > 0 && ++at[i] == from[i];) at[i] = 0;
  }
}

}  // namespace

OperatorFunction make_fill(Parameters& parameters) {
  const Shape to = parameters.integers("shape");
  const int64_t open = parameters.integer("open", kMaxRank, 1, kMaxRank);
  parameters.require(!to.empty() && to.size() <= kMaxRank, "shape", "it has 1 to 8 extents");
  parameters.require(std::ranges::all_of(to, [](int64_t e) { return e >= 1; }), "shape",
                     "its extents are at least 1");
  return [=](Call& call) -> Status {
    const Shape& from = call.shape(0);
    const auto fail = [&](std::string_view rule) {
      return call.fail(
          fmt::format("{} ({}), not ({})", rule, fmt::join(to, ","), fmt::join(from, ",")));
    };
    if (from.size() != to.size()) return fail("the input has as many axes as");
    for (size_t i = 0; i < from.size(); ++i) {
      if (from[i] > to[i]) return fail("the input is no larger than");
      if (from[i] != to[i] && static_cast<int64_t>(i) >= open)
        return fail(fmt::format("axes from {} on have the extents", open));
    }
    return call.same_type_output(0, 0, to, [&](auto in, auto out) -> Status {
      copy_rows(from, to, in, out);
      return {};
    });
  };
}

}  // namespace tputwin::host
