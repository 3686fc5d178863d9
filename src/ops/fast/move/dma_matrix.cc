// dma_matrix: blocks of columns row by row; transposes in tiles.
#include <algorithm>

#include "base/bits.h"
#include "base/parallel.h"
#include "ops/fast/dispatch/fast_kernel.h"
#include "ops/fast/fast.h"
#include "ops/fast/walk/copy.h"
#include "ops/fast/walk/transpose.h"
#include "ops/move/dma_matrix.h"

namespace tputwin::fast {
namespace {

// The columns of a matrix that are contiguous in memory.
struct Columns {
  uint32_t width;  // width of all but the last block
  const MatrixView& matrix;
  const Memory& memory;

  uint8_t* at(uint32_t column) const {
    uint32_t block = matrix.tensor.shape.w;
    return memory.byte(matrix.tensor, 0, column / block, 0, 0) + column % block;
  }
  uint32_t end(uint32_t column) const {
    return std::min(matrix.cols, (column / width + 1) * width);
  }
};

// Global matrices are cut like their local partner, or into pieces of several cache lines. Pieces
// of more rows would exceed the pages that the processor's TLB holds.
Columns columns(const MatrixView& m, uint32_t partner_block, const Memory& memory) {
  constexpr uint32_t kPiece = 512;
  if (m.tensor.space == Space::local) return {m.tensor.shape.w, m, memory};
  return {partner_block != 0 ? partner_block : kPiece, m, memory};
}
uint32_t local_block(const MatrixView& m) {
  return m.tensor.space == Space::local ? m.tensor.shape.w : 0;
}

// Number of blocks of columns that are copied together. They fill whole cache lines of a global
// row, and are in few lanes.
constexpr size_t kBlocksAtOnce = 8;

struct Block {
  uint8_t *dst, *src;
};
using Blocks = std::array<Block, kBlocksAtOnce>;

// Copies all rows of some blocks. kWidth is their width if it is known at compile time, otherwise
// 0.
template <size_t kWidth>
void copy_rows(const Blocks& blocks, size_t count, size_t rows, size_t dst_stride,
               size_t src_stride, size_t width) {
  for (size_t r = 0; r < rows; ++r)
    for (size_t k = 0; k < count; ++k)
      copy_bytes(blocks[k].dst + r * dst_stride, blocks[k].src + r * src_stride,
                 kWidth != 0 ? kWidth : width);
}

// Copies groups of blocks, row by row.
void copy_blocks(const DmaMatrix& op, const Memory& memory, size_t begin, size_t end) {
  const Columns dst = columns(op.dst, local_block(op.src), memory);
  const Columns src = columns(op.src, local_block(op.dst), memory);
  const size_t dst_stride = op.dst.tensor.stride.n, src_stride = op.src.tensor.stride.n;
  for (size_t group = begin; group < end; ++group) {
    Blocks blocks;
    size_t count = 0, width = dst.width;
    uint32_t c = static_cast<uint32_t>(group * kBlocksAtOnce) * dst.width;
    for (; count < kBlocksAtOnce && c < op.dst.cols && dst.end(c) - c == width; c += dst.width)
      blocks[count++] = {dst.at(c), src.at(c)};
    if (width == 32)
      copy_rows<32>(blocks, count, op.dst.rows, dst_stride, src_stride, width);
    else
      copy_rows<0>(blocks, count, op.dst.rows, dst_stride, src_stride, width);
    if (count < kBlocksAtOnce && c < op.dst.cols) {  // the last, narrower block
      blocks[0] = {dst.at(c), src.at(c)};
      copy_rows<0>(blocks, 1, op.dst.rows, dst_stride, src_stride, dst.end(c) - c);
    }
  }
}

void transpose_blocks(const DmaMatrix& op, const Memory& memory, size_t begin, size_t end) {
  const Columns dst = columns(op.dst, 0, memory), src = columns(op.src, 0, memory);
  const size_t dst_stride = op.dst.tensor.stride.n, src_stride = op.src.tensor.stride.n;
  for (size_t block = begin; block < end; ++block) {
    uint32_t c = static_cast<uint32_t>(block) * dst.width;
    for (uint32_t r = 0; r < op.dst.rows; r = src.end(r))
      transpose(dst.at(c) + r * dst_stride, dst_stride, src.at(r) + c * src_stride, src_stride,
                dst.end(c) - c, src.end(r) - r);
  }
}

bool regular(const MatrixView& m) {
  return m.tensor.shape.h == 1 && m.tensor.shape.n == m.rows &&
         uint64_t{m.tensor.shape.c} * m.tensor.shape.w >= m.cols;
}

Declined matrices_overlap(const DmaMatrix& op, const Memory& memory) {
  if (op.dst.rows == 0 || op.dst.cols == 0) return "no elements";
  if (!regular(op.dst) || !regular(op.src)) return "a tensor is not that of its matrix";
  return rows_overlap(op.dst.tensor, op.src.tensor, memory);
}

bool is_global(const MatrixView& m) {
  return m.tensor.space == Space::global && m.tensor.shape.c == 1;
}

// Copies between matrices in global memory: in runs, or element by element if their shapes differ.
Declined global(const DmaMatrix& op, const Memory& memory) {
  if (op.transpose || !is_global(op.dst) || !is_global(op.src)) return "a transpose, or in lanes";
  if (const Declined why = matrices_overlap(op, memory)) return why;
  const TensorView &dst = op.dst.tensor, &src = op.src.tensor;
  if (op.dst.rows != op.src.rows || op.dst.cols != op.src.cols) {
    copy_in_index_order(dst, src, memory);
    return kRan;
  }
  copy_runs_in_parallel(
      make_byte_nest<2>(
          {{{op.dst.cols, {1, 1}}, {op.dst.rows, {dst.stride.n, src.stride.n}}, {}, {}}}),
      memory.byte(dst, 0, 0, 0, 0), memory.byte(src, 0, 0, 0, 0));
  return kRan;
}

void share_columns(const DmaMatrix& op, size_t width, const auto& function) {
  const size_t pieces = ceil_div<size_t>(op.dst.cols, width);
  const uint64_t bytes = uint64_t{op.dst.rows} * op.dst.cols;
  parallel_for(pieces, grain_of(bytes / pieces, bytes_per_task()), function);
}

Declined tiles(const DmaMatrix& op, const Memory& memory) {
  if (!op.transpose || op.dst.rows != op.src.cols || op.dst.cols != op.src.rows)
    return "no transpose";
  if (const Declined why = matrices_overlap(op, memory)) return why;
  share_columns(op, columns(op.dst, 0, memory).width,
                [&](size_t begin, size_t end) { transpose_blocks(op, memory, begin, end); });
  return kRan;
}

Declined blocks(const DmaMatrix& op, const Memory& memory) {
  const uint32_t to = local_block(op.dst), from = local_block(op.src);
  if (op.transpose || op.dst.rows != op.src.rows || op.dst.cols != op.src.cols ||
      (to != 0 && from != 0 && to != from))
    return "the matrices differ";
  if (const Declined why = matrices_overlap(op, memory)) return why;
  share_columns(op, columns(op.dst, from, memory).width * kBlocksAtOnce,
                [&](size_t begin, size_t end) { copy_blocks(op, memory, begin, end); });
  return kRan;
}

}  // namespace

TW_FAST_KERNELS(DmaMatrix, {"global", global}, {"tiles", tiles}, {"blocks", blocks})

}  // namespace tputwin::fast
