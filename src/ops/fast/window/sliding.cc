// Finds the inputs of each block of results.
#include "ops/fast/window/sliding.h"

#include <algorithm>

#include "base/bits.h"

namespace tputwin::fast {
namespace {

std::vector<int32_t> sources(const Axis& axis, uint32_t outputs, uint32_t inputs) {
  std::vector<int32_t> list;
  list.reserve(size_t{outputs} * axis.kernel);
  for (uint32_t i = 0; i < outputs; ++i)
    for (uint32_t tap = 0; tap < axis.kernel; ++tap)
      list.push_back(static_cast<int32_t>(axis.source(i, tap, inputs)));
  return list;
}

// Returns the begin of a block that has as many results as possible.
uint32_t begin_of(uint32_t next, uint32_t results) {
  constexpr uint32_t kMost = SlidingBlocks::kResults;
  return results >= kMost ? std::min(next, results - kMost) : next;
}

}  // namespace

bool SlidingBlocks::build(const Window& window, const TensorView& in, const TensorView& out,
                          Permutes permutes) {
  permutes_ = permutes;
  if (permutes == Permutes::nothing) return false;
  kernel_h_ = window.h.kernel;
  kernel_w_ = window.w.kernel;
  steps_per_block_ = size_t{kernel_h_} * ceil_div<size_t>(kernel_w_, kTaps);
  constexpr size_t kMostSteps = 64;
  if (steps_per_block_ > kMostSteps) return false;
  rows_ = sources(window.h, out.shape.h, in.shape.h);
  columns_ = sources(window.w, out.shape.w, in.shape.w);
  patterns_.assign(1, {});  // pattern 0 takes nothing
  if (permutes == Permutes::quarters) patterns_[0].index.fill(kOutside);
  steps_.clear();
  blocks_.clear();
  const bool rows_touch = out.shape.h == 1 || out.stride.h == out.shape.w;
  const bool joins = rows_touch && out.shape.w < kResults;
  if (!(joins ? add_joined_rows(in, out) : add_rows(in, out))) return false;
  find_equal_patterns();
  return true;
}

void SlidingBlocks::find_equal_patterns() {
  for (size_t b = 0; b < blocks_.size(); ++b) {
    const std::span<const Step> all(steps(b), steps_per_block_);
    blocks_[b].has_one_pattern = std::ranges::all_of(
        all, [&](const Step& step) { return step.pattern == all.front().pattern; });
  }
}

// Returns nothing if the inputs are too far apart.
std::optional<SlidingBlocks::Step> SlidingBlocks::step(std::span<const Place> positions,
                                                       uint32_t first_tap) {
  const uint32_t taps = std::min<uint32_t>(kTaps, kernel_w_ - first_tap);
  const auto each = [&](auto&& f) {
    for (size_t i = 0; i < positions.size(); ++i)
      for (uint32_t t = 0; positions[i].row >= 0 && t < taps; ++t)
        if (const int32_t x = columns_[size_t{positions[i].x} * kernel_w_ + first_tap + t]; x >= 0)
          f(i * kTaps + t, positions[i].row + x);
  };
  int64_t lowest = INT64_MAX, highest = -1;
  each([&](size_t, int64_t at) {
    lowest = std::min(lowest, at);
    highest = std::max(highest, at);
  });
  if (highest < 0) return Step{};
  if (highest - lowest >= static_cast<int64_t>(kReach)) return {};
  Pattern pattern;
  each([&](size_t byte, int64_t at) {
    pattern.index[byte] = static_cast<uint8_t>(at - lowest);
    pattern.take |= uint64_t{1} << byte;
    pattern.load |= uint64_t{1} << (at - lowest);
  });
  if (permutes_ == Permutes::quarters && !cut_in_quarters(pattern)) return {};
  return Step{static_cast<uint32_t>(lowest), number_of(pattern)};
}

// Returns false if the inputs of four results are too far apart.
bool SlidingBlocks::cut_in_quarters(Pattern& pattern) {
  for (size_t q = 0; q < pattern.first.size(); ++q) {
    const std::span<uint8_t> index(&pattern.index[q * kQuarter], kQuarter);
    const auto is_taken = [&](size_t i) { return (pattern.take >> (q * kQuarter + i) & 1) != 0; };
    uint8_t lowest = kReach, highest = 0;
    for (size_t i = 0; i < kQuarter; ++i)
      if (is_taken(i)) lowest = std::min(lowest, index[i]), highest = std::max(highest, index[i]);
    if (highest >= lowest + kQuarter) return false;
    pattern.first[q] = lowest < kReach ? lowest : 0;
    for (size_t i = 0; i < kQuarter; ++i)
      index[i] = is_taken(i) ? static_cast<uint8_t>(index[i] - lowest) : kOutside;
  }
  return true;
}

uint32_t SlidingBlocks::number_of(const Pattern& pattern) {
  const auto known = std::find(patterns_.begin(), patterns_.end(), pattern);
  const auto number = static_cast<uint32_t>(known - patterns_.begin());
  if (known == patterns_.end()) patterns_.push_back(pattern);
  return number;
}

// Adds blocks inside rows. The blocks of all rows share their steps along w.
bool SlidingBlocks::add_rows(const TensorView& in, const TensorView& out) {
  std::vector<Block> columns;
  std::vector<Step> steps;  // steps of each block, by first tap
  for (uint32_t next = 0; next < out.shape.w;) {
    uint32_t count = std::min<uint32_t>(kResults, out.shape.w - next);
    const uint32_t x = count < kResults ? begin_of(next, out.shape.w) : next;
    count = std::min<uint32_t>(kResults, out.shape.w - x);
    std::vector<Place> positions;
    for (uint32_t i = 0; i < count; ++i) positions.push_back({0, x + i});
    for (uint32_t tap = 0; tap < kernel_w_; tap += kTaps) {
      const auto found = step(positions, tap);
      if (!found) return false;
      steps.push_back(*found);
    }
    columns.push_back({x, count, false});
    next = x + count;
  }
  const size_t groups = steps.size() / columns.size();
  for (uint32_t y = 0; y < out.shape.h; ++y)
    for (size_t c = 0; c < columns.size(); ++c) {
      blocks_.push_back({y * out.stride.h + columns[c].out, columns[c].results, false});
      for (uint32_t kh = 0; kh < kernel_h_; ++kh) {
        const int32_t row = rows_[size_t{y} * kernel_h_ + kh];
        for (size_t g = 0; g < groups; ++g) {
          Step now = steps[c * groups + g];
          if (row < 0) now = {};
          if (now.pattern != 0) now.offset += static_cast<uint32_t>(row) * in.stride.h;
          steps_.push_back(now);
        }
      }
    }
  return true;
}

// Adds blocks of several rows, for narrow maps whose rows of results touch.
bool SlidingBlocks::add_joined_rows(const TensorView& in, const TensorView& out) {
  const uint32_t results = out.shape.h * out.shape.w;
  for (uint32_t next = 0; next < results;) {
    uint32_t first = begin_of(next, results);
    uint32_t count = std::min<uint32_t>(kResults, results - first);
    if (!add_joined_block(in, out, first, count)) {  // fall back to at most one row
      first = next;
      count = std::min(out.shape.w - next % out.shape.w, results - next);
      if (!add_joined_block(in, out, first, count)) return false;
    }
    next = first + count;
  }
  return true;
}

bool SlidingBlocks::add_joined_block(const TensorView& in, const TensorView& out, uint32_t first,
                                     uint32_t count) {
  const size_t before = steps_.size();
  std::array<Place, kResults> positions{};
  for (uint32_t kh = 0; kh < kernel_h_; ++kh) {
    for (uint32_t i = 0; i < count; ++i) {
      const uint32_t y = (first + i) / out.shape.w, x = (first + i) % out.shape.w;
      const int32_t row = rows_[size_t{y} * kernel_h_ + kh];
      positions[i] = {row < 0 ? -1 : int64_t{row} * in.stride.h, x};
    }
    for (uint32_t tap = 0; tap < kernel_w_; tap += kTaps) {
      const auto found = step(std::span(positions).first(count), tap);
      if (!found) return steps_.resize(before), false;
      steps_.push_back(*found);
    }
  }
  blocks_.push_back({first, count, false});
  return true;
}

}  // namespace tputwin::fast
