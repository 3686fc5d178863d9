// Folding of nodes with constant inputs: moves, shapes and constants themselves.
#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "bmnet/onnx/reader/node.h"
#include "bmnet/onnx/reader/small_floats.h"

namespace tputwin::net::onnx_reader {
namespace {

using onnx::TensorProto;

// Returns a constant whose element i is element from(i) of `x`.
template <class From>
ConstantPtr picked(const Node& node, const Constant& x, Dims dims, const From& from) {
  const int64_t count = elements(dims);
  node.require(count >= 0 && count <= kMostFolded, "result", text(dims),
               fmt::format("at most {} elements of constants", kMostFolded));
  auto result = std::make_shared<Constant>(Constant{std::move(dims), x.type, {}, {}});
  for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
    const size_t at = from(i);
    node.require(at < x.size(), "input", text(x.dims), "as many elements as are taken");
    if (x.is_integer())
      result->integers.push_back(x.integers[at]);
    else
      result->reals.push_back(x.reals[at]);
  }
  return result;
}

ConstantPtr reshaped(const Node& node, Dims dims) {
  return picked(node, node.weights(0, "input"), std::move(dims), [](size_t i) { return i; });
}

// Returns the index in `from` of element `i` of `to`. index(at, axis) maps the indices of `to`.
template <class Index>
size_t indexed(size_t i, const Dims& to, const Dims& from, const Index& index) {
  std::vector<int64_t> at(to.size());
  for (size_t axis = to.size(); axis-- > 0; i /= static_cast<size_t>(to[axis]))
    at[axis] = static_cast<int64_t>(i % static_cast<size_t>(to[axis]));
  size_t result = 0;
  for (size_t axis = 0; axis < from.size(); ++axis)
    result = result * static_cast<size_t>(from[axis]) + static_cast<size_t>(index(at, axis));
  return result;
}

}  // namespace

ConstantPtr fold_identity(const Node& n) { return reshaped(n, n.dims()); }

ConstantPtr fold_reshape(const Node& n) {
  const Dims& x = n.dims();
  Dims wanted = *n.list(1, "shape");
  int64_t known = 1;
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] == 0 && i < x.size() && n.integer("allowzero", 0) == 0) wanted[i] = x[i];
    n.require(wanted[i] >= -1, "shape", text(wanted), "extents, and one -1 at most");
    if (wanted[i] > 0)
      n.require(!__builtin_mul_overflow(known, wanted[i], &known), "shape", text(wanted),
                "smaller");
  }
  for (int64_t& d : wanted)
    if (d < 0) d = elements(x) / known;
  n.require(elements(wanted) == elements(x), "shape", text(wanted),
            "as many elements as " + text(x));
  return reshaped(n, wanted);
}

ConstantPtr fold_squeeze(const Node& n) {
  const Dims& x = n.dims();
  const auto axes = n.list(1, "axes");
  std::vector<bool> gone(x.size());
  for (size_t i = 0; !axes && i < x.size(); ++i) gone[i] = x[i] == 1;
  if (axes)
    for (int64_t axis : *axes) gone[n.axis(axis, x.size())] = true;
  Dims result;
  for (size_t i = 0; i < x.size(); ++i) {
    n.require(!gone[i] || x[i] == 1, "axes", std::to_string(i), "of one element");
    if (!gone[i]) result.push_back(x[i]);
  }
  return reshaped(n, result);
}

ConstantPtr fold_unsqueeze(const Node& n) {
  const Dims& x = n.dims();
  const auto axes = n.list(1, "axes");
  n.require(axes.has_value() && axes->size() < 16, "axes", "none", "given");
  std::vector<bool> added(x.size() + axes->size());
  for (int64_t axis : *axes) added[n.axis(axis, added.size())] = true;
  Dims result;
  for (size_t i = 0, from = 0; i < added.size(); ++i) {
    n.require(added[i] || from < x.size(), "axes", text(*axes), "each once");
    result.push_back(added[i] ? 1 : x[from++]);
  }
  return reshaped(n, result);
}

ConstantPtr fold_transpose(const Node& n) {
  const Dims& x = n.dims();
  Dims given = n.integers("perm");
  if (given.empty())
    for (size_t i = x.size(); i-- > 0;) given.push_back(static_cast<int64_t>(i));
  n.require(given.size() == x.size(), "perm", text(given), "each axis once");
  std::vector<size_t> place(x.size(), x.size());
  Dims result;
  for (size_t i = 0; i < given.size(); ++i) {
    const size_t axis = n.axis(given[i], x.size());
    n.require(place[axis] == x.size(), "perm", text(given), "each axis once");
    place[axis] = i;
    result.push_back(x[axis]);
  }
  return picked(n, n.weights(0, "input"), result, [&](size_t i) {
    return indexed(i, result, x, [&](const auto& at, size_t axis) { return at[place[axis]]; });
  });
}

