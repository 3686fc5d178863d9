// Operators of sound: windows and filters are constants, transforms are products with constants.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "bmnet/onnx/reader/expansion.h"

namespace tputwin::net::onnx_reader {
namespace {

constexpr int64_t kMostWeights = int64_t{1} << 24;

// a - b * cos(2 pi i / period) + c * cos(4 pi i / period)
ConstantPtr window(const Node& node, double a, double b, double c) {
  const int64_t size = node.whole(0, "size");
  const bool is_periodic = node.integer("periodic", 1) != 0;
  const int64_t least = is_periodic ? 1 : 2;
  node.require(size >= least && size <= kMostFolded, "size", std::to_string(size),
               "a number of samples");
  const auto period = static_cast<double>(is_periodic ? size : size - 1);
  std::vector<double> values;
  for (int64_t i = 0; i < size; ++i) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(i) / period;
    values.push_back(a - b * std::cos(angle) + c * std::cos(2 * angle));
  }
  const auto type = static_cast<int>(node.integer("output_datatype", onnx::TensorProto::FLOAT));
  return make_constant({size}, type, values);
}

}  // namespace

ConstantPtr fold_hann_window(const Node& node) { return window(node, 0.5, 0.5, 0); }
ConstantPtr fold_hamming_window(const Node& node) {
  return window(node, 25.0 / 46, 1 - 25.0 / 46, 0);
}
ConstantPtr fold_blackman_window(const Node& node) { return window(node, 0.42, 0.5, 0.08); }

// Triangles over the bins of a spectrum, (bins, mels). Their corners are rounded down to bins.
ConstantPtr fold_mel_weight_matrix(const Node& node) {
  const int64_t mels = node.whole(0, "num_mel_bins"), length = node.whole(1, "dft_length");
  const int64_t rate = node.whole(2, "sample_rate"), bins = length / 2 + 1;
  const auto mel_of = [&](size_t input, const char* name) {
    const Constant& hertz = node.weights(input, name);
    node.require(hertz.size() == 1 && hertz.at(0) >= 0, name, text(hertz.dims), "one frequency");
    return 2595 * std::log10(1 + hertz.at(0) / 700);
  };
  node.require(mels >= 1 && length >= 1 && rate >= 1 && mels <= kMostWeights / bins, "num_mel_bins",
               fmt::format("{}, dft_length {}, sample_rate {}", mels, length, rate),
               "at least 1 each, for at most 2^24 weights");
  const double low = mel_of(3, "lower_edge_hertz"), high = mel_of(4, "upper_edge_hertz");
  const auto corner = [&](int64_t i) {
    const double mel = low + static_cast<double>(i) * (high - low) / static_cast<double>(mels + 2);
    const double hertz = 700 * (std::pow(10, mel / 2595) - 1);
    return static_cast<int64_t>(
        std::floor(static_cast<double>(length + 1) * hertz / static_cast<double>(rate)));
  };
  node.require(corner(mels + 1) <= bins, "upper_edge_hertz",
               fmt::format("{}", node.weights(4, "").at(0)), "at most half of the sample rate");
  std::vector<double> values(static_cast<size_t>(bins * mels));
  const auto at = [&](int64_t bin, int64_t mel) -> double& {
    return values.at(static_cast<size_t>(bin * mels + mel));
  };
  for (int64_t mel = 0; mel < mels; ++mel) {
    const int64_t first = corner(mel), middle = corner(mel + 1), end = corner(mel + 2);
    if (first == middle && middle < bins) at(middle, mel) = 1;
    for (int64_t bin = first; first < middle && bin <= std::min(middle, bins - 1); ++bin)
      at(bin, mel) = static_cast<double>(bin - first) / static_cast<double>(middle - first);
    for (int64_t bin = middle; bin < std::min(end, bins); ++bin)
      at(bin, mel) = static_cast<double>(end - bin) / static_cast<double>(end - middle);
  }
  const auto type = static_cast<int>(node.integer("output_datatype", onnx::TensorProto::FLOAT));
  return make_constant({bins, mels}, type, values);
}

namespace {

// A transform of `length` points: which of them are given, which results are wanted.
struct Transform {
  int64_t length = 1, points = 1, results = 1;
  bool is_complex = false, is_inverse = false;
  // The points are the first half of a spectrum, whose other half are their conjugates: the results
  // are real.
  bool is_half = false;
  int64_t parts() const { return is_complex ? 2 : 1; }
  int64_t result_parts() const { return is_half ? 1 : 2; }

  // The weight of a part (0: real, 1: imaginary) of a point for a part of a result.
  float weight(int64_t result, int64_t to, int64_t point, int64_t from) const {
    const auto turn = static_cast<double>(result * point % length) / static_cast<double>(length);
    const double angle = (is_inverse ? 2 : -2) * std::numbers::pi * turn;
    const bool is_twice = is_half && point != 0 && 2 * point != length;
    const double factor = is_inverse ? (is_twice ? 2.0 : 1.0) / static_cast<double>(length) : 1.0;
    if (to == from) return static_cast<float>(factor * std::cos(angle));
    return static_cast<float>(factor * (to == 1 ? std::sin(angle) : -std::sin(angle)));
  }
};

void require_transform(const Node& node, const Transform& t, bool one_sided) {
  node.require(t.length >= 1, "dft_length", std::to_string(t.length), "at least 1");
  node.require(!one_sided || t.is_inverse == t.is_complex, "onesided", "1",
               "0 for complex values, and for the inverse transform of real ones");
  node.require(t.points * t.parts() <= kMostWeights / (2 * t.results), "dft_length",
               std::to_string(t.length), "a transform of at most 2^24 weights");
}

// Returns true if the last axis has real and imaginary parts.
bool is_complex(const Node& node, const Dims& x) {
  node.require(x.back() == 1 || x.back() == 2, "input", text(x),
               "real or complex: its last axis has one value or two");
  return x.back() == 2;
}

}  // namespace

