// Pages of simulated memories, with inaccessible address space on both sides. Kernels get plain
// pointers into them; an index that leaves a memory faults there instead of reaching what lies
// beside it.
#pragma once

#include <cstdint>

namespace tputwin {

// What an index of 32 bits with elements of 8 bytes can reach.
inline constexpr uint64_t kGuardBytes = uint64_t{16} << 30;

// Maps `bytes`: private, zero at first, touched lazily, at a multiple of 2 MiB. nullptr, and errno,
// if there is no room. Where address space is limited, or TPUTWIN_GUARDS is 0, there are no guards.
uint8_t* map_guarded(uint64_t bytes);
void unmap_guarded(uint8_t* pages, uint64_t bytes);
// Of `bytes` mapped only the first `kept` stay in use; the pages behind them become guard.
void guard_rest(uint8_t* pages, uint64_t bytes, uint64_t kept);

// Whether an address lies beside the pages, where nothing can be. Safe in signal handlers.
inline bool is_beside(const void* address, const uint8_t* pages, uint64_t bytes) {
  const auto at = reinterpret_cast<uint64_t>(address), begin = reinterpret_cast<uint64_t>(pages);
  return at - (begin - kGuardBytes) < bytes + 2 * kGuardBytes && at - begin >= bytes;
}

}  // namespace tputwin
