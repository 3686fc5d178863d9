// Windows of sound: constants, of a constant number of samples.
#include <cmath>
#include <numbers>

#include "bmnet/onnx/reader/node.h"

namespace tputwin::net::onnx_reader {
namespace {

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

}  // namespace tputwin::net::onnx_reader
