// Finds the live-out bytes of sums, plane by plane.
#include "ops/fast/gemm/epilogue/live_out_sums.h"

#include <algorithm>
#include <cstring>

namespace tputwin::fast {

LiveOutSums::LiveOutSums(const TensorView& sums, std::span<const ByteRange> live_out,
                         const Memory& memory)
    : sums_(sums), ends_{0} {
  std::vector<ByteRange> sorted(live_out.begin(), live_out.end());
  sort_and_merge(sorted);
  const uint64_t lane_bytes = memory.local.lane_bytes();
  for (uint32_t n = 0; n < sums.shape.n; ++n)
    for (uint32_t c = 0; c < sums.shape.c; ++c) {
      const auto at = memory.local.address_of(memory.byte(sums, n, c, 0, 0));
      const uint64_t lane = at / lane_bytes, begin = at % lane_bytes;
      planes_.push_back({static_cast<uint32_t>(lane), static_cast<uint32_t>(begin)});
      const uint64_t end = begin + uint64_t{sums.shape.h} * sums.shape.w * kBytes;
      const auto is_before = [&](const ByteRange& r) {
        return r.lane < lane || (r.lane == lane && r.end <= begin);
      };
      for (auto r = std::ranges::partition_point(sorted, is_before);
           r != sorted.end() && r->lane == lane && r->begin < end; ++r)
        ranges_.push_back({static_cast<uint32_t>(std::max(r->begin, begin) - begin),
                           static_cast<uint32_t>(std::min(r->end, end) - begin)});
      ends_.push_back(static_cast<uint32_t>(ranges_.size()));
    }
  for (const Range& range : ranges_)
    all_ = {std::min(all_.begin, range.begin), std::max(all_.end, range.end)};
}

bool LiveOutSums::find_places(const Memory& memory, uint32_t n, uint32_t c, uint32_t rows,
                              uint32_t first, uint32_t count, uint8_t* buffer, size_t pitch,
                              uint8_t** to) const {
  const uint32_t start = first * kBytes, stop = (first + count) * kBytes;
  if (all_.end <= start || stop <= all_.begin) return false;
  bool any = false;
  for (uint32_t r = 0; r < rows; ++r) {
    to[r] = nullptr;
    for (const Range& range : of_plane(n, c + r)) {
      if (range.end <= start || stop <= range.begin) continue;
      const Plane& plane = planes_[n * sums_.shape.c + c + r];
      to[r] = range.begin <= start && stop <= range.end
                  ? memory.local.lane(plane.lane) + plane.offset + start
                  : buffer + r * pitch;
      any = true;
      break;
    }
  }
  return any;
}

void LiveOutSums::write(const Memory& memory, uint32_t n, uint32_t c, uint32_t first,
                        uint32_t count, const uint32_t* sums) const {
  const std::span<const Range> ranges = of_plane(n, c);
  if (ranges.empty()) return;
  uint8_t* const plane = memory.byte(sums_, n, c, 0, 0);
  const auto* const from = reinterpret_cast<const uint8_t*>(sums);
  const uint32_t start = first * kBytes, stop = (first + count) * kBytes;
  for (const Range& range : ranges) {
    const uint32_t begin = std::max(range.begin, start), end = std::min(range.end, stop);
    if (begin < end) std::memcpy(plane + begin, from + (begin - start), end - begin);
  }
}

}  // namespace tputwin::fast
