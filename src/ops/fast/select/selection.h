// The choice among instruction sets: what fast.h leaves out because few ask for it.
#pragma once

#include <span>
#include <string>

#include "base/error.h"

namespace tputwin::fast {

// Beside the names that fast.h lists there is "amx" where the processor has it: the best Highway
// target, and oneDNN for the convolutions it does faster (conv2d_choice.h).

// Instruction sets that bodies were compiled for and this host has not got.
std::span<const std::string> missing_isas();

// An error if TPUTWIN_ISA names nothing that is available; it lists what is. Every Device asks.
Status check_environment();

}  // namespace tputwin::fast
