// RangeSet: the bytes of several views as ranges that are sorted and merged.
#pragma once

#include <array>
#include <vector>

#include "ops/contract/contract.h"

namespace tputwin {

// `count` copies at distance `stride`.
struct Repeat {
  uint64_t count, stride;
};

// Runs of bytes [at, at + run), at = sum of i_k * stride_k, as maximal runs.
struct RepeatedRuns {
  uint64_t run, pieces;
  std::array<Repeat, 4> repeats;
};

// One of the planes of a view: the same runs in each lane, or runs in a system memory. Lanes have
// at most two numbers of channels.
class ViewPlane {
 public:
  // `at` is the offset of the plane in the view. Its runs of `run` bytes repeat `count_n` times
  // along n.
  ViewPlane(const TensorView& view, const Chip& chip, uint64_t at, uint64_t count_n, uint64_t run);

  Space space() const { return space_; }
  void append_to(std::vector<ByteRange>& ranges) const;

  // The runs in a lane, and where they begin. nullptr: there are none.
  struct Part {
    const RepeatedRuns* runs = nullptr;
    uint64_t begin = 0;
    bool operator==(const Part&) const = default;
  };
  Part part(uint32_t lane) const {
    const bool is_round = lane < first_lane_;  // the next round over the lanes
    const uint64_t c = lane + (is_round ? chip_lanes_ : 0) - first_lane_;
    if (c >= lanes_) return {};
    return {c < full_lanes_ ? &full_ : &rest_, begin_ + (is_round ? channel_stride_ : 0)};
  }

 private:
  Space space_;
  uint64_t begin_, channel_stride_;
  uint64_t chip_lanes_, first_lane_ = 0;
  uint64_t lanes_ = 0, full_lanes_ = 0;  // all, and those with the most channels
  RepeatedRuns full_{}, rest_{};
};

// A lane usually has the same ranges as the one before it. The set sorts the ranges of the first
// and copies them to the others.
class RangeSet {
 public:
  explicit RangeSet(const Chip& chip) : chip_(chip) {}

  void add(const TensorView& view);
  // Returns the ranges of all views, sorted and merged.
  std::vector<ByteRange> take() const;

 private:
  void add_lanes(std::vector<ByteRange>& ranges) const;

  const Chip& chip_;
  std::vector<ViewPlane> of_lanes_, of_systems_;
};

// Keeps the memory of ranges for the next footprint of this thread. Footprints of large tensors
// have hundreds of kilobytes.
void recycle(Footprint&& footprint);

// Adds what an operation reads and writes of its operands.
void add_operands(const OperandList& operands, RangeSet& reads, RangeSet& writes);

}  // namespace tputwin
