// Observer: sees what a device does, and what is done to it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "ops/instruction.h"

namespace tputwin {

// The call that an instruction comes from, as messages name it.
struct CallSite {
  std::string_view call;
  uint32_t number = 0;  // of its command in the launch, from 1; 0: unknown
  // An operand ("src_addr") that lies in its memory at its address, and leaves it by its strides.
  std::string_view wrong_strides = {};
};

// What happens besides instructions. Addresses are offsets in a system memory.
struct DeviceEvent {
  enum class Kind : uint8_t {
    launch_begin,   // the kernel `name`, the host's launch `number`
    kernel_end,     // it returned; what it left queued is not finished
    launch_end,     // all of it is finished
    synced,         // the host has waited for all launches up to `number`
    poll,           // the kernel waits for all engines
    section_begin,  // of a parallel section
    section_end,
    allocated,
    freed,       // what begins at the address
    host_write,  // bytes that are about to be written from outside
    host_read,
    pointer,   // from now on somebody may write there without saying so; bytes 0: in any memory
    commands,  // the launch that begins is of these bytes of a command buffer
    closed,    // nobody can use the device any more
    tensor     // from now on a tensor of a model, `name`, lies there
  };
  Kind kind;
  Space space = Space::global;
  uint64_t address = 0, bytes = 0;
  uint64_t number = 0;
  std::string_view name = {};
  std::span<const uint8_t> commands = {};
};

// Installing none costs nothing.
class Observer {
 public:
  virtual ~Observer() = default;
  // Before an instruction runs, and after its rules were checked.
  virtual void before_instruction(const Instruction&, const Footprint&) {}
  // Sees every executed instruction once, after it ran.
  virtual void on_instruction(const Instruction&, const Footprint&, const Cost&) = 0;
  // Before the instruction of a call that works at once, on the stack of that call.
  virtual void on_issue(const CallSite&) {}
  virtual void on_event(const DeviceEvent&) {}
};

}  // namespace tputwin
