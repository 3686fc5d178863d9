// Random operations of the BM1684X with masked lanes, which keep no results.
#include "selftest/random_operation.h"

namespace tputwin::testing {
namespace {

// Returns a mask of all lanes but one, of one, of none, or of any lanes.
uint64_t lane_mask(Rng& rng, const Chip& chip) {
  const uint64_t one = uint64_t{1} << rng.below(chip.lanes);
  switch (rng.below(5)) {
    case 0:
      return ~one;
    case 1:
      return one;
    case 2:
      return 0;
    default:
      return rng.next() & (rng.coin() ? rng.next() : UINT64_MAX);
  }
}

}  // namespace

std::optional<Operation> random_bm1684x_masked(Rng& rng, OperationKind kind, const Chip& chip) {
  using enum OperationKind;
  if (kind != masked_lanes) return {};
  const OperationKind masked = rng.pick(
      {float_arithmetic_bm1684x, select_bm1684x, copy_bm1684x, copy_matrix_bm1684x, int_arithmetic,
       convert, requantize, rearrange, gather, scatter, table_lookup, mask_select,
       conv2d_bm1684x_float, depthwise2d_bm1684x_int8, pool2d_bm1684x_float, matmul_bm1684x_int});
  return MaskedLanes(random_operation(rng, masked, chip), lane_mask(rng, chip));
}

}  // namespace tputwin::testing
