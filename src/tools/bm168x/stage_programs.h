// The commands of the stages of bmodels for BM1684 and BM1684X, decoded, and their prices.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bmodel/bm168x/layers.h"
#include "bmodel/bm168x/model.h"
#include "isa/streams/unconfirmed.h"
#include "machine/program_cost.h"
#include "ops/instruction.h"

namespace tputwin::tools {

// Returns the command groups of all subnets of a stage.
std::vector<const bmodel::bm168x::CmdGroupT*> groups_of(const bmodel::bm168x::NetParameterT& stage);

// The groups of a static stage, decoded.
struct StageGroups {
  std::vector<std::vector<Instruction>> groups;
  // For each group, as the file names them.
  std::vector<bmodel::bm168x::CommandLayers> layers;
  isa::UnconfirmedForms unconfirmed;
};
// Errors name the stage. A dynamic stage is an error.
Result<StageGroups> decode_stage(const bmodel::bm168x::File& file, const bmodel::bm168x::NetT& net,
                                 size_t index);

// The price of a stage, whose groups run one after the other.
struct StagePrice {
  ProgramCost cost;
  std::vector<OperationCost> layers;  // those that the file names, in the order of their commands
  isa::UnconfirmedForms unconfirmed;
};
Result<StagePrice> price_of(const bmodel::bm168x::File& file, const bmodel::bm168x::NetT& net,
                            size_t index);

// Returns an error that names the first form that no recording confirms, or the first command that
// cannot be decoded.
Status check_strictly(const bmodel::bm168x::File& file);

// The commands of all groups of a static stage, one after the other.
struct StageProgram {
  std::string name;  // "resnet stage 0"
  const Chip* chip = nullptr;
  std::vector<Instruction> commands;
  std::vector<std::string_view> layers;  // one for each command; empty: unknown
};
struct FilePrograms {
  std::vector<StageProgram> stages;
  std::vector<Error> not_priced;  // one for each stage that is dynamic or cannot be decoded
};
// Nets by name and stages by number; all if absent.
struct StageChoice {
  std::optional<std::string> net, stage;
  bool includes(const bmodel::bm168x::NetT& of, size_t index) const;
};
// Returns an error that lists what the file has, if the choice includes none of its stages.
Status check_choice(const bmodel::bm168x::File& file, const StageChoice& choice);
// Returns that error for a net; `name` is empty if none was given.
Error no_such_net(const bmodel::bm168x::File& file, const std::string& name);
// Returns that error for a stage of a net, "stage 7".
Error no_such_stage(const bmodel::bm168x::NetT& net, std::string stage);
// Returns an error if the choice includes no stage, or if none of them can be decoded.
Result<FilePrograms> programs_of(const bmodel::bm168x::File& file, const StageChoice& choice);

}  // namespace tputwin::tools
