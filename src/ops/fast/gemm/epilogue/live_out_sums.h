// int32 accumulators of which some bytes are live-out, although a fused operation consumes them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "memory/memory.h"
#include "ops/contract/contract.h"

namespace tputwin::fast {

class LiveOutSums {
 public:
  LiveOutSums() = default;
  // `live_out` are the live-out bytes of local memory. Those outside of `sums` are ignored. The
  // planes of `sums` must have no gaps.
  LiveOutSums(const TensorView& sums, std::span<const ByteRange> live_out, const Memory& memory);

  bool any() const { return !ranges_.empty(); }
  // Returns true if some of the sums [first, first + count) of a channel's plane are live-out.
  bool meets(uint32_t n, uint32_t c, uint32_t first, uint32_t count) const {
    for (const Range& range : of_plane(n, c))
      if (range.begin < (first + count) * kBytes && first * kBytes < range.end) return true;
    return false;
  }
  // Finds where the sums [first, first + count) of channels [c, c + rows) can be stored. to[r] is
  // their place in local memory if all of them are live-out, row r of `buffer` if some are, and
  // nullptr if none is. Rows of `buffer` are `pitch` bytes. Returns false if none of any channel
  // is.
  bool find_places(const Memory& memory, uint32_t n, uint32_t c, uint32_t rows, uint32_t first,
                   uint32_t count, uint8_t* buffer, size_t pitch, uint8_t** to) const;
  // Writes the live-out bytes of the sums [first, first + count) of a channel's plane.
  void write(const Memory& memory, uint32_t n, uint32_t c, uint32_t first, uint32_t count,
             const uint32_t* sums) const;

 private:
  static constexpr uint32_t kBytes = sizeof(uint32_t);
  struct Range {
    uint32_t begin, end;  // bytes of a plane
  };
  struct Plane {
    uint32_t lane, offset;  // of its first byte
  };
  std::span<const Range> of_plane(uint32_t n, uint32_t c) const {
    const uint32_t* const end = ends_.data() + n * sums_.shape.c + c + 1;
    return {ranges_.data() + end[-1], ranges_.data() + end[0]};
  }

  TensorView sums_;
  Range all_{UINT32_MAX, 0};   // from the first byte of any range to the last one
  std::vector<Plane> planes_;  // channel by channel of each image
  std::vector<Range> ranges_;  // plane by plane
  // `ends_[p]` is the number of ranges of the planes before plane p.
  std::vector<uint32_t> ends_;
};

}  // namespace tputwin::fast
