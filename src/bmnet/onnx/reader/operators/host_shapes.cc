// Shapes and moves on the host.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "bmnet/onnx/reader/expansion.h"
#include "bmnet/onnx/reader/operators/host.h"

namespace tputwin::net::onnx_reader {
namespace {

// Returns the largest extents for which 0 and -1 stand.
Dims completed_shape(const Node& node, Dims wanted) {
  const Dims& x = node.dims();
  int64_t known = 1;
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] == 0 && i < x.size()) wanted[i] = x[i];
    node.require(wanted[i] < 1 || !__builtin_mul_overflow(known, wanted[i], &known), "shape",
                 text(wanted), "fewer than 2^31 elements");
  }
  for (int64_t& extent : wanted)
    if (extent < 0) extent = (elements(x) + known - 1) / std::max<int64_t>(known, 1);
  return wanted;
}

// Returns the largest extents of a reshape to a shape that is a tensor.
Dims largest_shape(const Node& node) {
  const Dims& x = node.dims();
  const Dims shape = completed_shape(node, node.in(1).largest);
  if (!shape.empty() && elements(shape) >= elements(x)) return shape;
  Dims result(static_cast<size_t>(std::max<int64_t>(1, elements(node.dims(1)))), 1);
  result[0] = elements(x);
  return result;
}

}  // namespace

void reshape_of_host(Node& node) {
  HostCall call(node, "reshape");
  call.take(0);
  if (node.constant(1) == nullptr && node.has(1)) {
    call.append(fmt::format("allowzero={}", node.integer("allowzero", 0)));
    call.take(1);
    call.set_varies();
    return call.set_moved(largest_shape(node));
  }
  const Dims wanted = *node.list(1, "shape");
  if (!wanted.empty()) call.append(fmt::format("shape={}", fmt::join(wanted, ",")));
  call.append(fmt::format("allowzero={}", node.integer("allowzero", 0)));
  const Dims result = completed_shape(node, wanted);
  node.require(node.in(0).varies || elements(result) == elements(node.dims()), "shape",
               text(wanted), "as many elements as " + text(node.dims()));
  call.set_moved(result);
}

void flatten_of_host(Node& node) {
  const Dims& x = node.dims();
  const int64_t given = node.integer("axis", 1);
  const auto rank = static_cast<int64_t>(x.size());
  node.require(given >= -rank && given <= rank, "axis", std::to_string(given), "within the shape");
  const auto axis = static_cast<size_t>(given < 0 ? given + rank : given);
  HostCall call(node, fmt::format("reshape flatten={}", axis));
  call.take(0);
  call.set_moved({run(x, 0, axis), run(x, axis, x.size())});
}

void squeeze_of_host(Node& node) {
  const Dims& x = node.dims();
  const auto axes = node.list(1, "axes");
  node.require(axes.has_value() || !node.in(0).varies, "axes", "none",
               "given, for a tensor whose extents are known at run time");
  std::vector<size_t> gone;
  for (size_t i = 0; !axes && i < x.size(); ++i)
    if (x[i] == 1) gone.push_back(i);
  if (axes)
    for (const int64_t axis : *axes) gone.push_back(node.axis(axis, x.size()));
  Dims result;
  for (size_t i = 0; i < x.size(); ++i)
    if (std::ranges::find(gone, i) == gone.end()) result.push_back(x[i]);
  HostCall call(node, gone.empty() ? "unary op=identity"
                                   : fmt::format("squeeze axes={}", fmt::join(gone, ",")));
  call.take(0);
  call.set_moved(result);
}

void unsqueeze_of_host(Node& node) {
  const Dims& x = node.dims();
  const auto axes = node.list(1, "axes");
  node.require(axes.has_value() && !axes->empty() && axes->size() < 8, "axes", "none", "given");
  std::vector<bool> added(x.size() + axes->size());
  for (const int64_t axis : *axes) added[node.axis(axis, added.size())] = true;
  Dims result;
  auto next = x.begin();
  for (const bool is_new : added) {
    node.require(is_new || next != x.end(), "axes", text(*axes), "each once");
    result.push_back(is_new ? 1 : *next++);
  }
  HostCall call(node, fmt::format("unsqueeze axes={}", fmt::join(*axes, ",")));
  call.take(0);
  call.set_moved(result);
}

