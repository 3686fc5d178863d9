// Families of random operations. Each is a file with a table of the kinds that it makes. A new kind
// is a row in the table of its family.
#pragma once

#include <optional>
#include <span>

#include "ops/operation.h"
#include "selftest/operation_kinds.h"
#include "selftest/rng.h"

namespace tputwin::testing {

// A row of a family's table: the member function that makes operations of a kind.
template <class Family>
struct Factory {
  OperationKind kind;
  Operation (Family::*make)();
};

// Returns an operation of the kind if the family makes it. A CpuCall means that it was too large
// and must be drawn again.
template <class Family>
std::optional<Operation> draw(Rng& rng, OperationKind kind, const Chip& chip,
                              std::span<const Factory<Family>> factories) {
  for (const Factory<Family>& factory : factories) {
    if (factory.kind != kind) continue;
    Family family(rng, chip);
    return (family.*factory.make)();
  }
  return {};
}

// Defines the function of a family from its table: {kind, &Family::function} each.
#define TW_FAMILY(function, Family, ...)                                              \
  std::optional<Operation> function(Rng& rng, OperationKind kind, const Chip& chip) { \
    using enum OperationKind;                                                         \
    static constexpr Factory<Family> kFactories[] = {__VA_ARGS__};                    \
    return draw<Family>(rng, kind, chip, kFactories);                                 \
  }

using DrawFamily = std::optional<Operation>(Rng& rng, OperationKind kind, const Chip& chip);
DrawFamily random_bm1880_windows, random_bm1880_elements, random_bm1880_matrices,
    random_bm1880_moves;
DrawFamily random_bm1684_windows, random_bm1684_fp32, random_bm1684_packed, random_bm1684_bytes;
DrawFamily random_bm1684x_windows, random_bm1684x_matrices, random_bm1684x_elements,
    random_bm1684x_convert, random_bm1684x_function, random_bm1684x_indexed, random_bm1684x_moves,
    random_bm1684x_masked;

}  // namespace tputwin::testing
