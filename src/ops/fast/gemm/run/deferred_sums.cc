// Defers accumulating operations, and adds deferred sums tile by tile.
#include "ops/fast/gemm/run/deferred_sums.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/bits.h"
#include "numerics/float32.h"
#include "ops/fast/dispatch/kernel_switches.h"
#include "ops/fast/gemm/kernels/tile_buffers.h"
#include "ops/fast/views/views.h"
#include "ops/operation.h"
#include "ops/source_copies.h"

namespace tputwin::fast {
namespace {

// The largest number of values in the copies of right factors.
constexpr size_t kMaxRights = 4 << 20;
// kRowsAtOnce is the number of rows that share one tile of right factors.
constexpr uint32_t kRowsAtOnce = 64;

// Returns a pitch of at least `words`. It is an odd number of cache lines, so that factors of
// neighbouring terms use different sets of the cache.
size_t pitch_of(size_t words) { return (ceil_div(words, size_t{16}) | 1) * 16; }

std::unique_ptr<SumSource> source_of(const Operation& op, const Memory& memory) {
  const auto* conv = std::get_if<Conv2dBm1684>(&op);
  const auto* product = std::get_if<MatmulBm1684>(&op);
  if ((conv == nullptr && product == nullptr) || !vectors_enabled() ||
      is_off_or_spoilt(op.index()) || needs_copies(op, memory.local))
    return nullptr;
  return conv != nullptr ? sum_source(*conv, memory) : sum_source(*product, memory);
}

// Returns the sum of one chain in the order of the reference kernels.
template <class Product>
float chain_total(const Chains& chains, size_t chain, const Product& product) {
  float sum = 0.0f;
  for (size_t term = chains.begin[chain]; term < chains.end[chain]; term += chains.step)
    sum = f32::add(sum, product(term));
  return sum;
}

bool is_in_doubt(float result) { return f32::is_nan(result) || f32::bits(result) == f32::kSignBit; }

}  // namespace

bool DeferredSums::take(const Operation& op, const Memory& memory) {
  const std::unique_ptr<SumSource> source = source_of(op, memory);
  if (source == nullptr) return false;
  if (source->results != results_) {
    finish(memory);
    results_ = source->results;
    return false;
  }
  if (terms_ + source->sum.terms > terms_that_fit_) finish(memory);
  if (sums_.empty()) begin(source->results);
  if (source->sum.terms > terms_that_fit_) return false;
  add(*source);
  if (is_traced()) [[unlikely]]
    trace_kernel(name(op), "deferred", kRan);
  return true;
}

void DeferredSums::begin(const SumResults& results) {
  left_pitch_ = pitch_of(results.rows());
  const size_t columns = size_t{results.segments()} * results.out.shape.w;
  right_pitch_ = pitch_of(columns + kTilePitch);  // whole vectors are read
  terms_that_fit_ =
      static_cast<uint32_t>(std::min<size_t>(kMaxDeferredTerms, kMaxRights / right_pitch_));
  lefts_ = left_.take<float>(left_pitch_ * terms_that_fit_);
  rights_ = right_.take<float>(right_pitch_ * terms_that_fit_);
}

void DeferredSums::add(const SumSource& source) {
  const uint32_t segments = results_.segments(), width = results_.out.shape.w;
  for (uint32_t term = 0; term < source.sum.terms; ++term) {
    source.read_left(term, lefts_ + (terms_ + term) * left_pitch_);
    float* to = rights_ + (terms_ + term) * right_pitch_;
    for (uint32_t segment = 0; segment < segments; ++segment, to += width)
      std::memcpy(to, source.right(term, segment), width * sizeof *to);
    std::fill_n(to, kTilePitch, 0.0f);
  }
  Chains& chains = sums_.emplace_back(source.sum).chains;
  for (size_t chain = 0; chain < chains.count; ++chain)
    chains.begin[chain] += terms_, chains.end[chain] += terms_;
  terms_ += source.sum.terms;
}

bool DeferredSums::concern(const Operation& op, const LocalMemory& local) const {
  if (empty()) return false;
  // Operations other than Copy may touch more bytes than their operands.
  const auto* copy = std::get_if<Copy>(&op);
  if (copy == nullptr || is_empty(copy->dst.shape)) return true;
  const auto touches = [&](const TensorView* view) {
    return view != nullptr && !disjoint(*view, results_.out, local);
  };
  return touches(&copy->dst) || touches(tensor_of(copy->src));
}

void DeferredSums::finish(const Memory& memory) {
  if (empty()) return;
  const uint32_t width = results_.out.shape.w, rows = results_.rows();
  const uint32_t tiles = ceil_div(width, sum_columns()), groups = ceil_div(rows, kRowsAtOnce);
  const uint64_t items = uint64_t{results_.segments()} * tiles * groups;
  share_out(items, results_.out.shape.count() * terms_, kTermsPerTask,
            [&](size_t begin, size_t end) {
              const ScopedFloatMode mode;
              for (size_t i = begin; i < end; ++i) {
                const size_t tile = i / groups;
                const auto first = static_cast<uint32_t>(i % groups) * kRowsAtOnce;
                finish_rows(memory, static_cast<uint32_t>(tile / tiles),
                            static_cast<uint32_t>(tile % tiles) * sum_columns(), first,
                            std::min(first + kRowsAtOnce, rows));
              }
            });
  sums_.clear();
  terms_ = 0;
}

// Finishes rows [first, last) of the results of a segment, for one tile of columns from `column`
// on.
void DeferredSums::finish_rows(const Memory& memory, uint32_t segment, uint32_t column,
                               uint32_t first, uint32_t last) const {
  const uint32_t count = std::min(sum_columns(), results_.out.shape.w - column);
  const size_t right = size_t{segment} * results_.out.shape.w + column;
  std::array<float*, kSumRows> to{};
  alignas(64) float tile[kSumRows * kTilePitch] = {};
  for (uint32_t row = first; row < last; row += kSumRows) {
    const uint32_t rows = std::min(kSumRows, last - row);
    for (uint32_t r = 0; r < rows; ++r) {
      to[r] = results_.at(memory, row + r, segment) + column;
      std::memcpy(tile + r * kTilePitch, to[r], count * sizeof(float));
    }
    const bool in_doubt = add_sums(
        sums_, {lefts_ + row, rights_ + right, left_pitch_, right_pitch_}, rows, count, tile);
    for (uint32_t r = 0; r < rows; ++r) {
      float* const from = tile + r * kTilePitch;
      for (uint32_t i = 0; in_doubt && i < count; ++i)
        if (is_in_doubt(from[i])) from[i] = sum(row + r, right + i, to[r][i]);
      std::memcpy(to[r], from, count * sizeof(float));
    }
    if (in_doubt) std::fill_n(tile, std::size(tile), 0.0f);  // clear the columns after the last one
  }
}

// Returns a result in the order of the reference kernels: ChannelPairSum or AlternatingSum.
float DeferredSums::sum(uint32_t row, size_t column, float old) const {
  const auto product = [&](size_t term) {
    const float left = lefts_[term * left_pitch_ + row];
    const float right = rights_[term * right_pitch_ + column];
    return results_.of_convolution ? f32::mul(right, left) : f32::mul(left, right);
  };
  for (const auto& [chains, terms] : sums_) {
    float total[4];
    for (size_t chain = 0; chain < chains.count; ++chain)
      total[chain] = chain_total(chains, chain, product);
    old = f32::add(chains.count == 4
                       ? f32::add(f32::add(total[1], total[0]), f32::add(total[3], total[2]))
                       : f32::add(total[0], total[1]),
                   old);
  }
  return old;
}

}  // namespace tputwin::fast
