// Operators that move elements.
#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "bmnet/onnx/reader/node.h"

namespace tputwin::net::onnx_reader {
Dims around(const Dims& dims, size_t axis) {
  return {run(dims, 0, axis), dims[axis], run(dims, axis + 1, dims.size())};
}

namespace {

void reshape_to(Node& node, const Dims& result) {
  node.require(elements(result) == elements(node.dims()), "shape", text(result),
               "as many elements as " + text(node.dims()));
  node.set(node.view(node.in(0).tensor, net_dims(result)), result);
}

// Returns the part [begin, begin + extent) of an axis.
std::string part(Node& node, const std::string& x, const Dims& dims, size_t axis, int64_t begin,
                 int64_t extent, std::string_view what) {
  const bool fits = dims.size() <= 4;
  const Dims from = fits ? net_dims(dims) : around(dims, axis);
  const size_t at = fits ? axis : 1;
  if (begin == 0 && extent == from[at]) return node.view(x, from);
  TensorOp op = make_op(Op::crop);
  for (size_t i = 0; i < 4; ++i)
    op.mutable_tg_crop_param()->add_offset(i == at ? static_cast<uint32_t>(begin) : 0);
  Dims to = from;
  to[at] = extent;
  *op.add_output_shape() = make_shape(to);
  return node.add(std::move(op), {node.view(x, from)}, what);
}

std::string joined(Node& node, const std::vector<std::string>& parts, const std::vector<Dims>& dims,
                   size_t axis, std::string_view what = "") {
  if (parts.size() == 1) return parts[0];
  const bool fits = dims[0].size() <= 4;
  TensorOp op = make_op(Op::concat);
  op.mutable_tg_concat_param()->set_axis(fits ? static_cast<int>(axis) : 1);
  for (size_t i = 0; i < parts.size(); ++i)
    op.add_bottom(node.view(parts[i], fits ? net_dims(dims[i]) : around(dims[i], axis)));
  return node.add(std::move(op), {}, what);
}

constexpr size_t kMostRuns = 64;  // limit of parts that are cut and joined

}  // namespace

// ---- Views of the same elements ----

void import_reshape(Node& node) {
  const Dims& x = node.dims();
  Dims wanted = *node.list(1, "shape");
  const bool zero_is_zero = node.integer("allowzero", 0) != 0;
  int64_t known = 1, open = -1;
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] == 0 && !zero_is_zero) {
      node.require(i < x.size(), "shape", text(wanted), "0 keeps an extent that there is");
      wanted[i] = x[i];
    }
    node.require(wanted[i] >= -1 && wanted[i] != 0 && (wanted[i] > 0 || open < 0), "shape",
                 text(wanted), "extents, and one -1 at most");
    if (wanted[i] < 0)
      open = static_cast<int64_t>(i);
    else
      node.require(!__builtin_mul_overflow(known, wanted[i], &known), "shape", text(wanted),
                   "fewer than 2^31 elements");
  }
  if (open >= 0) wanted[static_cast<size_t>(open)] = elements(x) / known;
  reshape_to(node, wanted);
}

void import_flatten(Node& node) {
  const Dims& x = node.dims();
  const int64_t given = node.integer("axis", 1);
  const auto rank = static_cast<int64_t>(x.size());
  node.require(given >= -rank && given <= rank, "axis", std::to_string(given), "within the shape");
  const auto axis = static_cast<size_t>(given < 0 ? given + rank : given);
  reshape_to(node, {run(x, 0, axis), run(x, axis, x.size())});
}

void import_squeeze(Node& node) {
  const Dims& x = node.dims();
  const auto axes = node.list(1, "axes");
  std::vector<bool> gone(x.size());
  for (size_t i = 0; !axes && i < x.size(); ++i) gone[i] = x[i] == 1;
  if (axes)
    for (int64_t axis : *axes) gone[node.axis(axis, x.size())] = true;
  Dims result;
  for (size_t i = 0; i < x.size(); ++i)
    if (!gone[i]) result.push_back(x[i]);
  reshape_to(node, result);
}

void import_unsqueeze(Node& node) {
  const Dims& x = node.dims();
  const auto axes = node.list(1, "axes");
  node.require(axes.has_value() && axes->size() < 16, "axes", "none", "given");
  std::vector<bool> added(x.size() + axes->size());
  for (int64_t axis : *axes) added[node.axis(axis, added.size())] = true;
  Dims result;
  for (size_t i = 0, from = 0; i < added.size(); ++i) {
    node.require(added[i] || from < x.size(), "axes", text(*axes), "each once");
    result.push_back(added[i] ? 1 : x[from++]);
  }
  reshape_to(node, result);
}

