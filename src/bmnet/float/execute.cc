// Float execution of a Network, layer by layer.
#include "bmnet/float/execute.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/errors/bmnet.h"
#include "bmnet/cpu_ops/cpu_ops.h"
#include "bmnet/float/kernels.h"

namespace tputwin::net {
namespace {

struct Row {
  Op op;
  Result<FloatKernel> (*make)(const TensorOp&, const std::vector<Blob>&);
};
constexpr Row kRows[] = {
#define TW_OP_TPU(name, traits, shapes, tiles, moves, formula, integers, interpreter) \
  {Op::name, make_float_##formula},
#define TW_OP_HOST(name, ...) {Op::name, make_float_host},
#define TW_OP_SUBNET(name, ...) {Op::name, make_float_host_operator},
#include "bmnet/ir/ops.def"
};

Result<FloatKernel> make_kernel(const TensorOp& op, const std::vector<Blob>& blobs) {
  const auto* row = std::ranges::find(kRows, properties(op.type()).op, &Row::op);
  Result<FloatKernel> kernel = FloatKernel();
  if (row != std::end(kRows)) kernel = row->make(op, blobs);
  if (kernel.ok() && *kernel == nullptr)
    return Error(errors::net_ir_type)
        .in("layer " + op.name())
        .argument("type", op.type())
        .detail("it has no float formula");
  return kernel;
}

}  // namespace

Result<FloatKernel> make_float_host(const TensorOp& op, const std::vector<Blob>& blobs) {
  return FloatKernel(
      [&op, &blobs](std::span<const Blob* const> inputs, std::span<Blob* const> outputs) -> Status {
        std::vector<ConstTensor> in;
        std::vector<MutableTensor> out;
        for (const Blob* blob : inputs) in.push_back({blob->shape, blob->data.data()});
        for (const Blob& blob : blobs) in.push_back({blob.shape, blob.data.data()});
        for (Blob* blob : outputs) out.push_back({blob->shape, blob->data.data()});
        return run_cpu_op(op, in, out);
      });
}

Status check_blob(const TensorOp& op, const std::vector<Blob>& blobs, size_t index,
                  int64_t values) {
  if (index >= blobs.size())
    return Error(errors::net_missing_blob)
        .in("layer " + op.name())
        .argument("blob", std::to_string(index));
  if (static_cast<int64_t>(blobs[index].data.size()) != values)
    return Error(errors::net_blob_shape)
        .in("layer " + op.name())
        .argument(fmt::format("blob {}", index), fmt::format("{} values", blobs[index].data.size()))
        .detail(fmt::format("{} expected", values));
  return {};
}

AroundAxis around_axis(const TensorShape& shape, int axis) {
  if (axis < 0) axis += shape.dim_size();
  AroundAxis result;
  for (int i = 0; i < shape.dim_size(); ++i)
    (i < axis ? result.outer : i == axis ? result.axis : result.inner) *= shape.dim(i);
  return result;
}

struct FloatExecutor::State {
  const Network* network = nullptr;
  std::vector<FloatKernel> kernels;                // one per op; empty for start and end
  std::vector<std::vector<std::string>> finished;  // tensors without readers after op i

  void find_last_uses() {
    std::map<std::string, size_t> last;
    for (size_t i = 0; i < network->ops.size(); ++i) {
      for (const std::string& top : network->ops[i].top()) last[top] = i;
      for (const std::string& bottom : network->ops[i].bottom()) last[bottom] = i;
    }
    finished.resize(network->ops.size());
    for (const auto& [tensor, i] : last)
      if (!is(network->ops[i], Op::end)) finished[i].push_back(tensor);
  }

