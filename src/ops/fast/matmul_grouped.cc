// Products of 16-bit floating-point matrices: both are widened to fp32 and copied as the tiles of
// group_sum.h read them.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/bits.h"
#include "base/parallel.h"
#include "numerics/add_tree.h"
#include "numerics/float16.h"
#include "numerics/float_mode.h"
#include "ops/fast/fast.h"
#include "ops/matmul.h"
#include "ops/fast/group_sum.h"
#include "ops/fast/isa.h"
#include "ops/fast/matrix_runs.h"
#include "ops/fast/scratch.h"
#include "ops/matmul_checks.h"

namespace tputwin::fast {
namespace {

constexpr uint32_t kRows = 8, kColumns = kGroupPitch;
constexpr uint64_t kMaxCopiedFloats = 64 << 20, kTermsPerTask = 64 << 10;

class Product {
 public:
  Product(const MatmulGrouped& op, const MatrixProduct& product, const Memory& memory)
      : op_(op),
        p_(product),
        memory_(memory),
        rows_(p_.out.rows()),
        cols_(p_.out.cols()),
        depth_(p_.left.cols()),
        blocks_(ceil_div(rows_, kRows)),
        tiles_(ceil_div(cols_, kColumns)) {}

  bool fits() const {
    return uint64_t{blocks_} * kRows * depth_ <= kMaxCopiedFloats &&
           uint64_t{tiles_} * kColumns * depth_ <= kMaxCopiedFloats;
  }

  void run() {
    for (uint32_t k = 0; k < depth_; ++k) terms_.column_offset.push_back(k * kColumns);
    for (uint32_t k = 0; k < depth_; k += kAddTreeGroup) terms_.begin.push_back(k);
    terms_.begin.push_back(depth_);
    thread_local Scratch left, right;
    left_ = left.take<float>(uint64_t{blocks_} * kRows * depth_);
    right_ = right.take<float>(uint64_t{tiles_} * kColumns * depth_);
    pack(p_.left, /*is_left=*/true);
    pack(p_.right, /*is_left=*/false);
    const uint64_t tile_terms = uint64_t{depth_} * kRows * kColumns;
    parallel_for(uint64_t{tiles_} * blocks_, grain(tile_terms), [&](size_t begin, size_t end) {
      const ScopedFloatMode mode;
      for (size_t i = begin; i < end; ++i)
        run_tile(static_cast<uint32_t>(i / blocks_), static_cast<uint32_t>(i % blocks_));
    });
  }

 private:
  // Where the factor of term k and of a row of left or a column of right is.
  float* factor(bool is_left, uint32_t k, uint32_t at) const {
    if (!is_left) return right_ + (uint64_t{at / kColumns} * depth_ + k) * kColumns + at % kColumns;
    const uint32_t first = at / kRows * kRows, count = std::min(kRows, rows_ - first);
    return left_ + uint64_t{first} * depth_ + uint64_t{k} * count + (at - first);
  }

  void pack(const MatrixOperand& m, bool is_left) const {
    const uint32_t extent = is_left ? rows_ : cols_;
    if (!is_left && cols_ % kColumns != 0)  // whole vectors are read
      std::fill_n(right_ + uint64_t{tiles_ - 1} * depth_ * kColumns, uint64_t{depth_} * kColumns,
                  0.0f);
    if (m.is_constant) {
      const float value = float_value(m.constant, m.dtype());
      for (uint32_t k = 0; k < depth_; ++k)
        for (uint32_t at = 0; at < extent; ++at) *factor(is_left, k, at) = value;
      return;
    }
    const bool rows_are_terms = is_left == m.transposed;
    parallel_for(m.matrix.rows, grain(m.matrix.cols), [&](size_t begin, size_t end) {
      std::vector<float> row(m.matrix.cols);
      for (size_t r = begin; r < end; ++r)
        pack_row(m, static_cast<uint32_t>(r), rows_are_terms, is_left, row.data());
    });
  }

  void pack_row(const MatrixOperand& m, uint32_t r, bool is_term, bool is_left, float* row) const {
    const auto widen = m.dtype() == DType::f16 ? &widen_f16 : &widen_bf16;
    for_each_run(m, memory_, r, [&](const uint8_t* from, uint32_t col, uint32_t count) {
      widen(from, count, row + col);
    });
    const uint32_t cols = m.matrix.cols;
    if (is_term && !is_left) {
      for (uint32_t col = 0; col < cols; col += kColumns)
        std::copy_n(row + col, std::min(kColumns, cols - col), factor(false, r, col));
    } else if (is_term) {
      for (uint32_t i = 0; i < cols; ++i) *factor(true, r, i) = row[i];
    } else {
      for (uint32_t k = 0; k < cols; ++k) *factor(is_left, k, r) = row[k];
    }
  }

  void run_tile(uint32_t tile, uint32_t block) const {
    const uint32_t row = block * kRows, col = tile * kColumns;
    alignas(64) float sums[kRows * kGroupPitch] = {};
    const GroupTile job{.row_factors = left_ + uint64_t{row} * depth_,
                        .column_factors = right_ + uint64_t{tile} * kColumns * depth_,
                        .sums = sums,
                        .rows = std::min(kRows, rows_ - row),
                        .columns = std::min(kColumns, cols_ - col)};
    if (op_.accumulate)
      for_each_result(job, row, col, [&](float& sum, uint8_t* out, uint32_t, uint32_t) {
        sum = Memory::load<float>(out);
      });
    if (sum_groups(terms_, job))
      for_each_result(job, row, col, [&](float& sum, uint8_t*, uint32_t i, uint32_t j) {
        if (!std::isnan(sum)) return;
        sum = p_.swapped ? result_at(op_, memory_, j, i) : result_at(op_, memory_, i, j);
      });
    const DType type = p_.out.dtype();
    for_each_result(job, row, col, [&](float sum, uint8_t* out, uint32_t, uint32_t) {
      if (type == DType::f32)
        Memory::store(out, sum);
      else
        Memory::store(out, static_cast<uint16_t>(float_bits(sum, type)));
    });
  }

  // f(sum, its place in the result, row, column) for all results of a tile.
  template <class F>
  void for_each_result(const GroupTile& job, uint32_t row, uint32_t col, F&& f) const {
    const uint32_t step = element_bytes(p_.out.dtype());
    for (uint32_t r = 0; r < job.rows; ++r) {
      uint8_t* out = p_.out.byte(memory_, row + r, col);
      for (uint32_t c = 0; c < job.columns; ++c)
        f(job.sums[r * kGroupPitch + c], out + c * step, row + r, col + c);
    }
  }

  static size_t grain(uint64_t work) { return std::max<uint64_t>(1, kTermsPerTask / (work + 1)); }

  const MatmulGrouped& op_;
  const MatrixProduct& p_;
  const Memory& memory_;
  const uint32_t rows_, cols_, depth_, blocks_, tiles_;
  GroupedTerms terms_;
  float* left_ = nullptr;
  float* right_ = nullptr;
};

}  // namespace

bool execute(const MatmulGrouped& op, const Memory& memory) {
  if (!vectors_enabled()) return false;
  const MatrixProduct product(op);
  if (!product.out.row_per_channel || !has_runs(product.out) || !has_runs(product.left) ||
      !has_runs(product.right) || !apart(product, memory.local))
    return false;
  Product job(op, product, memory);
  if (!job.fits()) return false;
  job.run();
  return true;
}

}  // namespace tputwin::fast
