// The bmodel of a compiled net.
#include <openssl/sha.h>

#include "bmnet/targets/bm1684x/compile.h"
#include "bmnet/targets/bm1684x/target.h"
#include "bmodel/bm168x/layers.h"
#include "bmodel/bm168x/model.h"
#include "isa/streams/encode.h"
#include "isa/streams/stream.h"

namespace tputwin::net::bm1684x {
namespace {

namespace file = bmodel::bm168x;

constexpr size_t kFilePage = 4096;

file::ElementType element_type(DType type) {
  switch (type) {
    case DType::f16:
      return file::ElementType::f16;
    case DType::bf16:
      return file::ElementType::bf16;
    case DType::i8:
      return file::ElementType::i8;
    case DType::u8:
      return file::ElementType::u8;
    case DType::i32:
      return file::ElementType::i32;
    default:
      return file::ElementType::f32;
  }
}

// The binary part of a file.
class BinaryPart {
 public:
  std::unique_ptr<file::Binary> add(std::span<const uint8_t> bytes) {
    bytes_.resize((bytes_.size() + kFilePage - 1) / kFilePage * kFilePage);
    auto place = std::make_unique<file::Binary>(bytes_.size(), bytes.size());
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return place;
  }
  const std::vector<uint8_t>& bytes() const { return bytes_; }

 private:
  std::vector<uint8_t> bytes_;
};

// `scale` of an input multiplies floats, that of an output gives them back.
std::unique_ptr<file::TensorT> tensor_of(const StreamTensor& from, bool is_input) {
  auto tensor = std::make_unique<file::TensorT>();
  tensor->name = from.name;
  tensor->data_type = static_cast<uint32_t>(element_type(from.type));
  tensor->device_addr = chip().global_base + from.address;
  tensor->size = from.bytes;
  tensor->mem_type = 1;  // of the TPU
  tensor->scale = is_input ? 1 / from.scale : from.scale;
  tensor->shape.push_back(std::make_unique<file::ShapeT>());
  for (int64_t d : from.shape) tensor->shape[0]->dim.push_back(static_cast<uint64_t>(d));
  return tensor;
}

using FileTensors = std::vector<std::unique_ptr<file::TensorT>>;

void add_tensors(FileTensors& inputs, FileTensors& outputs, const auto& from) {
  for (const StreamTensor& t : from.inputs) inputs.push_back(tensor_of(t, true));
  for (const StreamTensor& t : from.outputs) outputs.push_back(tensor_of(t, false));
}

// A stage has its command group twice: for readers that know subnets, and for others.
struct Streams {
  isa::EncodedStreams bytes;
  uint32_t tiu = 0, gdma = 0;  // commands, with the ends
  file::Binary tiu_place, gdma_place;

