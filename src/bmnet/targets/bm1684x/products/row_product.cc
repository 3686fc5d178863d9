// Products of matrices with rows in channels. In fp32 they are convolutions. The right matrix is an
// image of one row, and its rows are input channels. Rows of the left one are weights.
#include "bmnet/targets/bm1684x/products/products.h"
#include "ops/conv/conv2d_bm1684x_float.h"
#include "ops/matmul/matmul_bm1684x_half.h"

namespace tputwin::net::bm1684x {

void RowProduct::emit(StreamProgram& program, const Operands& o) const {
  prepare_right(program, o);
  for (int64_t n = 0; n < o.output.e.n; ++n)
    if (output.type == DType::f32)
      convolve(program, o, n);
    else
      program.add(MatmulBm1684xHalf{.out = matrix(o.output, output.type, n),
                                    .left = matrix(o.inputs[0], inputs[0].type, n),
                                    .right = right(o, n)});
  const TensorView out = out_view(o);
  if (has_bias) {
    TensorView bias = repeated_over(in_view(o, inputs.size() - 1), out.shape);
    bias.stride.c = 0;
    program.add(FloatArithmetic{.kind = FloatArithmetic::Kind::add,
                                .out = out,
                                .a = Source::tensor(out),
                                .b = Source::tensor(bias)});
  }
  if (do_relu) emit_relu(program, out);
}

TensorView RowProduct::sample(const Local& local, DType type, int64_t n) {
  Extents e = local.e;
  const int64_t index = e.n == 1 ? 0 : n;
  e.n = 1;
  const int64_t bytes = local_memory().tensor_bytes({.tensor = {}, .e = e, .type = type}, e);
  return aligned(local.address + static_cast<uint32_t>(index * bytes), e, type);
}

MatrixOperand RowProduct::matrix(const Local& local, DType type, int64_t n) {
  const auto rows = static_cast<uint32_t>(local.e.c), columns = static_cast<uint32_t>(local.e.w);
  return {.matrix = {sample(local, type, n), rows, columns}, .row_per_channel = true};
}

MatrixOperand RowProduct::right(const Operands& o, int64_t n) const {
  MatrixOperand m = matrix(o.inputs[1], inputs[1].type, n);
  m.transposed = is_right_transposed;
  return m;
}

// Weights of an output channel are next to each other, rows of an aligned tensor are not: each
// command computes the rows that are in one channel of every lane.
void RowProduct::convolve(StreamProgram& program, const Operands& o, int64_t n) const {
  const TensorView out = sample(o.output, DType::f32, n), in = sample(o.inputs[1], DType::f32, n),
                   left = sample(o.inputs[0], DType::f32, n);
  const int64_t lanes = chip().lanes, rows = o.output.e.c, depth = o.inputs[0].e.w;
  const int64_t group = target().weight_group(DType::f32);
  for (int64_t first = 0; first < rows; first += lanes) {
    const int64_t count = std::min(lanes, rows - first);
    const auto part = [&](const TensorView& v) {
      return static_cast<uint32_t>(v.address + static_cast<uint64_t>(first / lanes) * v.stride.c);
    };
    program.add(Conv2dBm1684xFloat{
        .out = aligned(part(out), {1, count, 1, o.output.e.w}, DType::f32),
        .in = in,
        .weight = Source::tensor(compact(part(left), {1, count, depth / group, group}, DType::f32)),
        .window = {}});
  }
}

namespace {

int64_t rows_bytes(int64_t rows, int64_t columns, DType type) {
  return ceil_div(rows, chip().lanes) * align_up_to(columns * element_bytes(type), chip().eu_bytes);
}

// Bytes of a lane for the right matrix. As many are for rows of the other two.
constexpr int64_t kMostRight = 120 * 1024;
// A part of the columns is loaded while the one before it is multiplied.
constexpr int64_t kRightOfPart = 32 * 1024;
// Columns that a convolution of every chip accepts: at most 2,047, and full lanes.
constexpr int64_t kMostColumns = 1984;

}  // namespace

int64_t columns_of_part(int64_t columns, int64_t depth, DType type, bool is_right_transposed) {
  const int64_t lanes = chip().lanes, all = columns;
  const auto bytes = [&](int64_t n) {
    return is_right_transposed ? rows_bytes(n, depth, type) : rows_bytes(depth, n, type);
  };
  const int64_t most = type == DType::f32 ? kMostColumns : all;
  while (columns > most || (columns > lanes && bytes(columns) > kRightOfPart))
    columns = align_up_to(ceil_div(columns, 2), lanes);
  return columns;
}

namespace {

KernelPtr row_product(const Layer& layer, const Product& p) {
  std::unique_ptr<RowProduct> k;
  if (p.packed != nullptr) {
    k = packed_product(layer, p);
  } else {
    k = std::make_unique<RowProduct>();
    const int inputs = layer.op.bottom_size();
    k->inputs.push_back(p.left.row_view(layer.input(0)));
    k->inputs.push_back(p.right.row_view(layer.input(inputs - 1)));
  }
  k->is_right_transposed = p.is_right_transposed;
  k->output = p.out.row_view(layer.output());
  k->do_relu = p.do_relu;
  k->has_bias = p.bias != nullptr;
  if (p.bias == nullptr) return k;
  View bias = add_constant(*k, layer, "bias", *p.bias, p.out.type, k->output.e, {0, 0, 0, 1});
  bias.offset = p.first_column * element_bytes(p.out.type);
  k->inputs.push_back(bias);
  return k;
}

}  // namespace

bool has_row_products(const Product& p) {
  const int64_t depth = p.left.columns;
  return p.out.type != DType::f32 ||
         (!p.is_right_transposed && depth % target().weight_group(DType::f32) == 0 &&
          depth <= chip().limits.channels);
}

Status add_row_products(const Layer& layer, const Product& product, std::vector<KernelPtr>& to) {
  const int64_t width = columns_of_part(product.out.columns, product.left.columns, product.out.type,
                                        product.is_right_transposed);
  for (int64_t c = 0; c < product.out.columns; c += width) {
    Product columns = product;
    const int64_t count = std::min(width, product.out.columns - c);
    columns.out = product.out.columns_from(c, count);
    columns.right = product.is_right_transposed ? product.right.rows_from(c, count)
                                                : product.right.columns_from(c, count);
    columns.first_column += c;
    // Two copies of each row, so that transfers run in parallel.
    const DType type = product.out.type;
    const int64_t row =
        2 * (rows_bytes(1, product.left.columns, type) + rows_bytes(1, count, type));
    const int64_t most = (chip().lane_bytes - kMostRight) / row;
    if (product.out.n > 1) {
      to.push_back(row_product(layer, columns));
      continue;
    }
    for (const RowRange& r : row_ranges(product.out.rows, most)) {
      Product rows = columns;
      for (Matrix* m : {&rows.out, &rows.left}) {
        *m = m->rows_from(r.first, r.c);
        m->n = r.n;
        m->sample = r.c * m->row;
      }
      to.push_back(row_product(layer, rows));
    }
  }
  return {};
}

}  // namespace tputwin::net::bm1684x
