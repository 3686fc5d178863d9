// The order in which an operation reads and writes operands that share bytes, and the rules for
// such operands.
#pragma once

#include "ops/operation.h"

namespace tputwin {

enum class ReadOrder : uint8_t {
  // All sources are read before the first write, as was measured.
  first,
  // As `first`. In addition, each element reads only its own index of every operand that is not a
  // table. A result at the address of a source needs no copy of that source.
  first_elements,
  // As the two orders above, but assumed, not measured: a warning.
  first_assumed,
  elements_assumed,
  // Elements in the index order of the source, each read and then written.
  in_order,
  // Unknown; simulated in index order, with a warning.
  unknown,
  // The reference model stops: an error.
  refused
};

// Returns the order in the operation's row of read_order.def.
ReadOrder read_order(const Operation& operation);
// Returns true if all sources are read before anything is written.
bool reads_first(ReadOrder order);
// Returns true if each element of the result reads only its own index of this source. A result at
// the address of the source then needs no copy of it.
bool reads_own_index(const Operation& operation, const Operand& source);

// Checks operands that share bytes. ReadOrder::refused: returns an error if a result shares a byte
// with another operand. Unknown or assumed orders: returns a warning if they overlap in part.
Status check_overlap(const Operation& operation, const Chip& chip);

}  // namespace tputwin
