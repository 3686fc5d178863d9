// LaneOwners: for each byte of one lane of local memory, the instruction that wrote it last.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ops/contract/contract.h"

namespace tputwin {

// The owner of a byte is the instruction that wrote it last. Pieces are sorted and have no gaps.
class LaneOwners {
 public:
  LaneOwners(uint32_t bytes, uint32_t owner) : pieces_{{0, bytes, owner}} {}

  // Calls f(owner, begin, end) for each piece of [begin, end).
  template <class F>
  void each(uint32_t begin, uint32_t end, F&& f) const {
    for (size_t i = find(begin); i < pieces_.size() && pieces_[i].begin < end; ++i)
      f(pieces_[i].owner, std::max(begin, pieces_[i].begin), std::min(end, pieces_[i].end));
  }

  // Assigns ranges of one lane, sorted and disjoint, to an owner. Visits the touched pieces once,
  // because maps have many rows.
  void assign(std::span<const ByteRange> ranges, uint32_t owner) {
    const size_t first = find(static_cast<uint32_t>(ranges.front().begin));
    const size_t last = find(static_cast<uint32_t>(ranges.back().end - 1));
    merged_.clear();
    size_t at = first;
    uint32_t done = pieces_[first].begin;  // bytes before it are in merged_
    const auto keep_until = [&](uint32_t end) {
      for (; at <= last && done < end; at += done == pieces_[at].end) {
        const uint32_t to = std::min(end, pieces_[at].end);
        merged_.push_back({done, to, pieces_[at].owner});
        done = to;
      }
    };
    for (const ByteRange& range : ranges) {
      keep_until(static_cast<uint32_t>(range.begin));
      done = static_cast<uint32_t>(range.end);
      merged_.push_back({static_cast<uint32_t>(range.begin), done, owner});
      while (at <= last && pieces_[at].end <= done) ++at;
    }
    keep_until(pieces_[last].end);
    replace(first, last + 1 - first);
  }

 private:
  struct Piece {
    uint32_t begin, end, owner;
  };
  size_t find(uint32_t byte) const {
    const auto after = std::upper_bound(pieces_.begin(), pieces_.end(), byte,
                                        [](uint32_t b, const Piece& p) { return b < p.begin; });
    return static_cast<size_t>(after - pieces_.begin()) - 1;
  }
  // Replaces `count` pieces from `first` on by merged_.
  void replace(size_t first, size_t count) {
    const size_t kept = std::min(count, merged_.size());
    const auto at = pieces_.begin() + static_cast<ptrdiff_t>(first);
    const auto middle = merged_.begin() + static_cast<ptrdiff_t>(kept);
    const auto after = std::copy(merged_.begin(), middle, at);
    if (kept < count)
      pieces_.erase(after, after + static_cast<ptrdiff_t>(count - kept));
    else
      pieces_.insert(after, middle, merged_.end());
  }

  std::vector<Piece> pieces_;
  std::vector<Piece> merged_;  // of one call of assign()
};

}  // namespace tputwin
