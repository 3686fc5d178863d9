// Fast kernels. Each overload returns false if no fast kernel covers the operands, or if the
// instruction set in force has none. The caller then runs the reference kernel. A fast kernel
// writes exactly the bytes that the reference kernel writes; tests/differential compares them bit
// for bit.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "memory/memory.h"

namespace tputwin {

#define TW_ROW(Type, ...) struct Type;
#include "ops/operations.def"
#undef TW_ROW

namespace fast {

#define TW_ROW(Type, ...) bool execute(const Type&, const Memory&);
#include "ops/operations.def"
#undef TW_ROW

// Returns the names of the instruction sets that this host has. "reference" is first. Vector sets
// follow, the simplest first ("sse4", "avx2", "avx2_vnni", "avx512", "avx512_vnni"; "neon",
// "neon_dotprod"). "onednn" is last, if oneDNN can be used; "amx" may precede it (dispatch/isa.h).
std::span<const std::string> available_isas();
// Returns the name of the set in force. It is the best one, unless the environment variable
// TPUTWIN_ISA or select_isa() chose another one.
std::string_view selected_isa();
// Selects a set; "" is the best one. Returns false if the set is not available on this host.
bool select_isa(std::string_view isa);

}  // namespace fast
}  // namespace tputwin