ConstantPtr fold_concat(const Node& n) {
  const size_t axis = n.axis(n.integer("axis", 1), n.dims().size());
  Dims result = n.dims();
  result[axis] = 0;
  for (size_t i = 0; i < n.inputs(); ++i) {
    Dims other = n.dims(i);
    n.require(other.size() == result.size(), "shapes", text(other), "as many axes as the first");
    result[axis] += other[axis];
    other[axis] = result[axis];
    n.require(other == result, "shapes", text(n.dims(i)), "equal but for the axis");
  }
  n.require(elements(result) >= 0 && elements(result) <= kMostFolded, "result", text(result),
            "smaller");
  auto joined = std::make_shared<Constant>(Constant{result, n.weights(0, "input").type, {}, {}});
  for (int64_t o = 0; o < run(result, 0, axis); ++o)
    for (size_t i = 0; i < n.inputs(); ++i) {
      const int64_t length = run(n.dims(i), axis, result.size());
      const auto append = [&](auto& to, const auto& from) {
        if (from.empty()) return;
        const auto begin = from.begin() + static_cast<std::ptrdiff_t>(o * length);
        to.insert(to.end(), begin, begin + static_cast<std::ptrdiff_t>(length));
      };
      append(joined->integers, n.weights(i, "input").integers);
      append(joined->reals, n.weights(i, "input").reals);
    }
  return joined;
}

ConstantPtr fold_slice(const Node& n) {
  const Dims& x = n.dims();
  const auto starts = n.list(1, "starts"), ends = n.list(2, "ends");
  auto axes = n.list(3, "axes");
  n.require(starts && ends && starts->size() == ends->size(), "starts", "", "as many as ends");
  if (!axes) {
    axes.emplace(starts->size());
    std::iota(axes->begin(), axes->end(), int64_t{0});
  }
  const Dims steps = n.has(4) ? n.weights(4, "steps").whole() : Dims(starts->size(), 1);
  n.require(axes->size() == starts->size() && steps.size() == starts->size(), "axes", text(*axes),
            "as many as starts");
  Dims result = x, begin(x.size(), 0), step(x.size(), 1);
  for (size_t i = 0; i < starts->size(); ++i) {
    const size_t axis = n.axis((*axes)[i], x.size());
    const int64_t size = x[axis], by = steps[i];
    n.require(by != 0 && std::abs(by) < int64_t{1} << 31, "steps", std::to_string(by), "not 0");
    const auto bound = [&](int64_t at) {
      at = at < 0 ? (at < -size ? -1 : at + size) : at;
      return by > 0 ? std::clamp<int64_t>(at, 0, size) : std::clamp<int64_t>(at, -1, size - 1);
    };
    begin[axis] = bound((*starts)[i]);
    step[axis] = by;
    const int64_t span = bound((*ends)[i]) - begin[axis];
    result[axis] = span * by > 0 ? (std::abs(span) - 1) / std::abs(by) + 1 : 0;
  }
  return picked(n, n.weights(0, "input"), result, [&](size_t i) {
    return indexed(i, result, x, [&](const auto& at, size_t axis) {
      return begin[axis] + at[axis] * step[axis];
    });
  });
}

ConstantPtr fold_gather(const Node& n) {
  const Dims& x = n.dims();
  const Constant& indices = n.weights(1, "indices");
  const size_t axis = n.axis(n.integer("axis", 0), x.size());
  Dims chosen = indices.whole();
  for (int64_t& index : chosen) {
    if (index < 0) index += x[axis];
    n.require(index >= 0 && index < x[axis], "indices", std::to_string(index), "within " + text(x));
  }
  const auto count = chosen.size(), inner = static_cast<size_t>(run(x, axis + 1, x.size()));
  Dims result(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(axis));
  result.insert(result.end(), indices.dims.begin(), indices.dims.end());
  result.insert(result.end(), x.begin() + static_cast<std::ptrdiff_t>(axis) + 1, x.end());
  return picked(n, n.weights(0, "data"), result, [&](size_t i) {
    const size_t outer = i / inner / count;
    return (outer * static_cast<size_t>(x[axis]) + static_cast<size_t>(chosen[i / inner % count])) *
               inner +
           i % inner;
  });
}

ConstantPtr fold_tile(const Node& n) {
  const Dims& x = n.dims();
  const Dims repeats = n.weights(1, "repeats").whole();
  n.require(repeats.size() == x.size(), "repeats", text(repeats), "one per axis");
  Dims result = x;
  for (size_t i = 0; i < x.size(); ++i) {
    n.require(repeats[i] >= 0 && repeats[i] < int64_t{1} << 31, "repeats", text(repeats),
              "smaller");
    result[i] *= repeats[i];
  }
  return picked(n, n.weights(0, "input"), result, [&](size_t i) {
    return indexed(i, result, x, [&](const auto& at, size_t axis) { return at[axis] % x[axis]; });
  });
}

