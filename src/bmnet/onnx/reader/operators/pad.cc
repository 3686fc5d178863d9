// Padding: zeros or another number around rows and columns, or copies of their ends.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cfloat>
#include <cmath>

#include "bmnet/onnx/reader/expansion.h"
#include "bmnet/onnx/reader/operators/computed.h"
#include "bmnet/onnx/reader/operators/host.h"
#include "bmnet/onnx/reader/operators/pad_moves.h"
#include "bmnet/onnx/reader/resample.h"

namespace tputwin::net::onnx_reader {
namespace {

constexpr int64_t kMostPositions = int64_t{1} << 20;

constexpr int64_t kLargestSide = 15;  // for a convolution on the chip
// Largest value around a map. Exporters write the smallest float for -inf.
constexpr float kLargestValue = 1e30f;

AxisTaps padded(const Sides& sides, int64_t size, const std::string& mode) {
  AxisTaps axis{.outputs = size + sides.before + sides.behind};
  for (int64_t i = -sides.before; i < size + sides.behind; ++i) {
    int64_t from = std::clamp<int64_t>(i, 0, size - 1);
    if (mode == "reflect") from = i < 0 ? -i : i >= size ? 2 * size - 2 - i : i;
    if (mode == "wrap") from = (i % size + size) % size;
    axis.add(std::clamp<int64_t>(from, 0, size - 1), mode == "constant" && from != i ? 0 : 1);
  }
  return axis;
}

// Adds zeros around rows and columns: a depthwise convolution with windows of one element.
std::string with_zeros(Node& node, const std::string& x, const Sides& rows, const Sides& columns,
                       std::string_view what) {
  TensorOp op = make_op(Op::convolution);
  auto& p = *op.mutable_tg_convolution_param();
  const int64_t channels = node.graph.dims(x)[1];
  for (int i = 0; i < 2; ++i) {
    p.add_kernel_size(1);
    p.add_stride(1);
    p.add_dilation(1);
  }
  for (int64_t pad : {rows.before, rows.behind, columns.before, columns.behind})
    p.add_pad(static_cast<uint32_t>(pad));
  p.set_group(static_cast<uint32_t>(channels));
  *op.add_output_shape() = make_shape({1, channels, 1, 1});
  return node.add(std::move(op), {x}, what,
                  {{{channels, 1, 1, 1}, std::vector<float>(static_cast<size_t>(channels), 1.0f)}});
}

// Adds any number of zeros: in several convolutions, if their pads are too large for one.
std::string with_many_zeros(Node& node, std::string x, Sides rows, Sides columns,
                            std::string_view what) {
  const auto take = [](int64_t& side) {
    const int64_t part = std::min(side, kLargestSide);
    side -= part;
    return part;
  };
  const auto take_both = [&](Sides& sides) {
    const int64_t before = take(sides.before);
    return Sides{before, take(sides.behind)};
  };
  for (int step = 0;; ++step) {
    const Sides some_rows = take_both(rows), some_columns = take_both(columns);
    if (!rows.any() && !columns.any()) return with_zeros(node, x, some_rows, some_columns, what);
    x = with_zeros(node, x, some_rows, some_columns, fmt::format("{}{}", what, step));
  }
}

// Crops the input by negative pads.
std::string cropped(Node& node, const std::string& x, std::vector<Sides>& sides, Dims& now) {
  TensorOp op = make_op(Op::crop);
  bool any = false;
  for (size_t axis = 0; axis < 4; ++axis) {
    const int64_t front = std::min<int64_t>(0, sides[axis].before);
    const int64_t back = std::min<int64_t>(0, sides[axis].behind);
    op.mutable_tg_crop_param()->add_offset(static_cast<uint32_t>(-front));
    any = any || front != 0 || back != 0;
    now[axis] += front + back;
    node.require(now[axis] >= 1, "pads", text(now), "they leave something");
    sides[axis].before -= front;
    sides[axis].behind -= back;
  }
  if (!any) return x;
  *op.add_output_shape() = make_shape(now);
  return node.add(std::move(op), {x}, "cut");
}

// Pads before and after each axis. From opset 18 on they may be given for some axes.
std::optional<Dims> pads_of(const Node& node) {
  auto pads = node.list(1, "pads");
  if (!node.has(3) || !pads) return pads;
  const Dims axes = node.weights(3, "axes").whole();
  const size_t rank = node.dims().size();
  node.require(pads->size() == 2 * axes.size(), "pads", text(*pads), "two for each axis");
  Dims all(2 * rank, 0);
  for (size_t i = 0; i < axes.size(); ++i) {
    const size_t axis = node.axis(axes[i], rank);
    all[axis] = (*pads)[i];
    all[rank + axis] = (*pads)[axes.size() + i];
  }
  return all;
}

// The positions of an axis whose values surround it.
std::string around_axis(Expansion& made, const std::string& x, const Sides& sides, int64_t size,
                        const std::string& mode, size_t axis) {
  const AxisTaps taps = padded(sides, size, mode);
  const Dims from(taps.source.begin(), taps.source.end());
  return made.add("Gather", {x, made.integers(from)}, {{"axis", static_cast<int64_t>(axis)}});
}

// Pads samples and channels after rows and columns, by values of their own.
void pad_others(Node& node, const std::vector<Sides>& sides, Dims dims, Dims pads,
                const std::string& mode, float value) {
  const size_t rank = node.dims().size();
  for (const size_t axis : {size_t{0}, size_t{1}})
    for (const size_t i : {axis, rank + axis}) pads[i] = std::min<int64_t>(pads[i], 0);
  Expansion made(node);
  std::string y =
      made.add("Pad", {made.in(0), made.integers(pads), made.real(value)}, {{"mode", mode}});
  for (const size_t axis : {size_t{2}, size_t{3}})
    dims[axis] += sides[axis].before + sides[axis].behind;
  dims.resize(rank);
  for (const size_t axis : {size_t{0}, size_t{1}}) {
    if (!sides[axis].any()) continue;
    if (mode != "constant") {
      y = around_axis(made, y, sides[axis], dims[axis], mode, axis);
    } else {
      std::vector<std::string> parts{y};
      const auto block = [&](int64_t extent) {
        Dims block_dims = dims;
        block_dims[axis] = extent;
        const auto count = static_cast<size_t>(elements(block_dims));
        return made.reals(block_dims, std::vector<float>(count, value));
      };
      if (sides[axis].before > 0) parts.insert(parts.begin(), block(sides[axis].before));
      if (sides[axis].behind > 0) parts.push_back(block(sides[axis].behind));
      y = made.add("Concat", parts, {{"axis", static_cast<int64_t>(axis)}});
    }
    dims[axis] += sides[axis].before + sides[axis].behind;
  }
  made.set(y);
}

// Reads constant_value. That of a quantized tensor is an integer, for which the net has a real
// number; Pads of expansions have the real number already.
float value_of(const Node& node) {
  const auto& q = node.in(0).quantization;
  const auto real = [&](double integer) {
    return q ? static_cast<float>((integer - static_cast<double>(q->zero)) * q->scale)
             : static_cast<float>(integer);
  };
  if (!node.has(2)) return real(node.real("value", 0));
  const Constant& given = node.weights(2, "constant_value");
  if (given.size() == 0) return real(0);
  return given.is_integer() ? real(given.at(0)) : static_cast<float>(given.at(0));
}

std::vector<Sides> sides_of(const Node& node, const Dims& pads) {
  const size_t axes = node.dims().size();
  std::vector<Sides> sides(4);
  for (size_t i = 0; i < axes; ++i) sides[i] = {pads[i], pads[axes + i]};
  return sides;
}

void require_mode(const Node& node, const std::string& mode, float value) {
  node.require(mode != "constant" || std::fabs(value) < kLargestValue, "constant_value",
               fmt::format("{}", value),
               "below 1e30; -inf and the lowest float pad rows and columns before a MaxPool");
  const bool wraps = mode == "wrap" && node.opset >= 19;
  node.require(mode == "constant" || mode == "edge" || mode == "reflect" || wraps, "mode", mode,
               "constant, edge, reflect, or wrap from opset 19 on");
}

// Removes the negative part of the sides. Returns the extents without what it cuts.
Dims cut(std::vector<Sides>& sides, Dims dims) {
  for (size_t axis = 0; axis < 4; ++axis) {
    Sides& side = sides[axis];
    dims[axis] += std::min<int64_t>(side.before, 0) + std::min<int64_t>(side.behind, 0);
    side = {std::max<int64_t>(side.before, 0), std::max<int64_t>(side.behind, 0)};
  }
  return dims;
}

// Pads rows and columns of y.
std::string padded_map(Node& node, std::string y, const std::vector<Sides>& sides, const Dims& now,
                       const std::string& mode, float value) {
  const bool zeros = mode == "constant", shifts = zeros && value != 0;
  // For a value other than 0: subtracts it, pads with zeros, and adds it again.
  if (shifts) y = power(node, y, 1, -value, 1, "less");
  const std::string_view what = shifts ? "padded" : "";
  y = zeros
          ? with_many_zeros(node, y, sides[2], sides[3], what)
          : resample(node, y, padded(sides[2], now[2], mode), padded(sides[3], now[3], mode), what);
  return shifts ? power(node, y, 1, value, 1, "") : y;
}

// A tensor whose neighbouring axes without pads are joined. The last axes are rows and columns.
struct Joined {
  Dims dims, before, behind;
  bool fits() const { return dims.size() <= 4; }
  bool is_map() const {
    const auto unpadded = [&](size_t i) { return before[i] == 0 && behind[i] == 0; };
    return fits() && unpadded(0) && unpadded(1);
  }
};

Joined joined_axes(const Dims& x, const Dims& pads) {
  Joined joined;
  for (size_t i = 0; i < x.size(); ++i) {
    const int64_t front = pads[i], back = pads[x.size() + i];
    const bool joins = front == 0 && back == 0 && !joined.dims.empty() &&
                       joined.before.back() == 0 && joined.behind.back() == 0;
    if (joins) {
      joined.dims.back() *= x[i];
      continue;
    }
    joined.dims.push_back(x[i]);
    joined.before.push_back(front);
    joined.behind.push_back(back);
  }
  for (Dims* dims : {&joined.dims, &joined.before, &joined.behind})
    while (dims->size() < 4) dims->insert(dims->begin(), dims == &joined.dims ? 1 : 0);
  return joined;
}

void pad_joined(Node& node, const Joined& joined, const Dims& result, const std::string& mode,
                float value) {
  Dims pads = joined.before;
  pads.insert(pads.end(), joined.behind.begin(), joined.behind.end());
  Expansion made(node);
  const std::string map = made.add("Reshape", {made.in(0), made.integers(joined.dims)});
  const std::string y =
      made.add("Pad", {map, made.integers(pads), made.real(value)}, {{"mode", mode}});
  made.set(made.add("Reshape", {y, made.integers(result)}));
}

// Pads the last padded axis after all others.
void pad_one_by_one(Node& node, const Dims& pads, const std::string& mode, float value) {
  const size_t rank = node.dims().size();
  Dims others = pads, last(2 * rank, 0);
  for (size_t axis = rank; axis-- > 0;) {
    if (pads[axis] == 0 && pads[rank + axis] == 0) continue;
    for (const size_t i : {axis, rank + axis}) std::swap(others[i], last[i]);
    break;
  }
  Expansion made(node);
  std::string y = made.in(0);
  for (const Dims& some : {others, last})
    y = made.add("Pad", {y, made.integers(some), made.real(value)}, {{"mode", mode}});
  made.set(y);
}

// True if the pads are of rows and columns only, and none is negative.
bool pads_map(const Dims& x, const Dims& pads) {
  if (x.size() != 3 && x.size() != 4) return false;
  const auto is_zero = [&](size_t axis) { return pads[axis] == 0 && pads[x.size() + axis] == 0; };
  return is_zero(0) && is_zero(1) &&
         std::ranges::all_of(pads, [](int64_t pad) { return pad >= 0 && pad < kMostPositions; });
}

// The MaxPool that reads the result gets the pads.
void leave_to_pool(Node& node, const Dims& pads) {
  Value value = node.in(0);
  const size_t axes = value.dims.size();
  Dims all = value.lowest_pads;
  all.resize(4);
  for (size_t axis = 2; axis < axes; ++axis)
    for (const size_t side : {size_t{0}, size_t{1}}) {
      const int64_t pad = pads[side * axes + axis];
      all[2 * (axis - 2) + side] += pad;
      value.dims[axis] += pad;
    }
  value.lowest_pads = std::move(all);
  node.set(std::move(value));
}

}  // namespace

void pad_of_host(Node& node) {
  const auto pads = pads_of(node);
  const std::string mode = node.text("mode", "constant");
  Dims result = node.dims();
  node.require(pads && pads->size() == 2 * result.size() && !result.empty(), "pads",
               pads ? text(*pads) : "none", "two for each axis");
  const float value = value_of(node);
  node.require(mode != "constant" || std::fabs(value) <= FLT_MAX, "constant_value",
               fmt::format("{}", value), "finite on the host");
  require_mode(node, mode, mode == "constant" ? 0 : value);
  for (size_t i = 0; i < result.size(); ++i)
    for (const int64_t pad : {(*pads)[i], (*pads)[result.size() + i]}) {
      node.require(std::abs(pad) < kMostPositions, "pads", text(*pads), "below 2^20");
      result[i] += pad;
    }
  HostCall call(node,
                fmt::format("pad pads={} mode={} value={}", fmt::join(*pads, ","), mode, value));
  if (node.constant(2) != nullptr) call.check_integers(*node.constant(2), "constant_value");
  call.take(0);
  call.set_moved(result);
}

void import_pad(Node& node) {
  const Dims& x = node.dims();
  const auto pads = pads_of(node);
  const std::string mode = node.text("mode", "constant");
  node.require(pads && pads->size() == 2 * x.size(), "pads", pads ? text(*pads) : "none",
               "two for each axis");
  if (mode == "constant" && is_computed(node, 2)) return expand_pad(node);
  const float value = value_of(node);
  if (mode == "constant" && value <= -kLargestValue && pads_map(x, *pads))
    return leave_to_pool(node, *pads);
  node.require(node.in(0).lowest_pads.empty(), node.proto.input(0),
               "padded with -inf or the lowest float",
               "padded with a number below 1e30; only a MaxPool has such pads itself");
  require_mode(node, mode, value);
  for (const int64_t pad : *pads)
    node.require(std::abs(pad) < kMostPositions, "pads", text(*pads), "below 2^20");
  Dims result = x;
  for (size_t i = 0; i < x.size(); ++i) result[i] += (*pads)[i] + (*pads)[x.size() + i];
  const Joined joined = joined_axes(x, *pads);
  if (x.size() > 4) {
    if (!joined.fits()) return pad_one_by_one(node, *pads, mode, value);
    return pad_joined(node, joined, result, mode, value);
  }
  std::vector<Sides> sides = sides_of(node, *pads);
  Dims now = x;
  now.resize(4, 1);
  std::vector<Sides> added = sides;
  const Dims kept = cut(added, now);
  for (size_t axis = 0; axis < 4; ++axis)
    node.require(mode != "reflect" ||
                     std::max(added[axis].before, added[axis].behind) < kept[axis] ||
                     !added[axis].any(),
                 "pads", text(*pads), "below the extent, which is reflected once");
  if (is_long_pad(added, kept, mode)) return pad_by_moves(node, added, kept, *pads, mode, value);
  const bool pads_others = added[0].any() || added[1].any();
  // Copies of ends are cheap in rows and columns only.
  if (pads_others && mode != "constant" && joined.is_map())
    return pad_joined(node, joined, result, mode, value);
  if (pads_others) return pad_others(node, added, kept, *pads, mode, value);
  std::string y = cropped(node, node.tensor(0, now), sides, now);
  if (sides[2].any() || sides[3].any()) y = padded_map(node, y, sides, now, mode, value);
  node.set(node.view(y, net_dims(result)), result);
}

}  // namespace tputwin::net::onnx_reader
