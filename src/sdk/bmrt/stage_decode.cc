// Puts the command groups of a stage into the order of execution, and decodes them.
#include "sdk/bmrt/stage_decode.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/errors/bmrt.h"
#include "bmodel/bm168x/dynamic.h"
#include "isa/streams/stream.h"
#include "sdk/bmrt/stage_bounds.h"

namespace tputwin::bmrt {

using namespace bmodel::bm168x;

namespace {

class StageDecoder {
 public:
  StageDecoder(const File& file, const NetT& net, size_t index, const std::string& host_libraries,
               StageMemory& memory)
      : file_(file),
        net_(net),
        stage_(*net.parameter[index]),
        index_(index),
        name_(stage_name(net, index)),
        host_libraries_(host_libraries),
        memory_(memory) {}

  Result<StagePrograms> decode_all();

 private:
  using GroupList = std::vector<const CmdGroupT*>;

  std::string subnet_name(const SubNetT& subnet) const;
  void add(GroupList& groups, const std::vector<std::unique_ptr<CmdGroupT>>& list,
           const std::string& subnet);
  Result<GroupList> chain();
  Result<GroupList> groups_of_subnets();
  Status reserve_scratch(const GroupList& list);
  Status decode_groups(const GroupList& list);
  Result<std::vector<Instruction>> decode(const CmdGroupT& group,
                                          const isa::StreamOptions& options) const;

