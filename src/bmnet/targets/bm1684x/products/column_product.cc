// Products of fp32 matrices with columns in channels.
#include "bmnet/targets/bm1684x/products/products.h"
#include "ops/matmul/matmul_bm1684x_fp32.h"

namespace tputwin::net::bm1684x {
namespace {

// Returns the columns of a channel that fill the units of a lane.
int64_t full_width() { return chip().eu_bytes / element_bytes(DType::f32); }

class ColumnProduct final : public StreamKernel {
 public:
  Span input_rows(size_t input, Span rows) const override {
    return input == 0 ? rows : Span{0, inputs[input].e.h};
  }

  int64_t scratch_bytes(const Extents& e) const override {
    Extents left = inputs[0].e, right = inputs[1].e;
    left.h = e.h;
    return extra_bytes(left) + extra_bytes(right) + extra_bytes(e);
  }

  void emit(StreamProgram& program, const Operands& o) const override {
    for (int64_t n = 0; n < o.output.e.n; ++n) multiply(program, o, n);
    if (do_relu) emit_relu(program, out_view(o));
  }

 private:
  static Extents matrix_extents(const Extents& e) { return {e.h, e.c, 1, e.w}; }
  // True if the rows of a tile are those of a matrix: each takes whole units, in one channel per
  // lane.
  static bool is_matrix(const Extents& e) {
    return e.c <= chip().lanes && e.w * 4 % chip().eu_bytes == 0;
  }
  static int64_t extra_bytes(const Extents& e) {
    if (is_matrix(e)) return 0;
    const Extents m = matrix_extents(e);
    return local_memory().tensor_bytes({.tensor = {}, .e = m, .type = DType::f32}, m);
  }

  // Returns sample `n` of a tile with its rows as samples.
  static TensorView rows_of(const Local& local, int64_t n) {
    TensorView v = aligned(local.address, local.e, DType::f32);
    Extents one = local.e;
    one.n = 1;
    const int64_t bytes =
        local_memory().tensor_bytes({.tensor = {}, .e = one, .type = DType::f32}, one);
    v.address += static_cast<uint64_t>((local.e.n == 1 ? 0 : n) * bytes);
    v.shape = shape_of(matrix_extents(local.e));
    v.stride.n = v.stride.h;
    if (local.e.h == 1) v.stride.n = 0;
    v.stride.h = 0;
    return v;
  }

  static MatrixOperand operand(uint32_t address, const Extents& e) {
    const Extents m = matrix_extents(e);
    const auto rows = static_cast<uint32_t>(m.n), columns = static_cast<uint32_t>(m.c * m.w);
    return {.matrix = {aligned(address, m, DType::f32), rows, columns}};
  }

  void multiply(StreamProgram& program, const Operands& o, int64_t n) const {
    uint32_t scratch = o.scratch;
    const auto place = [&](const Local& local) {
      const TensorView rows = rows_of(local, n);
      if (is_matrix(local.e)) return operand(static_cast<uint32_t>(rows.address), local.e);
      const MatrixOperand m = operand(scratch, local.e);
      scratch += static_cast<uint32_t>(extra_bytes(local.e));
      return m;
    };
    const auto copy = [&](const TensorView& to, const TensorView& from) {
      program.add(Copy{.engine = Engine::compute, .dst = to, .src = Source::tensor(from)});
    };
    MatmulBm1684xFp32 op{
        .out = place(o.output), .left = place(o.inputs[0]), .right = place(o.inputs[1])};
    if (!is_matrix(o.inputs[0].e)) copy(op.left.matrix.tensor, rows_of(o.inputs[0], n));
    if (!is_matrix(o.inputs[1].e)) copy(op.right.matrix.tensor, rows_of(o.inputs[1], n));
    if (inputs.size() > 2) op.bias = operand(o.inputs[2].address, o.inputs[2].e).matrix;
    program.add(op);
    if (!is_matrix(o.output.e)) copy(rows_of(o.output, n), op.out.matrix.tensor);
  }
};

// Returns the columns of a channel for a left matrix: a divisor of its columns.
int64_t width_of(int64_t columns) {
  const int64_t few = 4;
  for (int64_t w = full_width(); w >= few; --w)
    if (columns % w == 0) return w;
  return columns;
}

View column_view(const Matrix& m, int64_t width) {
  return {.tensor = m.tensor,
          .e = {m.n, m.columns / width, m.rows, width},
          .offset = m.first * element_bytes(m.type),
          .type = m.type,
          .steps = ViewSteps{m.n == 1 ? 0 : m.sample, width, m.row, 1},
          .is_constant = m.is_constant};
}

KernelPtr column_product(const Layer& layer, const Product& p, int64_t first, int64_t count,
                         int64_t width) {
  auto k = std::make_unique<ColumnProduct>();
  k->inputs.push_back(column_view(p.left, width_of(p.left.columns)));
  k->inputs.push_back(column_view(p.right.columns_from(first, count), width));
  k->output = column_view(p.out.columns_from(first, count), width);
  k->do_relu = p.do_relu;
  if (p.bias == nullptr) return k;
  View bias = add_constant(*k, layer, "bias", *p.bias, DType::f32, {1, 1, 1, 1}, {0, 1, 0, 1});
  bias.e = {1, count / width, 1, width};
  bias.steps = ViewSteps{0, width, 0, 1};
  bias.offset = (p.first_column + first) * element_bytes(DType::f32);
  k->inputs.push_back(bias);
  return k;
}

}  // namespace

Status add_column_products(const Layer& layer, const Product& product, std::vector<KernelPtr>& to) {
  const int64_t width = full_width();
  const int64_t columns = product.out.columns, most = width * chip().lanes;
  const int64_t whole = columns / width * width;
  for (int64_t c = 0; c < whole; c += most)
    to.push_back(column_product(layer, product, c, std::min(most, whole - c), width));
  if (whole < columns)
    to.push_back(column_product(layer, product, whole, columns - whole, columns - whole));
  return {};
}

}  // namespace tputwin::net::bm1684x
