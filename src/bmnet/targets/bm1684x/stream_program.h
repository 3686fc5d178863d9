// StreamProgram: construction of the commands of a net for the BM1684X.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "bmnet/targets/bm1684x/wait_tracker.h"
#include "bmodel/bmodel.h"
#include "insight/timing/running_cycles.h"
#include "ops/instruction.h"

namespace tputwin::net::bm1684x {

// A command, and what orders it.
struct StreamCommand {
  Operation op;
  Engine engine;
  LaneAccesses accesses;
  uint32_t layer;  // index of its name
};

// The price of commands that are not kept.
struct RunningPrice {
  explicit RunningPrice(const Chip& chip) : cycles(chip) {}

  WaitTracker waits;
  insight::RunningCycles cycles;
  uint64_t global_bytes = 0;
  std::array<uint32_t, 2> numbers{};  // of the last commands: tensor engine, GDMA
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
  // Returns the layers of the commands.
  bmodel::LayerRuns layers() const;
  // Removes everything. From here on commands are only priced.
  void begin_price();
  // The price of the commands since then.
  const RunningPrice& price() const { return *price_; }

 private:
  void append(Operation op);
  void add_price(const Operation& op, Engine engine, const OperandList& operands);

  std::vector<StreamCommand> commands_;
  std::vector<std::string> layers_;
  Status status_;
  std::optional<RunningPrice> price_;
};

}  // namespace tputwin::net::bm1684x
