// Execution of the programs of a stage.
#include "sdk/bmrt/stage.h"

#include "insight/layer_scope.h"
#include "machine/command_group.h"
#include "sdk/bmrt/stage_bounds.h"

namespace tputwin::bmrt {

using namespace bmodel::bm168x;

namespace {

// Executes the groups [first, end).
Status run_groups(Device& device, const StagePrograms& programs, size_t first, size_t end) {
  for (size_t i = first; i < end; ++i) {
    const insight::LayerScope scope(programs.group_names[i], programs.group_layers[i]);
    TW_RETURN_IF_ERROR(run_command_group(device, *programs.groups[i]));
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<Stage>> Stage::load(const File& file, const NetT& net, size_t index,
                                           std::shared_ptr<const Coefficients> coefficients,
                                           std::shared_ptr<Block> neurons, BlockSource& io,
                                           const std::string& host_libraries) {
  StageMemory memory(net, *net.parameter[index], std::move(coefficients), std::move(neurons));
  TW_RETURN_IF_ERROR(memory.place(io));
  std::unique_ptr<Stage> stage(new Stage(file, net, index, host_libraries, std::move(memory)));
  stage->inputs_ = stage->memory_.inputs();
  stage->outputs_ = stage->memory_.outputs();
  return stage;
}

Result<const StagePrograms*> Stage::programs() {
  std::lock_guard lock(mutex_);
  if (!programs_) programs_ = decode_stage(file_, net_, index_, host_libraries_, memory_);
  if (!programs_->ok()) return programs_->error();
  return &programs_->value();
}

Result<const Stage::Groups*> Stage::groups() {
  TW_ASSIGN_OR_RETURN(all, programs());
  return &all->groups;
}

const SubnetProgram* Stage::subnets() const {
  if (!programs_ || !programs_->ok()) return nullptr;
  const std::optional<SubnetProgram>& subnets = programs_->value().subnets;
  return subnets ? &*subnets : nullptr;
}

uint64_t Stage::place_of(const TensorT& file, bool to_write) const {
  const StageTensor placed = memory_.tensor(file);
  return holds(memory_, placed.address, placed.device_bytes(), to_write) ? placed.address : 0;
}

Status Stage::run(Device& device) {
  TW_ASSIGN_OR_RETURN(all, programs());
  return run_groups(device, *all, 0, all->groups.size());
}

Status Stage::run_subnet(Device& device, size_t subnet) {
  TW_ASSIGN_OR_RETURN(all, programs());
  return run_groups(device, *all, all->first_group[subnet], all->first_group[subnet + 1]);
}

}  // namespace tputwin::bmrt
