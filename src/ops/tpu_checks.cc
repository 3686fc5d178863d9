#include "ops/tpu_checks.h"

#include "base/errors/tpukernel.h"

#include <algorithm>

namespace tputwin {
namespace {

// Banks from the first to the last byte of a view, in any lane.
std::pair<uint64_t, uint64_t> banks_of(const TensorView& v, const Chip& chip) {
  const uint64_t start = v.address % chip.lane_bytes;
  const uint64_t turns = (v.address / chip.lane_bytes + v.shape.c - 1) / chip.lanes;
  const uint64_t last = start + (v.shape.n - 1) * uint64_t{v.stride.n} + turns * v.stride.c +
                        (v.shape.h - 1) * uint64_t{v.stride.h} +
                        (v.shape.w - 1) * uint64_t{v.stride.w} + element_bytes(v.dtype) - 1;
  return {start / chip.bank_bytes, last / chip.bank_bytes};
}

}  // namespace

Status check_tpu_banks(std::string_view name, const TensorView& view, const TensorView& other,
                       const Chip& chip) {
  const auto [first, last] = banks_of(view, chip);
  const auto [other_first, other_last] = banks_of(other, chip);
  return require(last < other_first || other_last < first, errors::tpu_banks, name, view);
}

}  // namespace tputwin
