// How fast bodies run the matrix products of the BM1684X: both matrices are copied to 32-bit cells
// as patch_tile.h reads them, and tiles go over them. A cell holds one term, or two 16-bit ones.
#pragma once

#include <algorithm>

#include "base/bits.h"
#include "base/parallel.h"
#include "numerics/float_mode.h"
#include "ops/fast/gemm/patch_tile.h"
#include "ops/fast/scratch.h"
#include "ops/fast/views/ranges.h"
#include "ops/fast/window/planes.h"
#include "ops/matmul/matrix_operand.h"

namespace tputwin::fast {

// A product whose result is stored as it comes: where the result is stored transposed, that of the
// transposed matrices.
struct PlainProduct {
  MatrixOperand out, left, right;
  bool swapped = false;  // left and right, and with them the indices of the result

  template <class Op>
  explicit PlainProduct(const Op& op)
      : out(op.out), left(op.left), right(op.right), swapped(op.out.transposed) {
    if (!swapped) return;
    std::swap(left, right);
    for (MatrixOperand* m : {&out, &left, &right}) {
      if (m->is_constant)
        std::swap(m->matrix.rows, m->matrix.cols);
      else
        m->transposed = !m->transposed;
    }
  }
};

// Rows of a matrix as it is stored: runs of elements side by side. f(bytes, column, count)
template <class F>
void for_each_run(const MatrixOperand& m, const Memory& memory, uint32_t row, F&& f) {
  const TensorView& t = m.matrix.tensor;
  const uint32_t cols = m.matrix.cols, width = m.row_per_channel ? cols : t.shape.w;
  for (uint32_t col = 0; col < cols; col += width)
    f(m.row_per_channel ? memory.byte(t, 0, row, 0, 0) : memory.byte(t, row, col / width, 0, 0),
      col, std::min(width, cols - col));
}

// The same of `count` results from (i,j) on. f(bytes, index, count)
template <class F>
void for_each_result_run(const MatrixOperand& out, const Memory& memory, uint32_t i, uint32_t j,
                         uint32_t count, F&& f) {
  const uint32_t width = out.row_per_channel ? out.matrix.cols : out.matrix.tensor.shape.w;
  for (uint32_t done = 0; done < count;) {
    const uint32_t run = std::min(width - (j + done) % width, count - done);
    f(out.byte(memory, i, j + done), done, run);
    done += run;
  }
}

// Whether elements lie side by side in local memory.
inline bool has_runs(const MatrixOperand& m) {
  const TensorView& t = m.matrix.tensor;
  return m.is_constant ||
         (t.space == Space::local && is_run(t) && t.pack == 1 && t.shape.count() != 0 &&
          (t.shape.w == 1 || t.stride.w == element_bytes(t.dtype)));
}

// Whether results may be written in any order, and while the factors are read.
inline bool is_free(const PlainProduct& p, const LocalMemory& local) {
  if (!has_runs(p.out) || !has_runs(p.left) || !has_runs(p.right)) return false;
  TensorView bytes = p.out.matrix.tensor;
  bytes.shape.w *= element_bytes(bytes.dtype);
  bytes.stride.w = 1;
  bytes.dtype = DType::i8;
  auto read_only = [&](const MatrixOperand& m) {
    return m.is_constant || apart(p.out.matrix.tensor, m.matrix.tensor, local);
  };
  return elements_distinct(bytes, local) && read_only(p.left) && read_only(p.right);
}

// Source has
//   Element             of a matrix as cells hold it: uint32_t, or uint16_t for two in a cell
//   product()           the PlainProduct
//   read(m, row, to)    the elements of one row of left or right as it is stored
//   start(i, j, count, first, second)   of results (i,j), (i,j+1), ...
//   run(kernels, tile)  the kernel; true if a result is in doubt
//   store(i, j, count, first, in_doubt)
template <class Source>
class MatrixTiles {
 public:
  using Element = typename Source::Element;

  explicit MatrixTiles(const Source& source)
      : source_(source),
        p_(source.product()),
        kernels_(patch_kernels()),
        rows_(p_.out.rows()),
        cols_(p_.out.cols()),
        cells_(ceil_div(p_.left.cols(), kInCell)),
        blocks_(ceil_div(rows_, kernels_.rows)),
        tiles_(ceil_div(cols_, kernels_.columns())) {}

  // False if the copies would be too large.
  bool run() {
    constexpr uint64_t kMaxCells = 64 << 20;
    const uint64_t left_cells = uint64_t{blocks_} * kernels_.rows * cells_;
    const uint64_t right_cells = uint64_t{tiles_} * kernels_.columns() * cells_;
    if (left_cells > kMaxCells || right_cells > kMaxCells) return false;
    thread_local Scratch left, right;
    left_ = left.take<uint32_t>(left_cells);
    right_ = right.take<uint32_t>(right_cells);
    clear_rest();
    pack(p_.left, /*is_left=*/true);
    pack(p_.right, /*is_left=*/false);
    const uint64_t work = uint64_t{cells_} * kernels_.rows * kernels_.columns();
    parallel_for(uint64_t{tiles_} * blocks_, grain(work), [&](size_t begin, size_t end) {
      const ScopedFloatMode mode;
      for (size_t i = begin; i < end; ++i)
        run_tile(static_cast<uint32_t>(i / blocks_), static_cast<uint32_t>(i % blocks_));
    });
    return true;
  }

 private:
  static constexpr uint32_t kInCell = sizeof(uint32_t) / sizeof(Element);

