// matmul of fp32. The channels of the right matrix already lie as register tiles read them, unless
// they are too narrow for vectors; the left one is copied.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/bits.h"
#include "base/parallel.h"
#include "numerics/float_mode.h"
#include "ops/fast/fast.h"
#include "ops/fast/gemm/sum_tile.h"
#include "ops/fast/scratch.h"
#include "ops/fast/select/isa.h"
#include "ops/fast/window/planes.h"
#include "ops/matmul/matmul_bm1684.h"

namespace tputwin::fast {
namespace {

constexpr uint64_t kMaxTerms = 1 << 20, kMaxCopiedFloats = 16 << 20, kTermsPerTask = 256 << 10;

bool same_shape(const MatrixView& m, uint32_t rows, uint32_t cols, uint32_t per_channel) {
  const Shape& s = m.tensor.shape;
  return m.rows == rows && m.cols == cols && has_words(m.tensor) && s.h == 1 &&
         s.w == per_channel && s.n == rows && s.c == ceil_div(cols, s.w);
}

bool covered(const MatmulBm1684& op, const LocalMemory& local) {
  const uint32_t rows = op.out.rows, cols = op.out.cols, depth = op.left.cols;
  const uint32_t width = op.out.tensor.shape.w;
  auto read_only = [&](const MatrixView& m) { return apart(op.out.tensor, m.tensor, local); };
  return depth >= 1 && depth <= kMaxTerms && same_shape(op.out, rows, cols, width) &&
         same_shape(op.left, rows, depth, op.left.tensor.shape.w) &&
         same_shape(op.right, depth, cols, width) &&
         (op.right.tensor.stride.w == sizeof(float) || width == 1) &&
         has_own_rows(op.out.tensor, local) && read_only(op.left) && read_only(op.right) &&
         (!op.bias || (same_shape(*op.bias, 1, cols, width) && read_only(*op.bias)));
}

const uint8_t* element(const MatrixView& m, const Memory& memory, uint32_t row, uint32_t col) {
  return memory.byte(m.tensor, row, col / m.tensor.shape.w, 0, col % m.tensor.shape.w);
}

class Product {
 public:
  Product(const MatmulBm1684& op, const Memory& memory, const TileKernel& kernel)
      : op_(op),
        memory_(memory),
        kernel_(kernel),
        depth_(op.left.cols),
        width_(op.out.tensor.shape.w),
        blocks_(ceil_div(op.out.rows, kernel.rows)),
        // at least three quarters of the columns of whole vectors are results
        in_place_(width_ * 4 >= align_up(width_, kernel.lanes) * 3) {
    const uint32_t span = in_place_ ? width_ : op.out.cols;
    span_tiles_ = ceil_div(span, kernel.columns());
    tile_columns_ = align_up(ceil_div(span, span_tiles_), kernel.lanes);
    tiles_ = in_place_ ? op.out.tensor.shape.c * span_tiles_ : span_tiles_;
  }

  bool fits() const {
    return uint64_t{op_.out.rows} * depth_ <= kMaxCopiedFloats &&
           (in_place_ || uint64_t{tiles_} * tile_columns_ * depth_ <= kMaxCopiedFloats);
  }

  void run() {
    chains_.count = 2;
    chains_.begin = {0, (depth_ + 1) / 2, depth_};
    const uint32_t pitch =
        in_place_ ? op_.right.tensor.stride.n / uint32_t{sizeof(float)} : tile_columns_;
    for (uint32_t term = 0; term < depth_; ++term)
      chains_.column_offset.push_back((in_place_ ? row_of(term) : term) * pitch);
    pack_left();
    if (!in_place_) pack_right();
    load_bias();
    const uint64_t tile_terms = uint64_t{depth_} * kernel_.rows * tile_columns_;
    parallel_for(uint64_t{tiles_} * blocks_, grain(tile_terms), [&](size_t begin, size_t end) {
      const ScopedFloatMode mode;
      for (size_t i = begin; i < end; ++i)
        run_tile(static_cast<uint32_t>(i / blocks_), static_cast<uint32_t>(i % blocks_));
    });
  }

 private:
  // The k of a term: even ones make the first chain.
  uint32_t row_of(uint32_t term) const {
    const uint32_t even = chains_.begin[1];
    return term < even ? 2 * term : 2 * (term - even) + 1;
  }

  uint32_t term_of(uint32_t row) const { return row / 2 + row % 2 * chains_.begin[1]; }

  // factors[term * rows + row] of every block of rows.
  void pack_left() {
    thread_local Scratch scratch;
    left_ = scratch.take<float>(uint64_t{op_.out.rows} * depth_);
    std::vector<const uint8_t*> column(depth_);
    for (uint32_t term = 0; term < depth_; ++term)
      column[term] = element(op_.left, memory_, 0, row_of(term));
    const uint64_t step = op_.left.tensor.stride.n;
    parallel_for(blocks_, grain(uint64_t{depth_} * kernel_.rows), [&](size_t begin, size_t end) {
      for (size_t block = begin; block < end; ++block) {
        const uint32_t first = static_cast<uint32_t>(block) * kernel_.rows, count = rows(block);
        float* factors = left_ + uint64_t{first} * depth_;
        for (uint32_t r = 0; r < count; ++r)
          for (uint32_t term = 0; term < depth_; ++term)
            factors[term * count + r] = Memory::load<float>(column[term] + (first + r) * step);
      }
    });
  }

