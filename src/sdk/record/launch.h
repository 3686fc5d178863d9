// The launch of a kernel, command by command, and the global memory that it reads and writes.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "machine/device.h"
#include "sdk/record/byte_set.h"

namespace tputwin::record {

// Bytes of global memory, as offsets from its base, with their former contents.
struct Contents {
  Bytes place;
  std::vector<uint8_t> bytes;
};

// A part of global memory that operands of one launch share. `read` spans the bytes that the launch
// reads before it writes them, `written` the bytes that it writes; `touched` spans both.
struct Block {
  Bytes touched;
  Contents read, written;  // `written`: contents at the end
  // Type of all operands there; b32 if they have several types.
  DType dtype = DType::b32;
  // Shape of an operand that covers exactly the read or written bytes; one element if there is
  // none.
  Shape read_shape, written_shape;
};

class Launch {
 public:
  Launch(Device& device, std::string kernel) : device_(device), kernel_(std::move(kernel)) {}

  // Called before an instruction is issued: copies global memory that it is the first to read.
  void before(const Operation& op);
  void issued(const Instruction& instruction) { program_.push_back(instruction); }
  // The kernel took a pointer into memory: its accesses there are not commands.
  void pointer(std::string_view call) { pointer_ = call; }

  const std::string& kernel() const { return kernel_; }
  const std::optional<std::string>& pointer() const { return pointer_; }
  const Chip& chip() const { return device_.chip(); }
  std::span<const Instruction> program() const { return program_; }
  // Returns the blocks by address, after the whole launch ran. Allocations, given by their first
  // bytes, are not joined to one block unless an operand spans both.
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
  std::vector<Contents> first_;    // contents of read_
};

}  // namespace tputwin::record
