// fp32 matmul. Register tiles read the channels of the right matrix in place, unless they are too
// narrow for vectors. The left matrix is copied.
#include <array>
#include <cmath>
#include <cstring>

#include "ops/fast/fast.h"
#include "ops/fast/gemm/kernels/short_rows.h"
#include "ops/fast/gemm/run/deferred_sums.h"
#include "ops/fast/gemm/run/matrix_tiles.h"
#include "ops/fast/walk/copy.h"
#include "ops/fast/walk/nest.h"
#include "ops/matmul/matmul_bm1684.h"

namespace tputwin::fast {
namespace {

bool same_shape(const MatrixView& m, uint32_t rows, uint32_t cols, uint32_t per_channel) {
  const Shape& s = m.tensor.shape;
  return m.rows == rows && m.cols == cols && has_32bit_elements(m.tensor) && s.h == 1 &&
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
    return "matrices have no 32-bit elements in lanes of the shapes of a product";
  if (!has_dense_rows(op.right.tensor) || !has_dense_rows(op.out.tensor)) return "rows have gaps";
  return overlap(op.out.tensor,
                 {&op.left.tensor, &op.right.tensor, op.bias ? &op.bias->tensor : nullptr}, local);
}

class F32Source {
 public:
  static constexpr bool kCopiesElements = true, kAddsUp = false;
  static constexpr uint64_t kTermsWorthATask = kTermsPerTask;

  F32Source(const MatmulBm1684& op, const PlainProduct& product, const Memory& memory,
            const InPlace& in_place)
      : op_(op), memory_(memory), p_(product), in_place_(in_place) {
    if (!op.bias) return;
    // with space for a vector after the last column
    bias_.assign(op.out.cols + kTilePitch, 0.0f);
    for (uint32_t col = 0; col < op.out.cols; ++col)
      bias_[col] = f32::from_bits(static_cast<uint32_t>(memory.read(*op.bias, 0, col)));
  }

  const PlainProduct& product() const { return p_; }
  const InPlace* in_place() const { return in_place_.width != 0 ? &in_place_ : nullptr; }
  static constexpr uint32_t in_cell() { return 1; }
  static constexpr bool has_whole_rows() { return false; }

  void read_terms(const StoredMatrix& m, uint32_t row, uint32_t first, uint32_t count,
                  uint32_t* to) const {
    const size_t step = m.operand().matrix.tensor.stride.w;
    m.for_each_run(row, first, count, [&](const uint8_t* from, uint32_t col, uint32_t run) {
      copy_int32(to + col, from, run, step);
    });
  }
  void read_factors(const StoredMatrix& m, uint32_t row, uint32_t first, uint32_t count,
                    uint32_t* to) const {
    read_terms(m, row, first, count, to);
  }

  // Reads the old values of `count` results from (i,j) on. The kernel adds them last.
  void start(uint32_t i, uint32_t j, uint32_t count, uint32_t*, uint32_t* old) const {
    if (!op_.accumulate) return;
    for_each_result_run(p_.out, memory_, i, j, count,
                        [&](const uint8_t* from, uint32_t index, uint32_t run) {
                          std::memcpy(old + index, from, run * sizeof *old);
                        });
  }

