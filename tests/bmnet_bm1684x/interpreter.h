// Nets of bytes for the BM1684 beside the int8 interpreter, which has the same formulas.
#pragma once

#include "bmnet_bm1684x/support.h"

namespace tputwin::net::testing {

// Returns true if every layer of a float net computes bytes in a net of bytes: it begins with
// products, and what follows has commands for bytes or moves them.
bool is_of_bytes(const Network& network);

// Returns "", or the first difference of the bits of a compiled net, at any level, from those of
// the interpreter. The thread's target is the BM1684.
std::string difference_from_interpreter(const Network& network, const Values& inputs);

}  // namespace tputwin::net::testing
