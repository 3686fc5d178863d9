// matrix_mac2 as dot products: the 256 columns of the result are positions.
#define HWY_WANT_AVX3_DL  // VBMI joins bytes by permutation
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/fast/matrix_mac2.cc"
#include "ops/fast/dispatch/foreach_target.h"  // must come before highway.h

#include <hwy/highway.h>

#include <algorithm>

#include "base/bits.h"
#include "base/parallel.h"
#include "ops/fast/dispatch/fast_kernel.h"
#include "ops/fast/fast.h"
#include "ops/fast/gemm/kernels/dot_bytes-inl.h"
#include "ops/fast/gemm/packing/byte_cells-inl.h"
#include "ops/fast/scratch.h"
#include "ops/fast/vec/narrow-inl.h"
#include "ops/fast/views/views.h"
#include "ops/matmul/matrix_mac2.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast {
namespace HWY_NAMESPACE {
namespace {

constexpr uint32_t kSize = 256, kBlock = 16;
constexpr size_t kGroups = kSize / kElements;

struct FoldedProduct {
  const MatrixMac2& op;
  const Memory& memory;
  Flip flip{is_signed(op.right.dtype), is_signed(op.left.dtype)};
  uint32_t* data = nullptr;     // [group][column]
  uint32_t* weights = nullptr;  // [block of rows][group][row]

  void pack_right(uint32_t column) const {
    for (uint32_t k = 0; k < kSize; k += kElements) {
      const uint8_t* from = memory.byte(op.right, column, k / kBlock, 0, k % kBlock);
      data[k / kElements * kSize + column] =
          join_bytes(from, kElements, is_signed(op.right.dtype)) ^ flip.mask;
    }
  }

  void multiply(uint32_t first_row) const;
};

void FoldedProduct::multiply(uint32_t first_row) const {
  static constexpr uint32_t kOneTap[1] = {0};
  uint32_t* packed = weights + first_row * kGroups;
  const bool signed_left = is_signed(op.left.dtype);
  uint8_t* res[kTileRows];
  for (uint32_t row = 0; row < kTileRows; ++row) {
    const uint8_t* from = memory.byte(op.left, 0, first_row + row, 0, 0);
    for (size_t g = 0; g < kGroups; ++g)
      packed[g * kTileRows + row] = join_bytes(from + g * kElements, kElements, signed_left);
    res[row] = memory.byte(op.res, 0, first_row + row, 0, 0);
  }
  int32_t corrections[kTileRows] = {};
  if (flip.mask != 0) sum_weights(packed, kGroups * kTileRows, signed_left, corrections);
  for (int32_t& c : corrections) c *= flip.correction;

  const I32 d;
  const hn::Rebind<uint8_t, I32> bytes;
  dot_byte_positions(signed_left, {data, kSize, kOneTap, 1, kGroups, packed}, 0, kSize,
                     [&](size_t row, size_t column, Ints sum) HWY_ATTR {
                       Ints s = hn::Add(sum, hn::Set(d, corrections[row]));
                       Ints folded = hn::Add(s, hn::ShiftRight<8>(s));  // only the low byte counts
                       hn::StoreU(LowBits<uint8_t>(d, folded), bytes, res[row] + column);
                     });
}

void multiply(const MatrixMac2& op, const Memory& memory) {
  thread_local Scratch data, weights;
  FoldedProduct p{op, memory};
  p.data = data.take<uint32_t>(kGroups * kSize + 64);
  p.weights = weights.take<uint32_t>(kGroups * kSize);
  for (uint32_t column = 0; column < kSize; ++column) p.pack_right(column);
  parallel_for(kSize / kTileRows, 4, [&p](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) p.multiply(static_cast<uint32_t>(i * kTileRows));
  });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tputwin::fast
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tputwin::fast {
namespace {

HWY_EXPORT(multiply);

Declined dot_products(const MatrixMac2& op, const Memory& memory) {
  if (op.res.shape != Shape{1, 256, 1, 256} || op.left.shape != op.res.shape ||
      op.right.shape != Shape{256, 16, 1, 16} || !has_byte_rows(op.res) ||
      !has_byte_rows(op.left) || !has_byte_rows(op.right))
    return "matrices are not 256 x 256 bytes in lanes";
  if (const Declined why = overlap(op.res, {&op.left, &op.right}, memory.local)) return why;
  TPUTWIN_DISPATCH(multiply)(op, memory);
  return kRan;
}

}  // namespace

TW_FAST_KERNELS(MatrixMac2, {"dot products", dot_products})

}  // namespace tputwin::fast
#endif
