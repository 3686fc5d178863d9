// A stage of a network for lifting: its memories, tensors, and commands with the calls that make
// them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bmodel/bm168x/model.h"
#include "ops/instruction.h"
#include "tools/lift/calls.h"

namespace tputwin::lift {

// A block of the net's memory that a host allocates; it holds compiled addresses [compiled,
// +bytes).
struct Region {
  std::string field;    // field of the kernel's argument structure
  std::string content;  // description for comments
  uint64_t compiled, bytes;
};

// An input or output of the net.
struct Tensor {
  std::string name;  // in0, out0
  const bmodel::bm168x::TensorT* file;
  uint64_t compiled;
};

// A command: its operation, its bytes in the file, and the call that makes it, if there is one.
struct Step {
  Instruction instruction;
  std::span<const uint8_t> bytes;
  Lifted lifted;
};

// The commands of a group, in the order of execution.
struct Group {
  std::string title;  // "subnet 2, group 0"
  // Patched commands of the GDMA, if they differ from those of the file.
  std::vector<uint8_t> gdma;
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

// Decodes a stage and finds the calls. Refuses a stage that is not a chain of static subnets on the
// TPU, as the runtime does.
Result<Stage> read_stage(const bmodel::bm168x::File& file, const bmodel::bm168x::NetT& net,
                         size_t index, Recorder& recorder);

}  // namespace tputwin::lift
