// Operands that share bytes: in which order an operation reads and writes, and what is a rule then.
#pragma once

#include "ops/operation.h"

namespace tputwin {

enum class ReadOrder : uint8_t {
  // All sources before the first write, as was measured.
  first,
  // As `first`; each element reads its own index of the operands only, except of tables, so a
  // result at the place of a source needs no copy of it.
  first_elements,
  // These two orders assumed, not measured: a warning.
  first_assumed,
  elements_assumed,
  // Element after element in the index order of the source, each read and then written.
  in_order,
  // Not known: index order is taken, with a warning.
  unknown,
  // The reference model stops: an error.
  refused
};

// Returns the order in the operation's row of read_order.def.
ReadOrder read_order(const Operation& operation);
// Returns true if all sources are read before anything is written.
bool reads_first(ReadOrder order);
// Returns true if an element of the result reads its own index of this source only, so that a
// result at its place needs no copy of it.
bool reads_own_index(const Operation& operation, const Operand& source);

// ReadOrder::refused: an error if a result shares any byte with another operand. An order that is
// unknown or assumed: a warning if they overlap in part.
Status check_overlap(const Operation& operation, const Chip& chip);

}  // namespace tputwin
