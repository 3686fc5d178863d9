// The inputs of a model: their extents, which of them is the batch, and their types.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/errors/bmnet.h"
#include "bmnet/onnx/reader/integers.h"
#include "bmnet/onnx/reader/kinds.h"
#include "bmnet/onnx/reader/model_importer.h"

namespace tputwin::net::onnx_reader {

namespace {

using Inputs = std::vector<const onnx::ValueInfoProto*>;

// Returns the first extent: 0 if it is open, -1 if there is none.
int64_t first_extent(const onnx::ValueInfoProto* input) {
  const auto& type = input->type().tensor_type();
  if (!type.has_shape()) return 0;
  if (type.shape().dim().empty()) return -1;
  return std::max<int64_t>(0, type.shape().dim(0).dim_value());
}

bool has_open_batch(const onnx::ValueInfoProto* input) { return first_extent(input) == 0; }

// See load_net().
std::vector<bool> takers_of_batch(const Inputs& inputs) {
  std::vector<int64_t> first;
  for (const auto* input : inputs) first.push_back(first_extent(input));
  const bool is_open = std::ranges::count(first, 0) > 0;
  const bool are_equal =
      std::ranges::all_of(first, [&](int64_t extent) { return extent == first[0]; });
  std::vector<bool> takers;
  for (const int64_t extent : first)
    takers.push_back(is_open ? extent == 0 : extent == 1 || (are_equal && extent > 0));
  return takers;
}

// Returns for example "x (N,3,8,8), mask (1,8)".
std::string described(const Inputs& inputs) {
  std::vector<std::string> all;
  for (const auto* input : inputs) {
    std::vector<std::string> extents;
    for (const auto& dim : input->type().tensor_type().shape().dim())
      extents.push_back(dim.dim_value() > 0       ? std::to_string(dim.dim_value())
                        : dim.dim_param().empty() ? "?"
                                                  : dim.dim_param());
    all.push_back(fmt::format("{} ({})", input->name(), fmt::join(extents, ",")));
  }
  return fmt::format("{}", fmt::join(all, ", "));
}

}  // namespace

void ModelImporter::inputs() {
  Inputs inputs;
  for (const auto& input : proto_.input())
    if (!values_.contains(input.name()) && !unknown_.contains(input.name())) {
      inputs.push_back(&input);
      unknown_.insert(input.name());
    }
  if (inputs.empty()) problems_.push_back(Error(errors::net_no_input).in("model " + proto_.name()));
  const size_t given = options_.input_shapes.size();
  graph_.has_open_batch = std::ranges::any_of(inputs, has_open_batch);
  takes_batch_ = takers_of_batch(inputs);
  if (given != 0 && given != inputs.size())
    problems_.push_back(
        Error(errors::net_input_shape)
            .in("model " + proto_.name())
            .argument("--shape (input_shapes)", fmt::format("given {} times", given))
            .detail(fmt::format("give it once for each of the {} inputs, in this order: {}",
                                inputs.size(), described(inputs))));
  else if (options_.batch != 0 && !inputs.empty() && std::ranges::count(takes_batch_, true) == 0)
    problems_.push_back(Error(errors::net_onnx_shape)
                            .in("model " + proto_.name())
                            .argument("--batch", std::to_string(options_.batch))
                            .detail("no first extent is open or 1, and they differ: " +
                                    described(inputs) + "; give all extents by --shape"));
  else
    for (size_t i = 0; i < inputs.size(); ++i) guard([&] { input(*inputs[i], i); });
}

Dims ModelImporter::input_dims(const onnx::ValueInfoProto& input, size_t index) const {
  const auto& type = input.type().tensor_type();
  if (!options_.input_shapes.empty()) {
    Dims given = net::dims(options_.input_shapes[index]);
    const auto axes = static_cast<size_t>(type.shape().dim_size());
    if (type.has_shape() && given.size() < axes)
      throw Refusal{Error(errors::net_onnx_shape)
                        .in("input " + input.name())
                        .argument("shape", text(given))
                        .detail(fmt::format("the model declares {} axes: give as many", axes))};
    // Shapes of the chip have four axes.
    const auto is_one = [](int64_t extent) { return extent == 1; };
    if (type.has_shape() &&
        std::all_of(given.begin() + static_cast<std::ptrdiff_t>(axes), given.end(), is_one))
      given.resize(axes);
    return given;
  }
  Dims dims;
  for (const auto& dim : type.shape().dim()) {
    const bool is_open = !dim.has_dim_value() || dim.dim_value() < 1;
    if (is_open && !dims.empty())
      throw Refusal{Error(errors::net_onnx_shape)
                        .in("input " + input.name())
                        .argument(fmt::format("extent {}", dims.size()),
                                  dim.dim_param().empty() ? "open" : dim.dim_param())
                        .detail("give it by --shape n,c,h,w (ImportOptions::input_shapes)")};
    dims.push_back(is_open ? 1 : dim.dim_value());
  }
  if (!type.has_shape())
    throw Refusal{Error(errors::net_onnx_shape)
                      .in("input " + input.name())
                      .argument("shape", "none")
                      .detail("give it by --shape n,c,h,w (ImportOptions::input_shapes)")};
  return dims;
}

void ModelImporter::input(const onnx::ValueInfoProto& input, size_t index) {
  const int type = input.type().tensor_type().elem_type();
  const bool is_signed = type == onnx::TensorProto::INT8;
  const bool is_bytes = is_signed || type == onnx::TensorProto::UINT8;
  const bool is_boolean = type == onnx::TensorProto::BOOL;
  const bool is_integer = is_integer_type(type) && !is_bytes && !is_boolean;
  if (!input.type().has_tensor_type() || (is_integer && !graph_.has_subnets))
    throw Refusal{
        Error(errors::net_onnx_operator)
            .in("input " + input.name())
            .argument("type", std::to_string(type))
            .detail("inputs are tensors of floats, booleans or bytes: make the input one of "
                    "floats")};
  Dims dims = input_dims(input, index);
  if (options_.batch != 0 && takes_batch_[index] && !dims.empty()) dims[0] = options_.batch;
  if (elements(dims) < 1)
    throw Refusal{
        Error(errors::net_shape).in("input " + input.name()).argument("shape", text(dims))};
  TensorOp op = make_op(Op::start);
  op.set_name(input.name());
  op.add_top(input.name());
  *op.add_output_shape() = make_shape(net_dims(dims));
  values_[input.name()] =
      Value{dims, nullptr, graph_.add(std::move(op), {}), {}, is_bytes ? 256 : 0, is_bytes};
  Value& value = values_[input.name()];
  value.is_signed = is_signed;
  if (is_boolean) value.kind = ValueKind::boolean;
  if (is_bytes || is_boolean)
    graph_.network.byte_inputs[value.tensor] = is_signed ? DType::i8 : DType::u8;
  if (!is_integer) return;
  value.kind = ValueKind::integer;
  value.integer_type = type;
  value.on_host = true;
}

}  // namespace tputwin::net::onnx_reader
