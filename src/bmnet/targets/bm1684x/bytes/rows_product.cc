// Products of many rows of bytes and constants.
//
// Scales belong to columns of the product, and commands scale channels. So rows, which are in
// channels, are transposed, and a convolution computes with columns in channels: the rows are
// positions of a map. Its result is transposed again.
#include "bmnet/targets/bm1684x/bytes/convolution.h"
#include "bmnet/targets/bm1684x/products/products.h"
#include "ops/move/rearrange.h"

namespace tputwin::net::bm1684x {
namespace {

int64_t lane_bytes(const Extents& e, DType type) {
  return local_memory().tensor_bytes({.tensor = {}, .e = e, .type = type}, e);
}

class ByteRowsProduct final : public StreamKernel {
 public:
  // The convolution of one sample: (1, K, 1, rows) becomes (1, columns, 1, rows).
  std::unique_ptr<StreamKernel> convolution;

  bool can_split_rows() const override { return false; }

  // The input transposed, the result before it is transposed, and the scratch of the convolution.
  int64_t scratch_bytes(const Extents&) const override {
    return map_bytes(convolution->inputs[0]) + map_bytes(convolution->output) +
           convolution->scratch_bytes(convolution->output.e);
  }

  void emit(StreamProgram& program, const Operands& o) const override {
    const View &from = convolution->inputs[0], &to = convolution->output;
    const auto result = static_cast<uint32_t>(o.scratch + map_bytes(from));
    Operands map{.inputs = {{o.scratch, from.e}},
                 .input_rows = {{0, 1}},
                 .output = {result, to.e},
                 .weights = o.weights,
                 .scratch = static_cast<uint32_t>(result + map_bytes(to)),
                 .rows = {0, 1}};
    for (int64_t n = 0; n < o.output.e.n; ++n) {
      transpose(program, aligned(o.scratch, from.e, from.type),
                sample(o.inputs[0], inputs[0].type, n));
      convolution->emit(program, map);
      transpose(program, sample(o.output, output.type, n), aligned(result, to.e, to.type));
    }
  }

 private:
  static int64_t map_bytes(const View& map) { return lane_bytes(map.e, map.type); }

  static TensorView sample(const Local& local, DType type, int64_t n) {
    Extents e = local.e;
    e.n = 1;
    return aligned(local.address + static_cast<uint32_t>(n * lane_bytes(e, type)), e, type);
  }

  static void transpose(StreamProgram& program, const TensorView& to, const TensorView& from) {
    program.add(Rearrange{
        .kind = Rearrange::Kind::swap_cw, .engine = Engine::compute, .out = to, .in = from});
  }
};

// Bytes of a lane for the filters of a part. Those of the next part are loaded beside them.
constexpr int64_t kFilters = 32 * 1024;
// Bytes of a lane for maps and rows.
constexpr int64_t kMaps = 160 * 1024;
constexpr int64_t kMostPositions = 1984;

int64_t columns_that_fit(int64_t length) {
  return std::max<int64_t>(kFilters / length, 1) * chip().lanes;
}

// Returns how many times as many rows as lanes fit, with two copies of each row.
int64_t rounds_that_fit(int64_t length, int64_t columns, DType in, DType out) {
  const auto bytes = [&](int64_t rows) {
    return 2 * (lane_bytes({1, rows, 1, length}, in) + lane_bytes({1, rows, 1, columns}, out)) +
           lane_bytes({1, length, 1, rows}, in) + lane_bytes({1, columns, 1, rows}, out) +
           lane_bytes({1, columns, 1, rows}, DType::i32);
  };
  int64_t rounds = kMostPositions / chip().lanes;
  while (rounds > 1 && bytes(rounds * chip().lanes) > kMaps) --rounds;
  return rounds;
}

Matrix rows_of(const std::string& tensor, DType type, int64_t columns, const RowRange& range) {
  return {.tensor = tensor,
          .type = type,
          .n = range.n,
          .rows = range.c,
          .columns = columns,
          .sample = range.c * columns,
          .row = columns,
          .first = range.first * columns};
}

KernelPtr rows_product(const Layer& layer, const ConvolutionParts& all, const RowRange& range,
                       Span columns) {
  const ConvolutionPart& whole = all.parts[0];
  const int64_t length = static_cast<int64_t>(whole.kernel.size()) / whole.output.e.c;
  const auto of_columns = [&](std::span<const float> values, int64_t each) {
    return values.empty() ? values
                          : values.subspan(static_cast<size_t>(columns.begin * each),
                                           static_cast<size_t>(columns.count() * each));
  };
  ConvolutionPart part{.input = whole.input,
                       .output = whole.output,
                       .kernel = of_columns(whole.kernel, length),
                       .biases = of_columns(whole.biases, 1),
                       .means = whole.means};
  part.input.e = {1, length, 1, range.c};
  part.output.e = {1, columns.count(), 1, range.c};
  ConvolutionParts window = all;
  window.window = {};
  auto k = std::make_unique<ByteRowsProduct>();
  k->convolution = byte_convolution(layer, window, part);
  k->weights = k->convolution->weights;
  for (Weight& w : k->weights) w.by_channel = false;
  const View in = layer.input(0), out = layer.output();
  k->inputs = {rows_of(in.tensor, in.type, length, range).row_view(in)};
  Matrix result = rows_of(out.tensor, out.type, whole.output.e.c, range);
  k->output = result.columns_from(columns.begin, columns.count()).row_view(out);
  return k;
}

}  // namespace

bool has_byte_rows(const ConvolutionPart& part) {
  return target().transposes() &&
         static_cast<int64_t>(part.kernel.size()) <= chip().limits.channels * part.output.e.c;
}

Kernels byte_rows_product(const Layer& layer, const ConvolutionParts& all) {
  const Extents out = all.parts[0].output.e;
  const int64_t length = static_cast<int64_t>(all.parts[0].kernel.size()) / out.c;
  const int64_t width = columns_that_fit(length);
  const int64_t most =
      rounds_that_fit(length, std::min(width, out.c), layer.input(0).type, layer.output().type);
  std::vector<KernelPtr> kernels;
  for (int64_t c = 0; c < out.c; c += width)
    for (const RowRange& range : row_ranges(out.n, most))
      kernels.push_back(rows_product(layer, all, range, {c, std::min(c + width, out.c)}));
  return kernels;
}

}  // namespace tputwin::net::bm1684x
