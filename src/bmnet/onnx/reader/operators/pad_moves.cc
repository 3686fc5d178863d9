// Padding of long axes: the parts before and after the tensor are moved, and joined with it.
#include "bmnet/onnx/reader/operators/pad_moves.h"

#include <algorithm>

namespace tputwin::net::onnx_reader {
namespace {

// The zeros that convolutions add, in several steps, and the extent that weighted sums pad.
constexpr int64_t kMostZeros = 60, kLongestSums = 4096;

class Mover {
 public:
  Mover(Expansion& made, const std::string& mode, float value)
      : made_(made), mode_(mode), value_(value) {}

  // Returns x with its surroundings along an axis.
  std::string around(const std::string& x, const Dims& dims, size_t axis, const Sides& sides) {
    std::vector<std::string> parts;
    if (sides.before > 0) add(parts, x, dims, axis, sides.before, true);
    parts.push_back(x);
    if (sides.behind > 0) add(parts, x, dims, axis, sides.behind, false);
    return made_.add("Concat", parts, {{"axis", static_cast<int64_t>(axis)}});
  }

 private:
  void add(std::vector<std::string>& parts, const std::string& x, const Dims& dims, size_t axis,
           int64_t count, bool is_before) {
    const int64_t size = dims[axis];
    if (mode_ == "constant") return parts.push_back(block(dims, axis, count));
    if (mode_ == "edge") {
      const int64_t at = is_before ? 0 : size - 1;
      return parts.push_back(tile(slice(x, axis, at, at + 1, 1), dims, axis, count));
    }
    if (mode_ == "reflect") {
      // Elements count ... 1, or size - 2 ... size - 1 - count. A begin of 0 is an end before it.
      const int64_t from = is_before ? count : size - 2, last = from - count + 1;
      return parts.push_back(slice(x, axis, from, last == 0 ? -size - 1 : last - 1, -1));
    }
    // wrap: whole copies, and a part on the far side of them.
    const int64_t copies = count / size, rest = count % size;
    if (rest != 0 && is_before) parts.push_back(slice(x, axis, size - rest, size, 1));
    if (copies > 0) parts.push_back(copies == 1 ? x : tile(x, dims, axis, copies));
    if (rest != 0 && !is_before) parts.push_back(slice(x, axis, 0, rest, 1));
  }

  std::string block(Dims dims, size_t axis, int64_t count) {
    dims[axis] = count;
    return made_.reals(dims, std::vector<float>(static_cast<size_t>(elements(dims)), value_));
  }

  std::string tile(const std::string& x, const Dims& dims, size_t axis, int64_t count) {
    Dims repeats(dims.size(), 1);
    repeats[axis] = count;
    return made_.add("Tile", {x, made_.integers(repeats)});
  }

  std::string slice(const std::string& x, size_t axis, int64_t begin, int64_t end, int64_t step) {
    return made_.add("Slice",
                     {x, made_.integers({begin}), made_.integers({end}),
                      made_.integers({static_cast<int64_t>(axis)}), made_.integers({step})});
  }

  Expansion& made_;
  const std::string& mode_;
  const float value_;
};

}  // namespace

bool is_long_pad(const std::vector<Sides>& sides, const Dims& dims, const std::string& mode) {
  for (const size_t axis : {size_t{2}, size_t{3}}) {
    const Sides& s = sides[axis];
    const int64_t most = std::max(s.before, s.behind), extent = dims[axis] + s.before + s.behind;
    if (mode == "constant" ? most > kMostZeros : most > 0 && extent > kLongestSums) return true;
  }
  return false;
}

void pad_by_moves(Node& node, const std::vector<Sides>& sides, Dims dims, Dims pads,
                  const std::string& mode, float value) {
  const size_t rank = node.dims().size();
  dims.resize(rank);
  Expansion made(node);
  std::string y = made.in(0);
  if (std::ranges::any_of(pads, [](int64_t pad) { return pad < 0; })) {
    for (int64_t& pad : pads) pad = std::min<int64_t>(pad, 0);
    y = made.add("Pad", {y, made.integers(pads), made.real(value)}, {{"mode", mode}});
  }
  Mover mover(made, mode, value);
  for (size_t axis = 0; axis < rank; ++axis) {
    if (!sides[axis].any()) continue;
    y = mover.around(y, dims, axis, sides[axis]);
    dims[axis] += sides[axis].before + sides[axis].behind;
  }
  made.set(y);
}

}  // namespace tputwin::net::onnx_reader
