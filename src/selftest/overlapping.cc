// Draws operands that share bytes until the operation is legal.
#include "selftest/overlapping.h"

#include <cstdlib>

#include "selftest/random_operation.h"

namespace tputwin::testing {
namespace {

TensorView& view_of(const Operand& operand) {
  // The operation is a copy, so its views may be modified.
  return const_cast<TensorView&>(*operand.view);
}

// Returns a distance in bytes from one operand to another at which they share bytes.
int64_t distance(Rng& rng, const TensorView& other) {
  const auto sign = [&](int64_t bytes) { return rng.coin() ? bytes : -bytes; };
  switch (rng.below(6)) {
    case 0:
      return 0;
    case 1:
      return sign(rng.range(1, 192));
    case 2:
      return sign(int64_t{rng.range(1, 3)} * element_bytes(other.dtype));
    case 3:
      return sign(int64_t{rng.range(1, 3)} * 64);
    case 4:
      return sign(other.stride.h);
    default:
      return sign(rng.coin() ? other.stride.c : other.stride.n);
  }
}

// Changes a stride, so that rows or planes have a larger or smaller distance.
void change_strides(Rng& rng, TensorView& view) {
  uint32_t& stride = rng.coin() ? view.stride.h : rng.coin() ? view.stride.c : view.stride.n;
  const uint32_t step = rng.range(1, 4) * element_bytes(view.dtype);
  stride = rng.coin() || stride < step ? stride + step : stride - step;
}

// Moves an operand near another one. Returns false if it would begin before its memory.
bool place(Rng& rng, TensorView& moved, const TensorView& other, const Chip& chip) {
  const uint64_t unit = other.space == Space::local ? chip.lane_bytes : UINT64_MAX;
  const int64_t offset = static_cast<int64_t>(other.address % unit) + distance(rng, other);
  if (offset < 0 || static_cast<uint64_t>(offset) >= unit) return false;
  const uint64_t lane = (rng.chance(1, 4) ? other : moved).address / unit;
  moved.address = lane * unit + static_cast<uint64_t>(offset);
  return true;
}

}  // namespace

bool overlap_operands(Rng& rng, Operation& operation, const Chip& chip, uint64_t global_bytes) {
  if (std::holds_alternative<MaskedLanes>(operation)) return false;  // it shares its operation
  constexpr int kTries = 12;
  for (int i = 0; i < kTries; ++i) {
    Operation drawn = operation;
    const OperandList list = operands(drawn);
    if (list.size() < 2) return false;
    const Operand &moved = list[rng.below(list.size())], &other = list[rng.below(list.size())];
    // Results move onto sources, and sources onto any operand. Sources of Int8ToF32 do not move:
    // its views share one source.
    const bool stays = moved.access == Access::read && std::holds_alternative<Int8ToF32>(drawn);
    if (stays || moved.view == other.view || moved.view->space != other.view->space ||
        (moved.access != Access::read && other.access != Access::read))
      continue;
    if (rng.chance(1, 4)) change_strides(rng, view_of(moved));
    if (!place(rng, view_of(moved), *other.view, chip)) continue;
    if (!is_legal(drawn, chip, global_bytes)) continue;
    operation = drawn;
    return true;
  }
  return false;
}

}  // namespace tputwin::testing
