// Fast bodies. Each overload returns false when no fast body covers the operands at hand (or the
// instruction set in force has none); the caller then runs the reference body. A fast body leaves
// exactly the bytes of the reference body; tests/differential proves it.
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

// Instruction sets that bodies can be forced to: "reference", then the vectors of this host, the
// simplest first ("sse4", "avx2", "avx2_vnni", "avx512", "avx512_vnni"; "neon", "neon_dotprod"), and
// "onednn" where the library is used.
// Chosen by the environment variable TPUTWIN_ISA or select_isa(); default: the best available.
std::span<const std::string> available_isas();
std::string_view selected_isa();
bool select_isa(std::string_view isa);  // false: not available on this host; "" = best

}  // namespace fast
}  // namespace tputwin
