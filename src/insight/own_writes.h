// Transfers whose source reaches into what they write.
#pragma once

#include "ops/operation.h"

namespace tputwin::insight {

// Returns true if the operation goes from element to element (ReadOrder::in_order) and some element
// of its source holds, when it is read, what the operation wrote before: the destination then lacks
// what the source held.
bool reads_own_writes(const Operation& op, const Chip& chip);

}  // namespace tputwin::insight
