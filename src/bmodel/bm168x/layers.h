// Names of layers: of the commands of a group, in a field of tputwin's own (docs/bmodel168x.md).
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "bmodel/bm168x/model.h"
#include "bmodel/bmodel.h"
#include "ops/instruction.h"

namespace tputwin::bmodel::bm168x {

// The layer of each command of a group. The group must outlive it.
class CommandLayers {
 public:
  CommandLayers() = default;
  explicit CommandLayers(const CmdGroupT& group);

  // Returns the layer of a command by its engine and number; empty if it is unknown.
  std::string_view of(const Instruction& instruction) const;

 private:
  std::array<std::vector<std::string_view>, 2> names_;  // of TIU, GDMA: by number, from 1
};

// Returns the field for a program, whose `layers` follow the order of its commands; nullptr if they
// are unknown.
std::unique_ptr<LayersT> layers_of(std::span<const Instruction> program, const LayerRuns& layers);

// Returns true if a command group of the stage names layers.
bool names_layers(const NetParameterT& stage);

}  // namespace tputwin::bmodel::bm168x
