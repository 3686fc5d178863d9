// Random models that compute constants, and add them to a tensor.
#include "onnx_runtime/draft.h"

namespace tputwin::test {
namespace {

// Adds floats of this shape, which are computed, to an input.
void add_to_input(Draft& d, const std::string& constant, const Dims& dims, bool casts = false) {
  std::string values = constant;
  if (casts) {
    values = "as_floats";
    set(d.builder.node("Cast", {constant}, {values}), "to", int64_t{onnx::TensorProto::FLOAT});
  }
  d.builder.node("Add", {d.input("x", dims.empty() ? Dims{1} : dims), values}, {"y"});
}

std::string indices(Draft& d, const std::string& name, const Dims& dims, int64_t extent) {
  std::vector<int64_t> values;
  for (int64_t i = 0; i < count(dims); ++i) values.push_back(d.range(0, 2 * extent - 1) - extent);
  d.builder.integers(name, dims, values);
  return name;
}

void one_hot(Draft& d) {
  Dims dims = d.any(1, 3);
  const int64_t depth = d.range(1, 5), axis = d.axis(dims.size() + 1);
  indices(d, "i", dims, depth);
  d.builder.integers("depth", {}, {depth});
  d.builder.weights("values", {2}, {d.real(-1, 0), d.real(0, 1)});
  auto& node = d.builder.node("OneHot", {"i", "depth", "values"}, {"c"});
  set(node, "axis", axis);
  const auto position =
      static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(dims.size()) + 1 : axis);
  dims.insert(dims.begin() + static_cast<int64_t>(position), depth);
  add_to_input(d, "c", dims);
}

void gather_elements(Draft& d) {
  const Dims data = d.any(1, 3);
  const int64_t axis = d.axis(data.size());
  const size_t at = static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(data.size()) : axis);
  Dims dims = data;
  for (int64_t& extent : dims) extent = d.range(1, extent);
  dims[at] = d.range(1, 5);
  auto& node = d.builder.node("GatherElements",
                              {d.weights("data", data), indices(d, "i", dims, data[at])}, {"c"});
  set(node, "axis", axis);
  add_to_input(d, "c", dims);
}

void scatter_elements(Draft& d) {
  const Dims data = d.any(1, 3);
  const int64_t axis = d.axis(data.size());
  const size_t at = static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(data.size()) : axis);
  // one index along the axis: no element is written twice, but for a sum
  const bool adds = d.opset >= 16 && d.rng.coin();
  Dims dims = data;
  dims[at] = adds ? d.range(1, 4) : 1;
  auto& node = d.builder.node(
      "ScatterElements",
      {d.weights("data", data), indices(d, "i", dims, data[at]), d.weights("u", dims)}, {"c"});
  set(node, "axis", axis);
  if (adds)
    set(node, "reduction",
        std::string(d.opset >= 18 ? d.rng.pick({"add", "mul", "min", "max"}) : "add"));
  add_to_input(d, "c", data);
}

void gather_nd(Draft& d) {
  const Dims data = d.any(2, 4);
  const int64_t depth = d.range(1, static_cast<int64_t>(data.size()));
  Dims dims{d.range(1, 4), depth};
  std::vector<int64_t> values;
  for (int64_t i = 0; i < dims[0]; ++i)
    for (int64_t k = 0; k < depth; ++k)
      values.push_back(d.range(0, data[static_cast<size_t>(k)] - 1));
  d.builder.integers("i", dims, values);
  d.builder.node("GatherND", {d.weights("data", data), "i"}, {"c"});
  Dims result{dims[0]};
  result.insert(result.end(), data.begin() + depth, data.end());
  add_to_input(d, "c", result);
}

