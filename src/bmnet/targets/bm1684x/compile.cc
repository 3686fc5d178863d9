// The compiler for the BM1684X: its passes in their order.
#include "bmnet/targets/bm1684x/compile.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/errors/bmnet.h"
#include "bmnet/caffe/layer.h"
#include "bmnet/integers/thresholds.h"
#include "bmnet/lowering/weight_memory.h"
#include "bmnet/pipeline/compilation.h"
#include "bmnet/pipeline/group_report.h"
#include "bmnet/pipeline/passes.h"
#include "bmnet/targets/bm1684x/axis/expand.h"
#include "bmnet/targets/bm1684x/choose_types.h"
#include "bmnet/targets/bm1684x/emit_moves.h"
#include "bmnet/targets/bm1684x/lower.h"
#include "bmnet/targets/bm1684x/prefetch.h"
#include "bmnet/targets/bm1684x/simplify.h"
#include "bmnet/targets/bm1684x/subnets/host_layers.h"
#include "bmnet/targets/bm1684x/subnets/subnets.h"
#include "bmnet/targets/bm1684x/views.h"

namespace tputwin::net::bm1684x {
namespace {

// Weights and tensors start at multiples of what the DMA moves at once; memories at pages.
constexpr uint64_t kUnit = 64, kPage = 4096;

// A compilation, and what only this target has.
struct StreamCompilation {
  Compilation shared;
  StreamOptions options;
  Types types;
  WeightOffsets weight_offsets;
  Memories memories;
  CompiledStream result;
  // Constants of operators of the host: weight memory offsets.
  std::map<std::string, std::vector<uint64_t>> host_constants;