// The product of rows of points with the matrix of the transform.
void expand_dft(Node& node) {
  const Dims& x = node.dims();
  node.require(x.size() >= 2, "axes", std::to_string(x.size()), "at least 2");
  const bool by_input = node.opset >= 20, one_sided = node.integer("onesided", 0) != 0;
  int64_t given = by_input ? -2 : node.integer("axis", 1);
  if (by_input && node.has(2)) given = node.whole(2, "axis");
  const size_t axis = node.axis(given, x.size());
  node.require(axis + 1 < x.size(), "axis", std::to_string(given), "not the last, of the parts");
  Transform t;
  t.is_complex = is_complex(node, x);
  t.is_inverse = node.integer("inverse", 0) != 0;
  t.is_half = one_sided && t.is_inverse;
  const int64_t whole = t.is_half ? 2 * (x[axis] - 1) : x[axis];
  t.length = node.has(1) ? node.whole(1, "dft_length") : whole;
  const int64_t half = t.length / 2 + 1;
  t.points = std::min(t.is_half ? half : t.length, x[axis]);
  t.results = one_sided && !t.is_inverse ? half : t.length;
  require_transform(node, t, one_sided);
  std::vector<float> matrix;
  for (int64_t point = 0; point < x[axis]; ++point)
    for (int64_t from = 0; from < t.parts(); ++from)
      for (int64_t result = 0; result < t.results; ++result)
        for (int64_t to = 0; to < t.result_parts(); ++to)
          matrix.push_back(point < t.points ? t.weight(result, to, point, from) : 0);
  Dims order, back(x.size()), moved;
  for (size_t i = 0; i < x.size(); ++i)
    if (i != axis) order.push_back(static_cast<int64_t>(i));
  order.insert(order.end() - 1, static_cast<int64_t>(axis));
  for (size_t i = 0; i < order.size(); ++i) {
    back[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
    moved.push_back(x[static_cast<size_t>(order[i])]);
  }
  const int64_t columns = x[axis] * t.parts();
  moved[x.size() - 2] = t.results;
  moved.back() = t.result_parts();
  Expansion made(node);
  std::string y = made.add("Transpose", {made.in(0)}, {{"perm", order}});
  y = made.add("Reshape", {y, made.integers({elements(x) / columns, columns})});
  y = made.add("MatMul", {y, made.reals({columns, t.result_parts() * t.results}, matrix)});
  y = made.add("Reshape", {y, made.integers(moved)});
  made.set(made.add("Transpose", {y}, {{"perm", back}}));
}

// A convolution by the transform's weights times the window, whose stride is the frame's step.
void expand_stft(Node& node) {
  Dims x = node.dims();
  if (x.size() == 2) x.push_back(1);
  node.require(x.size() == 3, "signal", text(node.dims()), "(samples, points, parts)");
  const bool one_sided = node.integer("onesided", 1) != 0;
  const int64_t step = node.whole(1, "frame_step");
  Transform t;
  t.is_complex = is_complex(node, x);
  node.require(node.has(2) || node.has(3), "window", "none", "a window or frame_length");
  t.length = t.points = node.has(3) ? node.whole(3, "frame_length") : elements(node.dims(2));
  t.results = one_sided ? t.length / 2 + 1 : t.length;
  require_transform(node, t, one_sided);
  node.require(step >= 1 && t.length <= x[1], "frame_step, frame_length",
               fmt::format("{}, {}", step, t.length),
               fmt::format("at least 1, and at most the {} points", x[1]));
  if (node.has(2))
    node.require(elements(node.dims(2)) == t.length, "window", text(node.dims(2)),
                 "of frame_length values");
  std::vector<float> weights;
  for (int64_t result = 0; result < t.results; ++result)
    for (int64_t to = 0; to < 2; ++to)
      for (int64_t from = 0; from < t.parts(); ++from)
        for (int64_t point = 0; point < t.length; ++point)
          weights.push_back(t.weight(result, to, point, from));
  const int64_t frames = (x[1] - t.length) / step + 1;
  Expansion made(node);
  std::string signal = made.add("Reshape", {made.in(0), made.integers(x)});
  signal = made.add("Transpose", {signal}, {{"perm", Dims{0, 2, 1}}});
  std::string filter = made.reals({2 * t.results, t.parts(), t.length}, weights);
  if (node.has(2)) {
    const std::string window = made.add("Reshape", {made.in(2), made.integers({1, 1, t.length})});
    filter = made.add("Mul", {filter, window});
  }
  std::string y = made.add("Conv", {signal, filter}, {{"strides", Dims{step}}});
  y = made.add("Transpose", {y}, {{"perm", Dims{0, 2, 1}}});
  made.set(made.add("Reshape", {y, made.integers({x[0], frames, t.results, 2})}));
}

}  // namespace tputwin::net::onnx_reader
