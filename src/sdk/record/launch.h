// The launch of a kernel, command by command, and the global memory that it reads and writes.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "machine/device.h"
#include "sdk/record/byte_set.h"

namespace tputwin::record {

// Bytes of global memory, offsets from its base, and what they held.
struct Contents {
  Bytes place;
  std::vector<uint8_t> bytes;
};

// A part of global memory that operands of one launch share: what the launch reads there before it
// writes it, and what it writes, each from the first to the last such byte; `touched` holds both.
struct Block {
  Bytes touched;
  Contents read, written;  // of `written` what is left at the end
  // Of all operands there; b32: they have several types.
  DType dtype = DType::b32;
  // Of one operand that is all that is read, written; of one element: there is none.
  Shape read_shape, written_shape;
};

class Launch {
 public:
  Launch(Device& device, std::string kernel) : device_(device), kernel_(std::move(kernel)) {}

  // An instruction is issued: global memory that it is the first to read is copied aside.
  void before(const Operation& op);
  void issued(const Instruction& instruction) { program_.push_back(instruction); }
  // The kernel took a pointer into memory: what it does there is no command.
  void pointer(std::string_view call) { pointer_ = call; }

  const std::string& kernel() const { return kernel_; }
  const std::optional<std::string>& pointer() const { return pointer_; }
  const Chip& chip() const { return device_.chip(); }
  std::span<const Instruction> program() const { return program_; }
  // Once all of it ran, by address. Allocations, by their first bytes, are not joined to one block
  // unless an operand lies in both.
  std::vector<Block> blocks(const ByteSet& starts) const;

 private:
  struct Operand {
    Bytes extent;
    bool is_written;
    DType dtype;
    Shape shape;
    bool is_dense;
  };

  std::vector<Bytes> joined(const ByteSet& starts) const;
  Contents copy(Bytes range, const std::vector<Contents>& known) const;

  Device& device_;
  std::string kernel_;
  std::optional<std::string> pointer_;
  std::vector<Instruction> program_;
  std::vector<Operand> operands_;  // in global memory
  ByteSet read_, written_;         // read before they are written
  std::vector<Contents> first_;    // of read_
};

}  // namespace tputwin::record
