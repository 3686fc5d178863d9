// The heap of the process, and all memory of its own.
#pragma once

#include <cstdint>
#include <optional>

namespace tputwin {

// Gives free memory back to the system, as far as the C library can. Worth it after something large
// was read and dropped: the library keeps what it once had.
void give_back_heap();

// Bytes of memory that belong to this process and to no file, which the system can only take by
// swapping. None: it does not tell.
std::optional<uint64_t> own_memory();

}  // namespace tputwin
