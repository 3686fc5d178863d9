// Finds values of environment variables that no rule of the table allows. If a mistyped value were
// ignored silently, a run would stay unchecked or give other results than intended.
#pragma once

#include <vector>

#include "base/error.h"

namespace tputwin {

// Returns an error for each variable with such a value, in the order of the table. The error is
// sys_variable if a run without the variable would silently be different, otherwise
// sys_variable_ignored.
std::vector<Error> wrong_variables();

// Logs the warnings among the errors of wrong_variables(), and returns the first other error. Every
// device calls it when it is created.
Status check_variables();

}  // namespace tputwin