// ---- Other moves ----

void import_transpose(Node& node) {
  const Dims& x = node.dims();
  Dims given = node.integers("perm");
  if (given.empty())
    for (size_t i = x.size(); i-- > 0;) given.push_back(static_cast<int64_t>(i));
  node.require(given.size() == x.size(), "perm", text(given), "each axis once");
  std::vector<size_t> order;
  std::vector<bool> seen(x.size());
  for (int64_t axis : given) {
    const size_t at = node.axis(axis, x.size());
    node.require(!seen[at], "perm", text(given), "each axis once");
    seen[at] = true;
    order.push_back(at);
  }
  const Dims result = permuted(x, order);
  // Uses one permutation if the net has such axes, else several steps.
  if (x.size() <= 4 && !x.empty() && result != x) {
    TensorOp op = make_op(Op::permute);
    for (size_t i = 0; i < 4; ++i)
      op.mutable_tg_permute_param()->add_order(
          static_cast<uint32_t>(i < order.size() ? order[i] : i));
    return node.set(node.add(std::move(op), {node.tensor()}, ""), result);
  }
  const std::string y = transposed(node, node.tensor(), x, order, "");
  node.set(node.view(y, net_dims(result)), result);
}

void import_concat(Node& node) {
  const size_t axis = node.axis(node.integer("axis", 1), node.dims().size());
  std::vector<std::string> parts;
  std::vector<Dims> dims;
  Dims result = node.dims();
  result[axis] = 0;
  size_t last = 0;
  for (size_t i = 0; i < node.inputs(); ++i) {
    Dims other = node.dims(i);
    node.require(other.size() == result.size(), "shapes", text(other), "as many axes as the first");
    result[axis] += other[axis];
    other[axis] = result[axis];
    node.require(other == result, "shapes", text(node.dims(i)), "equal but for the axis");
    if (run(node.dims(i), 0, 99) == 0) continue;
    last = i;
    parts.push_back(node.tensor(i));
    dims.push_back(node.dims(i));
  }
  if (parts.size() == 1) return node.set(node.in(last));
  const std::string y = joined(node, parts, dims, axis);
  node.set(result.size() <= 4 ? y : node.view(y, net_dims(result)), result);
}

// ---- Slices ----

