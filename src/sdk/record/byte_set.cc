// Ranges of bytes, merged where they touch.
#include "sdk/record/byte_set.h"

#include <algorithm>

namespace tputwin::record {

Bytes hull(Bytes a, Bytes b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  return {std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

void ByteSet::add(Bytes range) {
  if (range.empty()) return;
  auto next = ranges_.upper_bound(range.begin);
  if (next != ranges_.begin() && std::prev(next)->second >= range.begin) --next;
  while (next != ranges_.end() && next->first <= range.end) {
    range = hull(range, {next->first, next->second});
    next = ranges_.erase(next);
  }
  ranges_.emplace(range.begin, range.end);
}

std::vector<Bytes> ByteSet::inside(Bytes range) const {
  std::vector<Bytes> pieces;
  auto next = ranges_.upper_bound(range.begin);
  if (next != ranges_.begin()) --next;
  for (; next != ranges_.end() && next->first < range.end; ++next) {
    const Bytes piece{std::max(next->first, range.begin), std::min(next->second, range.end)};
    if (!piece.empty()) pieces.push_back(piece);
  }
  return pieces;
}

std::vector<Bytes> ByteSet::outside(Bytes range) const {
  std::vector<Bytes> pieces;
  for (const Bytes& piece : inside(range)) {
    if (range.begin < piece.begin) pieces.push_back({range.begin, piece.begin});
    range.begin = piece.end;
  }
  if (!range.empty()) pieces.push_back(range);
  return pieces;
}

}  // namespace tputwin::record
