// Marks of matrix products.
#include <optional>

#include "ops/dependence/dependence.h"

namespace tputwin {
namespace {

// The marks of a matrix of a product.
class MatrixMarks {
 public:
  MatrixMarks(const MatrixOperand& matrix, const MarkFlow& flow)
      : MatrixMarks(matrix, matrix.is_constant ? ElementMarks({0, 0, 0, 0})
                                               : flow.load(matrix.matrix.tensor)) {}
  MatrixMarks(const MatrixOperand& matrix, ElementMarks marks)
      : matrix_(matrix), marks_(std::move(marks)) {}

  Mark at(uint32_t i, uint32_t j) const {
    if (matrix_.is_constant) return 0;
    if (matrix_.transposed) std::swap(i, j);
    const uint32_t width = marks_.shape().w;
    return matrix_.row_per_channel ? marks_.at(0, i, 0, j) : marks_.at(i, j / width, 0, j % width);
  }
  void raise(uint32_t i, uint32_t j, Mark mark) {
    if (matrix_.transposed) std::swap(i, j);
    const uint32_t width = marks_.shape().w;
    if (matrix_.row_per_channel)
      marks_.raise(0, i, 0, j, mark);
    else
      marks_.raise(i, j / width, 0, j % width, mark);
  }
  Mark of_row(uint32_t i, uint32_t columns) const {
    Mark mark = 0;
    for (uint32_t j = 0; j < columns; ++j) mark = std::max(mark, at(i, j));
    return mark;
  }
  Mark of_column(uint32_t j, uint32_t rows) const {
    Mark mark = 0;
    for (uint32_t i = 0; i < rows; ++i) mark = std::max(mark, at(i, j));
    return mark;
  }
  const ElementMarks& elements() const { return marks_; }

 private:
  const MatrixOperand& matrix_;
  ElementMarks marks_;
};

// The operands of a product of any chip.
struct Product {
  MatrixOperand out, left, right;
  std::optional<MatrixOperand> bias = {}, shift = {}, old = {};  // bias and shift are rows
  std::optional<TensorView> zero_point = {};
};

MatrixOperand matrix(const MatrixView& view) { return {.matrix = view}; }

template <class Op>
requires std::is_same_v<decltype(Op::left), MatrixView> Product product_of(const Op& op) {
  Product product{matrix(op.out), matrix(op.left), matrix(op.right)};
  if (op.bias) product.bias = matrix(*op.bias);
  if constexpr (requires { op.accumulate; })
    if (op.accumulate) product.old = product.out;
  return product;
}
Product product_of(const MatrixMac& op) {
  Product product{matrix(op.res), matrix(op.left), matrix(op.right)};
  if (op.bias) product.bias = matrix(*op.bias);
  if (op.accumulate) product.old = product.out;
  if (op.accumulate) product.old->matrix.tensor = old_value(op.res.tensor);
  return product;
}
// Row j of the right tensor, in channels of 16 elements, is a column of the factor.
Product product_of(const MatrixMac2& op) {
  const uint32_t rows = op.left.shape.c, inner = op.left.shape.w, columns = op.res.shape.w;
  const auto by_channel = [](const TensorView& view, uint32_t r, uint32_t c) {
    return MatrixOperand{.matrix = {view, r, c}, .row_per_channel = true};
  };
  return {by_channel(op.res, rows, columns),
          by_channel(op.left, rows, inner),
          {.matrix = {op.right, columns, inner}, .transposed = true}};
}
Product product_of(const MatmulBm1684xFp32& op) {
  Product product{op.out, op.left, op.right};
  if (op.bias) product.bias = matrix(*op.bias);
  if (op.accumulate) product.old = op.out;
  return product;
}
Product product_of(const MatmulBm1684xHalf& op) {
  Product product{op.out, op.left, op.right};
  if (op.accumulate) product.old = op.out;
  return product;
}
Product product_of(const MatmulBm1684xInt& op) {
  Product product{op.out, op.left, op.right};
  if (op.bias) product.bias = matrix(*op.bias);
  if (op.shift) product.shift = *op.shift;
  product.old = op.old;
  if (op.zero_point && !op.zero_point->is_constant) product.zero_point = op.zero_point->view;
  return product;
}

// Returns the mark of the zero points of column j.
Mark zero_point_of(const ElementMarks& marks, bool is_transposed, uint32_t j) {
  if (is_transposed) return marks.at(0, j, 0, 0);
  Mark mark = 0;
  for (uint32_t c = 0; c < marks.shape().c; ++c) mark = std::max(mark, marks.at(0, c, 0, j));
  return mark;
}

// Returns the marks of what all results of a column share.
std::vector<Mark> columns_of(const Product& product, const MarkFlow& flow) {
  const MatrixMarks right(product.right, flow);
  std::vector<Mark> columns(product.out.cols());
  for (uint32_t j = 0; j < columns.size(); ++j)
    columns[j] = right.of_column(j, product.left.cols());
  for (const auto* row : {&product.bias, &product.shift}) {
    if (!*row) continue;
    const MatrixMarks marks(**row, flow);
    for (uint32_t j = 0; j < columns.size(); ++j) columns[j] = std::max(columns[j], marks.at(0, j));
  }
  if (!product.zero_point) return columns;
  const ElementMarks marks = flow.load(*product.zero_point);
  for (uint32_t j = 0; j < columns.size(); ++j)
    columns[j] = std::max(columns[j], zero_point_of(marks, product.out.transposed, j));
  return columns;
}

void pass_matrices(const Product& product, MarkFlow& flow) {
  const std::vector<Mark> columns = columns_of(product, flow);
  const MatrixMarks left(product.left, flow);
  std::optional<MatrixMarks> old;
  if (product.old) old.emplace(*product.old, flow);
  MatrixMarks result(product.out, ElementMarks(product.out.matrix.tensor.shape));
  for (uint32_t i = 0; i < product.out.rows(); ++i) {
    const Mark row = left.of_row(i, product.left.cols());
    for (uint32_t j = 0; j < product.out.cols(); ++j)
      result.raise(i, j, std::max({row, columns[j], old ? old->at(i, j) : Mark{0}}));
  }
  flow.store(product.out.matrix.tensor, result.elements());
}

}  // namespace

void pass_product(const Operation& operation, MarkFlow& flow) {
  std::visit(
      [&](const auto& op) {
        if constexpr (requires { product_of(op); }) pass_matrices(product_of(op), flow);
      },
      static_cast<const AnyOperation&>(operation));
}

}  // namespace tputwin
