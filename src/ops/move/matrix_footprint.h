// Footprint of transfers of matrices.
#pragma once

#include "ops/contract/contract.h"

namespace tputwin {

// Returns every element of both sides, without padding columns.
inline Footprint matrix_footprint(const MatrixView& dst, const MatrixView& src, const Chip& chip) {
  Footprint f;
  add_ranges(dst, chip, f.writes);
  add_ranges(src, chip, f.reads);
  sort_and_merge(f.reads);
  sort_and_merge(f.writes);
  return f;
}

}  // namespace tputwin
