// The int8 interpreter: executes every layer by its formula.
#include "bmnet/reference/execute.h"

#include "base/errors/bmnet.h"
#include "bmnet/reference/layer.h"

namespace tputwin::net {
namespace reference {
namespace {

struct Row {
  Op op;
  Status (*run)(const Layer&);
};

constexpr Row kRows[] = {
#define TW_OP_TPU(name, traits, shapes, tiles, moves, formula, integers, interpreter) \
  {Op::name, interpreter},
#define TW_OP_HOST(name, ...) {Op::name, cpu_operator},
#include "bmnet/ir/ops.def"
};

bool has_relu(const TensorOp& op) {
  return op.tg_convolution_param().do_activation() || op.tg_pooling_param().do_activation() ||
         op.tg_inner_product_param().do_activation() || op.tg_eltwise_param().do_activation() ||
         op.tg_scale_param().do_activation();
}

// Returns true if the host computes the layer. Moves that are left to it are transfers of floats.
bool is_on_host(const TensorOp& op) {
  return properties(op.type()).runs_on == RunsOn::tpu ? runs_on_host(op) : op.cpu_op();
}

Status execute(const Layer& layer) {
  if (is_on_host(layer.op)) return cpu_operator(layer);
  const auto* row = std::ranges::find(kRows, properties(layer.op.type()).op, &Row::op);
  TW_RETURN_IF_ERROR(row == std::end(kRows) ? none(layer) : row->run(layer));
  if (has_relu(layer.op))
    for (int8_t& y : layer.results()) y = std::max<int8_t>(y, 0);
  return {};
}

}  // namespace

Status none(const Layer& layer) { return fail(layer.op, errors::net_ir_type); }

Result<int> axis_of(const Layer& layer, int axis) {
  const int axes = layer.op.input_shape(0).dim_size();
  const int result = axis < 0 ? axis + axes : axis;
  if (result >= 0 && result < axes) return result;
  return fail(layer.op, errors::net_axis).argument("axis", std::to_string(axis));
}

}  // namespace reference

namespace {

using Tensors = std::map<std::string, TensorBytes>;

size_t bytes_of(const TensorShape& shape) {
  return static_cast<size_t>(count(shape)) * static_cast<size_t>(shape.data_type_size());
}

Status load_inputs(const TensorOp& start, const Tensors& inputs, Tensors& tensors) {
  for (int i = 0; i < start.top_size(); ++i) {
    const auto found = inputs.find(start.top(i));
    const size_t wanted = bytes_of(start.output_shape(i));
    if (found == inputs.end() || found->second.size() != wanted)
      return Error(errors::net_data_shape)
          .in("input " + start.top(i))
          .argument("bytes", std::to_string(found == inputs.end() ? 0 : found->second.size()))
          .detail(std::to_string(wanted) + " wanted");
    tensors[start.top(i)] = found->second;
  }
  return {};
}

Status run_layer(const Network& network, const TensorOp& op, const LayerIntegers& integers,
                 Tensors& tensors) {
  const auto blobs = network.blobs.find(op.name());
  reference::Layer layer{.op = op, .integers = integers, .inputs = {}, .outputs = {}};
  if (blobs != network.blobs.end()) layer.blobs = blobs->second;
  for (const std::string& name : op.bottom()) layer.inputs.emplace_back(tensors.at(name));
  for (int i = 0; i < op.top_size(); ++i) {
    TensorBytes& out = tensors[op.top(i)];
    out.resize(bytes_of(op.output_shape(i)));
    layer.outputs.emplace_back(out);
  }
  return reference::execute(layer);
}

}  // namespace

Status run_int8_layer(const Network& network, size_t index, const LayerIntegers& integers,
                      std::map<std::string, TensorBytes>& tensors) {
  return run_layer(network, network.ops[index], integers, tensors);
}

Result<Tensors> run_int8(const Network& network, const std::vector<LayerIntegers>& integers,
                         const Tensors& inputs) {
  TW_RETURN_IF_ERROR(verify(network));
  if (integers.size() != network.ops.size())
    return Error(errors::net_ir).in("run_int8").detail("integers are one per op");
  Tensors tensors;
  for (size_t i = 0; i < network.ops.size(); ++i) {
    const TensorOp& op = network.ops[i];
    if (is(op, Op::start)) TW_RETURN_IF_ERROR(load_inputs(op, inputs, tensors));
    if (is(op, Op::start) || is(op, Op::end)) continue;
    TW_RETURN_IF_ERROR(run_layer(network, op, integers[i], tensors));
  }
  return tensors;
}

}  // namespace tputwin::net
