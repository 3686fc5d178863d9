// Products of matrices. Tensors of 3 or 4 axes hold several matrices; leading extents of 1 are
// repeated.
#include "bmnet/cpu_ops/operator.h"

namespace tputwin::net::cpu {
namespace {

// A tensor of 2 to 4 axes, seen as outer x inner matrices of rows x columns.
struct Matrices {
  int64_t outer = 1, inner = 1, rows = 0, columns = 0;

  explicit Matrices(const std::vector<int64_t>& shape) {
    const size_t axes = shape.size();
    rows = shape[axes - 2];
    columns = shape[axes - 1];
    if (axes > 2) inner = shape[axes - 3];
    if (axes > 3) outer = shape[axes - 4];
  }
  // Returns the offset of the matrix for position (o, i) of the result.
  int64_t at(int64_t o, int64_t i) const {
    return ((outer == 1 ? 0 : o) * inner + (inner == 1 ? 0 : i)) * rows * columns;
  }
  bool repeats_to(const Matrices& to) const {
    return (outer == 1 || outer == to.outer) && (inner == 1 || inner == to.inner);
  }
};

void multiply(const float* a, const float* b, float* y, int64_t rows, int64_t length,
              int64_t columns) {
  for (int64_t r = 0; r < rows; ++r, y += columns) {
    std::fill_n(y, columns, 0.0f);
    for (int64_t k = 0; k < length; ++k)
      for (int64_t c = 0; c < columns; ++c) y[c] += a[r * length + k] * b[k * columns + c];
  }
}

}  // namespace

Status matmul(const Call& call) {
  TW_RETURN_IF_ERROR(require(call, 2));
  const size_t axes = call.out[0].shape.size();
  if (axes < 2 || axes > 4 || call.in[0].shape.size() != axes || call.in[1].shape.size() != axes)
    return fail(call, "operands and result have 2 to 4 axes, as many each");
  const Matrices a(call.in[0].shape), b(call.in[1].shape), y(call.out[0].shape);
  if (a.columns != b.rows || y.rows != a.rows || y.columns != b.columns || !a.repeats_to(y) ||
      !b.repeats_to(y))
    return fail(call, "(..., M, K) times (..., K, N) is (..., M, N), leading extents 1 or equal");
  for (int64_t o = 0; o < y.outer; ++o)
    for (int64_t i = 0; i < y.inner; ++i)
      multiply(call.in[0].data + a.at(o, i), call.in[1].data + b.at(o, i),
               call.out[0].data + y.at(o, i), y.rows, a.columns, y.columns);
  return {};
}

}  // namespace tputwin::net::cpu
