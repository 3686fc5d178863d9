// The instruction set in force, for fast kernels. fast.h has the functions for programs.
#pragma once

#include <span>
#include <string>

#include "base/error.h"

namespace tputwin::fast {

// In addition to the names in fast.h there is "amx" where the processor has AMX: the best Highway
// target, and oneDNN for the convolutions that it runs faster (gemm/onednn/conv2d_choice.h).

// Returns the instruction sets that kernels were compiled for and this host lacks.
std::span<const std::string> missing_isas();

// Returns an error that lists the available sets if TPUTWIN_ISA names none of them. Every Device
// calls it.
Status check_environment();

// Returns false if the reference kernels are selected, or if this host has no supported vector
// unit. run_best() calls it before any HWY_DYNAMIC_DISPATCH. The first call applies TPUTWIN_ISA.
bool vectors_enabled();

// Returns true if the pass of foreach_target.h replaces its base target.
bool dot_pass_selected();

// Returns true if convolutions go to oneDNN where it covers them.
bool onednn_enabled();

// The abilities of oneDNN on this host, if the build has it.
enum class OneDnn { absent, not_exact, exact, exact_and_fast };
OneDnn onednn_on_this_host();

}  // namespace tputwin::fast
