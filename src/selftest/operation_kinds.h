// Kinds of operations that tests draw, and their chips.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "chip/chip.h"

namespace tputwin::testing {

// The alternatives of Operation that have a kernel, in its order, then those that a second family
// of chips has, too.
enum class OperationKind : uint8_t {
#define TW_KIND(name, ...) name,
#include "selftest/operation_kinds.def"
#undef TW_KIND
};
// Returns the family of chips whose rules the operations of a kind obey.
ChipFamily family_of(OperationKind kind);
// Returns the index of the alternative in Operation.
size_t alternative_of(OperationKind kind);
// Returns the chip for random operations of a kind: the BM1880, or a BM1684 or BM1684X with smaller
// memories, for fast comparisons.
const Chip& chip_of(OperationKind kind);
std::span<const OperationKind> all_operation_kinds();
std::string_view to_string(OperationKind kind);

}  // namespace tputwin::testing
