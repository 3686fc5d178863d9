// Finds transfers whose source overlaps their destination.
#pragma once

#include "ops/operation.h"

namespace tputwin::insight {

// Returns true if the operation copies element by element (ReadOrder::in_order) and reads some
// source element after it has overwritten it. The destination then lacks the old value of that
// element.
bool reads_own_writes(const Operation& op, const Chip& chip);

}  // namespace tputwin::insight
