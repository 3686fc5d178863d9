// Kinds of operations as the tests draw them: what is drawn, and for which chip.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "chip/chip.h"

namespace tputwin::testing {

// The alternatives of Operation that have a body, in its order, then those that a second family of
// chips has too.
enum class OperationKind : uint8_t {
#define TW_KIND(name, ...) name,
#include "selftest/operation_kinds.def"
#undef TW_KIND
};
// The family of chips whose rules operations of a kind keep.
ChipFamily family_of(OperationKind kind);
// The index in Operation.
size_t alternative_of(OperationKind kind);
// The chip random operations of a kind are for: the BM1880, or a BM1684 or BM1684X with smaller
// memories, so that they are quickly compared.
const Chip& chip_of(OperationKind kind);
std::span<const OperationKind> all_operation_kinds();
std::string_view to_string(OperationKind kind);

}  // namespace tputwin::testing