namespace {

struct Cut {
  size_t axis = 0;
  int64_t begin = 0, count = 0, step = 1;
};

Cut cut_of(const Node& node, int64_t axis, int64_t begin, int64_t end, int64_t step) {
  const Dims& x = node.dims();
  Cut cut{.axis = node.axis(axis, x.size()), .step = step};
  const int64_t size = x[cut.axis];
  node.require(step != 0, "steps", "0", "not 0");
  const auto from_front = [&](int64_t at) { return at < 0 ? (at < -size ? -1 : at + size) : at; };
  if (step > 0) {
    cut.begin = std::clamp<int64_t>(from_front(begin), 0, size);
    const int64_t last = std::clamp<int64_t>(from_front(end), 0, size);
    cut.count = last > cut.begin ? (last - cut.begin - 1) / step + 1 : 0;
  } else {
    cut.begin = std::clamp<int64_t>(from_front(begin), -1, size - 1);
    const int64_t last = std::clamp<int64_t>(from_front(end), -1, size - 1);
    const int64_t backwards = step == INT64_MIN ? INT64_MAX : -step;
    cut.count = cut.begin > last ? (cut.begin - last - 1) / backwards + 1 : 0;
  }
  node.require(cut.count >= 1, "starts, ends", fmt::format("{}, {}", begin, end),
               "at least one element of " + text(x));
  return cut;
}

std::string reversed(Node& node, const std::string& x, const Dims& dims, size_t axis,
                     const std::string& what);

// Reverses the axis of (outer, extent, inner) as rows of columns: the rows, then the columns of
// each, instead of element by element. What is left over comes first.
std::string long_reversed(Node& node, const std::string& x, const Dims& dims,
                          const std::string& what) {
  const auto rows = static_cast<int64_t>(std::sqrt(static_cast<double>(dims[1])));
  const int64_t columns = dims[1] / rows, whole = rows * columns, rest = dims[1] - whole;
  const Dims grid{dims[0], rows, columns, dims[2]}, head{dims[0], whole, dims[2]};
  std::string y = rest == 0 ? x : part(node, x, dims, 1, 0, whole, what + "_whole");
  y = reversed(node, node.view(y, grid), grid, 1, what + "_rows");
  y = reversed(node, y, grid, 2, rest == 0 ? what : what + "_columns");
  if (rest == 0) return node.view(y, dims);
  const Dims tail{dims[0], rest, dims[2]};
  std::string last = part(node, x, dims, 1, whole, rest, what + "_rest");
  if (rest > 1) last = reversed(node, last, tail, 1, what + "_last");
  return joined(node, {last, node.view(y, head)}, {tail, head}, 1, what);
}

std::string reversed(Node& node, const std::string& x, const Dims& dims, size_t axis,
                     const std::string& what) {
  constexpr int64_t kMostElements = 256;  // that are moved one by one
  if (dims[axis] > kMostElements) return long_reversed(node, x, around(dims, axis), what);
  const bool fits = dims.size() <= 4;
  TensorOp op = make_op(Op::reverse);
  op.mutable_tg_reverse_param()->set_axis(fits ? static_cast<int>(axis) : 1);
  return node.add(std::move(op), {node.view(x, fits ? dims : around(dims, axis))}, what);
}

// Returns every `step`th element of (outer, extent, inner), of which the last one is such an
// element: the first one of each run of `step` elements, and the last one.
std::string first_of_runs(Node& node, const std::string& x, const Dims& dims, int64_t step,
                          const std::string& what) {
  const int64_t runs = dims[1] / step;
  const Dims grid{dims[0], runs, step, dims[2]}, taken{dims[0], runs, dims[2]};
  const std::string whole = part(node, x, dims, 1, 0, runs * step, what + "_runs");
  const std::string first = part(node, node.view(whole, grid), grid, 2, 0, 1, what + "_first");
  const std::string last = part(node, x, dims, 1, runs * step, 1, what + "_last");
  return joined(node, {node.view(first, taken), last}, {taken, {dims[0], 1, dims[2]}}, 1, what);
}

// Returns every `step`th element. For rows and columns, it is the maximum of windows of one
// element.
std::string strided(Node& node, const std::string& x, const Dims& dims, size_t axis, int64_t step,
                    const std::string& what) {
  if (dims.size() < 3 || dims.size() > 4 || axis < 2 || step > 15)
    return first_of_runs(node, x, around(dims, axis), step, what);
  Dims map = dims;
  map.resize(4, 1);
  TensorOp op = make_op(Op::pooling);
  auto& p = *op.mutable_tg_pooling_param();
  p.set_pool(::bmnet::TGPoolingParameter::MAX);
  for (size_t side : {size_t{2}, size_t{3}}) {
    p.add_kernel_size(1);
    p.add_stride(side == axis ? static_cast<uint32_t>(step) : 1);
    p.add_pad(0);
    p.add_pad(0);
  }
  return node.add(std::move(op), {node.view(x, map)}, what);
}

void cut(Node& node, const std::vector<Cut>& cuts) {
  Dims now = node.dims();
  std::string y = node.tensor();
  for (const Cut& c : cuts) {
    const int64_t span = (c.count - 1) * std::abs(c.step) + 1;
    const int64_t begin = c.step > 0 ? c.begin : c.begin - span + 1;
    y = part(node, y, now, c.axis, begin, span, fmt::format("cut{}", c.axis));
    now[c.axis] = span;
    if (c.step == 1 || span == 1) continue;
    if (c.step < 0) y = reversed(node, y, now, c.axis, fmt::format("turn{}", c.axis));
    if (std::abs(c.step) == 1) continue;
    y = strided(node, y, now, c.axis, std::abs(c.step), fmt::format("step{}", c.axis));
    now[c.axis] = c.count;
    y = node.view(y, net_dims(now));
  }
  node.set(node.view(y, net_dims(now)), now);
}

}  // namespace

void import_slice(Node& node) {
  const auto starts = node.list(1, "starts"), ends = node.list(2, "ends");
  auto axes = node.list(3, "axes");
  const Dims steps = node.has(4) ? node.weights(4, "steps").whole() : Dims();
  node.require(starts && ends && starts->size() == ends->size(), "starts", "", "as many as ends");
  if (!axes) {
    axes.emplace(starts->size());
    std::iota(axes->begin(), axes->end(), int64_t{0});
  }
  node.require(axes->size() == starts->size() && (steps.empty() || steps.size() == starts->size()),
               "axes", text(*axes), "as many as starts");
  std::vector<Cut> cuts;
  for (size_t i = 0; i < starts->size(); ++i)
    cuts.push_back(
        cut_of(node, (*axes)[i], (*starts)[i], (*ends)[i], steps.empty() ? 1 : steps[i]));
  cut(node, cuts);
}

