// Draws an operation from the family that makes its kind until one is legal.
#include "selftest/random_operation.h"

#include <fmt/format.h>

#include <stdexcept>

#include "selftest/family.h"

namespace tputwin::testing {
namespace {

DrawFamily* const kFamilies[] = {
    random_bm1880_windows,   random_bm1880_elements,  random_bm1880_matrices,
    random_bm1880_moves,     random_bm1684_windows,   random_bm1684_fp32,
    random_bm1684_packed,    random_bm1684_bytes,     random_bm1684x_windows,
    random_bm1684x_matrices, random_bm1684x_elements, random_bm1684x_convert,
    random_bm1684x_function, random_bm1684x_indexed,  random_bm1684x_moves,
    random_bm1684x_masked};

Operation draw_one(Rng& rng, OperationKind kind, const Chip& chip) {
  for (DrawFamily* family : kFamilies)
    if (std::optional<Operation> operation = family(rng, kind, chip)) return *std::move(operation);
  throw std::logic_error(fmt::format("no family in selftest/ makes {}", to_string(kind)));
}

}  // namespace

bool is_legal(const Operation& operation, const Chip& chip, uint64_t global_bytes) {
  Status contract = check(operation, chip);
  if (!contract.ok() && contract.error().info().level == Level::error) return false;
  return check_bounds(operation, chip, global_bytes).ok();
}

Operation random_operation(Rng& rng, OperationKind kind, const Chip& chip) {
  for (;;) {
    Operation operation = draw_one(rng, kind, chip);
    if (operation.index() == alternative_of(kind) && is_legal(operation, chip, kTestGlobalBytes))
      return operation;
  }
}

}  // namespace tputwin::testing
