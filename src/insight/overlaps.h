// Finds results that overlap sources so that the order of reads and writes matters.
#pragma once

#include <optional>
#include <vector>

#include "ops/dependence/mark_flow.h"

namespace tputwin::insight {

// Returns true if the operation copies element by element (ReadOrder::in_order) and reads some
// source element after it has overwritten it. The destination then lacks the old value of that
// element.
bool reads_own_writes(const Operation& op, const Chip& chip);

// Returns the bytes of results that depend on source bytes which other results overwrite. A source
// that is overwritten only by the result that depends on it, such as a sum stored on its first
// element, is read before. Returns nullopt if there are too many to follow.
std::optional<std::vector<ByteRange>> order_dependent(const Operation& op, const Chip& chip,
                                                      const Memory& memory, MarkScratch& scratch);

}  // namespace tputwin::insight