void shape_of_host(Node& node) {
  const auto rank = static_cast<int64_t>(node.dims().size());
  const auto at = [&](int64_t i) { return std::clamp<int64_t>(i < 0 ? i + rank : i, 0, rank); };
  const int64_t start = at(node.integer("start", 0)), end = at(node.integer("end", rank));
  node.require(end > start, "end", std::to_string(end), "after the start");
  HostCall call(node, fmt::format("shape start={} end={}", start, end));
  call.take(0);
  const std::string tensor = call.add({{end - start}})[0];
  HostCall(node).set(tensor, {end - start}, ValueKind::integer, 0);
}

void transpose_of_host(Node& node) {
  const Dims& x = node.dims();
  std::vector<size_t> order;
  for (const int64_t axis : node.integers("perm")) order.push_back(node.axis(axis, x.size()));
  if (order.empty())
    for (size_t i = x.size(); i-- > 0;) order.push_back(i);
  node.require(order.size() == x.size(), "perm", text(node.integers("perm")), "each axis once");
  HostCall call(node, x.empty() ? "unary op=identity"
                                : fmt::format("transpose order={}", fmt::join(order, ",")));
  call.take(0);
  call.set_moved(permuted(x, order));
}

namespace {

constexpr size_t kMostParts = 64;  // of one operator of the host

// Takes constants one after the other along an axis, as one.
void take_constants(Node& node, HostCall& call, std::span<const size_t> parts, size_t axis) {
  Dims dims = node.dims(parts[0]);
  dims[axis] = 0;
  for (const size_t part : parts) dims[axis] += node.dims(part)[axis];
  std::vector<std::vector<float>> constants;
  for (const size_t part : parts) {
    const Constant& constant = *node.constant(part);
    call.check_integers(constant, node.proto.input(static_cast<int>(part)));
    constants.push_back(constant.real());
  }
  std::vector<float> values;
  const int64_t outer = run(dims, 0, axis);
  for (int64_t i = 0; i < outer; ++i)
    for (const std::vector<float>& all : constants) {
      const auto count = static_cast<int64_t>(all.size()) / std::max<int64_t>(outer, 1);
      values.insert(values.end(), all.begin() + i * count, all.begin() + (i + 1) * count);
    }
  call.take_constant(dims, std::move(values));
}

// Takes parts of a concatenation. If there are more than one operator has, several parts at a time
// become one.
void take_parts(Node& node, HostCall& call, const std::vector<size_t>& parts, size_t axis) {
  if (parts.size() <= kMostParts) {
    for (const size_t part : parts) call.take(part);
    return;
  }
  for (size_t begin = 0; begin < parts.size(); begin += kMostParts) {
    const std::span<const size_t> some =
        std::span(parts).subspan(begin, std::min(kMostParts, parts.size() - begin));
    if (std::ranges::all_of(some, [&](size_t i) { return node.constant(i) != nullptr; })) {
      take_constants(node, call, some, axis);
      continue;
    }
    HostCall joined(node, fmt::format("concat axis={}", axis));
    Dims dims;
    for (const size_t part : some) {
      joined.take(part);
      Dims x = node.dims(part);
      if (!dims.empty()) x[axis] += dims[axis];
      dims = dims.empty() ? x : largest(dims, x);
    }
    const std::string tensor = joined.add({dims}, fmt::format("parts{}", begin))[0];
    call.take(tensor, joined.varies());
  }
}

}  // namespace

