// Addresses of the memories of a stage, and its commands decoded for them.
#include "sdk/bmrt/stage.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/bits.h"
#include "base/errors/bmrt.h"
#include "base/last_error.h"
#include "bmodel/bm168x/dynamic.h"
#include "insight/layer_scope.h"
#include "isa/streams/stream.h"
#include "machine/command_group.h"
#include "sdk/bmrt/storage.h"

namespace tputwin::bmrt {

using namespace bmodel::bm168x;

namespace {

bm_shape_t shape_of(const TensorT& tensor) {
  bm_shape_t result{};
  for (uint64_t extent : bmodel::bm168x::shape(tensor))
    result.dims[result.num_dims++] = static_cast<int>(extent);
  return result;
}

// Returns the bytes from the first to the last element of an operand.
uint64_t extent_of(const TensorView& view) {
  const auto last = [](uint32_t extent, uint32_t stride) { return uint64_t{extent - 1} * stride; };
  return last(cells(view), view.stride.n) + last(view.shape.c, view.stride.c) +
         last(view.shape.h, view.stride.h) + last(view.shape.w, view.stride.w) + run_bytes(view);
}

}  // namespace

uint64_t StageTensor::bits() const { return element_bits(element_type(*file)); }

uint64_t StageTensor::elements() const { return element_count(*file) / images(); }

uint64_t StageTensor::bytes(bm_store_mode_t mode) const {
  return stored_bytes(images(), elements(), bits(), mode);
}

uint64_t neuron_block_bytes(uint64_t neurons) { return align_up(neurons + 1, kPage); }

std::string Stage::name() const { return stage_name(net_, index_); }

// The name includes the tensors that the subnet writes.
std::string Stage::subnet_name(const SubNetT& subnet) const {
  std::string text = fmt::format("stage {} subnet {}", index_, subnet.id);
  for (const auto& tensor : subnet.output_tensor)
    text += (tensor == subnet.output_tensor.front() ? ": " : ", ") + tensor->name;
  return text;
}

Result<std::unique_ptr<Stage>> Stage::load(const File& file, const NetT& net, size_t index,
                                           std::shared_ptr<const Coefficients> coefficients,
                                           std::shared_ptr<Block> neurons, BlockSource& io) {
  std::unique_ptr<Stage> stage(new Stage(file, net, index));
  stage->coefficients_ = std::move(coefficients);
  stage->neurons_ = std::move(neurons);
  TW_RETURN_IF_ERROR(stage->place(io));
  for (const auto& tensor : stage->parameter().input_tensor)
    stage->inputs_.push_back(stage->tensor(*tensor));
  for (const auto& tensor : stage->parameter().output_tensor)
    stage->outputs_.push_back(stage->tensor(*tensor));
  if (!stage->relocated_io_.empty()) {
    size_t number = 0;
    for (auto* list : {&stage->inputs_, &stage->outputs_})
      for (StageTensor& tensor : *list)
        tensor.address = stage->relocated(stage->relocated_io_[number++]);
  }
  return stage;
}

Stage::IoLayout Stage::io_layout(const NetT& net, const NetParameterT& stage) {
  IoLayout io{stage.io_addr, stage.io_size, {}};
  if (static_cast<AddressMode>(net.addr_mode) != AddressMode::io_reloc) return io;
  // after the addresses that commands may reach beyond the neurons
  io.compiled = align_up(
      std::max(stage.ctx_addr + neuron_bytes(stage) + 1, stage.io_addr + stage.io_size), kPage);
  for (const auto* list : {&stage.input_tensor, &stage.output_tensor})
    for (const auto& tensor : *list) {
      io.bytes = align_up(io.bytes, kPage);
      io.tensors.push_back(io.compiled + io.bytes);
      io.bytes += std::max(tensor->size, stored_bytes(*tensor));
    }
  return io;
}

// Places weights, io memory and neurons.
Status Stage::place(BlockSource& io_source) {
  const NetParameterT& file = parameter();
  const uint64_t neurons = neuron_bytes(file);
  if (neurons != 0) {
    // Commands may reach up to the end of the page, unless other memory starts before it.
    const uint64_t end = file.ctx_addr + neurons;
    uint64_t tail = align_up(end + 1, kPage) - end;
    if (file.io_size != 0 && file.io_addr >= end) tail = std::min(tail, file.io_addr - end);
    tail = std::min(tail, neuron_block_bytes(neurons) - neurons);
    regions_.push_back({file.ctx_addr, neurons, neurons_->address(), true, tail});
  }
  IoLayout io = io_layout(net_, file);
  relocated_io_ = std::move(io.tensors);
  if (io.bytes != 0) {
    TW_ASSIGN_OR_RETURN(block, io_source.take(io.bytes));
    io_ = std::move(block);
    regions_.push_back({io.compiled, io.bytes, io_->address(), true});
  }
  if (coefficients_ != nullptr)
    regions_.push_back(
        {file.coeff_mem->address, coefficients_->bytes().size(), coefficients_->address(), false});
  return {};
}

Region Stage::neurons() const {
  const uint64_t bytes = neuron_bytes(parameter());
  return {parameter().ctx_addr, bytes, bytes != 0 ? neurons_->address() : 0, true};
}

std::vector<Stage::Weight> Stage::weights() const {
  if (coefficients_ == nullptr) return {};
  const uint64_t begin = coefficients_->address(), bytes = coefficients_->bytes().size();
  std::vector<Weight> all{{"weights", begin, bytes}};
  for (const auto& named : parameter().coeff_mem->location)
    if (named->offset < bytes)
      all.push_back({"weights " + named->name, begin + named->offset,
                     std::min(named->size, bytes - named->offset)});
  return all;
}

// In address mode 4 the address of a net's input or output follows from its number, in every subnet
// that has a tensor of its name.
uint64_t Stage::compiled_address(const TensorT& tensor) const {
  if (relocated_io_.empty()) return tensor.device_addr;
  size_t number = 0;
  for (const auto* list : {&parameter().input_tensor, &parameter().output_tensor})
    for (const auto& one : *list) {
      if (one->name == tensor.name) return relocated_io_[number];
      ++number;
    }
  return tensor.device_addr;
}

StageTensor Stage::tensor(const TensorT& tensor) const {
  return {&tensor, relocated(compiled_address(tensor)), shape_of(tensor)};
}

// Addresses outside all regions are not changed: unused fields of a command may hold any value.
uint64_t Stage::relocated(uint64_t compiled) const {
  for (const Region& region : regions_)
    if (compiled >= region.compiled && compiled - region.compiled < region.bytes + region.tail)
      return region.address + (compiled - region.compiled);
  return compiled;
}

// Returns the command groups in the order of execution, from the first subnet to the end of the
// chain.
Result<std::vector<const CmdGroupT*>> Stage::chain() const {
  const NetParameterT& file = parameter();
  std::vector<const CmdGroupT*> groups;
  subnet_sizes_.clear();
  auto add = [&](const auto& list, const std::string& subnet) {
    for (const auto& group : list) groups.push_back(group.get());
    subnet_sizes_.push_back(list.size());
    group_names_.resize(groups.size(), subnet);
  };
  auto refuse = [&](std::string subnet, std::string_view why) {
    return Error(errors::brt_subnet_graph)
        .argument(name(), std::move(subnet))
        .detail(std::string(why));
  };
  if (net_.cascade != nullptr && !net_.cascade->main_name.empty())
    return Error(errors::brt_cascade).argument(name(), "of " + net_.cascade->main_name);
  if (file.sub_net.empty()) {
    add(file.cmd_group, name());
    return groups;
  }
  std::set<int32_t> seen;
  for (const SubNetT* subnet = file.sub_net.front().get(); subnet != nullptr;) {
    const std::string label = fmt::format("subnet {}", subnet->id);
    if (!seen.insert(subnet->id).second) return refuse(label, "it follows itself");
    add(subnet->cmd_group, subnet_name(*subnet));
    const auto& next = subnet->next_subnet_ids;
    if (next.size() > 1) return refuse(label, "several follow it");
    subnet = nullptr;
    if (!next.empty() && next[0] != -1)
      subnet = std::ranges::find(file.sub_net, next[0], [](const auto& s) { return s->id; })->get();
  }
  return groups;
}

// Returns the groups of all TPU subnets, in the order of the file, for a run that chooses among
// them.
Result<std::vector<const CmdGroupT*>> Stage::groups_of_subnets() {
  auto program = SubnetProgram::make(file_, parameter());
  if (!program.ok()) {
    Error error = program.error();
    error.set_call_if_empty(name());
    return error;
  }
  std::vector<const CmdGroupT*> groups;
  for (const auto& node : program->graph.nodes) {
    first_group_.push_back(groups.size());
    if (node.mode != SubnetMode::tpu) continue;
    for (const auto& group : node.subnet->cmd_group) groups.push_back(group.get());
    group_names_.resize(groups.size(), subnet_name(*node.subnet));
  }
  first_group_.push_back(groups.size());
  subnets_ = std::move(program.value());
  return groups;
}

Result<const Stage::Groups*> Stage::groups() {
  std::lock_guard lock(mutex_);
  if (!groups_) groups_ = decode_all();
  if (!groups_->ok()) return groups_->error();
  return &groups_->value();
}

Result<Stage::Groups> Stage::decode_all() {
  const auto mode = static_cast<AddressMode>(net_.addr_mode);
  if (!runs(mode, *chip_of(file_.model)))
    return Error(errors::brt_address_mode).argument(name(), std::string(to_string(mode)));
  TW_RETURN_IF_ERROR(check_static(parameter(), name()));
  const bool is_chain = is_tpu_chain(parameter());
  TW_ASSIGN_OR_RETURN(list, is_chain ? chain() : groups_of_subnets());
  if (is_chain) {
    TW_RETURN_IF_ERROR(check_tensors(inputs_, /*are_written=*/true));
    TW_RETURN_IF_ERROR(check_tensors(outputs_, /*are_written=*/false));
  }
  if (chip_of(file_.model)->family == ChipFamily::bm1684) TW_RETURN_IF_ERROR(reserve_scratch(list));
  Met met;
  TW_ASSIGN_OR_RETURN(groups, decode_groups(list, met));
  TW_RETURN_IF_ERROR(isa::report(met.unconfirmed, name()));
  if (met.first_write) {
    TW_RETURN_IF_ERROR(isa::report_form(*met.first_write));
    if (met.writes > 1) thread_diagnostics().add({{*met.first_write, met.writes - 1}});
  }
  return groups;
}

Result<Stage::Groups> Stage::decode_groups(const std::vector<const CmdGroupT*>& list, Met& met) {
  const isa::StreamOptions options{.relocate = [this](uint64_t at) { return relocated(at); },
                                   .unconfirmed = &met.unconfirmed};
  Groups groups;
  for (const CmdGroupT* group : list) {
    TW_ASSIGN_OR_RETURN(instructions, decode(*group, options));
    for (const Instruction& instruction : instructions)
      TW_RETURN_IF_ERROR(check_written(instruction, met));
    groups.push_back(std::make_unique<PlannedProgram>(std::move(instructions)));
  }
  return groups;
}

// Returns the lowest compiled address of the net's memories.
uint64_t Stage::first_compiled() const {
  uint64_t first = compiled_base(neurons_->card()->chip());
  for (const Region& region : regions_) first = std::min(first, region.compiled);
  return first;
}

// Compilers of the BM1684 use global memory below the weights for scratch data of a layer. The
// stage allocates a block for these writes. To find their range, such addresses are decoded as if
// they were after the memory of every device.
Status Stage::reserve_scratch(const std::vector<const CmdGroupT*>& list) {
  constexpr uint64_t kAside = uint64_t{1} << 40;
  const uint64_t base = neurons_->card()->chip().global_base, end = first_compiled();
  const isa::StreamOptions options{
      .relocate = [&](uint64_t at) { return base <= at && at < end ? at + kAside : at; }};
  uint64_t from = UINT64_MAX, to = 0;
  for (const CmdGroupT* group : list) {
    TW_ASSIGN_OR_RETURN(instructions, decode(*group, options));
    for (const Instruction& instruction : instructions)
      for (const Operand& operand : operands(instruction.op)) {
        const TensorView& view = *operand.view;
        if (operand.access == Access::read || view.space != Space::global || view.address < kAside)
          continue;
        const uint64_t compiled = base + view.address - kAside;
        from = std::min(from, compiled);
        to = std::max(to, compiled + extent_of(view));
      }
  }
  if (to == 0 || to > end) return {};
  from = from / kPage * kPage;
  TW_ASSIGN_OR_RETURN(block, Block::allocate(neurons_->card(), to - from));
  scratch_ = std::move(block);
  regions_.push_back({from, 0, scratch_->address(), true, to - from});
  return {};
}

Result<std::vector<Instruction>> Stage::decode(const CmdGroupT& group,
                                               const isa::StreamOptions& options) const {
  isa::CommandStreams streams{file_.bytes(group.binary_bdc), file_.bytes(group.binary_gdma)};
  if (group.bdc_cmd_byte != 0) streams.tiu = streams.tiu.first(group.bdc_cmd_byte);
  if (group.gdma_cmd_byte != 0) streams.gdma = streams.gdma.first(group.gdma_cmd_byte);
  std::vector<uint8_t> patched;
  if (!relocated_io_.empty() && !group.reloc_entries.empty()) {
    patched.assign(streams.gdma.begin(), streams.gdma.end());
    TW_RETURN_IF_ERROR(patch(group, patched));
    streams.gdma = patched;
  }
  auto instructions = isa::decode_streams(streams, neurons_->card()->chip(), options);
  if (!instructions.ok()) {
    Error error = instructions.error();
    error.set_call_if_empty(name());
    return error;
  }
  return instructions;
}

// Mode 4: the entries list the addresses of inputs or outputs in GDMA commands, which are patched.
Status Stage::patch(const CmdGroupT& group, std::vector<uint8_t>& gdma) const {
  constexpr size_t kAddressBytes = 5;
  for (size_t i = 0; i < group.reloc_entries.size(); ++i) {
    const RelEntry& entry = group.reloc_entries[i];
    const uint64_t at = entry.cmd_offset();
    if (entry.base_addr_id() >= relocated_io_.size() || gdma.size() < kAddressBytes ||
        at > gdma.size() - kAddressBytes)
      return Error(errors::brt_relocation)
          .in(name())
          .argument(fmt::format("reloc_entries[{}]", i),
                    fmt::format("base {}, offset {:#x}", entry.base_addr_id(), at));
    const uint64_t address = relocated_io_[entry.base_addr_id()] + entry.addr_offset();
    for (size_t byte = 0; byte < kAddressBytes; ++byte)
      gdma[at + byte] = static_cast<uint8_t>(address >> (8 * byte));
  }
  return {};
}

bool Stage::holds(uint64_t address, uint64_t bytes, bool to_write) const {
  return std::ranges::any_of(regions_, [&](const Region& region) {
    return (region.writable || !to_write) && address >= region.address && bytes <= region.bytes &&
           address - region.address <= region.bytes - bytes;
  });
}

// Returns true if the bytes are in a region or in the unused memory after it.
bool Stage::is_nothing(uint64_t address, uint64_t bytes) const {
  return std::ranges::any_of(regions_, [&](const Region& region) {
    const uint64_t all = region.bytes + region.tail;
    return region.tail != 0 && address >= region.address && bytes <= all &&
           address - region.address <= all - bytes;
  });
}

Status Stage::check_written(const Instruction& instruction, Met& met) const {
  const uint64_t base = neurons_->card()->chip().global_base;
  for (const Operand& operand : operands(instruction.op)) {
    if (operand.access == Access::read || operand.view->space != Space::global) continue;
    const uint64_t from = base + operand.view->address, bytes = extent_of(*operand.view);
    if (holds(from, bytes, /*to_write=*/true)) continue;
    const auto error = [&](ErrorId id) {
      return Error(id).in(name()).argument(fmt::format("GDMA command {}", instruction.id),
                                           fmt::format("[{:#x}, +{:#x})", from, bytes));
    };
    if (!is_nothing(from, bytes)) return error(errors::brt_written);
    if (++met.writes == 1) met.first_write = error(errors::brt_written_nobody);
  }
  return {};
}

Status Stage::check_tensors(const std::vector<StageTensor>& tensors, bool are_written) const {
  for (const StageTensor& tensor : tensors)
    if (!holds(tensor.address, tensor.device_bytes(), are_written))
      return Error(errors::brt_tensor_place)
          .in(name())
          .argument(tensor.file->name, fmt::format("{:#x}", tensor.file->device_addr));
  return {};
}

uint64_t Stage::place_of(const TensorT& file, bool to_write) const {
  const StageTensor placed = tensor(file);
  return holds(placed.address, placed.device_bytes(), to_write) ? placed.address : 0;
}

Status Stage::run_subnet(Device& device, size_t subnet) {
  return run_groups(device, first_group_[subnet], first_group_[subnet + 1]);
}

Status Stage::run(Device& device) {
  TW_ASSIGN_OR_RETURN(list, groups());
  return run_groups(device, 0, list->size());
}

Status Stage::run_groups(Device& device, size_t first, size_t end) {
  TW_ASSIGN_OR_RETURN(list, groups());
  for (size_t i = first; i < end; ++i) {
    const insight::LayerScope scope(group_names_[i]);
    TW_RETURN_IF_ERROR(run_command_group(device, *(*list)[i]));
  }
  return {};
}

}  // namespace tputwin::bmrt
