// Heap functions of the C library, and memory statistics from Linux.
#include "base/heap.h"

#include <cstdlib>
#include <fstream>
#include <string>
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace tputwin {

void give_back_heap() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

std::optional<uint64_t> own_memory() {
  std::ifstream rollup("/proc/self/smaps_rollup");
  const std::string wanted = "Anonymous:";
  for (std::string word; rollup >> word;)
    if (uint64_t kilobytes = 0; word == wanted && rollup >> kilobytes) return kilobytes * 1024;
  return {};
}

}  // namespace tputwin