void concat_of_host(Node& node) {
  const size_t axis = node.axis(node.integer("axis", 1), node.dims().size());
  HostCall call(node, fmt::format("concat axis={}", axis));
  Dims result = node.dims();
  result[axis] = 0;
  std::vector<size_t> parts;
  for (size_t i = 0; i < node.inputs(); ++i) {
    const Dims& x = node.dims(i);
    node.require(x.size() == result.size(), "shapes", text(x), "as many axes as the first");
    result[axis] += x[axis];
    for (size_t k = 0; k < x.size(); ++k)
      if (k != axis) result[k] = std::max(result[k], x[k]);
    if (elements(x) != 0 || node.constant(i) == nullptr) parts.push_back(i);
  }
  node.require(parts.size() <= kMostParts * kMostParts, "inputs", std::to_string(parts.size()),
               "4096 at most on the host");
  take_parts(node, call, parts, axis);
  call.set_moved(result);
}

namespace {

// Returns the most elements that a slice of an axis has.
int64_t most_elements(int64_t extent, bool varies, int64_t start, int64_t end, int64_t step) {
  const int64_t reach = std::abs(step) < extent ? std::abs(step) : extent;
  if (varies && (start < 0 || end < 0 || step < 0)) return (extent - 1) / reach + 1;
  const int64_t least = step > 0 ? 0 : -1, most = step > 0 ? extent : extent - 1;
  const auto at = [&](int64_t i) {
    return std::clamp(i < 0 ? (i < -extent ? -1 : i + extent) : i, least, most);
  };
  const int64_t span = step > 0 ? at(end) - at(start) : at(start) - at(end);
  return span > 0 ? (span - 1) / reach + 1 : 0;
}

}  // namespace

namespace {

bool is_computed(const Node& node, size_t input) {
  return node.has(input) && node.constant(input) == nullptr;
}

// Bounds or steps that are tensors: one operator for each axis reads its element of them.
void slice_by_tensors(Node& node) {
  const auto count = static_cast<size_t>(elements(node.dims(1)));
  const Dims& x = node.dims();
  node.require(
      count == static_cast<size_t>(elements(node.dims(2))) && count >= 1 && count <= x.size() &&
          (!node.has(4) || elements(node.dims(4)) == static_cast<int64_t>(count)),
      "starts", text(node.dims(1)), "as many as ends and steps, at most one for each axis");
  Dims axes;
  for (size_t i = 0; i < count; ++i) axes.push_back(static_cast<int64_t>(i));
  if (node.has(3)) axes = node.weights(3, "axes").whole();
  node.require(axes.size() == count, "axes", text(axes), "as many as starts");
  std::string tensor;
  for (size_t i = 0; i < count; ++i) {
    HostCall call(node, fmt::format("slice axis={} number={}", node.axis(axes[i], x.size()), i));
    if (tensor.empty())
      call.take(0);
    else
      call.take(tensor, true);
    for (const size_t input : {1, 2}) call.take_bounds(input);
    if (node.has(4)) call.take_bounds(4);
    call.set_varies();
    if (i + 1 == count) return call.set_moved(x);
    tensor = call.add({x}, fmt::format("cut{}", i))[0];
  }
}

}  // namespace

void slice_of_host(Node& node) {
  if (is_computed(node, 1) || is_computed(node, 2) || is_computed(node, 4))
    return slice_by_tensors(node);
  const auto starts = node.list(1, "starts"), ends = node.list(2, "ends");
  auto axes = node.list(3, "axes");
  const Dims steps = node.has(4) ? node.weights(4, "steps").whole() : Dims();
  node.require(starts && ends && starts->size() == ends->size() && !starts->empty(), "starts", "",
               "as many as ends");
  if (!axes) {
    axes.emplace();
    for (size_t i = 0; i < starts->size(); ++i) axes->push_back(static_cast<int64_t>(i));
  }
  Dims now = node.dims();
  const bool varies = node.in(0).varies;
  std::string tensor;
  const auto word = [](int64_t value) { return std::clamp<int64_t>(value, INT32_MIN, INT32_MAX); };
  for (size_t i = 0; i < starts->size(); ++i) {
    const size_t axis = node.axis((*axes)[i], now.size());
    const int64_t start = word((*starts)[i]), end = word((*ends)[i]);
    const int64_t step = steps.empty() ? 1 : word(steps[i]);
    node.require(step != 0, "steps", "0", "not 0");
    now[axis] = most_elements(now[axis], varies, start, end, step);
    node.require(now[axis] > 0, "starts, ends", fmt::format("{}, {}", start, end),
                 "at least one element");
    HostCall call(node,
                  fmt::format("slice axis={} start={} end={} step={}", axis, start, end, step));
    if (tensor.empty())
      call.take(0);
    else
      call.take(tensor, varies);
    if (i + 1 == starts->size()) return call.set_moved(now);
    tensor = call.add({now}, fmt::format("cut{}", i))[0];
  }
}

