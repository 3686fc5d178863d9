// Views of the matrices of products.
#include "bmnet/targets/bm1684x/products/products.h"

namespace tputwin::net::bm1684x {

Matrix Matrix::rows_from(int64_t begin, int64_t count) const {
  Matrix part = *this;
  part.first += begin * row;
  part.rows = count;
  return part;
}

Matrix Matrix::columns_from(int64_t begin, int64_t count) const {
  Matrix part = *this;
  part.first += begin;
  part.columns = count;
  return part;
}

View Matrix::row_view(const View& canonical) const {
  const Extents e{n, rows, 1, columns};
  const bool is_packed = row == columns && (n == 1 || sample == rows * columns);
  if (canonical.tensor == tensor && canonical.e == e && is_packed && first == 0) return canonical;
  return {.tensor = tensor,
          .e = e,
          .offset = first * element_bytes(type),
          .type = type,
          .steps = ViewSteps{n == 1 ? 0 : sample, row, 0, 1},
          .is_constant = is_constant};
}

}  // namespace tputwin::net::bm1684x