void scatter_nd(Draft& d) {
  const Dims data = d.any(2, 4);
  const int64_t depth = d.range(1, static_cast<int64_t>(data.size()));
  std::vector<int64_t> values;
  for (int64_t k = 0; k < depth; ++k)
    values.push_back(d.range(0, data[static_cast<size_t>(k)] - 1));
  d.builder.integers("i", {1, depth}, values);
  Dims updates{1};
  updates.insert(updates.end(), data.begin() + depth, data.end());
  d.builder.node("ScatterND", {d.weights("data", data), "i", d.weights("u", updates)}, {"c"});
  add_to_input(d, "c", data);
}

void eye_like(Draft& d) {
  const Dims dims{d.range(1, 6), d.range(1, 6)};
  auto& node = d.builder.node("EyeLike", {d.weights("data", dims)}, {"c"});
  set(node, "k", d.range(0, 4) - 2);
  add_to_input(d, "c", dims);
}

void is_nan(Draft& d) {
  const Dims dims = d.any();
  std::vector<float> values;
  for (int64_t i = 0; i < count(dims); ++i)
    values.push_back(d.rng.pick({NAN, INFINITY, -INFINITY, 0.0f, 1.0f}));
  d.builder.weights("data", dims, values);
  d.builder.node(d.rng.pick({"IsNaN", "IsInf"}), {"data"}, {"c"});
  add_to_input(d, "c", dims, true);
}

void trilu(Draft& d) {
  const Dims dims = d.any(2);
  d.builder.integers("k", {}, {d.range(0, 4) - 2});
  set(d.builder.node("Trilu", {d.weights("data", dims), "k"}, {"c"}), "upper",
      int64_t{d.rng.coin()});
  add_to_input(d, "c", dims);
}

void cum_sum(Draft& d) {
  const Dims dims = d.any();
  d.builder.integers("axis", {}, {d.axis(dims.size())});
  auto& node = d.builder.node("CumSum", {d.weights("data", dims), "axis"}, {"c"});
  set(node, "exclusive", int64_t{d.rng.coin()});
  set(node, "reverse", int64_t{d.rng.coin()});
  add_to_input(d, "c", dims);
}

// Positions as exporters compute them: a Range, its sine and cosine, side by side.
void positions(Draft& d) {
  const int64_t n = d.range(1, 8);
  d.builder.weights("begin", {}, {0});
  d.builder.weights("end", {}, {static_cast<float>(n)});
  d.builder.weights("step", {}, {1});
  d.builder.node("Range", {"begin", "end", "step"}, {"range"});
  d.builder.node("Sin", {"range"}, {"sin"});
  d.builder.node("Cos", {"range"}, {"cos"});
  set(d.builder.node("Concat", {"sin", "cos"}, {"c"}), "axis", int64_t{0});
  add_to_input(d, "c", {2 * n});
}

// A layer of constants without a folder of its own.
void layers(Draft& d) {
  const Dims dims{1, d.range(1, 3), d.range(3, 6), d.range(3, 6)};
  d.weights("data", dims);
  const std::string type = d.rng.pick({"Softmax", "GlobalAveragePool", "LayerNormalization"});
  std::vector<std::string> names{"data"};
  if (type == "LayerNormalization") names.push_back(d.weights("s", {dims[3]}));
  auto& node = d.builder.node(type, names, {"c"});
  if (type != "GlobalAveragePool") set(node, "axis", int64_t{-1});
  add_to_input(d, "c", type == "GlobalAveragePool" ? Dims{1, dims[1], 1, 1} : dims);
}

}  // namespace

std::vector<Kind> kinds_of_constants() {
  return {{"constant-OneHot", 11, one_hot},
          {"constant-GatherElements", 11, gather_elements},
          {"constant-ScatterElements", 11, scatter_elements},
          {"constant-GatherND", 12, gather_nd},
          {"constant-ScatterND", 11, scatter_nd},
          {"constant-EyeLike", 9, eye_like},
          {"constant-IsNaN", 13, is_nan},
          {"constant-Trilu", 14, trilu},
          {"constant-CumSum", 11, cum_sum},
          {"constant-Range", 11, positions},
          {"constant-layers", 17, layers}};
}

}  // namespace tputwin::test
