// matrix_mac as dot products: columns of the result are positions, and its rows share the data.
#define HWY_WANT_AVX3_DL  // VBMI joins bytes by permutation
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/fast/matrix_mac.cc"
#include "ops/fast/dispatch/foreach_target.h"  // must come before highway.h

#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <limits>

#include "base/bits.h"
#include "base/parallel.h"
#include "ops/fast/dispatch/budgets.h"
#include "ops/fast/dispatch/fast_kernel.h"
#include "ops/fast/fast.h"
#include "ops/fast/gemm/epilogue/epilogue_bm1880-inl.h"
#include "ops/fast/gemm/kernels/dot_bytes-inl.h"
#include "ops/fast/gemm/packing/byte_cells-inl.h"
#include "ops/fast/scratch.h"
#include "ops/fast/views/views.h"
#include "ops/matmul/matrix_mac.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast {
namespace HWY_NAMESPACE {
namespace {

// Returns the first byte of column c in row r of a matrix. The block of the row that contains c is
// contiguous.
uint8_t* at(const Memory& memory, const MatrixView& m, size_t r, size_t c) {
  const uint32_t block = m.tensor.shape.w;
  return memory.byte(m.tensor, static_cast<uint32_t>(r), static_cast<uint32_t>(c) / block, 0,
                     static_cast<uint32_t>(c) % block);
}

struct Product {
  const MatrixMac& op;
  const Memory& memory;
  Flip flip{is_signed(op.right.tensor.dtype), is_signed(op.left.tensor.dtype)};
  size_t columns = align_up(size_t{op.res.cols}, 16);
  size_t groups = ceil_div(size_t{op.left.cols}, kElements);
  size_t blocks = ceil_div(size_t{op.res.rows}, kTileRows);
  size_t block_stride = align_up(groups * kTileRows, 16);
  uint32_t* data = nullptr;     // [group][columns]
  uint32_t* weights = nullptr;  // [block of rows][group][row]
  int32_t* bias = nullptr;      // [columns]
  int32_t* row_bias = nullptr;  // [block of rows][row]: the correction of the flip

