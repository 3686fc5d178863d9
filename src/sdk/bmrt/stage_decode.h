// Decoding of a stage: the commands of its subnets as programs of its device.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bmodel/bm168x/layers.h"
#include "bmodel/bm168x/model.h"
#include "machine/planned_program.h"
#include "sdk/bmrt/stage_memory.h"
#include "sdk/bmrt/subnet_run.h"

namespace tputwin::bmrt {

struct StagePrograms {
  // The instructions of all command groups of all subnets, each in the order of execution.
  std::vector<std::unique_ptr<PlannedProgram>> groups;
  std::vector<std::string> group_names;  // names of their subnets
  // Layers of their commands, as the file names them.
  std::vector<bmodel::bm168x::CommandLayers> group_layers;
  // A chain of subnets on the TPU: the number of groups of each, in the order of execution.
  std::vector<size_t> subnet_sizes;
  // Other subnets, and the first group of each, and after the last.
  std::optional<SubnetProgram> subnets;
  std::vector<size_t> first_group;
};

// Decodes stage number `index` of a net, with addresses in its memory. Memory that only commands
// name is added to it. `host_libraries` is as in open_host_libraries(). An error states why the
// stage cannot run.
Result<StagePrograms> decode_stage(const bmodel::bm168x::File& file,
                                   const bmodel::bm168x::NetT& net, size_t index,
                                   const std::string& host_libraries, StageMemory& memory);

}  // namespace tputwin::bmrt
