// Compares exposed memory with a copy of it, page by page.
#include "insight/debug/exposed.h"

#include <algorithm>
#include <cstring>

namespace tputwin::debug {
namespace {

constexpr uint64_t kPage = 4096;

}  // namespace

void Exposed::add(const ByteRange& range) {
  const auto covers = [&](const Copy& copy) {
    return copy.range.space == range.space && copy.range.lane == range.lane &&
           copy.range.begin <= range.begin && copy.range.end >= range.end;
  };
  if (range.begin >= range.end || std::ranges::any_of(copies_, covers)) return;
  const uint8_t* now = bytes_at(memory_, range);
  copies_.push_back({range, {now, now + (range.end - range.begin)}});
}

std::optional<Change> Exposed::take_changes() {
  std::vector<ByteRange> ranges;
  std::vector<uint8_t> old;
  for (Copy& copy : copies_) {
    const uint8_t* now = bytes_at(memory_, copy.range);
    for (uint64_t at = 0; at < copy.bytes.size(); at += kPage) {
      const uint64_t bytes = std::min(kPage, copy.bytes.size() - at);
      if (std::memcmp(now + at, &copy.bytes[at], bytes) == 0) continue;
      const uint64_t begin = copy.range.begin + at;
      ranges.push_back({copy.range.space, copy.range.lane, begin, begin + bytes});
      old.insert(old.end(), &copy.bytes[at], &copy.bytes[at] + bytes);
    }
  }
  if (ranges.empty()) return {};
  wrote(ranges);
  Patch after(memory_, ranges);
  return Change{{std::move(ranges), std::move(old)}, std::move(after)};
}

void Exposed::wrote(std::span<const ByteRange> ranges) {
  for (Copy& copy : copies_)
    for (const ByteRange& range : ranges) {
      if (!overlap(copy.range, range)) continue;
      const uint64_t begin = std::max(range.begin, copy.range.begin),
                     end = std::min(range.end, copy.range.end);
      std::memcpy(&copy.bytes[begin - copy.range.begin],
                  bytes_at(memory_, {range.space, range.lane, begin, end}), end - begin);
    }
}

}  // namespace tputwin::debug