  static size_t grain(uint64_t work) {
    constexpr uint64_t kWorthATask = 64 << 10;
    return std::max<uint64_t>(1, kWorthATask / (work + 1));
  }

  // Rows of a block, or of its tiles: those of integers are always whole.
  uint32_t rows_of(uint32_t block) const {
    return kInCell > 1 ? kernels_.rows : std::min(kernels_.rows, rows_ - block * kernels_.rows);
  }

  // Term k of a row of left.
  Element& left_element(uint32_t row, uint32_t k) const {
    const uint32_t block = row / kernels_.rows, count = rows_of(block);
    const uint64_t cell = uint64_t{block} * kernels_.rows * cells_ + uint64_t{k / kInCell} * count +
                          row % kernels_.rows;
    return reinterpret_cast<Element*>(left_ + cell)[k % kInCell];
  }

  // Term k of a column of right.
  Element& right_element(uint32_t col, uint32_t k) const {
    const uint32_t pitch = kernels_.columns();
    const uint64_t cell = (uint64_t{col / pitch} * cells_ + k / kInCell) * pitch + col % pitch;
    return reinterpret_cast<Element*>(right_ + cell)[k % kInCell];
  }

  // What tiles read beyond the matrices: rows, columns and the second half of the last cell.
  void clear_rest() const {
    const uint32_t pitch = kernels_.columns(), height = kernels_.rows;
    if (kInCell > 1)
      std::fill_n(left_ + uint64_t{blocks_ - 1} * height * cells_, uint64_t{height} * cells_, 0);
    if (cols_ % pitch != 0)
      std::fill_n(right_ + uint64_t{tiles_ - 1} * pitch * cells_, uint64_t{pitch} * cells_, 0);
    if (p_.left.cols() % kInCell == 0) return;
    for (uint64_t block = 1; block <= blocks_; ++block)
      std::fill_n(left_ + (block * cells_ - 1) * height, height, 0);
    for (uint64_t tile = 1; tile <= tiles_; ++tile)
      std::fill_n(right_ + (tile * cells_ - 1) * pitch, pitch, 0);
  }

  void pack(const MatrixOperand& m, bool is_left) const {
    const bool rows_are_terms = is_left == m.transposed;
    // rows that share a cell belong to one task
    parallel_for(ceil_div(m.matrix.rows, kInCell), grain(uint64_t{m.matrix.cols} * kInCell),
                 [&](size_t begin, size_t end) {
                   std::vector<Element> values(m.matrix.cols);
                   const size_t last = std::min<size_t>(end * kInCell, m.matrix.rows);
                   for (size_t r = begin * kInCell; r < last; ++r) {
                     const auto row = static_cast<uint32_t>(r);
                     source_.read(m, row, values.data());
                     rows_are_terms ? pack_term(values, is_left, row)
                                    : pack_factors(values, is_left, row);
                   }
                 });
  }

  void pack_term(const std::vector<Element>& values, bool is_left, uint32_t k) const {
    const auto count = static_cast<uint32_t>(values.size());
    if (is_left) {
      for (uint32_t i = 0; i < count; ++i) left_element(i, k) = values[i];
      return;
    }
    const uint32_t pitch = kernels_.columns();
    for (uint32_t col = 0; col < count; col += pitch) {
      Element* to = &right_element(col, k);
      for (uint32_t i = 0; i < std::min(pitch, count - col); ++i) to[i * kInCell] = values[col + i];
    }
  }

  void pack_factors(const std::vector<Element>& values, bool is_left, uint32_t at) const {
    const auto count = static_cast<uint32_t>(values.size());
    Element* to = is_left ? &left_element(at, 0) : &right_element(at, 0);
    const uint64_t step =
        uint64_t{is_left ? rows_of(at / kernels_.rows) : kernels_.columns()} * kInCell;
    for (uint32_t k = 0; k < count; ++k) to[k / kInCell * step + k % kInCell] = values[k];
  }

  void run_tile(uint32_t t, uint32_t block) const {
    const uint32_t row = block * kernels_.rows, pitch = kernels_.columns(), col = t * pitch;
    const uint32_t rows = std::min(kernels_.rows, rows_ - row), cols = std::min(pitch, cols_ - col);
    alignas(64) uint32_t first[kMaxPatchRows * kPatchPitch] = {};
    alignas(64) uint32_t second[kMaxPatchRows * kPatchPitch] = {};
    for (uint32_t r = 0; r < rows; ++r)
      source_.start(row + r, col, cols, first + r * kPatchPitch, second + r * kPatchPitch);
    const PatchTile tile{.weights = left_ + uint64_t{row} * cells_,
                         .inputs = right_ + uint64_t{col} * cells_,
                         .pitch = pitch,
                         .terms = cells_,
                         .rows = rows_of(block),
                         .vectors = ceil_div(cols, kernels_.lanes),
                         .first = first,
                         .second = second,
                         .channels = cells_,
                         .taps = 1};
    const bool in_doubt = source_.run(kernels_, tile);
    for (uint32_t r = 0; r < rows; ++r)
      source_.store(row + r, col, cols, first + r * kPatchPitch, in_doubt);
  }

  const Source& source_;
  const PlainProduct& p_;
  const PatchKernels kernels_;
  const uint32_t rows_, cols_, cells_, blocks_, tiles_;
  uint32_t* left_ = nullptr;
  uint32_t* right_ = nullptr;
};

}  // namespace tputwin::fast