  std::unique_ptr<file::CmdGroupT> group() const {
    auto group = std::make_unique<file::CmdGroupT>();
    group->bdc_num = tiu;
    group->gdma_num = gdma;
    group->binary_bdc = std::make_unique<file::Binary>(tiu_place);
    group->binary_gdma = std::make_unique<file::Binary>(gdma_place);
    // Commands of the BM1684 have one size.
    if (chip().family == ChipFamily::bm1684) return group;
    group->bdc_cmd_byte = static_cast<uint32_t>(bytes.tiu.size());
    group->gdma_cmd_byte = static_cast<uint32_t>(bytes.gdma.size());
    return group;
  }
};

Result<Streams> encode(const std::vector<Instruction>& program, BinaryPart& binary) {
  Streams s;
  TW_ASSIGN_OR_RETURN(encoded, isa::encode_streams(program, chip()));
  s.bytes = std::move(encoded);
  TW_ASSIGN_OR_RETURN(tiu, isa::count_commands(Engine::compute, s.bytes.tiu, chip()));
  TW_ASSIGN_OR_RETURN(gdma, isa::count_commands(Engine::dma, s.bytes.gdma, chip()));
  s.tiu = tiu;
  s.gdma = gdma;
  s.tiu_place = *binary.add(s.bytes.tiu);
  s.gdma_place = *binary.add(s.bytes.gdma);
  return s;
}

// All stages have the same weights.
std::unique_ptr<file::CoeffMemT> weights_of(const CompiledStream& net, const file::Binary& place) {
  auto memory = std::make_unique<file::CoeffMemT>();
  memory->address = chip().global_base + net.target->first_weight();
  memory->binary_coeff = std::make_unique<file::Binary>(place);
  // Runtimes store weights of equal codes once.
  memory->check_code.resize(SHA256_DIGEST_LENGTH);
  SHA256(net.weights.data(), net.weights.size(), memory->check_code.data());
  return memory;
}

// `from` has the inputs and outputs, and the layers.
std::unique_ptr<file::SubNetT> subnet_of(const auto& from, const Streams& streams) {
  auto subnet = std::make_unique<file::SubNetT>();
  subnet->subnet_mode = static_cast<int>(file::SubnetMode::tpu);
  subnet->cmd_group.push_back(streams.group());
  subnet->cmd_group[0]->layers = file::layers_of(from.program, from.layers);
  add_tensors(subnet->input_tensor, subnet->output_tensor, from);
  subnet->id = 0;
  return subnet;
}

// An operator of tputwin (docs/host-operators.md): any number from 10000 on, and its text.
std::unique_ptr<file::SubNetT> host_subnet_of(const StreamSubnet& from, BinaryPart& binary) {
  constexpr int32_t kNumber = 16880;
  const std::string text = "tputwin-host-operator-1 " + from.host;
  auto subnet = std::make_unique<file::SubNetT>();
  subnet->subnet_mode = static_cast<int>(file::SubnetMode::cpu);
  auto parameters = std::make_unique<file::CpuParamT>();
  parameters->op_type = kNumber;
  parameters->is_custom = 1;
  parameters->binary_param =
      binary.add({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
  subnet->cpu_param.push_back(std::move(parameters));
  add_tensors(subnet->input_tensor, subnet->output_tensor, from);
  return subnet;
}

// The subnets follow each other.
Status add_subnets(file::NetParameterT& stage, const CompiledStream& net, BinaryPart& binary) {
  for (const StreamSubnet& from : net.subnets) {
    std::unique_ptr<file::SubNetT> subnet;
    if (from.host.empty()) {
      TW_ASSIGN_OR_RETURN(streams, encode(from.program, binary));
      subnet = subnet_of(from, streams);
    } else {
      subnet = host_subnet_of(from, binary);
    }
    subnet->id = static_cast<int32_t>(stage.sub_net.size());
    if (!stage.sub_net.empty()) stage.sub_net.back()->next_subnet_ids = {subnet->id};
    stage.sub_net.push_back(std::move(subnet));
  }
  return {};
}

// A stage of one subnet has its command group twice.
Status add_commands(file::NetParameterT& stage, const CompiledStream& net, BinaryPart& binary) {
  if (!net.subnets.empty()) return add_subnets(stage, net, binary);
  TW_ASSIGN_OR_RETURN(streams, encode(net.program, binary));
  stage.cmd_group.push_back(streams.group());
  stage.sub_net.push_back(subnet_of(net, streams));
  return {};
}

Result<std::unique_ptr<file::NetParameterT>> stage_of(const CompiledStream& net,
                                                      const file::Binary& weights,
                                                      BinaryPart& binary) {
  auto stage = std::make_unique<file::NetParameterT>();
  if (!net.weights.empty()) stage->coeff_mem = weights_of(net, weights);
  TW_RETURN_IF_ERROR(add_commands(*stage, net, binary));
  add_tensors(stage->input_tensor, stage->output_tensor, net);
  stage->ctx_addr = chip().global_base + net.neurons;
  stage->ctx_size = net.neuron_bytes;
  stage->ctx_sizes = {net.neuron_bytes};
  return stage;
}

void remove_layers(file::ModelT& model) {
  for (const auto& stage : model.net[0]->parameter)
    for (const auto& subnet : stage->sub_net)
      for (const auto& group : subnet->cmd_group) group->layers.reset();
}

}  // namespace

Result<std::vector<uint8_t>> to_file(const CompiledStream& net, const std::string& name) {
  return to_file(std::span(&net, 1), name);
}

Result<std::vector<uint8_t>> to_file(std::span<const CompiledStream> stages,
                                     const std::string& name, bool layer_names) {
  const ScopedTarget scope(*stages[0].target);
  BinaryPart binary;
  file::ModelT model;
  model.type = "B";
  model.version = "2.2";
  model.time = "1970-01-01 00:00:00";  // equal nets give equal files
  model.chip = std::string(chip().name);
  model.device_num = 1;
  model.net.push_back(std::make_unique<file::NetT>());
  model.net[0]->name = name;
  const file::Binary weights = *binary.add(stages[0].weights);
  for (const CompiledStream& net : stages) {
    TW_ASSIGN_OR_RETURN(stage, stage_of(net, weights, binary));
    model.neuron_size = std::max(model.neuron_size, net.neuron_bytes);
    model.net[0]->parameter.push_back(std::move(stage));
  }
  if (!layer_names) remove_layers(model);
  return file::write(model, binary.bytes());
}

}  // namespace tputwin::net::bm1684x
