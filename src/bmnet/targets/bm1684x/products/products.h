// Products of matrices as kernels: views of the matrices in global memory, and parts that fit.
#pragma once

#include "bmnet/targets/bm1684x/products/packed_weights.h"
#include "bmnet/targets/bm1684x/views.h"
#include "ops/matmul/matmul_bm1684x_half.h"

namespace tputwin::net::bm1684x {

// A matrix for each of `n` samples in global memory, rows after each other. Distances count
// elements.
struct Matrix {
  std::string tensor;
  DType type = DType::f32;
  bool is_constant = false;
  int64_t n = 1, rows = 1, columns = 1;
  int64_t sample = 0, row = 0;  // distances of samples and of rows
  int64_t first = 0;            // element of the tensor

  // Returns a range of the rows or of the columns.
  Matrix rows_from(int64_t begin, int64_t count) const;
  Matrix columns_from(int64_t begin, int64_t count) const;
  // Returns the view in which channels hold rows. `canonical` is used if it has the same elements.
  View row_view(const View& canonical) const;
};

// out = left * right + bias. `right` has a row for each column of the product if it is transposed.
struct Product {
  Matrix out, left, right;
  bool is_right_transposed = false;
  const std::vector<float>* bias = nullptr;  // one value per column of the layer
  int64_t first_column = 0;                  // of `bias`
  bool do_relu = false;
  // The right matrix, which is transposed, in four bits; nullptr: it is a tensor.
  const PackedWeights* packed = nullptr;
};

// Append the kernels of a product, with rows in channels, or with columns of fp32 in channels. They
// fail if a row of each matrix does not fit local memory.
Status add_row_products(const Layer& layer, const Product& product, std::vector<KernelPtr>& to);
Status add_column_products(const Layer& layer, const Product& product, std::vector<KernelPtr>& to);
// Returns the columns of the ranges that a product with rows in channels is computed by: so many
// fit with the rows of their right matrix, of `depth` elements.
int64_t columns_of_part(int64_t columns, int64_t depth, DType type, bool is_right_transposed);
// Returns false for products that only columns in channels can have.
bool has_row_products(const Product& product);
inline Status add_products(const Layer& layer, const Product& product, std::vector<KernelPtr>& to) {
  return has_row_products(product) ? add_row_products(layer, product, to)
                                   : add_column_products(layer, product, to);
}

// Base of kernels with rows in channels. Inputs: the left matrix, the right one, then further ones,
// and a bias if the product has one.
class RowProduct : public StreamKernel {
 public:
  bool is_right_transposed = false;
  bool has_bias = false;

  bool can_split_rows() const override { return false; }
  void emit(StreamProgram& program, const Operands& o) const override;

 protected:
  // Returns sample `n` of a tile as a matrix. One matrix may serve all samples.
  static MatrixOperand matrix(const Local& local, DType type, int64_t n);
  // Emits what makes the right matrix.
  virtual void prepare_right(StreamProgram&, const Operands&) const {}
  virtual MatrixOperand right(const Operands& o, int64_t n) const;

 private:
  static TensorView sample(const Local& local, DType type, int64_t n);
  void convolve(StreamProgram& program, const Operands& o, int64_t n) const;
};

// Returns the matrix of an inner product in four bits if it can be.
std::optional<PackedWeights> packed_matrix(const Layer& layer);
// Returns a product whose right matrix is packed. All its inputs but the bias are set.
std::unique_ptr<RowProduct> packed_product(const Layer& layer, const Product& product);

}  // namespace tputwin::net::bm1684x