  // Distances of the rows of a group from the first row, in each block of columns. Rows past the
  // last one have zero weights.
  using Rows = std::array<size_t, kElements>;
  Rows rows_of_right(size_t group) const {
    Rows rows;
    for (size_t e = 0; e < kElements; ++e)
      rows[e] =
          std::min<size_t>(group * kElements + e, op.left.cols - 1) * op.right.tensor.stride.n;
    return rows;
  }
  void pack_right(size_t group) const;
  void pack_left(size_t block) const;
  void multiply(size_t block, size_t begin, size_t end) const;
  void multiply_row(size_t begin, size_t end) const;
  void store_sum(const Epilogue& epilogue, Ints sum, size_t r, size_t c) const;
  void store(const Epilogue& epilogue, Ints acc, size_t r, size_t c) const;
};

void Product::pack_right(size_t group) const {
  const MatrixView& m = op.right;
  const size_t width = m.tensor.shape.w;
  const Rows under = rows_of_right(group);
  for (size_t c = 0; c < op.res.cols; c += width) {
    const uint8_t* first = at(memory, m, 0, c);
    const uint8_t* rows[kElements];
    for (size_t e = 0; e < kElements; ++e) rows[e] = first + under[e];
    join_run(rows, std::min(width, columns - c), is_signed(m.tensor.dtype), flip.mask,
             data + group * columns + c);
  }
}

void Product::pack_left(size_t block) const {
  uint32_t* to = weights + block * block_stride;
  const bool is_signed_left = is_signed(op.left.tensor.dtype);
  for (size_t row = 0; row < kTileRows; ++row) {
    const size_t r = block * kTileRows + row;
    for (size_t g = 0; g < groups; ++g) {
      const size_t k = g * kElements;
      to[g * kTileRows + row] =
          r < op.res.rows ? join_bytes(at(memory, op.left, r, k), op.left.cols - k, is_signed_left)
                          : 0;
    }
  }
  std::fill(to + groups * kTileRows, to + block_stride, 0);
  int32_t* corrections = row_bias + block * kTileRows;
  std::fill_n(corrections, kTileRows, 0);
  if (flip.mask == 0) return;
  sum_weights(to, block_stride, is_signed_left, corrections);
  for (size_t row = 0; row < kTileRows; ++row)
    corrections[row] = wrap32(int64_t{corrections[row]} * flip.correction);
}

// Stores a vector of the result from column c on, or the columns that remain.
void Product::store(const Epilogue& epilogue, Ints acc, size_t r, size_t c) const {
  const I32 d;
  const TensorView& res = op.res.tensor;
  const size_t count = std::min(kElements32, op.res.cols - c);
  uint8_t* to = at(memory, op.res, r, c);
  if (op.relu) acc = hn::Max(acc, hn::Zero(d));
  if (op.accumulate) {
    const hn::Rebind<uint8_t, I32> bytes;
    Ints low = hn::PromoteTo(d, hn::LoadU(bytes, to));
    Ints high = hn::PromoteTo(d, hn::LoadU(bytes, to + res.plane_stride));
    high = hn::ShiftRight<24>(hn::ShiftLeft<24>(high));  // the old value is always signed
    Ints old = hn::Or(low, hn::ShiftLeft<8>(high));
    acc = hn::Add(acc, hn::ShiftLeftSame(old, static_cast<int>(op.lshift)));
  }
  uint8_t low[kElements32], high[kElements32];
  if (is_16bit(res.dtype)) {
    epilogue.store16(acc, low, high);
    std::copy_n(high, count, to + res.plane_stride);
  } else {
    epilogue.store8(acc, low);
  }
  std::copy_n(low, count, to);
}

void Product::store_sum(const Epilogue& epilogue, Ints sum, size_t r, size_t c) const {
  const Ints acc = hn::Add(sum, hn::Load(I32(), bias + c));
  store(epilogue, hn::Add(acc, ints(row_bias[r])), r, c);
}

void Product::multiply(size_t block, size_t begin, size_t end) const {
  static constexpr uint32_t kOneTap[1] = {0};
  const Reduction reduction{data, columns, kOneTap, 1, groups, weights + block * block_stride};
  const Epilogue epilogue{static_cast<int>(op.rshift), op.relu, false};
  dot_byte_positions(is_signed(op.left.tensor.dtype), reduction, begin, end,
                     [&](size_t row, size_t column, Ints sum) HWY_ATTR {
                       const size_t r = block * kTileRows + row;
                       if (r < op.res.rows) store_sum(epilogue, sum, r, column);
                     });
}

// Computes vectors [begin, end) of the only row, with the right matrix read in place, because each
// of its elements is used once.
template <class Dot>
HWY_INLINE void sum_row(const Product& p, size_t begin, size_t end) {
  static constexpr size_t kAtOnce = 4;  // chains of sums
  const Epilogue epilogue{static_cast<int>(p.op.rshift), p.op.relu, false};
  const bool is_signed_right = is_signed(p.op.right.tensor.dtype);
  for (size_t v = begin; v < end; v += kAtOnce) {
    const size_t count = std::min(kAtOnce, end - v);
    const uint8_t* first[kAtOnce];  // past the end, the last one is repeated
    Ints sums[kAtOnce];
    for (size_t i = 0; i < kAtOnce; ++i) {
      first[i] = at(p.memory, p.op.right, 0, (v + std::min(i, count - 1)) * kElements32);
      sums[i] = ints(0);
    }
    for (size_t g = 0; g < p.groups; ++g) {
      const Product::Rows under = p.rows_of_right(g);
      const Ints weight = ints(static_cast<int32_t>(p.weights[g * kTileRows]));
#pragma GCC unroll 4
      for (size_t i = 0; i < kAtOnce; ++i) {
        const uint8_t* rows[kElements];
        for (size_t e = 0; e < kElements; ++e) rows[e] = first[i] + under[e];
        sums[i] = Dot::step(sums[i], join_columns(rows, 0, is_signed_right, p.flip.mask), weight);
      }
    }
    for (size_t i = 0; i < count; ++i) p.store_sum(epilogue, sums[i], 0, (v + i) * kElements32);
  }
}

void Product::multiply_row(size_t begin, size_t end) const {
#if TPUTWIN_HAVE_BYTE_STEPS
  is_signed(op.left.tensor.dtype) ? sum_row<SignedWeightsDot>(*this, begin, end)
                                  : sum_row<UnsignedWeightsDot>(*this, begin, end);
#else
  sum_row<WordDot>(*this, begin, end);
#endif
}

void multiply(const MatrixMac& op, const Memory& memory) {
  constexpr uint64_t kRowMacsPerTask = 1 << 18;
  const size_t chunk =
      block_of(8 * kTileVectors * kElements32, kElements32);  // columns of one task
  const size_t macs_worth_a_task = task_work(1 << 20);
  thread_local Scratch data, weights, bias, row_bias;
  Product p{op, memory};
  p.weights = weights.take<uint32_t>(p.blocks * p.block_stride);
  p.bias = bias.take<int32_t>(p.columns);
  p.row_bias = row_bias.take<int32_t>(p.blocks * kTileRows);
  for (uint32_t c = 0; c < p.columns; ++c)
    p.bias[c] = op.bias && c < op.res.cols ? memory.read(*op.bias, 0, c) : 0;

  if (op.res.rows == 1) {
    p.pack_left(0);
    return share_out(ceil_div(size_t{op.res.cols}, kElements32), p.columns * op.left.cols,
                     kRowMacsPerTask,
                     [&p](size_t begin, size_t end) { p.multiply_row(begin, end); });
  }
  p.data = data.take<uint32_t>(p.groups * p.columns + 64);
  const size_t chunks = ceil_div(p.columns, chunk), tasks = p.blocks * chunks;
  const size_t macs = p.columns * p.blocks * kTileRows * op.left.cols;
  const bool alone = macs < 2 * macs_worth_a_task;
  const size_t packings = p.groups + p.blocks;
  parallel_for(packings, alone ? packings : 16, [&p](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) i < p.groups ? p.pack_right(i) : p.pack_left(i - p.groups);
  });
  parallel_for(tasks, alone ? tasks : macs_worth_a_task / (macs / tasks + 1) + 1,
               [&p, chunks, chunk](size_t begin, size_t end) {
                 for (size_t i = begin; i < end; ++i) {
                   const size_t first = i % chunks * chunk;
                   p.multiply(i / chunks, first, std::min(first + chunk, size_t{p.op.res.cols}));
                 }
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

Declined dot_products(const MatrixMac& op, const Memory& memory) {
  // Vectors of up to 16 columns stay inside a block.
  auto plain = [](const MatrixView& m) {
    return m.tensor.space == Space::local && m.tensor.stride.w == 1 && m.tensor.shape.w % 16 == 0 &&
           !is_empty(m.tensor.shape);
  };
  if (op.res.rows == 0 || op.res.cols == 0 || op.left.cols == 0) return "no elements";
  if (!plain(op.res) || !plain(op.left) || !plain(op.right))
    return "blocks are no multiples of 16 bytes in lanes";
  if (is_16bit(op.left.tensor.dtype) || is_16bit(op.right.tensor.dtype)) return "16-bit factors";
  if (op.bias && op.bias->tensor.space != Space::local) return "the bias is not in lanes";
  if (op.rshift > 31 || op.lshift > 31) return "a shift beyond 31";
  TensorView res = op.res.tensor;
  if (op.accumulate) res.dtype = make_dtype(is_signed(res.dtype), /*is_8bit=*/false);
  const TensorView* bias = op.bias ? &op.bias->tensor : nullptr;
  if (const Declined why = overlap(res, {&op.left.tensor, &op.right.tensor, bias}, memory.local))
    return why;
  TPUTWIN_DISPATCH(multiply)(op, memory);
  return kRan;
}

}  // namespace

TW_FAST_KERNELS(MatrixMac, {"dot products", dot_products})

}  // namespace tputwin::fast
#endif
