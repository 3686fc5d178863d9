// Chips of a family, and the choice of one for programs that no device chooses for.
#pragma once

#include "chip/chip.h"

namespace tputwin {

// Returns the chip that gives the family its name.
const Chip& first_of(ChipFamily family);
// Returns the chip for programs of a family if no device sets one: TPUTWIN_CHIP if it is of the
// family, otherwise the first chip.
const Chip& chip_of_process(ChipFamily family);

}  // namespace tputwin
