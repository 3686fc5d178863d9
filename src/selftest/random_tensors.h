// Random tensors of the BM1684 and BM1684X.
#pragma once

#include "ops/contract/source.h"
#include "selftest/rng.h"

namespace tputwin::testing {

// Makes tensors in lanes, one after the other, and in system memory.
class RandomTensors {
 public:
  RandomTensors(Rng& rng, const Chip& chip);

  // Returns a shape with odd extents and a channel count around the number of lanes; at most
  // max_count elements.
  Shape shape(uint64_t max_count = 3000, uint32_t max_n = 5);
  // Returns 0 in most cases, often the last lane.
  uint32_t start_lane();

  // Strides are NULL or explicit: aligned, compact, or with gaps in every dimension. Sources may be
  // broadcast (stride 0). `pack` is that of TensorView.
  TensorView any(const Shape& shape, uint32_t lane, DType dtype, bool is_source, uint8_t pack = 1);
  TensorView dense(const Shape& shape, uint32_t lane, DType dtype, bool aligned, uint8_t pack = 1);
  MatrixView matrix(uint32_t rows, uint32_t cols, uint32_t per_channel, uint32_t lane);
  // Returns a tensor in global memory, L2 or DTCM.
  TensorView system(const Shape& shape, DType dtype, bool is_source);
  Source source(const Shape& shape, uint32_t lane, DType dtype, uint8_t pack = 1) {
    return Source::tensor(any(shape, lane, dtype, /*is_source=*/true, pack));
  }

 private:
  void place(TensorView& view, uint32_t lane, uint32_t quantum);

  Rng& rng_;
  const Chip& chip_;
  uint64_t local_, system_ = 0;
};

}  // namespace tputwin::testing
