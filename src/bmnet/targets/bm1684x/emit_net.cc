// The commands of a net, by subnets.
#include "bmnet/targets/bm1684x/stream_compilation.h"

#include <fmt/format.h>

#include <algorithm>

#include "bmnet/caffe/layer.h"
#include "bmnet/pipeline/group_report.h"
#include "bmnet/targets/bm1684x/moves/emit_moves.h"
#include "bmnet/targets/bm1684x/schedule/prefetch.h"
#include "bmnet/targets/bm1684x/subnets/host_layers.h"
#include "bmnet/targets/bm1684x/subnets/subnets.h"
#include "insight/timing/commands.h"

namespace tputwin::net::bm1684x {
namespace {

// Loads the resident constants of a group, or of the one after it, before the commands of the
// group.
class ConstantLoads {
 public:
  ConstantLoads(const StreamCompilation& c, StreamProgram& program) : c_(c), program_(program) {}

  void before(size_t part) {
    size_t groups = 0;
    for (size_t i = part; i < c_.shared.parts.size() && groups < 2; ++i) {
      if (!c_.shared.parts[i].group) continue;
      ++groups;
      const size_t needed = c_.constants.parts_of(c_.shared.parts[i].group->schedule.kernels);
      if (loaded_ < needed) program_.begin_layer("constants");
      for (; loaded_ < needed; ++loaded_)
        load_part(program_, c_.constants, c_.constants.parts[loaded_], c_.memories.weights);
    }
  }

 private:
  const StreamCompilation& c_;
  StreamProgram& program_;
  size_t loaded_ = 0;
};

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

}  // namespace

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

namespace {

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

// Orders the commands, and takes their time as that of the net.
Status finish(StreamCompilation& c, StreamProgram& program, std::vector<Instruction>& commands,
              bmodel::LayerRuns& layers) {
  if (!program.status().ok()) return program.status().error();
  TW_RETURN_IF_ERROR(program.check_encoding());
  c.result.predicted_cycles = prefetch_weights(program, c.memories.neurons);
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
    tensor.address =
        c.memories.weights + c.host_constants.at(op.name())[static_cast<size_t>(constant++)];
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
  std::vector<Instruction> all;
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
    all.insert(all.end(), subnet.program.begin(), subnet.program.end());
    c.result.subnets.push_back(std::move(subnet));
  }
  // The net is launched once, whatever its subnets.
  c.result.predicted_cycles = insight::predicted_cycles(all, chip());
  return {};
}

}  // namespace

Status emit_all(StreamCompilation& c) {
  if (c.shared.at_least(Level::layer_group)) mirror_groups(c.shared.parts, c.constants.begin());
  if (has_host_layers(c.shared.net.network)) return emit_subnets(c);
  StreamProgram program;
  ConstantLoads constants(c, program);
  for (size_t i = 0; i < c.shared.parts.size(); ++i) {
    if (c.shared.parts[i].group) constants.before(i);
    emit_part(c, program, c.shared.parts[i]);
  }
  return finish(c, program, c.result.program, c.result.layers);
}

// Bytes in cells have the scales of their layers.
void describe_kept(StreamCompilation& c) {
  const Network& network = c.shared.net.network;
  std::map<std::string, float> scales;
  for (size_t i = 0; i < network.ops.size(); ++i)
    for (int t = 0; t < network.ops[i].top_size(); ++t)
      if (c.types.of(network.ops[i].top(t)).type == DType::b32)
        scales[network.ops[i].top(t)] =
            c.shared.net.integers[i].threshold_y[static_cast<size_t>(t)] / 128;
  for (const auto& [tensor, position] : c.shared.positions) {
    if (network.shape_of(tensor) == nullptr) continue;
    c.result.kept.push_back(described(c, tensor));
    if (const auto scale = scales.find(tensor); scale != scales.end())
      c.result.kept.back().scale = scale->second;
  }
}

Status describe_ends(StreamCompilation& c) {
  const Network& network = c.shared.net.network;
  for (const std::string& t : network.inputs()) c.result.inputs.push_back(described(c, t));
  for (const std::string& t : network.outputs()) c.result.outputs.push_back(described(c, t));
  // Tensors of the model may have more than four axes, or none.
  for (StreamTensor& t : c.result.outputs)
    if (const auto own = network.output_dims.find(t.name); own != network.output_dims.end())
      t.shape = own->second;
  if (c.options.keep_all) describe_kept(c);
  return {};
}

}  // namespace tputwin::net::bm1684x
