// Products of two tensors, of a tensor and constants, and inner products of many rows.
#include <fmt/format.h>

#include "bmnet/targets/bm1684x/products/products.h"

namespace tputwin::net::bm1684x {
namespace {

// Leading extents and matrices of an operand.
struct Batches {
  int64_t outer = 1, inner = 1, rows = 1, columns = 1;

  explicit Batches(const TensorShape& shape) {
    const std::vector<int64_t> d = dims(shape);
    const size_t axes = d.size();
    rows = d[axes - 2];
    columns = d[axes - 1];
    if (axes > 2) inner = d[axes - 3];
    if (axes > 3) outer = d[axes - 4];
  }
  int64_t matrix() const { return rows * columns; }
  bool is_one() const { return outer == 1 && inner == 1; }
  bool has_batches_of(const Batches& y) const { return outer == y.outer && inner == y.inner; }
};

Matrix matrix_of(const Layer& layer, const std::string& tensor, const Batches& b) {
  return {.tensor = tensor,
          .type = layer.type(),
          .n = b.outer * b.inner,
          .rows = b.rows,
          .columns = b.columns,
          .sample = b.matrix(),
          .row = b.columns};
}

// Returns the matrices of an operand for one outer index of the result.
Matrix at_outer(Matrix m, const Batches& b, int64_t outer) {
  m.n = b.inner;
  if (b.outer > 1) m.first += outer * b.inner * b.matrix();
  return m;
}

// Stores the constant operand under a name of the layer.
std::string constant_name(const Layer& layer) { return layer.op.name() + "/matrix"; }

void store_constant(const Layer& layer, std::span<const float> values,
                    std::span<const KernelPtr> kernels) {
  const std::vector<uint8_t> bytes = bytes_of(values, layer.type());
  for (const KernelPtr& k : kernels)
    static_cast<StreamKernel&>(*k).constants.push_back({constant_name(layer), bytes});
}

}  // namespace

Kernels lower_matmul(const Layer& layer) {
  const TensorOp& op = layer.op;
  const bool is_constant = op.bottom_size() == 1;
  const auto blob = layer.network.blobs.find(op.name());
  if (is_constant && blob == layer.network.blobs.end())
    return unsupported(op, "operands", "1", "a product has two");
  const Batches y(op.output_shape(0)), a(op.input_shape(0));
  const Batches b(is_constant ? make_shape(blob->second[0].shape) : op.input_shape(1));
  Product all{.out = matrix_of(layer, op.top(0), y),
              .left = matrix_of(layer, op.bottom(0), a),
              .right = matrix_of(layer, is_constant ? constant_name(layer) : op.bottom(1), b)};
  all.right.is_constant = is_constant;
  const auto same = [&](const Batches& x) { return x.is_one() || x.has_batches_of(y); };
  std::vector<KernelPtr> kernels;
  if (same(a) && same(b)) {
    TW_RETURN_IF_ERROR(add_products(layer, all, kernels));
  } else {
    for (int64_t o = 0; o < y.outer; ++o) {
      Product one = all;
      one.out = at_outer(all.out, y, o);
      one.left = at_outer(all.left, a, o);
      one.right = at_outer(all.right, b, o);
      TW_RETURN_IF_ERROR(add_products(layer, one, kernels));
    }
  }
  if (is_constant) store_constant(layer, blob->second[0].data, kernels);
  return kernels;
}

std::optional<PackedWeights> packed_matrix(const Layer& layer) {
  if (!is_half(layer.type())) return std::nullopt;
  return packed_weights(inner_product_matrix(layer.op, layer.blobs()[0]),
                        layer.op.tg_inner_product_param().num_output(), layer.type());
}

Kernels lower_rows_product(const Layer& layer) {
  const auto& param = layer.op.tg_inner_product_param();
  const std::vector<float> matrix = inner_product_matrix(layer.op, layer.blobs()[0]);
  const int64_t outputs = param.num_output();
  const int64_t length = static_cast<int64_t>(matrix.size()) / outputs;
  const int64_t rows = count(layer.op.input_shape(0)) / length;
  Product p{.out = {layer.op.top(0), layer.type(), false, 1, rows, outputs, 0, outputs},
            .left = {layer.op.bottom(0), layer.type(), false, 1, rows, length, 0, length},
            .right = {constant_name(layer), layer.type(), true, 1, outputs, length, 0, length},
            .is_right_transposed = true,
            .do_relu = param.do_activation()};
  if (param.bias_term()) p.bias = &layer.blobs()[1].data;
  std::vector<KernelPtr> kernels;
  if (const auto packed = packed_matrix(layer)) {
    p.packed = &*packed;
    TW_RETURN_IF_ERROR(add_products(layer, p, kernels));
    return kernels;
  }
  std::vector<float> values = matrix;
  // Rows of whole units are next to each other in a lane, too: their transfer is one run. Others
  // are a run each, and the matrix with few of them is loaded.
  if (layer.type() == DType::f32 || length * element_bytes(layer.type()) % chip().eu_bytes != 0) {
    std::swap(p.right.rows, p.right.columns);
    p.right.row = outputs;
    p.is_right_transposed = false;
    for (int64_t o = 0; o < outputs; ++o)
      for (int64_t k = 0; k < length; ++k)
        values[static_cast<size_t>(k * outputs + o)] = matrix[static_cast<size_t>(o * length + k)];
  }
  TW_RETURN_IF_ERROR(add_products(layer, p, kernels));
  store_constant(layer, values, kernels);
  return kernels;
}

}  // namespace tputwin::net::bm1684x
