// A stage of a network as it is lifted: its memories, tensors, and commands with the calls that
// make them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bmodel/bm168x/model.h"
#include "ops/instruction.h"
#include "tools/lift/calls.h"

namespace tputwin::lift {

// Memory of the net that a host allocates as one; compiled addresses [compiled, +bytes) lie there.
struct Region {
  std::string field;    // of the structure that the kernel gets
  std::string content;  // in words
  uint64_t compiled, bytes;
};

// An input or output of the net.
struct Tensor {
  std::string name;  // in0, out0
  const bmodel::bm168x::TensorT* file;
  uint64_t compiled;
};

// A command: what it does, its bytes in the file, and the call that makes it, if one does.
struct Step {
  Instruction instruction;
  std::span<const uint8_t> bytes;
  Lifted lifted;
};

// The commands of a group, in the order of execution.
struct Group {
  std::string title;          // "subnet 2, group 0"
  std::vector<uint8_t> gdma;  // the commands of the GDMA, where they are not those of the file
  std::vector<Step> steps;
};

struct Stage {
  const bmodel::bm168x::NetT* net;
  const bmodel::bm168x::NetParameterT* file;
  size_t index;
  std::vector<Region> regions;
  std::vector<Tensor> inputs, outputs;
  std::vector<Group> groups;
};

// Decodes a stage and finds the calls. Refuses, as the runtime does, what is no chain of static
// subnets on the TPU.
Result<Stage> read_stage(const bmodel::bm168x::File& file, const bmodel::bm168x::NetT& net,
                         size_t index, Recorder& recorder);

}  // namespace tputwin::lift
