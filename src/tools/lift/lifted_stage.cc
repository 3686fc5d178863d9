// Memories, tensors and commands of a stage, from its file.
#include "tools/lift/lifted_stage.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/bits.h"
#include "base/errors/bmrt.h"
#include "base/errors/tools.h"
#include "bmodel/bm168x/dynamic.h"
#include "isa/streams/stream.h"

namespace tputwin::lift {

using namespace bmodel::bm168x;

namespace {

struct FileGroup {
  std::string title;
  const CmdGroupT* group;
};

std::string label(const Stage& stage) { return stage_name(*stage.net, stage.index); }

Error refused(const Stage& stage, std::string subnet, std::string_view why) {
  return Error(errors::cli_lift).argument(label(stage), std::move(subnet)).detail(std::string(why));
}

void add_groups(const auto& groups, const std::string& subnet, std::vector<FileGroup>& list) {
  for (size_t i = 0; i < groups.size(); ++i) {
    const std::string number = groups.size() > 1 ? fmt::format("group {}", i) : "";
    const bool both = !subnet.empty() && !number.empty();
    list.push_back({subnet + (both ? ", " : "") + number, groups[i].get()});
  }
}

// Returns the groups from the first subnet to the end of the chain.
Result<std::vector<FileGroup>> chain(const Stage& stage) {
  const NetParameterT& file = *stage.file;
  std::vector<FileGroup> list;
  if (stage.net->cascade != nullptr && !stage.net->cascade->main_name.empty())
    return Error(errors::brt_cascade).argument(label(stage), "of " + stage.net->cascade->main_name);
  if (const std::string why = dynamic_reason(file); !why.empty())
    return refused(stage, "dynamic", why);
  if (file.sub_net.empty()) {
    add_groups(file.cmd_group, "", list);
    return list;
  }
  std::set<int32_t> seen;
  for (const SubNetT* subnet = file.sub_net.front().get(); subnet != nullptr;) {
    const std::string name = fmt::format("subnet {}", subnet->id);
    const auto mode = static_cast<SubnetMode>(subnet->subnet_mode);
    if (mode != SubnetMode::tpu)
      return refused(stage, name, fmt::format("it is a {} subnet", to_string(mode)));
    if (!seen.insert(subnet->id).second) return refused(stage, name, "it follows itself");
    add_groups(subnet->cmd_group, file.sub_net.size() > 1 ? name : "", list);
    const auto& next = subnet->next_subnet_ids;
    if (next.size() > 1) return refused(stage, name, "several follow it");
    subnet = nullptr;
    if (!next.empty() && next[0] != -1)
      subnet = std::ranges::find(file.sub_net, next[0], [](const auto& s) { return s->id; })->get();
  }
  return list;
}

// Assigns addresses to memories, and to inputs and outputs in them. In address mode 4, in which
// commands name inputs and outputs by number, these are placed after all other memories.
void place(Stage& stage) {
  constexpr uint64_t kPage = 4096;
  const NetParameterT& file = *stage.file;
  const uint64_t neurons = neuron_bytes(file);
  if (file.coeff_mem != nullptr && file.coeff_mem->binary_coeff != nullptr)
    stage.regions.push_back({"weights", "the weights, as they are in the model",
                             file.coeff_mem->address, file.coeff_mem->binary_coeff->size()});
  if (neurons != 0)
    stage.regions.push_back({"neurons",
                             file.io_size != 0 ? "what layers hand on to layers"
                                               : "inputs, outputs and what is between them",
                             file.ctx_addr, neurons});
  uint64_t io = file.io_size, from = file.io_addr;
  const bool by_number = static_cast<AddressMode>(stage.net->addr_mode) == AddressMode::io_reloc;
  if (by_number) from = align_up(std::max(file.ctx_addr + neurons, from + io), kPage);
  auto add = [&](const auto& tensors, std::string_view prefix, std::vector<Tensor>& list) {
    for (const auto& tensor : tensors) {
      uint64_t at = tensor->device_addr;
      if (by_number) {
        at = from + (io = align_up(io, kPage));
        io += std::max(tensor->size, tensor_bytes(*tensor));
      }
      list.push_back({fmt::format("{}{}", prefix, list.size()), tensor.get(), at});
    }
  };
  add(file.input_tensor, "in", stage.inputs);
  add(file.output_tensor, "out", stage.outputs);
  if (io != 0) stage.regions.push_back({"io", "inputs and outputs", from, io});
}

// Mode 4: patches the commands of the GDMA with the addresses of inputs and outputs.
Status patch(const Stage& stage, const CmdGroupT& group, std::vector<uint8_t>& gdma) {
  constexpr size_t kAddressBytes = 5;
  for (const RelEntry& entry : group.reloc_entries) {
    const size_t number = entry.base_addr_id(), inputs = stage.inputs.size();
    const uint64_t at = entry.cmd_offset();
    if (number >= inputs + stage.outputs.size() || gdma.size() < kAddressBytes ||
        at > gdma.size() - kAddressBytes)
      return Error(errors::brt_relocation)
          .in(label(stage))
          .argument("reloc_entries", fmt::format("base {}, offset {:#x}", number, at));
    const Tensor& tensor = number < inputs ? stage.inputs[number] : stage.outputs[number - inputs];
    const uint64_t address = tensor.compiled + entry.addr_offset();
    for (size_t byte = 0; byte < kAddressBytes; ++byte)
      gdma[at + byte] = static_cast<uint8_t>(address >> (8 * byte));
  }
  return {};
}

// Returns the bytes of each command of a stream that decodes, by its number from 1 on.
std::vector<std::span<const uint8_t>> cut(std::span<const uint8_t> stream, Engine engine,
                                          const Chip& chip) {
  std::vector<std::span<const uint8_t>> commands(1);
  while (!stream.empty()) {
    const auto one = engine == Engine::dma ? isa::decode_gdma_command(stream, chip)
                                           : isa::decode_tiu_command(stream, chip);
    if (!one.ok()) break;
    commands.push_back(stream.first(one->bytes));
    if (one->is_end) break;
    stream = stream.subspan(one->bytes);
  }
  return commands;
}

Status read_group(const File& file, const Stage& stage, const CmdGroupT& from, Recorder& recorder,
                  Group& group) {
  isa::CommandStreams streams{file.bytes(from.binary_bdc), file.bytes(from.binary_gdma)};
  if (from.bdc_cmd_byte != 0) streams.tiu = streams.tiu.first(from.bdc_cmd_byte);
  if (from.gdma_cmd_byte != 0) streams.gdma = streams.gdma.first(from.gdma_cmd_byte);
  if (static_cast<AddressMode>(stage.net->addr_mode) == AddressMode::io_reloc) {
    group.gdma.assign(streams.gdma.begin(), streams.gdma.end());
    TW_RETURN_IF_ERROR(patch(stage, from, group.gdma));
    streams.gdma = group.gdma;
  }
  const Chip& chip = recorder.chip();
  auto program = isa::decode_streams(streams, chip);
  if (!program.ok()) {
    Error error = program.error();
    error.set_call_if_empty(label(stage));
    return error;
  }
  const auto tiu = cut(streams.tiu, Engine::compute, chip);
  const auto gdma = cut(streams.gdma, Engine::dma, chip);
  for (Instruction& instruction : *program) {
    const auto bytes = (instruction.engine == Engine::dma ? gdma : tiu).at(instruction.id);
    Lifted lifted = call_of(instruction, recorder);
    group.steps.push_back({std::move(instruction), bytes, std::move(lifted)});
  }
  return {};
}

}  // namespace

Result<Stage> read_stage(const File& file, const NetT& net, size_t index, Recorder& recorder) {
  Stage stage{.net = &net, .file = net.parameter[index].get(), .index = index};
  if (chip_of(file.model)->family != recorder.chip().family)
    return Error(errors::brt_chip).argument(label(stage), "chip " + file.model.chip);
  const auto mode = static_cast<AddressMode>(net.addr_mode);
  if (!runs(mode, recorder.chip()))
    return Error(errors::brt_address_mode).argument(label(stage), std::string(to_string(mode)));
  place(stage);
  TW_ASSIGN_OR_RETURN(groups, chain(stage));
  for (const FileGroup& from : groups) {
    stage.groups.push_back({.title = from.title});
    TW_RETURN_IF_ERROR(read_group(file, stage, *from.group, recorder, stage.groups.back()));
  }
  return stage;
}

}  // namespace tputwin::lift