  bool run(const TileKernels& kernels, const Tile& tile, const auto& terms, const TilePart& part,
           const TileBuffers& buffers) const {
    return kernels.chains(tile, Chains::alternating(terms.count, terms.right_offset),
                          {.column_bias = op_.bias ? bias_.data() + part.col : nullptr,
                           .addends = op_.accumulate ? buffers.second_as_floats() : nullptr});
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
  static void copy_int32(uint32_t* to, const uint8_t* from, uint32_t count, size_t step) {
    if (step == sizeof *to)  // runs may be short
      return copy_bytes(reinterpret_cast<uint8_t*>(to), from, count * sizeof *to);
    for (uint32_t i = 0; i < count; ++i) to[i] = Memory::load<uint32_t>(from + i * step);
  }

  const MatmulBm1684& op_;
  const Memory& memory_;
  const PlainProduct& p_;
  const InPlace in_place_;  // width 0: the right matrix is copied
  std::vector<float> bias_;
};

PlainProduct plain(const MatmulBm1684& op) {
  return {{.matrix = op.out}, {.matrix = op.left}, {.matrix = op.right}};
}

Declined run(const MatmulBm1684& op, const Memory& memory, bool is_in_place) {
  if (const Declined why = operands_decline(op, memory.local)) return why;
  const PlainProduct product = plain(op);
  if (is_in_place)
    if (const Declined why = in_place_declines(product)) return why;
  const F32Source source(op, product, memory, is_in_place ? in_place_of(product) : InPlace{});
  return MatrixTiles(source, memory).run();
}

Declined in_place(const MatmulBm1684& op, const Memory& memory) { return run(op, memory, true); }
Declined packed(const MatmulBm1684& op, const Memory& memory) { return run(op, memory, false); }

float left_at(const MatmulBm1684& op, const Memory& memory, uint32_t i, uint32_t k) {
  return f32::from_bits(static_cast<uint32_t>(memory.read(op.left, i, k)));
}

// Computes a row of results in channels [first, first + count), whose columns are contiguous.
void run_short_row(const MatmulBm1684& op, const Memory& memory, const Chains& chains,
                   const TileKernels& kernels, const float* left, uint32_t i, uint32_t channel,
                   uint32_t count) {
  const uint32_t depth = op.left.cols, width = op.out.tensor.shape.w;
  std::array<const float*, kMaxShortTerms> right;
  for (uint32_t k = 0; k < depth; ++k)
    right[k] = reinterpret_cast<const float*>(memory.byte(op.right.tensor, k, channel, 0, 0));
  const uint32_t lanes = memory.local.lanes();
  sum_short_row(kernels,
                {.chains = &chains,
                 .left = left,
                 .right = right.data(),
                 .out = reinterpret_cast<float*>(memory.byte(op.out.tensor, i, channel, 0, 0)),
                 .count = count,
                 .accumulate = op.accumulate},
                depth, [&](size_t at) {
                  const auto round = static_cast<uint32_t>(at / width);
                  return result_at(
                      op, memory, i,
                      (channel + round * lanes) * width + static_cast<uint32_t>(at % width));
                });
}

// Computes products with few terms, row by row. If the channels of a lane are contiguous, they are
// one row, else each is a row of its own.
Declined short_rows(const MatmulBm1684& op, const Memory& memory) {
  if (const Declined why = operands_decline(op, memory.local)) return why;
  const uint32_t depth = op.left.cols, width = op.out.tensor.shape.w;
  if (depth > kMaxShortTerms) return "many terms";
  if (op.bias) return "a bias for every column";
  const auto is_joined = [&](const MatrixView& m) {
    return m.tensor.stride.c == width * sizeof(float);
  };
  const Shape& s = op.out.tensor.shape;
  const bool joined = is_joined(op.out) && is_joined(op.right) && op.out.cols % width == 0;
  std::vector<float> left(uint64_t{op.out.rows} * depth);
  for (uint32_t i = 0; i < op.out.rows; ++i)
    for (uint32_t k = 0; k < depth; ++k) left[i * depth + k] = left_at(op, memory, i, k);
  const TileKernels kernels = tile_kernels();
  const Chains chains = Chains::alternating(depth, nullptr);
  const Slots slots = local_slots(s, memory.local);
  share_out(slots.count, s.count() * depth, kShortTermsPerTask, [&](size_t begin, size_t end) {
    const ScopedFloatMode mode;
    for (auto slot = static_cast<uint32_t>(begin); slot < end; ++slot) {
      const uint32_t rounds = slots.rounds(slot), at_once = joined ? rounds : 1;
      for (uint32_t i = 0; i < op.out.rows; ++i)
        for (uint32_t round = 0; round < rounds; round += at_once) {
          const uint32_t channel = slot + round * slots.lanes;
          const uint32_t columns = std::min(at_once * width, op.out.cols - channel * width);
          run_short_row(op, memory, chains, kernels, left.data() + i * depth, i, channel, columns);
        }
    }
  });
  return kRan;
}

class MatmulSums final : public SumSource {
 public:
  MatmulSums(const MatmulBm1684& op, const Memory& memory) : op_(op), memory_(memory) {
    results = {op.out.tensor, false};
    sum = {Chains::alternating(op.left.cols, nullptr), op.left.cols};
  }
  void read_left(uint32_t term, float* to) const override {
    for (uint32_t i = 0; i < op_.out.rows; ++i) to[i] = left_at(op_, memory_, i, term);
  }
  const uint8_t* right(uint32_t term, uint32_t segment) const override {
    return memory_.byte(op_.right.tensor, term, segment, 0, 0);
  }

 private:
  const MatmulBm1684& op_;
  const Memory& memory_;
};

}  // namespace

std::unique_ptr<SumSource> sum_source(const MatmulBm1684& op, const Memory& memory) {
  if (!op.accumulate || op.bias || operands_decline(op, memory.local) != kRan ||
      op.left.cols > kMaxSumTerms)
    return nullptr;
  return std::make_unique<MatmulSums>(op, memory);
}

TW_FAST_KERNELS(MatmulBm1684, {"short rows", short_rows}, {"in place", in_place},
                {"packed", packed})

}  // namespace tputwin::fast
