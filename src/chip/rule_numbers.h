// Rules of the error catalogue that say a number of a chip.
#pragma once

#include <string>

#include "base/error.h"
#include "chip/chip.h"

namespace tputwin {

// "{lanes} lanes" of a rule that says numbers of the chip whose documents state it, with those of
// another chip; empty for rules without such numbers.
std::string rule_numbers(ErrorId rule, const Chip& chip);

// "BM1880: lanes 32" of such a rule, the chip whose documents state it; empty for the others.
std::string documented_numbers(ErrorId rule);

// The catalogue has the numbers of the chip whose documents state a rule. Of a chip of that family
// which has others, an error says them as well.
void tell_numbers(Error& error, const Chip& chip);

}  // namespace tputwin
