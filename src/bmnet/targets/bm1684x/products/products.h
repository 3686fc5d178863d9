// Products of matrices as kernels: views of the matrices in global memory, and parts that fit.
#pragma once

#include "bmnet/targets/bm1684x/views.h"

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
};

// Append the kernels of a product, with rows in channels, or with columns of fp32 in channels. They
// fail if a row of each matrix does not fit local memory.
Status add_row_products(const Layer& layer, const Product& product, std::vector<KernelPtr>& to);
Status add_column_products(const Layer& layer, const Product& product, std::vector<KernelPtr>& to);
// Returns false for products that only columns in channels can have.
bool has_row_products(const Product& product);
inline Status add_products(const Layer& layer, const Product& product, std::vector<KernelPtr>& to) {
  return has_row_products(product) ? add_row_products(layer, product, to)
                                   : add_column_products(layer, product, to);
}
// Adds the constants of a product to a kernel.
void add_constants(StreamKernel& kernel, const Product& product,
                   const std::vector<StreamKernel::Constant>& constants);

}  // namespace tputwin::net::bm1684x
