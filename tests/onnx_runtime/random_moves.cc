// Random models of moves in all forms, and of indices that are tensors.
#include <cmath>

#include "onnx_runtime/draft_extents.h"

namespace tputwin::test {
namespace {

std::string indices(Draft& d, const std::string& name, const Dims& dims, int64_t extent,
                    bool negative = true) {
  d.builder.input(name, dims, onnx::TensorProto::INT64);
  net::Blob blob{dims, {}};
  for (int64_t i = count(dims); i > 0; --i)
    blob.data.push_back(static_cast<float>(negative ? d.range(0, 2 * extent - 1) - extent
                                                    : d.range(0, extent - 1)));
  d.inputs[name] = blob;
  return name;
}

// ---- Moves ----

void pad(Draft& d) {
  const Dims x = extents(d, 1, 5);
  const std::string mode = d.rng.pick({"constant", "constant", "edge", "reflect", "wrap"});
  Dims pads;
  for (int side = 0; side < 2; ++side)
    for (const int64_t extent : x)
      pads.push_back(d.rng.coin() ? 0
                     : mode == "constant"
                         ? d.range(0, 4) - (d.rng.chance(1, 5) && extent > 2 ? 1 : 0)
                         : d.range(0, std::min<int64_t>(extent - 1, 3)));
  std::vector<std::string> names{d.input("x", x), d.integers("p", pads)};
  if (mode == "constant" && d.rng.coin())
    d.builder.weights("v", {}, {d.rng.pick({0.0f, 1.5f, -INFINITY, 1e30f})}), names.push_back("v");
  set(d.builder.node("Pad", names, {"y"}), "mode", mode);
}

void slice(Draft& d) {
  Dims x = extents(d);
  Dims starts, ends, axes, steps;
  for (size_t i = 0; i < x.size(); ++i) {
    if (d.rng.coin()) continue;
    const bool back = d.rng.chance(1, 3);
    axes.push_back(static_cast<int64_t>(i));
    starts.push_back(back ? -1 : d.range(0, x[i] - 1));
    ends.push_back(back ? INT64_MIN : d.rng.coin() ? INT64_MAX : x[i]);
    steps.push_back(back ? -d.range(1, 3) : d.range(1, 3));
  }
  if (axes.empty()) axes = {0}, starts = {0}, ends = {INT64_MAX}, steps = {2};
  d.builder.node("Slice",
                 {d.input("x", x), d.integers("b", starts), d.integers("e", ends),
                  d.integers("a", axes), d.integers("s", steps)},
                 {"y"});
}

void split(Draft& d) {
  Dims x = extents(d);
  const int64_t axis = d.axis(x.size());
  const Dims parts = several(d, static_cast<size_t>(d.range(2, 4)), 1, 4);
  x[at(axis, x)] = 0;
  for (const int64_t part : parts) x[at(axis, x)] += part;
  std::vector<std::string> outputs{"y"};
  for (size_t i = 1; i < parts.size(); ++i) {
    outputs.push_back(fmt::format("z{}", i));
    d.builder.output(outputs.back());
  }
  const std::string in = d.input("x", x);
  set(d.builder.node("Split", {in, d.integers("s", parts)}, outputs), "axis", axis);
}

void transpose(Draft& d) {
  const Dims x = extents(d, 2);
  Dims order;
  for (size_t i = 0; i < x.size(); ++i) order.push_back(static_cast<int64_t>(i));
  for (size_t i = order.size(); i-- > 1;) std::swap(order[i], order[d.rng.below(i + 1)]);
  set(d.builder.node("Transpose", {d.input("x", x)}, {"y"}), "perm", order);
}

void expand(Draft& d) {
  Dims x = extents(d, 1, 5), to = x;
  for (size_t i = 0; i < x.size(); ++i)
    if (x[i] == 1 && d.rng.coin()) to[i] = d.range(1, 6);
  if (d.rng.coin()) to.insert(to.begin(), d.range(1, 3));
  d.builder.node("Expand", {d.input("x", x), d.integers("s", to)}, {"y"});
}

void tile(Draft& d) {
  const Dims x = extents(d, 1, 6, false);
  d.builder.node("Tile", {d.input("x", x), d.integers("r", several(d, x.size(), 1, 3))}, {"y"});
}

void space_to_depth(Draft& d) {
  const int64_t block = d.range(1, 4);
  set(d.builder.node("SpaceToDepth",
                     {d.input("x", {d.range(1, 2), d.range(1, 5), block * d.range(1, 4),
                                    block * d.range(1, 4)})},
                     {"y"}),
      "blocksize", block);
}

void resize(Draft& d) {
  const auto axes = static_cast<size_t>(d.range(1, 2));
  Dims x{d.range(1, 2), d.range(1, 70)}, sizes = x;
  for (size_t i = 0; i < axes; ++i) x.push_back(d.range(1, 9)), sizes.push_back(d.range(1, 19));
  auto& node =
      d.builder.node("Resize", {d.input("x", x), "", "", d.integers("sizes", sizes)}, {"y"});
  const std::string mode = d.rng.pick({"nearest", "linear", "cubic"});
  set(node, "mode", mode);
  set(node, "coordinate_transformation_mode",
      std::string(d.rng.pick({"half_pixel", "asymmetric", "pytorch_half_pixel", "align_corners",
                              "half_pixel_symmetric"})));
  if (mode == "nearest")
    set(node, "nearest_mode",
        std::string(d.rng.pick({"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"})));
  if (mode == "cubic" && d.rng.coin()) set(node, "exclude_outside", int64_t{1});
  if (mode == "cubic" && d.rng.coin()) set(node, "cubic_coeff_a", -0.5f);
  if (mode != "nearest" && d.rng.chance(1, 3)) set(node, "antialias", int64_t{1});
}

// ---- Indices ----

void gather(Draft& d) {
  const Dims x = extents(d, 1, 4);
  const int64_t axis = d.axis(x.size());
  const Dims shape = extents(d, 1, 2, false);
  set(d.builder.node("Gather", {d.input("x", x), indices(d, "i", shape, x[at(axis, x)])}, {"y"}),
      "axis", axis);
}

void gather_elements(Draft& d) {
  const Dims x = extents(d, 1, 4);
  const int64_t axis = d.axis(x.size());
  Dims shape = x;
  shape[at(axis, x)] = d.range(1, 4);
  set(d.builder.node("GatherElements", {d.input("x", x), indices(d, "i", shape, x[at(axis, x)])},
                     {"y"}),
      "axis", axis);
}

void gather_nd(Draft& d) {
  Dims x = extents(d, 2, 4, false);
  const int64_t depth = d.range(1, static_cast<int64_t>(x.size()));
  int64_t least = 9;
  for (int64_t i = 0; i < depth; ++i) least = std::min(least, x[static_cast<size_t>(i)]);
  d.builder.node("GatherND", {d.input("x", x), indices(d, "i", {d.range(1, 4), depth}, least)},
                 {"y"});
}

void scatter_nd(Draft& d) {
  const Dims x = extents(d, 2, 4, false);
  Dims updates{1};
  updates.insert(updates.end(), x.begin() + 1, x.end());
  d.builder.node("ScatterND",
                 {d.input("x", x), indices(d, "i", {1, 1}, x[0]), d.input("u", updates)}, {"y"});
}

}  // namespace

std::vector<Kind> kinds_of_moves() {
  return {{"Pad-wide", 19, pad},
          {"Slice-wide", 13, slice},
          {"Split-wide", 13, split},
          {"Transpose-wide", 13, transpose},
          {"Expand", 13, expand},
          {"Tile-wide", 13, tile},
          {"SpaceToDepth", 13, space_to_depth},
          {"Resize-wide", 19, resize},
          {"Gather-tensor", 13, gather},
          {"GatherElements-tensor", 13, gather_elements},
          {"GatherND-tensor", 13, gather_nd},
          {"ScatterND-tensor", 16, scatter_nd}};
}

}  // namespace tputwin::test
