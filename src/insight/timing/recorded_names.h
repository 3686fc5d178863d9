// The arithmetic of operations and calls, by the names that recordings of commands have.
#pragma once

#include <string_view>

#include "ops/contract/arithmetic.h"

namespace tputwin::insight {

// Returns the arithmetic of an operation, or of a call of the OKKernel API, by its whole name. It
// is for recordings, which have nothing but the name; the arithmetic of an Operation is in its row.
Arithmetic arithmetic_named(std::string_view name);

}  // namespace tputwin::insight
