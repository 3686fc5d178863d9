// Private mappings of files over the reserved pages of a memory.
#include "memory/file_pages.h"

#include <sys/mman.h>

namespace tputwin {

bool map_file(GlobalMemory& memory, uint64_t offset, uint64_t bytes, int descriptor,
              uint64_t file_offset) {
  return memory.contains(offset, bytes) &&
         mmap(memory.data() + offset, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED,
              descriptor, static_cast<off_t>(file_offset)) != MAP_FAILED;
}

void unmap_file(GlobalMemory& memory, uint64_t offset, uint64_t bytes) {
  if (memory.contains(offset, bytes))
    mmap(memory.data() + offset, bytes, PROT_READ | PROT_WRITE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

}  // namespace tputwin
