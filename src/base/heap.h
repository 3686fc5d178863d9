// The heap of the process, and its private memory.
#pragma once

#include <cstdint>
#include <optional>

namespace tputwin {

// Returns free memory to the operating system, as far as the C library can. Useful after large data
// was read and dropped, because the library keeps memory that it once had.
void give_back_heap();

// Returns the bytes of memory that belong to this process and to no file, so the system can reclaim
// them only by swapping. Returns nullopt if the system does not report them.
std::optional<uint64_t> own_memory();

}  // namespace tputwin
