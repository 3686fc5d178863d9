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

// The instruction set in force. The names are "reference", then the vector sets of this host, the
// simplest first ("sse4", "avx2", "avx2_vnni", "avx512", "avx512_vnni"; "neon", "neon_dotprod"),
// then "onednn" if the library is used. The default is the best one. The environment variable
// TPUTWIN_ISA and select_isa() choose another one.
std::span<const std::string> available_isas();
std::string_view selected_isa();
// Selects a set; "" is the best one. Returns false if the set is not available on this host.
bool select_isa(std::string_view isa);

}  // namespace fast
}  // namespace tputwin
