// Observer: the callback interface for instructions and events of a device.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "ops/instruction.h"

namespace tputwin {

class Error;

// Describes the API call that issued an instruction, by its name in messages.
struct CallSite {
  std::string_view call;
  // `number` is that of the command in the launch, from 1. It is 0 if unknown.
  uint32_t number = 0;
  // `wrong_strides` names an operand ("src_addr") whose address is in its memory but whose strides
  // leave it.
  std::string_view wrong_strides = {};
};

// Describes an event other than an instruction. Addresses are offsets in a system memory.
struct DeviceEvent {
  enum class Kind : uint8_t {
    launch_begin,   // kernel `name`, host's launch `number`
    kernel_end,     // returned; commands may be unfinished
    launch_end,     // all commands of the launch are finished
    synced,         // host waited for launches up to `number`
    poll,           // the kernel waits for all engines
    section_begin,  // of a parallel section
    section_end,
    allocated,
    freed,       // the allocation that begins at `address`
    host_write,  // the host is about to write these bytes
    host_read,
    // The host may write these bytes from now on without notice. If `bytes` is 0, it may write any
    // memory.
    pointer,
    // The launch that begins executes these bytes of a command buffer.
    commands,
    closed,  // the device can no longer be used
    // The tensor `name` of a model is at this address from now on.
    tensor
  };
  Kind kind;
  Space space = Space::global;
  uint64_t address = 0, bytes = 0;
  uint64_t number = 0;
  std::string_view name = {};
  std::span<const uint8_t> commands = {};
};

// A device without observers does no work for them.
class Observer {
 public:
  virtual ~Observer() = default;
  // Called before an instruction runs, and after its rules were checked.
  virtual void before_instruction(const Instruction&, const Footprint&) {}
  // Called once for every executed instruction, after it ran.
  virtual void on_instruction(const Instruction&, const Footprint&, const Cost&) = 0;
  // Called before the instruction of an immediately executed API call, on the stack of that call.
  virtual void on_issue(const CallSite&) {}
  virtual void on_event(const DeviceEvent&) {}
  // Called when an instruction, or the call that would issue it, breaks a rule and does not run. An
  // issued one is still on the stack of its call.
  virtual void on_refused(const Error&) {}
};

}  // namespace tputwin