  const File& file_;
  const NetT& net_;
  const NetParameterT& stage_;
  const size_t index_;
  const std::string name_;  // in errors
  const std::string& host_libraries_;
  StageMemory& memory_;
  StagePrograms programs_;
};

// The name includes the tensors that the subnet writes.
std::string StageDecoder::subnet_name(const SubNetT& subnet) const {
  std::string text = fmt::format("stage {} subnet {}", index_, subnet.id);
  for (const auto& tensor : subnet.output_tensor)
    text += (tensor == subnet.output_tensor.front() ? ": " : ", ") + tensor->name;
  return text;
}

// Adds the groups of a subnet of this name.
void StageDecoder::add(GroupList& groups, const std::vector<std::unique_ptr<CmdGroupT>>& list,
                       const std::string& subnet) {
  for (const auto& group : list) {
    groups.push_back(group.get());
    programs_.group_layers.emplace_back(*group);
  }
  programs_.group_names.resize(groups.size(), subnet);
}

// Returns the command groups in the order of execution, from the first subnet to the end of the
// chain.
Result<StageDecoder::GroupList> StageDecoder::chain() {
  GroupList groups;
  const auto add_subnet = [&](const auto& list, const std::string& subnet) {
    add(groups, list, subnet);
    programs_.subnet_sizes.push_back(list.size());
  };
  const auto refuse = [&](std::string subnet, std::string_view why) {
    return Error(errors::brt_subnet_graph)
        .argument(name_, std::move(subnet))
        .detail(std::string(why));
  };
  if (net_.cascade != nullptr && !net_.cascade->main_name.empty())
    return Error(errors::brt_cascade).argument(name_, "of " + net_.cascade->main_name);
  if (stage_.sub_net.empty()) {
    add_subnet(stage_.cmd_group, name_);
    return groups;
  }
  std::set<int32_t> seen;
  for (const SubNetT* subnet = stage_.sub_net.front().get(); subnet != nullptr;) {
    const std::string label = fmt::format("subnet {}", subnet->id);
    if (!seen.insert(subnet->id).second) return refuse(label, "it follows itself");
    add_subnet(subnet->cmd_group, subnet_name(*subnet));
    const auto& next = subnet->next_subnet_ids;
    if (next.size() > 1) return refuse(label, "several follow it");
    subnet = nullptr;
    if (!next.empty() && next[0] != -1)
      subnet =
          std::ranges::find(stage_.sub_net, next[0], [](const auto& s) { return s->id; })->get();
  }
  return groups;
}

// Returns the groups of all TPU subnets, in the order of the file, for a run that chooses among
// them.
Result<StageDecoder::GroupList> StageDecoder::groups_of_subnets() {
  auto program = SubnetProgram::make(file_, stage_, host_libraries_);
  if (!program.ok()) {
    Error error = program.error();
    error.set_call_if_empty(name_);
    return error;
  }
  GroupList groups;
  for (const auto& node : program->graph.nodes) {
    programs_.first_group.push_back(groups.size());
    if (node.mode == SubnetMode::tpu)
      add(groups, node.subnet->cmd_group, subnet_name(*node.subnet));
  }
  programs_.first_group.push_back(groups.size());
  programs_.subnets = std::move(program.value());
  return groups;
}

Result<StagePrograms> StageDecoder::decode_all() {
  const auto mode = static_cast<AddressMode>(net_.addr_mode);
  if (!runs(mode, *chip_of(file_.model)))
    return Error(errors::brt_address_mode).argument(name_, std::string(to_string(mode)));
  TW_RETURN_IF_ERROR(check_static(stage_, name_));
  const bool is_chain = is_tpu_chain(stage_);
  TW_ASSIGN_OR_RETURN(list, is_chain ? chain() : groups_of_subnets());
  if (is_chain) {
    TW_RETURN_IF_ERROR(check_tensors(memory_, memory_.inputs(), /*are_written=*/true, name_));
    TW_RETURN_IF_ERROR(check_tensors(memory_, memory_.outputs(), /*are_written=*/false, name_));
  }
  if (chip_of(file_.model)->family == ChipFamily::bm1684) TW_RETURN_IF_ERROR(reserve_scratch(list));
  TW_RETURN_IF_ERROR(decode_groups(list));
  return std::move(programs_);
}

Status StageDecoder::decode_groups(const GroupList& list) {
  isa::UnconfirmedForms unconfirmed;
  WriteBounds bounds(memory_, name_);
  const isa::StreamOptions options{
      .relocate = [this](uint64_t at) { return memory_.relocated(at); },
      .unconfirmed = &unconfirmed};
  for (const CmdGroupT* group : list) {
    TW_ASSIGN_OR_RETURN(instructions, decode(*group, options));
    for (const Instruction& instruction : instructions)
      TW_RETURN_IF_ERROR(bounds.check(instruction));
    programs_.groups.push_back(std::make_unique<PlannedProgram>(std::move(instructions)));
  }
  TW_RETURN_IF_ERROR(isa::report(unconfirmed, name_));
  return bounds.report();
}

// Compilers of the BM1684 use global memory below the weights for scratch data of a layer. The
// stage allocates a block for these writes. To find their range, such addresses are decoded as if
// they were after the memory of every device.
Status StageDecoder::reserve_scratch(const GroupList& list) {
  constexpr uint64_t kAside = uint64_t{1} << 40;
  const uint64_t base = memory_.chip().global_base, end = memory_.first_compiled();
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
  return memory_.add_scratch(from, to);
}

Result<std::vector<Instruction>> StageDecoder::decode(const CmdGroupT& group,
                                                      const isa::StreamOptions& options) const {
  isa::CommandStreams streams{file_.bytes(group.binary_bdc), file_.bytes(group.binary_gdma)};
  if (group.bdc_cmd_byte != 0) streams.tiu = streams.tiu.first(group.bdc_cmd_byte);
  if (group.gdma_cmd_byte != 0) streams.gdma = streams.gdma.first(group.gdma_cmd_byte);
  std::vector<uint8_t> patched;
  if (memory_.needs_patch(group)) {
    patched.assign(streams.gdma.begin(), streams.gdma.end());
    TW_RETURN_IF_ERROR(memory_.patch(group, patched, name_));
    streams.gdma = patched;
  }
  auto instructions = isa::decode_streams(streams, memory_.chip(), options);
  if (!instructions.ok()) {
    Error error = instructions.error();
    error.set_call_if_empty(name_);
    return error;
  }
  return instructions;
}

}  // namespace

Result<StagePrograms> decode_stage(const File& file, const NetT& net, size_t index,
                                   const std::string& host_libraries, StageMemory& memory) {
  return StageDecoder(file, net, index, host_libraries, memory).decode_all();
}

}  // namespace tputwin::bmrt
