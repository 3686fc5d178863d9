// Folding of nodes with constant inputs: elements by index, and triangles.
#include <fmt/format.h>

#include <cmath>

#include "bmnet/onnx/reader/node.h"

namespace tputwin::net::onnx_reader {
namespace {

using onnx::TensorProto;

Constant copy_of(const Node& node, size_t input, std::string_view what) {
  return node.weights(input, what);
}

ConstantPtr shared(Constant constant) {
  return std::make_shared<const Constant>(std::move(constant));
}

void copy_element(const Constant& from, size_t source, Constant& to, size_t target) {
  if (to.is_integer())
    to.integers[target] = from.integers[source];
  else
    to.reals[target] = from.reals[source];
}

void combine_element(const Node& node, const Constant& from, size_t source, Constant& to,
                     size_t target) {
  const std::string how = node.text("reduction", "none");
  if (how == "none") return copy_element(from, source, to, target);
  const double a = to.at(target), b = from.at(source);
  node.require(how == "add" || how == "mul" || how == "max" || how == "min", "reduction", how,
               "none, add, mul, max or min");
  const double value = how == "add"   ? a + b
                       : how == "mul" ? a * b
                       : how == "max" ? std::max(a, b)
                                      : std::min(a, b);
  if (to.is_integer())
    to.integers[target] = static_cast<int64_t>(value);
  else
    to.reals[target] = static_cast<float>(value);
}

// Returns the index counted from the first; the node must have such an element.
size_t index_in(const Node& node, int64_t index, int64_t extent) {
  node.require(index >= -extent && index < extent, "indices", std::to_string(index),
               fmt::format("within the extent {}", extent));
  return static_cast<size_t>(index < 0 ? index + extent : index);
}

Constant like(const Constant& x, Dims dims) {
  const auto count = static_cast<size_t>(elements(dims));
  Constant result{std::move(dims), x.type, {}, {}};
  if (x.is_integer())
    result.integers.resize(count);
  else
    result.reals.resize(count);
  return result;
}

// The data's offset of element `i` of the indices, along `axis`.
size_t offset_along(const Node& node, const Constant& data, const Constant& indices, size_t axis,
                    size_t i) {
  const auto extent = static_cast<size_t>(indices.dims[axis]);
  size_t inner = 1, inner_data = 1;
  for (size_t a = axis + 1; a < indices.dims.size(); ++a) {
    inner *= static_cast<size_t>(indices.dims[a]);
    inner_data *= static_cast<size_t>(data.dims[a]);
  }
  const size_t index = index_in(node, indices.integers[i], data.dims[axis]);
  // The other axes of the indices may be shorter than those of the data.
  size_t offset = index * inner_data, rest = i % inner, step = 1;
  for (size_t a = indices.dims.size(); a-- > axis + 1;) {
    offset += rest % static_cast<size_t>(indices.dims[a]) * step;
    rest /= static_cast<size_t>(indices.dims[a]);
    step *= static_cast<size_t>(data.dims[a]);
  }
  rest = i / inner / extent;
  step = inner_data * static_cast<size_t>(data.dims[axis]);
  for (size_t a = axis; a-- > 0;) {
    offset += rest % static_cast<size_t>(indices.dims[a]) * step;
    rest /= static_cast<size_t>(indices.dims[a]);
    step *= static_cast<size_t>(data.dims[a]);
  }
  return offset;
}

const Constant& indices_along(const Node& node, const Constant& data, size_t axis) {
  const Constant& indices = node.weights(1, "indices");
  bool fits = indices.is_integer() && indices.dims.size() == data.dims.size();
  for (size_t a = 0; fits && a < data.dims.size(); ++a)
    fits = a == axis || indices.dims[a] <= data.dims[a];
  node.require(fits, "indices", text(indices.dims),
               "integers, no more than the data " + text(data.dims) + " has along other axes");
  return indices;
}

}  // namespace

ConstantPtr fold_gather_elements(const Node& node) {
  const Constant& data = node.weights(0, "data");
  const size_t axis = node.axis(node.integer("axis", 0), data.dims.size());
  const Constant& indices = indices_along(node, data, axis);
  Constant result = like(data, indices.dims);
  for (size_t i = 0; i < indices.size(); ++i)
    copy_element(data, offset_along(node, data, indices, axis, i), result, i);
  return shared(std::move(result));
}

ConstantPtr fold_scatter_elements(const Node& node) {
  Constant result = copy_of(node, 0, "data");
  const size_t axis = node.axis(node.integer("axis", 0), result.dims.size());
  const Constant& indices = indices_along(node, result, axis);
  const Constant& updates = node.weights(2, "updates");
  node.require(updates.dims == indices.dims && updates.is_integer() == result.is_integer(),
               "updates", text(updates.dims), "as many as indices, of the data's type");
  for (size_t i = 0; i < indices.size(); ++i)
    combine_element(node, updates, i, result, offset_along(node, result, indices, axis, i));
  return shared(std::move(result));
}

namespace {

// The first element and the number of elements of the part that row `row` of the indices names, by
// the axes from `first` on.
std::pair<size_t, size_t> part_of(const Node& node, const Constant& data, const Constant& indices,
                                  size_t row, size_t first) {
  const auto length = static_cast<size_t>(indices.dims.back());
  node.require(first + length <= data.dims.size(), "indices", text(indices.dims),
               "at most as many in a row as the data " + text(data.dims) + " has axes");
  size_t at = 0;
  for (size_t k = 0; k < length; ++k)
    at = at * static_cast<size_t>(data.dims[first + k]) +
         index_in(node, indices.integers[row * length + k], data.dims[first + k]);
  size_t part = 1;
  for (size_t a = first + length; a < data.dims.size(); ++a)
    part *= static_cast<size_t>(data.dims[a]);
  return {at * part, part};
}

const Constant& rows_of(const Node& node, size_t input) {
  const Constant& indices = node.weights(input, "indices");
  node.require(indices.is_integer() && !indices.dims.empty() && indices.dims.back() > 0, "indices",
               text(indices.dims), "rows of integers");
  return indices;
}

}  // namespace

ConstantPtr fold_scatter_nd(const Node& node) {
  Constant result = copy_of(node, 0, "data");
  const Constant& indices = rows_of(node, 1);
  const Constant& updates = node.weights(2, "updates");
  const size_t rows = indices.size() / static_cast<size_t>(indices.dims.back());
  for (size_t row = 0; row < rows; ++row) {
    const auto [begin, part] = part_of(node, result, indices, row, 0);
    node.require(updates.size() == rows * part && updates.is_integer() == result.is_integer(),
                 "updates", text(updates.dims), "a part of the data for each row of indices");
    for (size_t i = 0; i < part; ++i)
      combine_element(node, updates, row * part + i, result, begin + i);
  }
  return shared(std::move(result));
}

ConstantPtr fold_gather_nd(const Node& node) {
  const Constant& data = node.weights(0, "data");
  const Constant& indices = rows_of(node, 1);
  const int64_t given = node.integer("batch_dims", 0);
  const auto batch = static_cast<size_t>(given);
  node.require(given >= 0 && batch < data.dims.size() && batch < indices.dims.size() &&
                   std::equal(data.dims.begin(), data.dims.begin() + given, indices.dims.begin()),
               "batch_dims", std::to_string(given), "axes that data and indices share");
  const size_t rows = indices.size() / static_cast<size_t>(indices.dims.back());
  const auto batches = static_cast<size_t>(run(data.dims, 0, batch));
  const size_t in_batch = data.size() / std::max<size_t>(batches, 1);
  Dims dims(indices.dims.begin(), indices.dims.end() - 1);
  const auto fixed = batch + static_cast<size_t>(indices.dims.back());
  for (size_t a = fixed; a < data.dims.size(); ++a) dims.push_back(data.dims[a]);
  Constant result = like(data, std::move(dims));
  for (size_t row = 0; row < rows; ++row) {
    const auto [begin, part] = part_of(node, data, indices, row, batch);
    const size_t from = row / (rows / batches) * in_batch + begin;
    for (size_t i = 0; i < part; ++i) copy_element(data, from + i, result, row * part + i);
  }
  return shared(std::move(result));
}

ConstantPtr fold_trilu(const Node& node) {
  Constant result = copy_of(node, 0, "input");
  node.require(result.dims.size() >= 2, "input", text(result.dims), "matrices");
  const int64_t k = node.has(1) ? node.whole(1, "k") : 0;
  const bool upper = node.integer("upper", 1) != 0;
  const int64_t columns = result.dims.back(), rows = result.dims[result.dims.size() - 2];
  for (size_t i = 0; i < result.size(); ++i) {
    const int64_t column = static_cast<int64_t>(i) % columns;
    const int64_t row = static_cast<int64_t>(i) / columns % rows;
    if (upper ? column - row >= k : column - row <= k) continue;
    if (result.is_integer())
      result.integers[i] = 0;
    else
      result.reals[i] = 0;
  }
  return shared(std::move(result));
}

namespace {

template <class Value, class At>
std::vector<Value> sums(const Node& node, const Constant& x, const At& value_at) {
  node.require(!x.dims.empty(), "x", "()", "at least one axis");
  const size_t axis = node.axis(node.whole(1, "axis"), x.dims.size());
  const bool exclusive = node.integer("exclusive", 0) != 0,
             reverse = node.integer("reverse", 0) != 0;
  const Dims parts = around(x.dims, axis);
  std::vector<Value> values(x.size());
  for (int64_t outer = 0; outer < parts[0]; ++outer)
    for (int64_t inner = 0; inner < parts[2]; ++inner) {
      Value sum = 0;
      for (int64_t k = 0; k < parts[1]; ++k) {
        const int64_t at = reverse ? parts[1] - 1 - k : k;
        const auto i = static_cast<size_t>((outer * parts[1] + at) * parts[2] + inner);
        if (exclusive) values[i] = sum;
        sum += value_at(i);
        if (!exclusive) values[i] = sum;
      }
    }
  return values;
}

}  // namespace

ConstantPtr fold_cum_sum(const Node& node) {
  const Constant& x = node.weights(0, "x");
  if (x.is_integer())
    return make_whole(x.dims, x.type,
                      sums<Whole>(node, x, [&](size_t i) { return whole_at(x, i); }));
  return make_constant(x.dims, x.type, sums<double>(node, x, [&](size_t i) { return x.at(i); }));
}

ConstantPtr fold_one_hot(const Node& node) {
  const Constant &indices = node.weights(0, "indices"), &depth = node.weights(1, "depth"),
                 &off_on = node.weights(2, "values");
  node.require(
      depth.size() == 1 && depth.at(0) >= 1 && depth.at(0) <= kMostFolded && off_on.size() == 2,
      "depth, values", text(depth.dims), "one depth, and two values");
  const auto classes = static_cast<int64_t>(depth.at(0));
  const size_t axis = node.axis(node.integer("axis", -1), indices.dims.size() + 1);
  Dims dims = indices.dims;
  dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(axis), classes);
  const int64_t count = elements(dims), inner = run(indices.dims, axis, indices.dims.size());
  // Rows with a single 1 would become weights of the net: 64 MiB of fp32 at most.
  constexpr int64_t kMostOfOneHot = int64_t{1} << 24;
  node.require(count >= 0 && count <= kMostOfOneHot, "result", text(dims),
               fmt::format("at most {} elements of constants: where it is a factor of a product, "
                           "Gather the rows of the other factor instead",
                           kMostOfOneHot));
  std::vector<double> values(static_cast<size_t>(count), off_on.at(0));
  for (size_t i = 0; i < indices.size(); ++i) {
    auto index = static_cast<int64_t>(indices.at(i));
    if (index < -classes || index >= classes) continue;
    if (index < 0) index += classes;
    const int64_t outer = static_cast<int64_t>(i) / inner, rest = static_cast<int64_t>(i) % inner;
    values[static_cast<size_t>((outer * classes + index) * inner + rest)] = off_on.at(1);
  }
  return make_constant(std::move(dims), off_on.type, values);
}

