// How a BM1880 convolution runs: its geometry, what it packs, and what is fused into it.
#pragma once

#include <algorithm>
#include <optional>

#include "ops/conv/conv2d_bm1880.h"
#include "ops/fast/dispatch/fast_kernel.h"
#include "ops/fast/gemm/geometry/conv2d_bm1880_planes.h"
#include "ops/fast/gemm/kernels/tiles.h"
#include "ops/fast/gemm/packing/packed_input.h"
#include "ops/fast/prepared/interned_bytes.h"
#include "ops/fast/prepared/prepared.h"
#include "ops/fast/scratch.h"

namespace tputwin::fast {

// The operations that are fused into a prepared convolution.
struct Conv2dFusion {
  std::optional<WeightedAddend> sum;
  std::optional<TensorView> copy;  // a second destination
  // `floor` is the smallest result (see Epilogue). If `sum` is set, it applies after the addend is
  // added.
  int32_t floor = INT32_MIN;
};

// Describes how a convolution is computed. No field changes during a run.
struct Conv2dSetup {
  const Conv2dBm1880* op = nullptr;
  const Memory* memory = nullptr;
  Conv2dGeometry geometry;
  SignFlip flip;
  // True if the bias includes the rounding addend, because no sum can overflow int32.
  bool rounding_folded = false;
  Conv2dFusion fused;

  // Plans the geometry for the operands and for what is fused.
  void build(const Conv2dBm1880& op, const Memory& memory, const RegisterTile& tile,
             const SignFlip& sign_flip);
  // Returns the number of output channels of a block.
  size_t channels_of(size_t block) const {
    const size_t rows = geometry.weights.rows;
    return std::min(rows, op->out.shape.c - block * rows);
  }
};

// Points to the packed weights, and to the biases with all corrections, one for each row of each
// block.
struct PackedConstants {
  const uint32_t* weights;
  const int32_t* bias;
};
// Points to memory for constants that will be packed.
struct NewConstants {
  uint32_t* weights;
  int32_t* bias;
  operator PackedConstants() const { return {weights, bias}; }
};
// The packed operands of a run.
struct Conv2dBuffers {
  PackedInput input;
  PackedConstants constants;
};

// Owns the memory of a convolution's packed constants, of a prepared kernel or of one run only.
class Conv2dConstants {
 public:
  // Returns memory for the constants of one run.
  NewConstants take(const WeightBlocks& blocks);
  // Returns memory for new constants that stay. Nothing may be written to it after
  // kept_are_packed().
  NewConstants renew_kept(const WeightBlocks& blocks);
  void kept_are_packed() { kept_weights_.intern(); }
  PackedConstants kept(const WeightBlocks& blocks);
  // Returns the weights that stay.
  const uint32_t* weights() const {
    return reinterpret_cast<const uint32_t*>(kept_weights_.data());
  }

 private:
  Scratch weights_, bias_;
  InternedBytes kept_weights_;
};

// Writes the weights that `setup` packed back to the weight operand of its instruction.
void unpack_weights(const Conv2dSetup& setup, const uint32_t* packed, const Memory& memory);

// Returns true if two convolutions pack the same inputs, as long as memory is unchanged.
bool same_data(const Conv2dSetup& a, const Conv2dSetup& b);

// Returns true if two convolutions pack the same weights and biases, as long as memory is
// unchanged.
bool same_constants(const Conv2dBm1880& a, const Conv2dBm1880& b);

// Returns why the fast kernels do not cover the operands, or nullptr if they do.
Declined conv2d_declines(const Conv2dBm1880& op, const Memory& memory);

// Returns true if the largest magnitude that a sum with bias and rounding can reach fits in 32
// bits.
bool sums_fit(const Conv2dBm1880& op);

}  // namespace tputwin::fast