  // factors[term * tile_columns + column] of every tile. Some rows at a time: the columns of a
  // channel share their cache lines.
  void pack_right() {
    thread_local Scratch scratch;
    right_ = scratch.take<float>(uint64_t{tiles_} * tile_columns_ * depth_);
    constexpr uint32_t kTermsAtOnce = 64;
    const uint64_t step = op_.right.tensor.stride.n, floats = uint64_t{tile_columns_} * depth_;
    parallel_for(tiles_, grain(floats), [&](size_t begin, size_t end) {
      for (size_t tile = begin; tile < end; ++tile) {
        const Columns columns = columns_of(static_cast<uint32_t>(tile));
        float* factors = right_ + tile * floats;
        std::fill_n(factors, floats, 0.0f);
        for (uint32_t block = 0; block < depth_; block += kTermsAtOnce)
          for (uint32_t i = 0; i < columns.count; ++i) {
            const uint8_t* from = element(op_.right, memory_, 0, columns.first + i);
            for (uint32_t k = block; k < std::min(depth_, block + kTermsAtOnce); ++k)
              factors[term_of(k) * tile_columns_ + i] = Memory::load<float>(from + k * step);
          }
      }
    });
  }

  // With room for a whole vector behind the last column.
  void load_bias() {
    if (!op_.bias) return;
    bias_.assign(op_.out.cols + kTilePitch, 0.0f);
    for (uint32_t col = 0; col < op_.out.cols; ++col)
      bias_[col] = Memory::load<float>(element(*op_.bias, memory_, 0, col));
  }

  struct Columns {
    uint32_t first, count;
  };
  Columns columns_of(uint32_t tile) const {
    const uint32_t span = in_place_ ? width_ : op_.out.cols;
    const uint32_t start = tile % span_tiles_ * tile_columns_;
    return {tile / span_tiles_ * span + start, std::min(tile_columns_, span - start)};
  }

  void run_tile(uint32_t tile, uint32_t block) const {
    const Columns columns = columns_of(tile);
    const uint32_t row = block * kernel_.rows;
    alignas(64) float sums[kMaxTileRows * kTilePitch], addends[kMaxTileRows * kTilePitch];
    SumTile job{.row_factors = left_ + uint64_t{row} * depth_,
                .column_factors = right_ + uint64_t{tile} * tile_columns_ * depth_,
                .sums = sums,
                .rows = rows(block),
                .vectors = ceil_div(columns.count, kernel_.lanes)};
    if (in_place_)
      job.column_factors =
          reinterpret_cast<const float*>(element(op_.right, memory_, 0, columns.first));
    if (op_.bias) job.column_bias = bias_.data() + columns.first;
    if (op_.accumulate) {
      std::fill_n(addends, job.rows * kTilePitch, 0.0f);
      copy_rows(row, job.rows, columns, [&](uint8_t* out, size_t at, size_t bytes) {
        std::memcpy(addends + at, out, bytes);
      });
      job.addends = addends;
    }
    if (kernel_.run(chains_, job)) redo_nan(row, columns, job);
    copy_rows(row, job.rows, columns,
              [&](uint8_t* out, size_t at, size_t bytes) { std::memcpy(out, sums + at, bytes); });
  }

  // Calls copy(bytes of the result matrix, index in the tile, count) for every run of a tile.
  template <class F>
  void copy_rows(uint32_t row, uint32_t rows, const Columns& columns, F&& copy) const {
    for (uint32_t r = 0; r < rows; ++r)
      for (uint32_t i = 0; i < columns.count;) {
        const uint32_t in_channel = (columns.first + i) % width_;
        const uint32_t run = std::min(width_ - in_channel, columns.count - i);
        copy(const_cast<uint8_t*>(element(op_.out, memory_, row + r, columns.first + i)),
             r * kTilePitch + i, run * sizeof(float));
        i += run;
      }
  }

  void redo_nan(uint32_t row, const Columns& columns, const SumTile& job) const {
    for (uint32_t r = 0; r < job.rows; ++r)
      for (uint32_t i = 0; i < columns.count; ++i) {
        float& sum = job.sums[r * kTilePitch + i];
        if (std::isnan(sum)) sum = result_at(op_, memory_, row + r, columns.first + i);
      }
  }

  uint32_t rows(size_t block) const {
    return std::min(kernel_.rows, op_.out.rows - static_cast<uint32_t>(block) * kernel_.rows);
  }
  static size_t grain(uint64_t work) { return std::max<uint64_t>(1, kTermsPerTask / (work + 1)); }

  const MatmulBm1684& op_;
  const Memory& memory_;
  const TileKernel kernel_;
  const uint32_t depth_, width_, blocks_;
  const bool in_place_;
  uint32_t span_tiles_, tile_columns_,
      tiles_;  // a span is cut into tiles: a channel, or the matrix
  Chains chains_;
  std::vector<float> bias_;
  float* left_ = nullptr;
  float* right_ = nullptr;
};

}  // namespace

bool execute(const MatmulBm1684& op, const Memory& memory) {
  if (!vectors_enabled() || !covered(op, memory.local)) return false;
  Product product(op, memory, tile_kernel());
  if (!product.fits()) return false;
  product.run();
  return true;
}

}  // namespace tputwin::fast
