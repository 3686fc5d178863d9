// Stacks of local memory: allocation and the order of release.
#include "sdk/bmkernel/local_allocator.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/bits.h"
#include "base/errors/bmkernel.h"
#include "sdk/bmkernel/operand.h"

namespace tputwin::bmkernel {

LocalAllocator::LocalAllocator(const Chip& chip) : chip_(&chip) {
  for (uint32_t bank = 0; bank < chip.banks; ++bank)
    stacks_.push_back({bank * chip.bank_bytes(), bank * chip.bank_bytes(), {}});
  stacks_.push_back({0, 0, {}});
}

uint32_t LocalAllocator::limit(uint32_t stack) const {
  if (stack < common()) return stacks_[stack].base + chip_->bank_bytes();
  for (uint32_t bank = 0; bank < common(); ++bank)
    if (!stacks_[bank].addresses.empty()) return stacks_[bank].base;
  return chip_->lane_bytes;
}

Result<LocalAllocator::Block> LocalAllocator::allocate(uint32_t stack, uint32_t bytes,
                                                       bool aligned) {
  Stack& s = stacks_[stack];
  if (stack < common() && stacks_[common()].top > s.base)
    return broken(errors::bmk_bank_taken, "bank_id", fmt::format("{}", stack))
        .detail(fmt::format("tl_alloc has reached {:#x}", stacks_[common()].top));
  uint32_t start = aligned ? align_up(s.top, chip_->eu_bytes) : s.top;
  uint32_t end = limit(stack);
  if (start > end || bytes > end - start)
    return broken(errors::bmk_lmem_full, "s", fmt::format("{} bytes per lane", bytes))
        .detail(fmt::format("{} are left", end > start ? end - start : 0));
  s.top = start + bytes;
  s.addresses.push_back(start);
  return Block{stack, start, bytes};
}

Status LocalAllocator::check_release(const Block& block) const {
  const Stack& s = stacks_[block.stack];
  auto describe = [&](ErrorId id) {
    return broken(id, "t", fmt::format("tensor at {:#x}", block.address))
        .detail(fmt::format("the stack ends at {:#x}", s.top));
  };
  if (block.address > s.top) return describe(errors::bmk_free_above_stack);
  if (s.addresses.back() != block.address) return describe(errors::bmk_free_order);
  return {};
}

void LocalAllocator::release(const Block& block) {
  Stack& s = stacks_[block.stack];
  s.top = block.address;
  s.addresses.erase(std::find(s.addresses.begin(), s.addresses.end(), block.address));
}

}  // namespace tputwin::bmkernel
