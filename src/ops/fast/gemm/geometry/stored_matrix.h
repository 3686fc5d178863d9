// Matrices of products as they are stored: contiguous runs of elements, and conditions under which
// results and factors may be read and written in place.
#pragma once

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "base/bits.h"
#include "ops/fast/dispatch/fast_kernel.h"
#include "ops/fast/gemm/kernels/tiles.h"
#include "ops/fast/views/views.h"
#include "ops/fast/walk/copy.h"
#include "ops/matmul/matrix_operand.h"

namespace tputwin::fast {

// Describes a product whose result is not stored transposed. If the result of the operation is
// stored transposed, this is the product of the transposed matrices, right times left.
struct PlainProduct {
  MatrixOperand out, left, right;
  // True if left and right, and the two indices of a result, are swapped.
  bool swapped = false;

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

// Gives access to the rows of a matrix as memory stores them. Only the operand and the extents of a
// constant matrix may be used.
class StoredMatrix {
 public:
  StoredMatrix(const MatrixOperand& m, const Memory& memory) : m_(m) {
    if (m.is_constant) return;
    const TensorView& t = m.matrix.tensor;
    width_ = m.row_per_channel ? m.matrix.cols : t.shape.w;
    row_step_ = m.row_per_channel ? 0 : t.stride.n;
    const uint32_t channels = m.row_per_channel ? m.matrix.rows : ceil_div(m.matrix.cols, width_);
    channels_.resize(channels);
    if (channels != 0) channels_from(memory.byte(t, 0, 0, 0, 0), t, memory, channels_);
  }

  const MatrixOperand& operand() const { return m_; }
  uint32_t rows() const { return m_.matrix.rows; }
  uint32_t cols() const { return m_.matrix.cols; }

  // Calls f(bytes, index, count) for each contiguous run of the columns [first, first + count) of a
  // row. `index` is the number of columns from `first` to the run.
  template <class F>
  void for_each_run(uint32_t row, uint32_t first, uint32_t count, F&& f) const {
    // The loop has no divisions, because runs may be short.
    uint32_t channel = row, inside = first;
    if (!m_.row_per_channel) channel = first / width_, inside = first % width_;
    for (uint32_t done = 0; done < count; ++channel, inside = 0) {
      const uint32_t run = std::min(width_ - inside, count - done);
      f(channels_[channel] + uint64_t{row} * row_step_ + uint64_t{inside} * column_step(), done,
        run);
      done += run;
    }
  }
  // Copies columns of some rows of 32-bit elements to to[row * pitch + column], where row and
  // column count from the first copied element. Returns false unless the runs have 1, 2, 4 or 8
  // elements.
  bool copy_short_runs(uint32_t row, uint32_t rows, uint32_t first, uint32_t count, uint32_t* to,
                       size_t pitch) const {
    if (m_.is_constant || m_.row_per_channel || element_bytes(m_.dtype()) != sizeof *to ||
        column_step() != sizeof *to || first % width_ != 0 || count % width_ != 0)
      return false;
    switch (width_) {
      case 1:
        return copy_runs<1>(row, rows, first, count, to, pitch), true;
      case 2:
        return copy_runs<2>(row, rows, first, count, to, pitch), true;
      case 4:
        return copy_runs<4>(row, rows, first, count, to, pitch), true;
      case 8:
        return copy_runs<8>(row, rows, first, count, to, pitch), true;
      default:
        return false;
    }
  }
  const uint8_t* at(uint32_t row, uint32_t column) const {
    const uint32_t channel = m_.row_per_channel ? row : column / width_;
    const uint32_t inside = m_.row_per_channel ? column : column % width_;
    return channels_[channel] + uint64_t{row} * row_step_ + uint64_t{inside} * column_step();
  }
  bool are_contiguous(uint32_t first, uint32_t count) const {
    return m_.row_per_channel || first % width_ + count <= width_;
  }
  // Returns the element that is `rows` rows below an element of `row`.
  const uint8_t* below(const uint8_t* element, uint32_t row, uint32_t rows) const {
    return element + distance(row, rows);
  }
  ptrdiff_t distance(uint32_t row, uint32_t rows) const {
    return m_.row_per_channel ? channels_[row + rows] - channels_[row]
                              : static_cast<ptrdiff_t>(rows * row_step_);
  }

 private:
  uint32_t column_step() const { return m_.matrix.tensor.stride.w; }

  // Walks a channel for some rows before the next one, because processors prefetch equal steps.
  template <uint32_t kWords>
  void copy_runs(uint32_t row, uint32_t rows, uint32_t first, uint32_t count, uint32_t* to,
                 size_t pitch) const {
    constexpr uint32_t kRowsAtOnce = 16;
    for (uint32_t begin = 0; begin < rows; begin += kRowsAtOnce)
      for (uint32_t column = 0; column < count; column += kWords) {
        const uint8_t* const top = channels_[(first + column) / kWords] + uint64_t{row} * row_step_;
        for (uint32_t r = begin; r < std::min(begin + kRowsAtOnce, rows); ++r)
          std::memcpy(to + r * pitch + column, top + uint64_t{r} * row_step_, kWords * sizeof *to);
      }
  }

  const MatrixOperand& m_;
  uint32_t width_ = 0;  // contiguous columns
  uint64_t row_step_ = 0;
  std::vector<uint8_t*> channels_;
};

// Calls f(bytes, index, count) for each contiguous run of the `count` results from (i,j) on.
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

// Returns true if elements are contiguous in local memory.
inline bool has_runs(const MatrixOperand& m) {
  const TensorView& t = m.matrix.tensor;
  return m.is_constant || (has_elements(t) && !is_empty(t.shape) && has_dense_rows(t));
}

// Returns why results may not be written in any order, or while factors are read. Returns nullptr
// if they may.
inline Declined matrices_decline(const PlainProduct& p, const LocalMemory& local) {
  if (!has_runs(p.out) || !has_runs(p.left) || !has_runs(p.right)) return "rows have gaps";
  auto tensor = [](const MatrixOperand& m) { return m.is_constant ? nullptr : &m.matrix.tensor; };
  return overlap(p.out.matrix.tensor, {tensor(p.left), tensor(p.right)}, local);
}

// Describes a right matrix that is read in place. first(column) returns the address of the first
// cell of a column. Rows are `pitch` cells apart, and `width` columns are contiguous.
struct InPlace {
  const uint8_t* (*first)(const PlainProduct& product, const Memory& memory, uint32_t column);
  uint32_t pitch = 0, width = 0;
};

inline InPlace in_place_of(const PlainProduct& p) {
  return {[](const PlainProduct& product, const Memory& memory, uint32_t column) {
            return static_cast<const uint8_t*>(product.right.byte(memory, 0, column));
          },
          p.right.matrix.tensor.stride.n / uint32_t{sizeof(uint32_t)},
          p.right.matrix.tensor.shape.w};
}

// Returns why 32-bit values of the right matrix cannot be read in place, or nullptr if they can.
// Tiles read whole vectors of each channel. At least three quarters of their elements must be
// columns of the matrix, because the others are wasted.
inline Declined in_place_declines(const PlainProduct& p) {
  const TensorView& right = p.right.matrix.tensor;
  const uint32_t width = right.shape.w;
  if (p.right.is_constant || p.right.transposed || p.right.row_per_channel)
    return "columns of the right matrix are not its channels'";
  if (!has_32bit_elements(right)) return "no 32-bit elements in lanes";
  if (width * 4 < align_up(width, tile_kernels().vector_elements) * 3)
    return "channels are too narrow for vectors";
  return kRan;
}

}  // namespace tputwin::fast