void import_gather(Node& node) {
  if (node.graph.has_subnets && node.constant(1) == nullptr) return import_of_host(node);
  const Dims& x = node.dims();
  const Constant& indices = node.weights(1, "indices");
  const size_t axis = node.axis(node.integer("axis", 0), x.size());
  std::vector<std::pair<int64_t, int64_t>> runs;  // begin, extent
  for (int64_t index : indices.whole()) {
    if (index < 0) index += x[axis];
    node.require(index >= 0 && index < x[axis], "indices", std::to_string(index),
                 "within " + text(x));
    if (!runs.empty() && runs.back().first + runs.back().second == index)
      ++runs.back().second;
    else
      runs.emplace_back(index, 1);
  }
  if (node.graph.has_subnets && runs.size() > kMostRuns) return import_of_host(node);
  node.require(!runs.empty() && runs.size() <= kMostRuns, "indices", std::to_string(runs.size()),
               fmt::format("at most {} runs of neighbours", kMostRuns));
  std::vector<std::string> parts;
  std::vector<Dims> dims;
  for (const auto& [begin, extent] : runs) {
    const bool whole = runs.size() == 1;
    parts.push_back(part(node, node.tensor(), x, axis, begin, extent,
                         whole ? "" : fmt::format("from{}", begin)));
    dims.push_back(x);
    dims.back()[axis] = extent;
  }
  const std::string y = joined(node, parts, dims, axis);
  Dims result(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(axis));
  result.insert(result.end(), indices.dims.begin(), indices.dims.end());
  result.insert(result.end(), x.begin() + static_cast<std::ptrdiff_t>(axis) + 1, x.end());
  node.set(node.view(y, net_dims(result)), result);
}

// ---- Repeating ----

namespace {

void repeat(Node& node, const Dims& from, const Dims& repeats) {
  Dims now = from;
  std::string y = node.tensor();
  for (size_t axis = 0; axis < now.size(); ++axis) {
    if (repeats[axis] == 1) continue;
    node.require(repeats[axis] >= 1 && repeats[axis] < 1 << 24, "repeats", text(repeats),
                 "in [1, 16777215]");
    const Dims flat = around(now, axis);
    TensorOp op = make_op(Op::tile);
    op.mutable_tg_tile_param()->set_axis(1);
    op.mutable_tg_tile_param()->set_tiles(static_cast<int>(repeats[axis]));
    y = node.add(std::move(op), {node.view(y, flat)}, fmt::format("axis{}", axis));
    now[axis] *= repeats[axis];
  }
  node.set(node.view(y, net_dims(now)), now);
}

}  // namespace

void import_tile(Node& node) {
  const Dims repeats = node.weights(1, "repeats").whole();
  node.require(repeats.size() == node.dims().size(), "repeats", text(repeats), "one per axis");
  repeat(node, node.dims(), repeats);
}

void import_expand(Node& node) {
  const Dims result = broadcast(node, node.dims(), node.weights(1, "shape").whole());
  Dims from(result.size() - node.dims().size(), 1), repeats;
  from.insert(from.end(), node.dims().begin(), node.dims().end());
  for (size_t i = 0; i < result.size(); ++i) repeats.push_back(result[i] / from[i]);
  repeat(node, from, repeats);
}

void import_depth_to_space(Node& node) {
  const Dims& x = node.dims();
  const int64_t b = node.integer("blocksize", 0);
  node.require(x.size() == 4 && b >= 1 && b < 65536 && x[1] % (b * b) == 0, "blocksize",
               std::to_string(b), "its square divides the channels of " + text(x));
  const bool columns_first = node.text("mode", "DCR") == "CRD";
  const int64_t channels = x[1] / (b * b);
  const Dims split = columns_first ? Dims{x[0], channels, b, b, x[2], x[3]}
                                   : Dims{x[0], b, b, channels, x[2], x[3]};
  const std::vector<size_t> order =
      columns_first ? std::vector<size_t>{0, 1, 4, 2, 5, 3} : std::vector<size_t>{0, 3, 4, 1, 5, 2};
  const Dims result{x[0], channels, x[2] * b, x[3] * b};
  node.set(node.view(transposed(node, node.tensor(), split, order, ""), result), result);
}

void import_space_to_depth(Node& node) {
  const Dims& x = node.dims();
  const int64_t b = node.integer("blocksize", 0);
  node.require(x.size() == 4 && b >= 1 && b < 65536, "blocksize", std::to_string(b),
               "at least 1, of maps");
  TensorOp op = make_op(Op::reorg);
  op.mutable_tg_reorg_param()->set_stride(static_cast<uint32_t>(b));
  const std::string y = node.add(std::move(op), {node.tensor()}, "");
  node.set(y, node.graph.dims(y));
}

}  // namespace tputwin::net::onnx_reader
