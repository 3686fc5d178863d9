// StreamProgram: construction of the commands of a net for the BM1684X.
#pragma once

#include <string_view>
#include <vector>

#include "base/error.h"
#include "bmnet/targets/bm1684x/wait_tracker.h"
#include "bmodel/bmodel.h"
#include "ops/instruction.h"

namespace tputwin::net::bm1684x {

// A command, and what orders it.
struct StreamCommand {
  Operation op;
  Engine engine;
  LaneAccesses accesses;
  uint32_t layer;  // index of its name
};

class StreamProgram {
 public:
  // Appends an operation; a function of several commands becomes its steps. The first operation
  // that breaks a rule makes the program fail.
  void add(const Operation& op);
  // Assigns the commands from here on to the layer `name`.
  void begin_layer(std::string_view name);

  const Status& status() const { return status_; }
  // Returns the error of the first command that no fields of the chip express; it names the layer.
  Status check_encoding() const;
  // Passes may change the order of commands that do not conflict.
  std::vector<StreamCommand>& commands() { return commands_; }
  // Returns the commands, numbered, with the waits that keep their order.
  std::vector<Instruction> instructions() const;
  // Replaces the contents of `result` by them: its memory is used again.
  void instructions(std::vector<Instruction>& result) const;
  // Returns the layers of the commands.
  bmodel::LayerRuns layers() const;
  // Removes everything, and keeps the memory.
  void reset() {
    commands_.clear();
    layers_.clear();
    status_ = {};
  }

 private:
  std::vector<StreamCommand> commands_;
  std::vector<std::string> layers_;
  Status status_;
};

}  // namespace tputwin::net::bm1684x