  static Status take_inputs(const TensorOp& op, const std::map<std::string, Blob>& inputs,
                            std::map<std::string, Blob>& tensors) {
    for (int i = 0; i < op.top_size(); ++i) {
      const auto found = inputs.find(op.top(i));
      const int64_t wanted = count(op.output_shape(i));
      const int64_t given =
          found == inputs.end() ? 0 : static_cast<int64_t>(found->second.data.size());
      if (given != wanted)
        return Error(errors::net_data_shape)
            .in("input " + op.top(i))
            .argument("values", std::to_string(given))
            .detail(fmt::format("{} expected", wanted));
      tensors[op.top(i)] = {dims(op.output_shape(i)), found->second.data};
    }
    return {};
  }

  // `others` has the values of tensors that are not among `tensors`.
  Status compute(size_t i, std::map<std::string, Blob>& tensors,
                 const std::map<std::string, Blob>& others) const {
    const TensorOp& op = network->ops[i];
    std::vector<const Blob*> in;
    std::vector<Blob*> out;
    for (int t = 0; t < op.top_size(); ++t) {
      Blob& blob = tensors[op.top(t)];
      blob.shape = dims(op.output_shape(t));
      blob.data.resize(count(op.output_shape(t)));
      out.push_back(&blob);
    }
    for (const std::string& bottom : op.bottom()) {
      const auto found = tensors.find(bottom);
      in.push_back(found == tensors.end() ? &others.at(bottom) : &found->second);
    }
    return kernels[i](in, out);
  }
};

FloatExecutor::FloatExecutor(std::unique_ptr<State> state) : state_(std::move(state)) {}
FloatExecutor::~FloatExecutor() = default;

Result<std::unique_ptr<FloatExecutor>> FloatExecutor::create(const Network& network) {
  TW_RETURN_IF_ERROR(verify(network));
  auto state = std::make_unique<State>();
  state->network = &network;
  static const std::vector<Blob> none;
  for (const TensorOp& op : network.ops) {
    FloatKernel& kernel = state->kernels.emplace_back();
    if (is(op, Op::start) || is(op, Op::end)) continue;
    const auto blobs = network.blobs.find(op.name());
    TW_ASSIGN_OR_RETURN(made, make_kernel(op, blobs == network.blobs.end() ? none : blobs->second));
    kernel = std::move(made);
  }
  state->find_last_uses();
  return std::unique_ptr<FloatExecutor>(new FloatExecutor(std::move(state)));
}

Result<std::map<std::string, Blob>> FloatExecutor::run(const std::map<std::string, Blob>& inputs,
                                                       const Observer& observer) {
  std::map<std::string, Blob> tensors;
  for (size_t i = 0; i < state_->network->ops.size(); ++i) {
    const TensorOp& op = state_->network->ops[i];
    if (is(op, Op::end)) break;
    if (is(op, Op::start))
      TW_RETURN_IF_ERROR(State::take_inputs(op, inputs, tensors));
    else
      TW_RETURN_IF_ERROR(state_->compute(i, tensors, {}));
    if (observer)
      for (const std::string& top : op.top()) observer(top, tensors.at(top));
    for (const std::string& tensor : state_->finished[i]) tensors.erase(tensor);
  }
  std::map<std::string, Blob> results;
  for (const std::string& name : state_->network->outputs()) results[name] = tensors.at(name);
  return results;
}

Result<std::map<std::string, Blob>> FloatExecutor::rerun(const std::map<std::string, Blob>& known,
                                                         std::map<std::string, Blob> changed) {
  const Network& network = *state_->network;
  const auto has_changed = [&](const std::string& tensor) { return changed.contains(tensor); };
  for (size_t i = 0; i < network.ops.size(); ++i) {
    const TensorOp& op = network.ops[i];
    if (is(op, Op::start) || is(op, Op::end) || std::ranges::any_of(op.top(), has_changed) ||
        std::ranges::none_of(op.bottom(), has_changed))
      continue;
    TW_RETURN_IF_ERROR(state_->compute(i, changed, known));
  }
  std::map<std::string, Blob> results;
  for (const std::string& name : network.outputs())
    results[name] = has_changed(name) ? changed.at(name) : known.at(name);
  return results;
}

}  // namespace tputwin::net
