// Norms of windows and of whole channels.
#include "bmnet/onnx/reader/expansion.h"

namespace tputwin::net::onnx_reader {
namespace {

// |x|^p. Squares need no absolute values.
std::string powers(Expansion& made, const std::string& x, int64_t p) {
  if (p == 1) return made.add("Abs", {x});
  if (p == 2) return made.add("Mul", {x, x});
  return made.add("Pow", {made.add("Abs", {x}), made.real(static_cast<float>(p))});
}

std::string root(Expansion& made, const std::string& sum, int64_t p) {
  if (p == 1) return sum;
  if (p == 2) return made.add("Sqrt", {sum});
  return made.add("Pow", {sum, made.real(1 / static_cast<float>(p))});
}

int64_t p_of(const Node& node) {
  const int64_t p = node.integer("p", 2);
  node.require(p >= 1 && p <= 64, "p", std::to_string(p), "1 to 64");
  return p;
}

}  // namespace

// The norm of each channel over all axes after it.
void expand_global_lp_pool(Node& node) {
  const int64_t p = p_of(node);
  Dims axes;
  for (size_t axis = 2; axis < node.dims().size(); ++axis)
    axes.push_back(static_cast<int64_t>(axis));
  node.require(!axes.empty(), "X", text(node.dims()), "at least three axes");
  Expansion made(node);
  const auto reduced = [&](const char* type, const std::string& x) {
    return made.add(type, {x, made.integers(axes)}, {{"keepdims", int64_t{1}}});
  };
  if (p <= 2) return made.set(reduced(p == 1 ? "ReduceL1" : "ReduceL2", made.in(0)));
  made.set(root(made, reduced("ReduceSum", powers(made, made.in(0), p)), p));
}

// The root of the sum of each window's powers: a convolution of each channel with ones. A window
// that ends beyond the pads reads zeros there.
void expand_lp_pool(Node& node) {
  const int64_t p = p_of(node), channels = channels_of(node);
  const Dims kernel = node.integers("kernel_shape");
  const std::vector<WindowAxis> window = read_windows(node, kernel);
  Dims pads[2], strides, dilations, weights{channels, 1};
  for (size_t i = 0; i < kernel.size(); ++i) {
    const WindowAxis& axis = window[i];
    const int64_t reached = (axis.outputs - 1) * axis.stride + axis.reach();
    pads[0].push_back(axis.before);
    pads[1].push_back(std::max(axis.behind, reached - axis.before - node.dims()[i + 2]));
    strides.push_back(axis.stride);
    dilations.push_back(axis.dilation);
    weights.push_back(axis.kernel);
  }
  pads[0].insert(pads[0].end(), pads[1].begin(), pads[1].end());
  Expansion made(node);
  const auto count = static_cast<size_t>(elements(weights));
  const std::string ones = made.reals(weights, std::vector<float>(count, 1));
  const std::string sums = made.add(
      "Conv", {powers(made, made.in(0), p), ones},
      {{"group", channels}, {"pads", pads[0]}, {"strides", strides}, {"dilations", dilations}});
  made.set(root(made, sums, p));
}

}  // namespace tputwin::net::onnx_reader
