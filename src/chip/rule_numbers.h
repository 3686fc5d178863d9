// Numbers of a chip that rules of the error catalogue contain.
#pragma once

#include <string>

#include "base/error.h"
#include "chip/chip.h"

namespace tputwin {

// Returns the numbers of `rule` that differ on `chip` from the documented ones, such as "lanes 16
// instead of 32". Empty if none differ.
std::string rule_numbers(ErrorId rule, const Chip& chip);

// Returns the numbers of `rule` and the chip whose documents state it, such as "BM1880: lanes 32".
// Empty for rules without numbers.
std::string documented_numbers(ErrorId rule);

// The catalogue contains the numbers of the chip whose documents state a rule. If `chip` has other
// numbers, adds them to the detail of `error`.
void add_rule_numbers(Error& error, const Chip& chip);

}  // namespace tputwin
