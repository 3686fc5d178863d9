// Elements before and behind each axis (ONNX Pad): a constant, the ends, or the array reflected or
// repeated. Negative pads cut elements off, before the others are added.
#include <algorithm>

#include "host/operator.h"

namespace tputwin::host {
namespace {

enum class PadMode : uint8_t { constant, edge, reflect, wrap };
constexpr int64_t kPadding = -1;  // stands for the constant

// Returns the positions along an axis that a padded one has.
Result<Shape> positions_of(const Call& call, int64_t extent, int64_t before, int64_t behind,
                           PadMode mode) {
  const int64_t first = std::max<int64_t>(0, -before);
  const int64_t kept = extent - first - std::max<int64_t>(0, -behind);
  if (kept < 0) return call.fail("negative pads cut off what there is, and no more");
  const int64_t most = std::max(before, behind);
  if (most > 0 && kept == 0 && mode != PadMode::constant)
    return call.fail("only a constant pads an axis without elements");
  if (mode == PadMode::reflect && most >= kept && most > 0)
    return call.fail("reflected pads are smaller than the extent");
  Shape positions;
  for (int64_t i = -std::max<int64_t>(0, before); i < kept + std::max<int64_t>(0, behind); ++i) {
    int64_t at = i;
    if (i < 0 || i >= kept) switch (mode) {
        case PadMode::constant:
          positions.push_back(kPadding);
          continue;
        case PadMode::edge:
          at = std::clamp<int64_t>(i, 0, kept - 1);
          break;
        case PadMode::reflect:
          at = i < 0 ? -i : 2 * (kept - 1) - i;
          break;
        case PadMode::wrap:
          at = (i % kept + kept) % kept;
          break;
      }
    positions.push_back(first + at);
  }
  return positions;
}

Status pad(Call& call, const Shape& pads, PadMode mode, float value) {
  const Shape& from = call.shape(0);
  const size_t rank = from.size();
  if (pads.size() != 2 * rank) return call.fail("there are two pads for each axis");
  std::vector<Shape> positions;
  Shape to;
  for (size_t i = 0; i < rank; ++i) {
    TW_ASSIGN_OR_RETURN(list, positions_of(call, from[i], pads[i], pads[rank + i], mode));
    to.push_back(static_cast<int64_t>(list.size()));
    positions.push_back(std::move(list));
  }
  return call.same_type_output(0, 0, to, [&](auto in, auto out) -> Status {
    using T = typename decltype(out)::value_type;
    Shape at(rank, 0);
    for (auto& element : out) {
      int64_t offset = 0;
      bool is_padding = false;
      for (size_t i = 0; i < rank; ++i) {
        const int64_t position = positions[i][static_cast<size_t>(at[i])];
        is_padding = is_padding || position == kPadding;
        offset = offset * from[i] + position;
      }
      element = is_padding ? static_cast<T>(value) : in[static_cast<size_t>(offset)];
      for (size_t i = rank; i-- > 0 && ++at[i] == to[i];) at[i] = 0;
    }
    return {};
  });
}

}  // namespace

OperatorFunction make_pad(Parameters& parameters) {
  const Shape pads = parameters.integers("pads");
  const auto mode = PadMode{
      static_cast<uint8_t>(parameters.word("mode", {"constant", "edge", "reflect", "wrap"}))};
  const float value = parameters.number("value", 0);
  parameters.require(!pads.empty() && pads.size() % 2 == 0, "pads", "it has two for each axis");
  return [=](Call& call) -> Status { return pad(call, pads, mode, value); };
}

}  // namespace tputwin::host
