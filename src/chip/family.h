// Which chip programs of a family get where no device says.
#pragma once

#include "chip/chip.h"

namespace tputwin {

// The chip that a family is called after.
const Chip& first_of(ChipFamily family);
// That of programs of a family where no device says which: TPUTWIN_CHIP, if it is of the family, or
// the first.
const Chip& chip_of_process(ChipFamily family);

}  // namespace tputwin
