// How the fast bodies of matrix products read MatrixOperand.
#pragma once

#include <algorithm>

#include "ops/fast/window_plane.h"
#include "ops/matmul.h"

namespace tputwin::fast {

// The product of the transposed matrices, whose result is stored as it comes.
struct MatrixProduct {
  MatrixOperand out, left, right;
  bool swapped;  // left and right, and with them the indices of the result

  template <class Op>
  explicit MatrixProduct(const Op& op)
      : out(op.out), left(op.left), right(op.right), swapped(op.out.transposed) {
    if (!swapped) return;
    std::swap(left, right);
    for (MatrixOperand* m : {&out, &left, &right}) m->transposed = !m->transposed;
    for (MatrixOperand* m : {&left, &right})
      if (m->is_constant) {
        std::swap(m->matrix.rows, m->matrix.cols);
        m->transposed = false;
      }
  }
};

// Rows of a matrix as it is stored: runs of elements that lie side by side. f(bytes, column, count)
template <class F>
void for_each_run(const MatrixOperand& m, const Memory& memory, uint32_t row, F&& f) {
  const TensorView& t = m.matrix.tensor;
  const uint32_t cols = m.matrix.cols, width = m.row_per_channel ? cols : t.shape.w;
  for (uint32_t col = 0; col < cols; col += width)
    f(m.row_per_channel ? memory.byte(t, 0, row, 0, 0) : memory.byte(t, row, col / width, 0, 0),
      col, std::min(width, cols - col));
}

// Elements lie side by side in a row.
inline bool has_runs(const MatrixOperand& m) {
  const TensorView& t = m.matrix.tensor;
  return m.is_constant || (t.space == Space::local && is_run(t) && t.pack == 1 &&
                           t.shape.count() != 0 && t.address % element_bytes(t.dtype) == 0 &&
                           (t.shape.w == 1 || t.stride.w == element_bytes(t.dtype)));
}

// The result may be written while left and right are read.
inline bool apart(const MatrixProduct& p, const LocalMemory& local) {
  auto read_only = [&](const MatrixOperand& m) {
    return m.is_constant || apart(p.out.matrix.tensor, m.matrix.tensor, local);
  };
  return read_only(p.left) && read_only(p.right);
}

}  // namespace tputwin::fast
