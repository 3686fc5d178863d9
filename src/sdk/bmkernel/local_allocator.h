// Local memory addresses for tl_alloc and tl_alloc_bank. There are one common stack from address 0
// and one stack per bank; the common stack ends below the lowest bank in use. Addresses are offsets
// inside every lane.
#pragma once

#include <cstdint>
#include <vector>

#include "base/error.h"
#include "chip/chip.h"

namespace tputwin::bmkernel {

class LocalAllocator {
 public:
  explicit LocalAllocator(const Chip& chip);

  struct Block {
    uint32_t stack;  // bank, or common()
    uint32_t address, bytes;
  };
  uint32_t common() const { return chip_->banks; }

  // `aligned` starts at a multiple of the EU width. Fails if the block does not fit, if there is no
  // such bank, or if the common stack has grown into the bank.
  Result<Block> allocate(uint32_t stack, uint32_t bytes, bool aligned);
  // Returns an error if the release would grow the stack, a warning if the block is not the last
  // allocation.
  Status check_release(const Block& block) const;
  // Releases the block: its stack shrinks to the block's address.
  void release(const Block& block);

 private:
  struct Stack {
    uint32_t base, top;
    // Addresses of blocks in use, in order of allocation.
    std::vector<uint32_t> addresses;
  };
  uint32_t limit(uint32_t stack) const;

  const Chip* chip_;
  std::vector<Stack> stacks_;  // one per bank, then the common one
};

}  // namespace tputwin::bmkernel
