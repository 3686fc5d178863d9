// Decodes indices of gather and scatter, one channel at a time.
#pragma once

#include <vector>

#include "memory/memory.h"
#include "ops/fast/walk/nest.h"
#include "ops/index/indexing.h"

namespace tputwin::fast {

constexpr int64_t kOutside = -1;

// Describes the valid positions: y in [first_row, end_row) and x in [0, columns). A channel begins
// at first_row.
struct Limits {
  int64_t end_row, columns, first_row = 0;
};

// The rule by which elements of `walked` select positions in channels with these strides.
struct Indexing {
  IndexedBy by;
  const TensorView& index;
  Shape walked;
  Limits limits;
  Stride stride;

  // Returns the number of entries of one channel: one per element, or one per row if indexed by
  // rows.
  size_t entries() const { return by == IndexedBy::h ? walked.h : size_t{walked.h} * walked.w; }
};

// Writes the byte offset of the position, or kOutside, for every entry of channel c of batch n.
void decode(const Indexing& indexing, const Memory& memory, uint32_t n, uint32_t c,
            int64_t* offset);

// Returns true if all positions of all channels are inside.
bool all_inside(const Indexing& indexing, const Memory& memory);

// Calls channel(n, c, offsets) for all channels, on several threads. Indices that channels share
// are decoded once.
template <class Channel>
void for_each_decoded(const Indexing& indexing, uint32_t element_bytes, const Memory& memory,
                      const Channel& channel) {
  const Shape& s = indexing.walked;
  const bool shares = is_shared(indexing.by);
  std::vector<int64_t> shared(shares ? indexing.entries() : 0);
  if (shares) decode(indexing, memory, 0, 0, shared.data());
  share_out(size_t{s.n} * s.c, s.count() * (element_bytes + 4), bytes_per_task(),
            [&](size_t begin, size_t end) {
              std::vector<int64_t> own(shares ? 0 : indexing.entries());
              for (size_t item = begin; item < end; ++item) {
                const auto n = static_cast<uint32_t>(item / s.c);
                const auto c = static_cast<uint32_t>(item % s.c);
                if (!shares) decode(indexing, memory, n, c, own.data());
                channel(n, c, shares ? shared.data() : own.data());
              }
            });
}

}  // namespace tputwin::fast
