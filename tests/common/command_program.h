// A sequence of operations as a command group of a bmodel, and the views that they use.
#pragma once

#include <memory>
#include <vector>

#include "bmodel/bm168x/model.h"
#include "ops/instruction.h"

namespace tputwin::testing {

class CommandProgram {
 public:
  explicit CommandProgram(const Chip& chip) : chip_(chip) {}

  const Chip& chip() const { return chip_; }

  // Allocates a tensor in local memory, from lane 0 on. A cell holds `pack` images, or `pack` input
  // channels of weights.
  TensorView lanes(const Shape& shape, DType dtype, bool aligned = true, uint8_t pack = 1);
  // Frees all tensors of local memory.
  void free_lanes() { lane_bytes_ = 0; }
  // Returns a view in global memory, `address` bytes after its base.
  TensorView global(uint64_t address, const Shape& shape, DType dtype) const;

  // Adds an operation that waits for all earlier ones.
  void add(Operation op);
  void load(const TensorView& lanes, uint64_t address) { move(lanes, address, /*loads=*/true); }
  void store(const TensorView& lanes, uint64_t address) { move(lanes, address, /*loads=*/false); }

  const std::vector<Instruction>& program() const { return program_; }
  // Appends both streams to the binary part of a file.
  Result<std::unique_ptr<bmodel::bm168x::CmdGroupT>> group(std::vector<uint8_t>& binary) const;

 private:
  // Copies packed tensors as cells of 4 bytes, others as elements.
  void move(const TensorView& lanes, uint64_t address, bool loads);

  const Chip& chip_;
  uint64_t lane_bytes_ = 0;
  std::vector<Instruction> program_;
  uint32_t issued_[2] = {};  // of the tensor engine, of the GDMA
};

}  // namespace tputwin::testing
