// The instruction set in force, for fast kernels. fast.h has the functions for programs.
#pragma once

#include <span>
#include <string>

#include "base/error.h"

namespace tputwin::fast {

// In addition to the names in fast.h there is "amx" where the processor has AMX: the best Highway
// target, and matrix tiles for products of bytes (gemm/kernels/tile_unit-inl.h). "amx_emulated"
// runs the same kernels with tiles in memory on processors with AVX-512 VNNI, for tests.

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

// The matrix tiles in force.
enum class TileUnit : uint8_t { none, emulated, processor };
TileUnit tile_unit();

// Returns true if the processor has AMX for bytes, and the operating system lets this process use
// it, and the products are right. The first call asks the system for the permission.
bool has_amx();

// Returns true if the processor has an instruction that adds products of pairs of bf16.
bool has_bf16_pairs();

// The abilities of oneDNN on this host, if the build has it.
enum class OneDnn { absent, not_exact, exact };
OneDnn onednn_on_this_host();

}  // namespace tputwin::fast
