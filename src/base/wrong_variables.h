// Values of environment variables that no rule of the table allows. Ignored in silence, a mistyped
// name would leave a run unchecked, or give other results than those that were wanted.
#pragma once

#include <vector>

#include "base/error.h"

namespace tputwin {

// Returns an error for each variable with such a value, in the order of the table: sys_variable for
// one without which a run would silently be different, otherwise sys_variable_ignored.
std::vector<Error> wrong_variables();

// Logs the warnings among them, and returns the first of the others. Every device does this when it
// is created.
Status check_variables();

}  // namespace tputwin