ConstantPtr fold_expand(const Node& n) {
  const Dims& x = n.dims();
  const Dims result = broadcast(n, x, n.weights(1, "shape").whole());
  return picked(n, n.weights(0, "input"), result, [&](size_t i) {
    return indexed(i, result, x, [&](const auto& at, size_t axis) {
      return x[axis] == 1 ? 0 : at[axis + result.size() - x.size()];
    });
  });
}

// ---- Shapes and constants ----

ConstantPtr fold_shape(const Node& n) {
  const Dims& x = n.dims();
  const auto rank = static_cast<int64_t>(x.size());
  const auto bound = [&](int64_t at) {
    return std::clamp<int64_t>(at < 0 ? at + rank : at, 0, rank);
  };
  const int64_t start = bound(std::max<int64_t>(n.integer("start", 0), -rank));
  const int64_t end = bound(std::max<int64_t>(n.integer("end", rank), -rank));
  Dims values;
  for (int64_t i = start; i < end; ++i) values.push_back(x[static_cast<size_t>(i)]);
  return make_integers({static_cast<int64_t>(values.size())}, values);
}

ConstantPtr fold_size(const Node& n) { return make_integers({}, {elements(n.dims())}); }

ConstantPtr fold_constant(const Node& n) {
  if (auto tensor = n.tensor_attribute("value")) return tensor;
  if (n.has("value_float")) return make_reals({}, {n.real("value_float", 0)});
  if (n.has("value_int")) return make_integers({}, {n.integer("value_int", 0)});
  if (n.has("value_floats")) {
    auto values = n.reals("value_floats");
    return make_reals({static_cast<int64_t>(values.size())}, values);
  }
  if (n.has("value_ints")) {
    auto values = n.integers("value_ints");
    return make_integers({static_cast<int64_t>(values.size())}, values);
  }
  n.refuse("value", "none of numbers", "a tensor or numbers");
}

ConstantPtr fold_constant_of_shape(const Node& n) {
  const Dims dims = n.weights(0, "input").whole();
  const int64_t count = elements(dims);
  n.require(count >= 0 && count <= kMostFolded, "input", text(dims),
            fmt::format("at most {} elements of constants", kMostFolded));
  ConstantPtr value = n.tensor_attribute("value");
  if (value == nullptr) value = make_reals({1}, {0});
  n.require(value->size() == 1, "value", text(value->dims), "one element");
  const auto size = static_cast<size_t>(count);
  if (value->is_integer())
    return make_integers(dims, std::vector<int64_t>(size, value->integers[0]), value->type);
  return make_constant(dims, value->type, std::vector<double>(size, value->at(0)));
}

ConstantPtr fold_range(const Node& n) {
  double bounds[3];
  for (size_t i = 0; i < 3; ++i) {
    const Constant& value = n.weights(i, "range");
    n.require(value.size() == 1, "range", text(value.dims), "one value");
    bounds[i] = value.at(0);
  }
  const double count = std::ceil((bounds[1] - bounds[0]) / bounds[2]);
  n.require(bounds[2] != 0 && count <= static_cast<double>(kMostFolded), "range",
            fmt::format("{}", count), fmt::format("at most {} values", kMostFolded));
  std::vector<double> values;
  for (int64_t i = 0; static_cast<double>(i) < count; ++i)
    values.push_back(bounds[0] + static_cast<double>(i) * bounds[2]);
  return make_constant({static_cast<int64_t>(values.size())}, n.weights(0, "start").type, values);
}

ConstantPtr fold_cast(const Node& n) {
  const Constant& x = n.weights(0, "input");
  const auto type = static_cast<int>(n.integer("to", 0));
  if (!is_signed_float8(type)) require_cast_type(n, type);
  if (x.is_integer() && is_integer_type(type)) {
    std::vector<Whole> values;
    for (size_t i = 0; i < x.size(); ++i) {
      const Whole value = whole_at(x, i);
      values.push_back(type == TensorProto::BOOL ? Whole{value != 0} : value);
    }
    return make_whole(x.dims, type, values);
  }
  std::vector<double> values;
  for (size_t i = 0; i < x.size(); ++i) values.push_back(x.at(i));
  const ConstantPtr result = make_constant(x.dims, type, values);
  return is_integer_type(type) ? result : rounded(*result, type, n.integer("saturate", 1) != 0);
}

}  // namespace tputwin::net::onnx_reader
