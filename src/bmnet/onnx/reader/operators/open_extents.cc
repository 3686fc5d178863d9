// Layers of the chip on tensors whose extents are known at run time, such as the boxes that a
// detector found. The host fills such a tensor with zeros up to its largest extents. The chip
// computes with all of it, and the host cuts off what the run does not have. Layers that follow
// each other work on the filled tensors: those cuts have no readers and are left out.
#include <fmt/format.h>

#include <algorithm>

#include "bmnet/onnx/reader/expansion.h"
#include "bmnet/onnx/reader/on_host.h"

namespace tputwin::net::onnx_reader {
namespace {

// Operators that compute each element of axis 0 alone.
constexpr std::string_view kOfSamples[] = {"Conv",
                                           "QLinearConv",
                                           "LpPool",
                                           "LpNormalization",
                                           "MeanVarianceNormalization",
                                           "GroupNormalization",
                                           "DepthToSpace",
                                           "SpaceToDepth",
                                           "ConvTranspose",
                                           "Gemm",
                                           "MaxPool",
                                           "AveragePool",
                                           "GlobalAveragePool",
                                           "GlobalMaxPool",
                                           "InstanceNormalization",
                                           "LRN",
                                           "Resize",
                                           "Upsample"};
// Functions of one value, and of one value and a constant. They are left to the host where no
// layer of the chip is before them.
constexpr std::string_view kOfElements[] = {
    "Add",      "Sub",     "Mul",         "Div",  "Relu",      "LeakyRelu",
    "Clip",     "Sigmoid", "HardSigmoid", "Tanh", "HardSwish", "Softplus",
    "Identity", "Elu",     "Selu",        "Gelu", "Mish",      "Erf"};

// Their results have a scale for the chip.
constexpr std::string_view kOfScales[] = {"QuantizeLinear", "DequantizeLinear"};
constexpr std::string_view kOfLastAxes[] = {"LayerNormalization", "SimplifiedLayerNormalization",
                                            "RMSNormalization"};

template <size_t kCount>
bool is_one_of(const std::string_view (&list)[kCount], std::string_view type) {
  return std::ranges::find(list, type) != std::end(list);
}

// Returns the only input that is no constant; nullopt if there are several.
std::optional<size_t> only_tensor(const Node& node) {
  std::optional<size_t> found;
  for (size_t i = 0; i < node.inputs(); ++i) {
    if (!node.has(i) || node.constant(i) != nullptr) continue;
    if (found) return {};
    found = i;
  }
  return found;
}

// Returns true if no constant has several elements along the first `open_axes` of x.
bool repeats_along(const Node& node, size_t x, size_t open_axes) {
  const size_t rank = node.dims(x).size();
  for (size_t i = 0; i < node.inputs(); ++i) {
    if (i == x || !node.has(i)) continue;
    const Dims& other = node.dims(i);
    if (other.size() > rank) return false;
    for (size_t axis = 0; axis < other.size(); ++axis)
      if (axis + rank - other.size() < open_axes && other[axis] != 1) return false;
  }
  return true;
}

// Which axes of x may have fewer elements than the largest extents say.
struct OpenAxes {
  size_t count = 0;       // the first ones; 0: the chip does not compute the node
  bool needs_all = true;  // the others have all elements, which a run must check
};

OpenAxes of_product(const Node& node, const Value& x) {
  // The constants say how many elements the last axis has.
  const std::string& type = node.proto.op_type();
  const size_t rank = x.dims.size();
  if (type != "Gemm") {
    const Dims& w = node.dims(type == "MatMul" ? 1 : 3);
    const bool is_one = w.size() <= 2 || (w.size() <= rank && run(w, 0, w.size() - 2) == 1);
    return {is_one && !w.empty() ? rank - 1 : 0, false};
  }
  const bool is_row = !node.has(2) || node.dims(2).size() < 2 || node.dims(2)[0] == 1;
  return {node.integer("transA", 0) == 0 && is_row ? size_t{1} : 0, false};
}

// Returns false if a node of kOfSamples computes with several samples, or changes their number.
bool keeps_samples(const Node& node) {
  const std::string& type = node.proto.op_type();
  if (type == "LpNormalization") return node.axis(node.integer("axis", -1), node.dims().size()) > 0;
  const Dims axes = node.integers("axes");
  const bool has_others = !axes.empty() && std::ranges::none_of(axes, [&](int64_t axis) {
    return node.axis(axis, node.dims().size()) == 0;
  });
  if (type == "MeanVarianceNormalization") return has_others;
  if (type != "Resize" && type != "Upsample") return true;
  // Sizes would have the first extent, which is not known.
  if (node.has(3)) return has_others;
  const size_t input = type == "Resize" && node.opset >= 11 ? 2 : 1;
  return has_others || (node.has(input) && node.weights(input, "scales").at(0) == 1);
}

OpenAxes open_axes_of(const Node& node, size_t x) {
  const std::string& type = node.proto.op_type();
  const Value& value = node.in(x);
  const size_t rank = value.dims.size();
  const bool is_filled = value.filled != nullptr;
  if (is_one_of(kOfScales, type)) return {x == 0 ? (is_filled ? value.open_axes : rank) : 0, false};
  if (type == "Flatten")
    return {is_filled && node.integer("axis", 1) == 1 && value.open_axes == 1 ? size_t{1} : 0};
  if (type == "BatchNormalization")
    return {x == 0 ? (is_filled ? value.open_axes : rank) : 0, false};
  if (type == "PRelu" && !is_filled) {
    size_t count = rank;
    while (count > 0 && !repeats_along(node, x, count)) --count;
    return {x == 0 ? count : 0};
  }
  if (type == "PRelu" || is_one_of(kOfElements, type))
    return {is_filled && repeats_along(node, x, value.open_axes) ? value.open_axes : 0};
  if (x != 0 || rank < 2) return {};
  if (type == "MatMul" || type == "QLinearMatMul" || type == "Gemm") return of_product(node, value);
  if (is_one_of(kOfLastAxes, type)) return {node.axis(node.integer("axis", -1), rank), false};
  if (!keeps_samples(node)) return {};
  return {is_one_of(kOfSamples, type) ? size_t{1} : 0};
}

}  // namespace

bool expand_open_extents(Node& node) {
  const auto x = only_tensor(node);
  if (!node.graph.has_subnets || !x || !node.in(*x).varies || !node.wants(0)) return false;
  for (size_t i = 1; i < static_cast<size_t>(node.proto.output_size()); ++i)
    if (node.wants(i)) return false;
  if (node.in(*x).kind != ValueKind::real) return false;
  const OpenAxes open = open_axes_of(node, *x);
  if (open.count == 0) return false;
  Expansion made(node);
  node.expansion_opset = node.opset;
  const std::string filled = made.fill(made.in(*x), open.count, open.needs_all);
  made.set(made.cut(made.copy_with(filled, *x), made.in(*x), open.count));
  return true;
}

void import_fill(Node& node) {
  const Value& x = node.in(0);
  const auto open_axes = static_cast<size_t>(node.integer("open_axes", 1));
  const bool needs_all = node.integer("needs_all", 1) != 0;
  if (x.filled != nullptr && (x.open_axes <= open_axes || !needs_all))
    return node.set(Value(*x.filled));
  HostCall call(node, fmt::format("fill open={} shape={}", open_axes, fmt::join(x.dims, ",")));
  call.take_real(0);
  call.set_varies(false);
  call.set_moved(x.dims);
  auto& value = node.outputs()[0];
  if (!value) return;
  value->on_host = false;
  value->quantization = x.quantization;
  if (x.quantization) node.graph.set_threshold(value->tensor, *x.quantization);
}

namespace {

// Returns the tensor of the first extents of input 1.
std::string open_extents_of(Node& node, size_t open_axes) {
  const Value& x = node.in(1);
  if (!x.open_extents.empty() && x.open_axes == open_axes) return x.open_extents;
  HostCall shape(node, fmt::format("shape start=0 end={}", open_axes));
  shape.take_real(1);
  return shape.add({{static_cast<int64_t>(open_axes)}}, "extents")[0];
}

}  // namespace

void import_cut(Node& node) {
  const Dims& y = node.dims();
  const auto open_axes = static_cast<size_t>(node.integer("open_axes", 1));
  node.require(
      y.size() >= open_axes && std::equal(y.begin(), y.begin() + static_cast<ptrdiff_t>(open_axes),
                                          node.dims(1).begin()),
      "axes", text(y), "as many elements as the input along axes known at run time only");
  const auto& ops = node.graph.network.ops;
  const size_t first_op = ops.size();
  const Dims count{static_cast<int64_t>(open_axes)};
  const std::string extents = open_extents_of(node, open_axes);
  std::string tensor;
  for (size_t axis = 0; axis < open_axes; ++axis) {
    HostCall call(node, fmt::format("slice axis={} number={}", axis, axis));
    if (axis == 0)
      call.take_real(0);
    else
      call.take(tensor, true);
    call.take_constant(count, std::vector<float>(open_axes, 0.0f));
    call.take(extents, false);
    call.set_varies();
    if (axis + 1 < open_axes)
      tensor = call.add({y}, fmt::format("cut{}", axis))[0];
    else
      call.set(y, ValueKind::real);
  }
  // Layers of the chip that follow read the filled tensor.
  for (size_t i = first_op; i < ops.size(); ++i) node.graph.dispensable.insert(ops[i].top(0));
  Value& value = *node.outputs()[0];
  value.quantization = node.in(0).quantization;
  value.filled = std::make_shared<const Value>(node.in(0));
  value.open_extents = extents;
  value.open_axes = open_axes;
}

}  // namespace tputwin::net::onnx_reader
