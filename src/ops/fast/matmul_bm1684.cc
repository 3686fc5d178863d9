// matmul of fp32. The channels of the right matrix already lie as register tiles read them, unless
// they are too narrow for vectors; the left one is copied.
#include <cmath>
#include <cstring>

#include "ops/fast/fast.h"
#include "ops/fast/gemm/matrix_tiles.h"
#include "ops/matmul/matmul_bm1684.h"

namespace tputwin::fast {
namespace {

bool same_shape(const MatrixView& m, uint32_t rows, uint32_t cols, uint32_t per_channel) {
  const Shape& s = m.tensor.shape;
  return m.rows == rows && m.cols == cols && has_words(m.tensor) && s.h == 1 &&
         s.w == per_channel && s.n == rows && s.c == ceil_div(cols, s.w);
}

Declined operands_decline(const MatmulBm1684& op, const LocalMemory& local) {
  const uint32_t rows = op.out.rows, cols = op.out.cols, depth = op.left.cols;
  const uint32_t width = op.out.tensor.shape.w;
  if (depth < 1 || depth > kMaxChainTerms) return "no terms, or too many";
  if (!same_shape(op.out, rows, cols, width) ||
      !same_shape(op.left, rows, depth, op.left.tensor.shape.w) ||
      !same_shape(op.right, depth, cols, width) ||
      (op.bias && !same_shape(*op.bias, 1, cols, width)))
    return "matrices are no words in lanes of the shapes of a product";
  if (!has_dense_rows(op.right.tensor) || !has_dense_rows(op.out.tensor)) return "rows have gaps";
  return overlap(op.out.tensor,
                 {&op.left.tensor, &op.right.tensor, op.bias ? &op.bias->tensor : nullptr}, local);
}

class F32Source {
 public:
  using Element = uint32_t;
  static constexpr uint64_t kTermsWorthATask = kTermsPerTask;

  F32Source(const MatmulBm1684& op, const Memory& memory, bool in_place)
      : op_(op),
        memory_(memory),
        p_({.matrix = op.out}, {.matrix = op.left}, {.matrix = op.right}),
        reads_in_place_(in_place),
        in_place_{[](const PlainProduct& product, const Memory& where, uint32_t column) {
                    return static_cast<const uint8_t*>(product.right.byte(where, 0, column));
                  },
                  op.right.tensor.stride.n / uint32_t{sizeof(float)}, op.out.tensor.shape.w} {
    if (!op.bias) return;
    bias_.assign(op.out.cols + kTilePitch, 0.0f);  // room for a vector behind the last column
    for (uint32_t col = 0; col < op.out.cols; ++col)
      bias_[col] = f32::from_bits(static_cast<uint32_t>(memory.read(*op.bias, 0, col)));
  }

  const PlainProduct& product() const { return p_; }
  const InPlace* in_place() const { return reads_in_place_ ? &in_place_ : nullptr; }

  void read(const MatrixOperand& m, uint32_t row, uint32_t* to) const {
    for_each_stored_run(m, memory_, row, [&](const uint8_t* from, uint32_t col, uint32_t count) {
      copy_words(to + col, from, count, m.matrix.tensor.stride.w);
    });
  }

  // Old values are added in the end.
  void start(uint32_t i, uint32_t j, uint32_t count, uint32_t*, uint32_t* old) const {
    if (!op_.accumulate) return;
    for_each_result_run(p_.out, memory_, i, j, count,
                        [&](const uint8_t* from, uint32_t index, uint32_t run) {
                          std::memcpy(old + index, from, run * sizeof *old);
                        });
  }

  bool run(const TileKernels& kernels, const Tile& tile, const auto& terms, const TilePart& part,
           const TileRoom& room) const {
    return kernels.chains(tile, Chains::alternating(terms.count, terms.right_offset.data()),
                          {.column_bias = op_.bias ? bias_.data() + part.col : nullptr,
                           .addends = op_.accumulate ? room.second_as_floats() : nullptr});
  }

  void store(uint32_t i, uint32_t j, uint32_t count, uint32_t* sums, bool in_doubt) const {
    for (uint32_t c = 0; in_doubt && c < count; ++c)
      if (std::isnan(f32::from_bits(sums[c])))
        sums[c] = f32::bits(result_at(op_, memory_, i, j + c));
    for_each_result_run(p_.out, memory_, i, j, count,
                        [&](uint8_t* to, uint32_t index, uint32_t run) {
                          std::memcpy(to, sums + index, run * sizeof *sums);
                        });
  }

 private:
  static void copy_words(uint32_t* to, const uint8_t* from, uint32_t count, size_t step) {
    if (step == sizeof *to) return static_cast<void>(std::memcpy(to, from, count * sizeof *to));
    for (uint32_t i = 0; i < count; ++i) to[i] = Memory::load<uint32_t>(from + i * step);
  }

  const MatmulBm1684& op_;
  const Memory& memory_;
  const PlainProduct p_;
  const bool reads_in_place_;
  const InPlace in_place_;
  std::vector<float> bias_;
};

Declined run(const MatmulBm1684& op, const Memory& memory, bool in_place) {
  if (const Declined why = operands_decline(op, memory.local)) return why;
  const F32Source source(op, memory, in_place);
  return MatrixTiles(source, memory).run();
}

// At least three quarters of the columns of whole vectors have to be results.
Declined in_place(const MatmulBm1684& op, const Memory& memory) {
  const uint32_t width = op.out.tensor.shape.w;
  if (width * 4 < align_up(width, tile_kernels().lanes) * 3)
    return "channels are too narrow for vectors";
  return run(op, memory, true);
}
Declined packed(const MatmulBm1684& op, const Memory& memory) { return run(op, memory, false); }

constexpr Body<MatmulBm1684> kBodies[] = {{"in place", in_place}, {"packed", packed}};

}  // namespace

bool execute(const MatmulBm1684& op, const Memory& memory) { return run_best(kBodies, op, memory); }

}  // namespace tputwin::fast
