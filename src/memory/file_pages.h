// Pages of files in global memory, so that weights are not copied to it.
#pragma once

#include "memory/global_memory.h"

namespace tputwin {

// Puts pages of a file in the place of `bytes` from `offset` on, all three multiples of 4096 (but
// the file may end in its last page). What is written there stays here. False if the system will
// not.
bool map_file(GlobalMemory& memory, uint64_t offset, uint64_t bytes, int descriptor,
              uint64_t file_offset);
// Zeros again, untouched.
void unmap_file(GlobalMemory& memory, uint64_t offset, uint64_t bytes);

}  // namespace tputwin
