// The heap of the process.
#pragma once

namespace tputwin {

// Gives free memory back to the system, as far as the C library can. Worth it after something large
// was read and dropped: the library keeps what it once had.
void give_back_heap();

}  // namespace tputwin
