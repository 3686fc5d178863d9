// The instruction set in force: as fast bodies ask for it, and as programs choose it (fast.h).
#pragma once

#include <span>
#include <string>

#include "base/error.h"

namespace tputwin::fast {

// Beside the names that fast.h lists there is "amx" where the processor has it: the best Highway
// target, and oneDNN for the convolutions it does faster (gemm/conv2d_choice.h).

// Instruction sets that bodies were compiled for and this host has not got.
std::span<const std::string> missing_isas();

// An error if TPUTWIN_ISA names nothing that is available; it lists what is. Every Device asks.
Status check_environment();

// run_best() asks, before any HWY_DYNAMIC_DISPATCH: applies TPUTWIN_ISA on first use. False: the
// reference bodies are selected, or this host has no vector unit we know.
bool vectors_enabled();

// What the pass of foreach_target.h compiled takes the place of the target beneath.
bool dot_pass_selected();

// Convolutions go to oneDNN where it covers them.
bool onednn_enabled();

// What oneDNN is good for on this host, as far as the build has it.
enum class OneDnn { absent, not_exact, exact, exact_and_fast };
OneDnn onednn_on_this_host();

}  // namespace tputwin::fast
