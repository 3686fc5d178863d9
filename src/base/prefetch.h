// Prefetching of cache lines.
#pragma once

namespace tputwin {

// Prefetches the cache line of `line`. The empty asm statement keeps GCC from removing calls, since
// it considers a function that only prefetches to have no effect.
inline void prefetch_line(const void* line) {
  __builtin_prefetch(line);
  asm volatile("");
}

}  // namespace tputwin
