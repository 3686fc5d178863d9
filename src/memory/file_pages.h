// Pages of files mapped into global memory, which saves copies of weights.
#pragma once

#include "memory/global_memory.h"

namespace tputwin {

// Maps a file over `bytes` from `offset` on. All three numbers must be multiples of 4096, but the
// file may end inside its last page. The file does not change when the memory is written. Returns
// false if the system refuses.
bool map_file(GlobalMemory& memory, uint64_t offset, uint64_t bytes, int descriptor,
              uint64_t file_offset);
// Replaces mapped pages with untouched zeros.
void unmap_file(GlobalMemory& memory, uint64_t offset, uint64_t bytes);

}  // namespace tputwin
