// Products of stored matrices: both are copied to 32-bit cells in panels as tiles.h reads them, and
// tiles go over them. A cell holds one term, or two 16-bit ones. A right matrix whose rows already
// lie as panels is read in place.
#pragma once

#include <vector>

#include "base/bits.h"
#include "ops/fast/gemm/panels.h"
#include "ops/fast/views/views.h"
#include "ops/matmul/matrix_operand.h"

namespace tputwin::fast {

// A product whose result is stored as it comes: where the result is stored transposed, that of the
// transposed matrices.
struct PlainProduct {
  MatrixOperand out, left, right;
  bool swapped = false;  // left and right, and with them the indices of the result

  PlainProduct(const MatrixOperand& result, const MatrixOperand& a, const MatrixOperand& b)
      : out(result), left(a), right(b), swapped(result.transposed) {
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
void for_each_stored_run(const MatrixOperand& m, const Memory& memory, uint32_t row, F&& f) {
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
  return m.is_constant || (has_elements(t) && !is_empty(t.shape) && has_dense_rows(t));
}

// Why results may not be written in any order, or while the factors are read; nullptr if they may.
inline Declined matrices_decline(const PlainProduct& p, const LocalMemory& local) {
  if (!has_runs(p.out) || !has_runs(p.left) || !has_runs(p.right)) return "rows have gaps";
  auto tensor = [](const MatrixOperand& m) { return m.is_constant ? nullptr : &m.matrix.tensor; };
  return overlap(p.out.matrix.tensor, {tensor(p.left), tensor(p.right)}, local);
}

// Where the right matrix is read in place: the cells of a row of terms begin at first(column), of
// the next one `pitch` cells on, for `width` columns that lie together.
struct InPlace {
  const uint8_t* (*first)(const PlainProduct& product, const Memory& memory, uint32_t column);
  uint32_t pitch, width;
};

// What a tile is given: the results (row, col), (row, col + 1), ... of `rows` rows.
struct TilePart {
  uint32_t row, col, rows, cols;
};

// Source has
//   Element             of a matrix as cells hold it: uint32_t, or uint16_t for two in a cell
//   product()           the PlainProduct
//   in_place()          an InPlace, or nullptr
//   read(m, row, to)    the elements of one row of left or right as it is stored
//   start(i, j, count, first, second)   of results (i,j), (i,j+1), ...
//   run(kernels, tile, terms, part, room)   the kernel; true if a result is in doubt
//   store(i, j, count, first, in_doubt)
template <class Source>
class MatrixTiles {
 public:
  using Element = typename Source::Element;
  // The terms as kernels take them: of each where it starts in a panel of columns.
  struct Terms {
    uint32_t count;
    size_t pitch;
    std::vector<uint32_t> right_offset;
  };

  MatrixTiles(const Source& source, const Memory& memory)
      : source_(source),
        p_(source.product()),
        memory_(memory),
        kernels_(tile_kernels()),
        rows_(p_.out.rows()),
        cols_(p_.out.cols()),
        cells_(ceil_div(p_.left.cols(), kInCell)),
        blocks_(ceil_div(rows_, kernels_.rows)),
        in_place_(source.in_place()),
        span_(in_place_ != nullptr ? in_place_->width : cols_),
        span_tiles_(ceil_div(span_, kernels_.columns())),
        columns_(align_up(ceil_div(span_, span_tiles_), kernels_.lanes)),
        tiles_(ceil_div(cols_, span_) * span_tiles_) {}

  // Declines if the copies would be too large.
  Declined run() {
    const uint64_t left_cells = uint64_t{blocks_} * kernels_.rows * cells_;
    const uint64_t right_cells = in_place_ != nullptr ? 0 : uint64_t{tiles_} * columns_ * cells_;
    if (left_cells > kMaxCopiedCells || right_cells > kMaxCopiedCells) return kCopiesTooLarge;
    thread_local Scratch left, right;
    left_ = left.take<uint32_t>(left_cells);
    right_ = right.take<uint32_t>(right_cells);
    clear_rest();
    pack(p_.left, /*is_left=*/true);
    if (in_place_ == nullptr) pack(p_.right, /*is_left=*/false);
    terms_ = {cells_, in_place_ != nullptr ? in_place_->pitch : columns_, {}};
    for (uint32_t term = 0; term < cells_; ++term)
      terms_.right_offset.push_back(static_cast<uint32_t>(term * terms_.pitch));
    const uint64_t work = uint64_t{cells_} * kernels_.rows * columns_;
    parallel_for(uint64_t{tiles_} * blocks_, grain(work), [&](size_t begin, size_t end) {
      const ScopedFloatMode mode;
      for (size_t i = begin; i < end; ++i)
        run_tile(static_cast<uint32_t>(i / blocks_), static_cast<uint32_t>(i % blocks_));
    });
    return kRan;
  }

 private:
  static constexpr uint32_t kInCell = sizeof(uint32_t) / sizeof(Element);

  static size_t grain(uint64_t work) { return grain_of(work, Source::kTermsWorthATask); }

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
    const uint64_t cell =
        (uint64_t{col / columns_} * cells_ + k / kInCell) * columns_ + col % columns_;
    return reinterpret_cast<Element*>(right_ + cell)[k % kInCell];
  }

  // What tiles read beyond the matrices: rows, columns and the second half of the last cell.
  void clear_rest() const {
    const uint32_t height = kernels_.rows;
    if (kInCell > 1)
      std::fill_n(left_ + uint64_t{blocks_ - 1} * height * cells_, uint64_t{height} * cells_, 0);
    if (in_place_ == nullptr && cols_ % columns_ != 0)
      std::fill_n(right_ + uint64_t{tiles_ - 1} * columns_ * cells_, uint64_t{columns_} * cells_,
                  0);
    if (p_.left.cols() % kInCell == 0) return;
    for (uint64_t block = 1; block <= blocks_; ++block)
      std::fill_n(left_ + (block * cells_ - 1) * height, height, 0);
    for (uint64_t tile = 1; tile <= tiles_; ++tile)
      std::fill_n(right_ + (tile * cells_ - 1) * columns_, columns_, 0);
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
    for (uint32_t col = 0; col < count; col += columns_) {
      Element* to = &right_element(col, k);
      for (uint32_t i = 0; i < std::min(columns_, count - col); ++i)
        to[i * kInCell] = values[col + i];
    }
  }

  void pack_factors(const std::vector<Element>& values, bool is_left, uint32_t at) const {
    const auto count = static_cast<uint32_t>(values.size());
    Element* to = is_left ? &left_element(at, 0) : &right_element(at, 0);
    const uint64_t step = uint64_t{is_left ? rows_of(at / kernels_.rows) : columns_} * kInCell;
    for (uint32_t k = 0; k < count; ++k) to[k / kInCell * step + k % kInCell] = values[k];
  }

  void run_tile(uint32_t t, uint32_t block) const {
    const uint32_t start = t % span_tiles_ * columns_, row = block * kernels_.rows;
    const uint32_t col = t / span_tiles_ * span_ + start;
    const TilePart part{row, col, std::min(kernels_.rows, rows_ - row),
                        std::min({columns_, span_ - start, cols_ - col})};
    TileRoom room;
    for (uint32_t r = 0; r < part.rows; ++r)
      source_.start(row + r, col, part.cols, room.row(r), room.second_row(r));
    const Tile tile{.left = left_ + uint64_t{row} * cells_,
                    .right = in_place_ != nullptr ? reinterpret_cast<const uint32_t*>(
                                                        in_place_->first(p_, memory_, col))
                                                  : right_ + uint64_t{t} * columns_ * cells_,
                    .rows = rows_of(block),
                    .vectors = ceil_div(part.cols, kernels_.lanes),
                    .sums = room.sums};
    const bool in_doubt = source_.run(kernels_, tile, terms_, part, room);
    for (uint32_t r = 0; r < part.rows; ++r)
      source_.store(row + r, col, part.cols, room.row(r), in_doubt);
  }

  const Source& source_;
  const PlainProduct& p_;
  const Memory& memory_;
  const TileKernels kernels_;
  const uint32_t rows_, cols_, cells_, blocks_;
  const InPlace* const in_place_;
  // A span of columns that lie together is cut into tiles of equal width: a channel, or the matrix.
  const uint32_t span_, span_tiles_, columns_, tiles_;
  Terms terms_;
  uint32_t* left_ = nullptr;
  uint32_t* right_ = nullptr;
};

}  // namespace tputwin::fast