ConstantPtr fold_eye_like(const Node& node) {
  const Dims& dims = node.dims();
  node.require(dims.size() == 2, "input", text(dims), "a matrix");
  const int64_t k = node.integer("k", 0);
  const Constant* x = node.constant(0);
  const int64_t type = node.integer("dtype", x != nullptr ? x->type : TensorProto::FLOAT);
  std::vector<double> values(static_cast<size_t>(elements(dims)));
  for (int64_t row = 0; row < dims[0]; ++row)
    if (k >= -row && k < dims[1] - row) values[static_cast<size_t>(row * dims[1] + row + k)] = 1;
  return make_constant(dims, static_cast<int>(type), values);
}

ConstantPtr fold_non_zero(const Node& node) {
  const Constant& x = node.weights(0, "x");
  std::vector<size_t> found;
  for (size_t i = 0; i < x.size(); ++i)
    if (x.at(i) != 0) found.push_back(i);
  const size_t axes = std::max<size_t>(x.dims.size(), 1);
  std::vector<int64_t> values(axes * found.size());
  for (size_t n = 0; n < found.size(); ++n) {
    size_t rest = found[n];
    for (size_t axis = x.dims.size(); axis-- > 0; rest /= static_cast<size_t>(x.dims[axis]))
      values[axis * found.size() + n] =
          static_cast<int64_t>(rest % static_cast<size_t>(x.dims[axis]));
  }
  return make_integers({static_cast<int64_t>(axes), static_cast<int64_t>(found.size())},
                       std::move(values));
}

namespace {

template <class Test>
ConstantPtr tested(const Node& node, const Test& test) {
  const Constant& x = node.weights(0, "x");
  std::vector<int64_t> values;
  for (size_t i = 0; i < x.size(); ++i) values.push_back(test(x.at(i)) ? 1 : 0);
  return make_integers(x.dims, std::move(values), TensorProto::BOOL);
}

}  // namespace

ConstantPtr fold_is_na_n(const Node& node) {
  return tested(node, [](double v) { return std::isnan(v); });
}

ConstantPtr fold_is_inf(const Node& node) {
  const bool positive = node.integer("detect_positive", 1) != 0;
  const bool negative = node.integer("detect_negative", 1) != 0;
  return tested(node, [=](double v) { return std::isinf(v) && (v > 0 ? positive : negative); });
}

}  // namespace tputwin::net::onnx_reader
