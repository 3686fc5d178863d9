// StreamProgram: construction of the commands of a net for the BM1684X, numbered, with the waits
// that keep their order.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "bmnet/targets/bm1684x/wait_tracker.h"
#include "bmodel/bmodel.h"
#include "ops/instruction.h"

namespace tputwin::net::bm1684x {

class StreamProgram {
 public:
  // Appends an operation; a function of several commands becomes its steps. The first operation
  // that breaks a rule makes the program fail.
  void add(const Operation& op);
  // Assigns the commands from here on to the layer `name`.
  void begin_layer(std::string_view name);

  const Status& status() const { return status_; }
  std::span<const Instruction> instructions() const { return instructions_; }
  // Returns the layers of the commands so far.
  bmodel::LayerRuns layers() const;
  void reset() { *this = {}; }

 private:
  void add_step(Operation op);

  std::vector<Instruction> instructions_;
  std::array<uint32_t, 2> commands_{};  // by engine
  WaitTracker waits_;
  Status status_;
  struct Begun {
    std::string layer;
    size_t at;  // commands before it
  };
  std::vector<Begun> begun_;
};

}  // namespace tputwin::net::bm1684x
