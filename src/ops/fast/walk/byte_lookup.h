// Looks up bytes in a table of 256.
#pragma once

#include "ops/fast/walk/nest.h"

namespace tputwin::fast {

// Computes out = table[in] for every run. The operands of the nest are out and in.
void look_up_bytes(const Nest<2>& runs, uint8_t* out, const uint8_t* in, const uint8_t* table);

}  // namespace tputwin::fast
