// History: the commands that a device executed, the accesses of the host, and which of them are
// ordered. As there are few engines, one number for each pair of them is enough for a clock.
#pragma once

#include <array>
#include <deque>
#include <string>
#include <vector>

#include "insight/stacks.h"
#include "machine/observer.h"

namespace tputwin::insight {

using CommandId = uint32_t;  // position in the history, from 1; 0: none

struct Command {
  std::string_view call, operation;
  std::string_view layer;  // as the file of the network names it; empty: unknown
  StackId stack = 0;
  uint32_t launch = 0;  // index in the history, from 1
  uint32_t number = 0;  // in its launch, from 1; 0: the host
  Engine engine = Engine::cpu;
  // The host holds a pointer, and may read and write at any time.
  bool is_pointer = false;
  bool is_used = false;  // part of its result was read
};

struct LaunchInfo {
  std::string name;
  uint64_t number = 0;  // as the host counts launches
  // Call stack of the host at the launch.
  StackId stack = 0;
};

class History {
 public:
  // begin_launch() and barrier() order all later commands after all earlier ones.
  void begin_launch(std::string_view name, uint64_t number, StackId stack);
  void barrier();
  // The caller keeps the name of the layer.
  CommandId add(const Instruction& instruction, std::string_view call, StackId stack,
                std::string_view layer = {});
  CommandId add_host(StackId stack, bool is_pointer = false);

  const Command& at(CommandId id) const { return commands_[id - 1]; }
  void mark_used(CommandId id) { commands_[id - 1].is_used = true; }
  CommandId newest() const { return static_cast<CommandId>(commands_.size()); }
  const LaunchInfo& launch(uint32_t launch) const { return launches_[launch]; }
  uint32_t current_launch() const { return static_cast<uint32_t>(launches_.size() - 1); }
  // Returns true if a command finishes before any command that `engine` starts from now on.
  bool is_before(CommandId id, Engine engine) const {
    if (id == 0 || at(id).number == 0 || at(id).engine == engine) return true;
    return id <= finished_[index(engine)][index(at(id).engine)];
  }
  // Returns the operation of a recent command; nullptr for older ones.
  const Operation* operation(CommandId id) const;
  // Returns the operation with its operands; only its name for older commands.
  std::string text(CommandId id) const;

 private:
  static constexpr size_t kEngines = 3;  // by enum Engine
  static constexpr size_t index(Engine engine) { return static_cast<size_t>(engine); }
  void order(const Instruction& instruction);

  struct Numbered {
    uint32_t number;  // number of the command on its engine
    CommandId id;
  };
  std::deque<Command> commands_;
  std::vector<LaunchInfo> launches_{LaunchInfo{}};
  uint32_t commands_in_launch_ = 0;
  // For each engine, the newest command of each other engine that is finished before its next one.
  std::array<std::array<CommandId, kEngines>, kEngines> finished_{};
  std::array<std::vector<Numbered>, kEngines> issued_;  // since numbering began
  struct Recent {
    CommandId id;
    Operation operation;
  };
  std::deque<Recent> recent_;  // commands of the engines
};

}  // namespace tputwin::insight