  std::vector<TensorOp>& ops() { return shared.net.network.ops; }
};

// ---- Numbers ----

// Shared passes and the choice of numbers read thresholds. A float net has none.
Status set_thresholds(StreamCompilation& c) {
  std::vector<LayerThresholds> thresholds;
  if (c.options.table != nullptr) {
    constexpr float kUnknown = 0;  // choose_types() keeps such tensors in floats
    TW_ASSIGN_OR_RETURN(resolved,
                        resolve_thresholds(c.shared.net.network, *c.options.table, kUnknown));
    thresholds = std::move(resolved);
  }
  for (size_t i = 0; i < c.ops().size(); ++i) {
    LayerIntegers layer;
    if (thresholds.empty()) {
      layer.threshold_x.assign(static_cast<size_t>(c.ops()[i].bottom_size()), 1.0f);
      layer.threshold_y.assign(static_cast<size_t>(c.ops()[i].top_size()), 1.0f);
    } else {
      layer.threshold_x = std::move(thresholds[i].x);
      layer.threshold_y = std::move(thresholds[i].y);
    }
    c.shared.net.integers.push_back(std::move(layer));
  }
  return {};
}

// At every level: a layer of bytes that is rounded twice has other bits.
Status fuse(StreamCompilation& c) {
  const net::Level level = std::exchange(c.shared.options.level, net::Level::weight_optimization);
  Status status = pass::fuse(c.shared);
  c.shared.options.level = level;
  return status;
}

// Joins layers, and divides others into several. Tensors between those are floats. Their range is
// not known: their threshold is 0.
Status expand(StreamCompilation& c) {
  std::map<std::string, float> thresholds;
  for (size_t i = 0; i < c.ops().size(); ++i)
    for (int k = 0; k < c.ops()[i].top_size(); ++k)
      thresholds[c.ops()[i].top(k)] = c.shared.net.integers[i].threshold_y[static_cast<size_t>(k)];
  c.types.numbers.type = c.options.type == DType::i8 ? DType::f32 : c.options.type;
  // Layers that simplify() joins have no tensors between them, and its tensors no thresholds.
  if (!c.options.keep_all && c.options.type != DType::i8) simplify(c.shared.net.network);
  expand_layers(c.shared.net.network, c.types);
  c.shared.net.integers.clear();
  const auto threshold = [&](const std::string& tensor) {
    const auto found = thresholds.find(tensor);
    return found == thresholds.end() ? 0.0f : found->second;
  };
  for (const TensorOp& op : c.ops()) {
    LayerIntegers layer;
    for (const std::string& t : op.bottom()) layer.threshold_x.push_back(threshold(t));
    for (const std::string& t : op.top()) layer.threshold_y.push_back(threshold(t));
    c.shared.net.integers.push_back(std::move(layer));
  }
  return {};
}

Status set_types(StreamCompilation& c) {
  choose_types(c.shared.net, {c.options.type, c.options.float_inputs, c.options.float_outputs},
               c.types);
  c.types.matrices = matrix_tensors(c.shared.net.network);
  c.shared.contiguous = regrouped_tensors(c.shared.net.network);
  return {};
}

// Copies of outputs have the numbers of what they copy.
Status set_types_of_copies(StreamCompilation& c) {
  for (const TensorOp& op : c.ops())
    if (is(op, Op::crop) && c.types.others.count(op.top(0)) == 0)
      c.types.others[op.top(0)] = c.types.of(op.bottom(0));
  return {};
}

// Layers of the chip follow each other, so that there are few subnets.
Status order_subnets(StreamCompilation& c) {
  if (!has_host_layers(c.shared.net.network)) return {};
  std::vector<TensorOp> ops;
  std::vector<LayerIntegers> integers;
  for (const size_t i : order_by_place(c.shared.net.network)) {
    ops.push_back(std::move(c.ops()[i]));
    integers.push_back(std::move(c.shared.net.integers[i]));
  }
  c.ops() = std::move(ops);
  c.shared.net.integers = std::move(integers);
  return {};
}

// ---- Kernels ----

void list_place(const StreamCompilation& c, const TensorOp& op, const Kernels& kernels) {
  if (c.options.places == nullptr || is(op, Op::start) || is(op, Op::end)) return;
  const bool moves = has_trait(op, trait::moves_elements) && !is(op, Op::reshape);
  std::string type = op.type();
  if (type.starts_with("tg_")) type = type.substr(3);
  const bool runs = !kernels.ok() || !kernels->empty() || moves;
  c.options.places->push_back({op.name(), is(op, Op::host) ? op.tg_host_param().text() : type,
                               is(op, Op::host) ? "host"
                               : runs           ? "tpu"
                                                : "nothing",
                               dims(op.output_shape(0)),
                               kernels.ok() ? "" : kernels.error().message()});
}

Status lower_all(StreamCompilation& c) {
  c.shared.pricer = std::make_unique<StreamPricer>();
  c.shared.partition.weights_ahead = {1, 4};
  c.shared.partition.cuts = 6;
  std::vector<Error> problems;
  for (size_t i = 0; i < c.ops().size(); ++i) {
    auto kernels = lower(c.shared.net.network, i, c.types);
    list_place(c, c.ops()[i], kernels);
    if (!kernels.ok()) {
      problems.push_back(kernels.error());
      continue;
    }
    for (KernelPtr& kernel : *kernels) {
      c.shared.last_kernel_of[i] = c.shared.kernels.size();
      c.shared.kernels.push_back(std::move(kernel));
    }
  }
  if (!problems.empty()) return combine(problems);
  return {};
}

// ---- Weights, and the start of neuron memory after them ----

Status place_weights(StreamCompilation& c) {
  const StoredWeights* stored = c.options.stored;
  if (stored != nullptr) c.result.weights = stored->bytes;
  const bool once = c.shared.at_least(Level::weight_optimization) || stored != nullptr;
  WeightMemory memory(c.result.weights, once, kUnit);
  if (stored != nullptr) memory.remember(stored->parts);
  for (const ProgramPart& part : c.shared.parts) {
    if (!part.group) continue;
    for (const TiledKernel* k : part.group->schedule.kernels) {
      for (const Weight& w : k->weights) c.weight_offsets[k].push_back(memory.store(w.bytes));
      for (const auto& constant : static_cast<const StreamKernel*>(k)->constants)
        if (!c.shared.positions.contains(constant.name))
          c.shared.positions[constant.name] = {memory.store(constant.bytes), 0};
    }
  }
  for (const TensorOp& op : c.ops())
    if (is(op, Op::host) && op.tg_host_param().constant_size() != 0)
      for (const Blob& blob : c.shared.net.network.blobs.at(op.name()))
        c.host_constants[op.name()].push_back(memory.store(bytes_of(blob.data, DType::f32)));
  c.result.weight_parts = memory.parts();
  const uint64_t bytes = std::max<uint64_t>(c.result.weights.size(), 1);
  c.memories.neurons = static_cast<uint64_t>(align_up_to(static_cast<int64_t>(bytes), kPage));
  c.result.neurons = c.memories.neurons;
  c.result.neuron_bytes = c.shared.compiled.neuron_size;
  return {};
}

// ---- Commands ----

// Returns the name of a tensor in the file. Other tensors than the ends do not have their names.
std::string file_name(const StreamCompilation& c, const std::string& tensor) {
  const Network& network = c.shared.net.network;
  const auto is_end = [&](const std::vector<std::string>& ends, bool by_name) {
    return std::ranges::any_of(ends, [&](const std::string& t) {
      return by_name ? network.blob_name(t) == tensor : t == tensor;
    });
  };
  const std::vector<std::string> inputs = network.inputs(), outputs = network.outputs();
  if (is_end(inputs, false) || is_end(outputs, false)) return network.blob_name(tensor);
  const bool is_taken = is_end(inputs, true) || is_end(outputs, true);
  return is_taken ? tensor + "/inner" : network.blob_name(tensor);
}

StreamTensor described(const StreamCompilation& c, const std::string& tensor) {
  const Network& network = c.shared.net.network;
  const TensorShape& shape = *network.shape_of(tensor);
  const Numbers& numbers = c.types.of(tensor);
  return {file_name(c, tensor),
          dims(shape),
          numbers.type,
          c.memories.neurons + c.shared.positions.find(tensor)->second.offset,
          static_cast<uint64_t>(count(shape)) * element_bytes(numbers.type),
          numbers.scale};
}

void emit_part(StreamCompilation& c, StreamProgram& program, const ProgramPart& part) {
  const Network& network = c.shared.net.network;
  if (part.group) {
    emit_group(program, part.group->schedule, c.shared.positions, c.weight_offsets, c.memories);
    explain_group(c.result.explanation, network, *part.group);
    c.result.global_bytes += part.group->global_bytes;
    return;
  }
  const TensorOp& op = network.ops[part.op];
  program.begin_layer(op.name());
  for (const Move& move : part.moves)
    emit_move(program, move, c.shared.positions, network, c.memories,
              element_bytes(c.types.of(move.to).type));
  explain_layer(c.result.explanation, op, "moved by transfers");
}

// Orders the commands, and adds their time to that of the net.
Status finish(StreamCompilation& c, StreamProgram& program, std::vector<Instruction>& commands,
              bmodel::LayerRuns& layers) {
  if (!program.status().ok()) return program.status().error();
  c.result.predicted_cycles += prefetch_weights(program, c.memories.neurons);
  commands = program.instructions();
  layers = program.layers();
  return {};
}

// ---- Subnets ----

// The inputs of an operator of the host: tensors, and constants where they stand among them.
std::vector<StreamTensor> host_inputs(const StreamCompilation& c, const TensorOp& op) {
  std::vector<StreamTensor> inputs;
  const auto& constants = op.tg_host_param().constant();
  int bottom = 0, constant = 0;
  while (bottom < op.bottom_size() || constant < constants.size()) {
    const bool is_constant = constant < constants.size() &&
                             (constants[constant] == inputs.size() || bottom == op.bottom_size());
    if (!is_constant) {
      inputs.push_back(described(c, op.bottom(bottom++)));
      continue;
    }
    const Blob& blob = c.shared.net.network.blobs.at(op.name())[static_cast<size_t>(constant)];
    StreamTensor tensor{fmt::format("{}/constant{}", op.name(), constant), blob.shape};
    tensor.address = c.host_constants.at(op.name())[static_cast<size_t>(constant++)];
    tensor.bytes = 4 * blob.data.size();
    inputs.push_back(std::move(tensor));
  }
  return inputs;
}

StreamSubnet host_subnet(StreamCompilation& c, const TensorOp& op) {
  StreamSubnet made{.host = op.tg_host_param().text()};
  made.inputs = host_inputs(c, op);
  for (const std::string& top : op.top()) made.outputs.push_back(described(c, top));
  explain_layer(c.result.explanation, op, "computed by the host: " + made.host);
  return made;
}

// Emits the parts of each subnet. Parts follow the order of the layers.
Status emit_subnets(StreamCompilation& c) {
  const Network& network = c.shared.net.network;
  const auto layer_of = [](const ProgramPart& part) {
    return part.group ? part.group->schedule.kernels.front()->op : part.op;
  };
  auto part = c.shared.parts.begin();
  for (const SubnetLayers& layers : divide(network)) {
    if (layers.on_host) {
      c.result.subnets.push_back(host_subnet(c, network.ops[layers.begin]));
      ++part;
      continue;
    }
    StreamProgram program;
    StreamSubnet subnet;
    for (; part != c.shared.parts.end() && layer_of(*part) < layers.end; ++part)
      emit_part(c, program, *part);
    if (program.status().ok() && program.commands().empty()) continue;
    TW_RETURN_IF_ERROR(finish(c, program, subnet.program, subnet.layers));
    for (const std::string& t : layers.inputs) subnet.inputs.push_back(described(c, t));
    for (const std::string& t : layers.outputs) subnet.outputs.push_back(described(c, t));
    c.result.subnets.push_back(std::move(subnet));
  }
  return {};
}

Status emit_all(StreamCompilation& c) {
  if (c.shared.at_least(Level::layer_group)) mirror_groups(c.shared.parts);
  if (has_host_layers(c.shared.net.network)) return emit_subnets(c);
  StreamProgram program;
  for (const ProgramPart& part : c.shared.parts) emit_part(c, program, part);
  return finish(c, program, c.result.program, c.result.layers);
}

// ---- Ends ----

Status describe_ends(StreamCompilation& c) {
  const Network& network = c.shared.net.network;
  for (const std::string& t : network.inputs()) c.result.inputs.push_back(described(c, t));
  for (const std::string& t : network.outputs()) c.result.outputs.push_back(described(c, t));
  // Tensors of the model may have more than four axes, or none.
  for (StreamTensor& t : c.result.outputs)
    if (const auto own = network.output_dims.find(t.name); own != network.output_dims.end())
      t.shape = own->second;
  if (!c.options.keep_all) return {};
  for (const auto& [tensor, position] : c.shared.positions)
    if (network.shape_of(tensor) != nullptr) c.result.kept.push_back(described(c, tensor));
  return {};
}

// A pass of all targets.
template <Status (*kPass)(Compilation&)>
Status shared(StreamCompilation& c) {
  return kPass(c.shared);
}

constexpr Status (*kPasses[])(StreamCompilation&) = {set_thresholds,
                                                     fuse,
                                                     shared<pass::trim>,
                                                     expand,
                                                     set_types,
                                                     shared<pass::outputs>,
                                                     set_types_of_copies,
                                                     order_subnets,
                                                     shared<pass::storage>,
                                                     lower_all,
                                                     shared<pass::group>,
                                                     shared<pass::place>,
                                                     place_weights,
                                                     emit_all,
                                                     describe_ends};

}  // namespace

Result<CompiledStream> compile(const Network& network, const StreamOptions& options) {
  TW_RETURN_IF_ERROR(verify(network));
  StreamCompilation c;
  c.options = options;
  c.shared.options.level = options.level;
  c.shared.options.keep_all = options.keep_all;
  c.shared.net.network = network;
  TW_RETURN_IF_ERROR(place_on_host(c.shared.net.network));
  if (options.type == DType::i8 && options.table == nullptr)
    return Error(errors::net_table_entry)
        .in("net " + network.name)
        .argument("table", "missing")
        .detail("a net of bytes needs the thresholds of its tensors");
  for (const auto pass : kPasses) TW_RETURN_IF_ERROR(pass(c));
  return std::move(c.result);
}

}  // namespace tputwin::net::bm1684x
