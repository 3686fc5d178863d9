// A model in the making, with what its operators draw from.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>
#include <set>

#include "bmnet_onnx/support.h"
#include "selftest/rng.h"

namespace tputwin::test {

using Dims = std::vector<int64_t>;
using tputwin::testing::Rng;

inline int64_t count(const Dims& dims) {
  int64_t product = 1;
  for (int64_t d : dims) product *= d;
  return product;
}

struct Draft {
  Rng& rng;
  int64_t opset;
  ModelBuilder builder{opset};
  Blobs inputs;
  std::string shape;

  int64_t range(int64_t low, int64_t high) {
    return rng.range(static_cast<uint32_t>(low), static_cast<uint32_t>(high));
  }
  float real(float least, float most) {
    return least + (most - least) * static_cast<float>(rng.below(1 << 20)) / (1 << 20);
  }
  std::vector<float> reals(int64_t values, float least, float most) {
    std::vector<float> result;
    for (int64_t i = 0; i < values; ++i) result.push_back(real(least, most));
    return result;
  }
  std::string input(const std::string& name, const Dims& dims, float least = -3, float most = 3) {
    builder.input(name, dims);
    inputs[name] = {dims, reals(count(dims), least, most)};
    shape += fmt::format(" ({})", fmt::join(dims, ","));
    return name;
  }
  std::string weights(const std::string& name, const Dims& dims, float least = -1, float most = 1) {
    builder.weights(name, dims, reals(count(dims), least, most));
    return name;
  }
  std::string integers(const std::string& name, const Dims& values) {
    builder.integers(name, {static_cast<int64_t>(values.size())}, values);
    return name;
  }
  Dims map(int64_t channels = 0) {
    return {range(1, 2), channels != 0 ? channels : range(1, 6), range(1, 9), range(1, 9)};
  }
  Dims any(size_t least = 1, size_t most = 4) {
    Dims dims;
    for (int64_t axes = range(static_cast<int64_t>(least), static_cast<int64_t>(most)); axes > 0;
         --axes)
      dims.push_back(range(1, 6));
    return dims;
  }
  int64_t axis(size_t axes) {
    const auto n = static_cast<int64_t>(axes);
    return range(0, 2 * n - 1) - n;
  }
};

using Draw = std::function<void(Draft&)>;
struct Kind {
  const char* type;
  int64_t first_opset;
  Draw draw;
};

template <class... Values>
void set(onnx::NodeProto& node, const char* name, Values... values) {
  ModelBuilder::set(node, name, values...);
}

// Operators of several inputs, of subgraphs, of constants and of com.microsoft.
std::vector<Kind> kinds_of_parts();
std::vector<Kind> kinds_of_constants();
std::vector<Kind> kinds_of_transformers();
// Parameters that the net computes, and what constants choose.
std::vector<Kind> kinds_of_computed();
// Unusual forms, and graphs of several nodes.
std::vector<Kind> kinds_of_width();
std::vector<Kind> kinds_of_moves();
std::vector<Kind> kinds_of_graphs();

}  // namespace tputwin::test