void tile_of_host(Node& node) {
  const Dims repeats = node.weights(1, "repeats").whole();
  Dims result = node.dims();
  node.require(repeats.size() == result.size() && !result.empty(), "repeats", text(repeats),
               "one for each axis");
  for (size_t i = 0; i < result.size(); ++i)
    result[i] *= std::clamp<int64_t>(repeats[i], 0, 1 << 24);
  HostCall call(node, fmt::format("tile repeats={}", fmt::join(repeats, ",")));
  call.take(0);
  call.set_moved(result);
}

namespace {

// To a shape that is computed: the largest values of its integers must be known.
void expand_to_tensor(Node& node) {
  const Dims& wanted = node.in(1).largest;
  node.require(!wanted.empty() && std::ranges::all_of(wanted, [](int64_t e) { return e >= 0; }),
               "shape", node.proto.input(1),
               "a constant, or computed of the extents of tensors; its largest values are not "
               "known; cut the net before it");
  HostCall call(node, "expand");
  call.take(0);
  call.take(1);
  call.set_varies();
  call.set_moved(largest(node.dims(), wanted));
}

}  // namespace

void expand_of_host(Node& node) {
  if (node.has(1) && node.constant(1) == nullptr) return expand_to_tensor(node);
  const Dims wanted = node.weights(1, "shape").whole();
  HostCall call(node, "binary op=add");
  call.take(0);
  call.take_constant(wanted, std::vector<float>(static_cast<size_t>(elements(wanted)), 0.0f));
  call.set_moved(largest(node.dims(), wanted));
}

namespace {

// One value, repeated to a computed shape whose largest extents are known.
void constant_of_largest(Node& node) {
  const ConstantPtr given = node.tensor_attribute("value");
  HostCall call(node, "expand");
  call.take_constant({1}, {given == nullptr ? 0.0f : static_cast<float>(given->at(0))});
  call.take(0);
  call.set_varies();
  const bool is_integer = given != nullptr && given->is_integer();
  call.set(node.in(0).largest, is_integer ? ValueKind::integer : ValueKind::real);
}

}  // namespace

// The product of the extents.
void size_of_host(Node& node) {
  Expansion made(node);
  const std::string extents = made.add("Shape", {made.in(0)});
  made.set(made.add("ReduceProd", {extents}, {{"keepdims", int64_t{0}}}));
}

// A tensor like another one: each element `and` 0, which is 0 even for NaN, plus the value.
void constant_of_shape_of_host(Node& node) {
  const auto& like = node.in(0).extents;
  if (!(like && like->kind == ExtentFact::Kind::extents) && !node.in(0).largest.empty())
    return constant_of_largest(node);
  node.require(like && like->kind == ExtentFact::Kind::extents, node.proto.input(0), "computed",
               "the Shape of a tensor, where extents are known at run time");
  const ConstantPtr given = node.tensor_attribute("value");
  const auto value = given == nullptr ? 0.0f : static_cast<float>(given->at(0));
  const auto kind = given != nullptr && given->is_integer() ? ValueKind::integer : ValueKind::real;
  HostCall zeros(node, "binary op=and");
  zeros.take(like->tensor, like->varies);
  zeros.take_constant({}, {0.0f});
  HostCall call(node, "binary op=add");
  call.take(zeros.add({like->dims}, "zeros")[0], like->varies);
  call.take_constant({}, {value});
  call.set(like->dims, kind);
}

}  // namespace tputwin::net::onnx_reader
