// Operations one after the other as a command group of a bmodel, and the views they work on.
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

  // A tensor behind the others in local memory, from lane 0 on; `pack` images, or input channels of
  // weights, to a cell.
  TensorView lanes(const Shape& shape, DType dtype, bool aligned = true, uint8_t pack = 1);
  // Forgets all of them.
  void free_lanes() { lane_bytes_ = 0; }
  // One in global memory, `address` bytes behind its base.
  TensorView global(uint64_t address, const Shape& shape, DType dtype) const;

  // Waits for everything before it.
  void add(Operation op);
  void load(const TensorView& lanes, uint64_t address) { move(lanes, address, /*loads=*/true); }
  void store(const TensorView& lanes, uint64_t address) { move(lanes, address, /*loads=*/false); }

  const std::vector<Instruction>& program() const { return program_; }
  // Both streams, appended to the binary part of a file.
  Result<std::unique_ptr<bmodel::bm168x::CmdGroupT>> group(std::vector<uint8_t>& binary) const;

 private:
  // Of cells of 4 bytes, whatever they hold; of elements where there are none.
  void move(const TensorView& lanes, uint64_t address, bool loads);

  const Chip& chip_;
  uint64_t lane_bytes_ = 0;
  std::vector<Instruction> program_;
  uint32_t issued_[2] = {};  // of the tensor engine, of the GDMA
};

}  // namespace tputwin::testing
