// Pages of simulated memories, with inaccessible address space before and after them. Kernels get
// plain pointers into them. An index that leaves a memory faults there and does not reach other
// data.
#pragma once

#include <cstdint>

namespace tputwin {

// Reach of an int32 index of 8-byte elements in each direction: 2^31 * 8 bytes.
inline constexpr uint64_t kGuardBytes = uint64_t{16} << 30;

// Maps `bytes` privately at a multiple of 2 MiB: zero at first, touched lazily. Returns nullptr and
// sets errno if address space runs out. There are no guards if address space is limited or
// TPUTWIN_GUARDS is 0.
uint8_t* map_guarded(uint64_t bytes);
void unmap_guarded(uint8_t* pages, uint64_t bytes);
// Keeps the first `kept` of `bytes` mapped bytes in use; the pages after them become guard.
void guard_rest(uint8_t* pages, uint64_t bytes, uint64_t kept);

// Returns true if an address is in the guards around the pages, where no data can be. Safe in
// signal handlers.
inline bool is_next_to(const void* address, const uint8_t* pages, uint64_t bytes) {
  const auto at = reinterpret_cast<uint64_t>(address), begin = reinterpret_cast<uint64_t>(pages);
  return at - (begin - kGuardBytes) < bytes + 2 * kGuardBytes && at - begin >= bytes;
}

}  // namespace tputwin
