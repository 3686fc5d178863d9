// ByteMap: a value for every byte of an address space, kept as ranges of equal bytes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>

namespace tputwin::insight {

// Bytes that were never assigned have the value Value{}.
template <class Value>
class ByteMap {
 public:
  // Calls change(value, begin, end) for the pieces of a range that have one value each.
  template <class Change>
  void update(uint64_t begin, uint64_t end, Change change) {
    if (begin >= end) return;
    auto piece = begin_piece_at(begin);
    auto first = piece;
    for (uint64_t at = begin; at < end; ++piece) {
      if (piece == pieces_.end() || piece->first > at) {
        const uint64_t hole = piece == pieces_.end() ? end : std::min(end, piece->first);
        piece = pieces_.emplace_hint(piece, at, Piece{hole, Value{}});
      } else if (piece->second.end > end) {
        pieces_.emplace_hint(std::next(piece), end, Piece{piece->second.end, piece->second.value});
        piece->second.end = end;
      }
      if (at == begin) first = piece;
      change(piece->second.value, at, piece->second.end);
      at = piece->second.end;
    }
    merge(first, end);
  }

  // Calls look(value, begin, end) for the pieces of a range.
  template <class Look>
  void look(uint64_t begin, uint64_t end, Look look) const {
    if (begin >= end) return;
    auto piece = pieces_.upper_bound(begin);
    if (piece != pieces_.begin() && std::prev(piece)->second.end > begin) --piece;
    for (uint64_t at = begin; at < end;) {
      if (piece == pieces_.end() || piece->first > at) {
        const uint64_t hole = piece == pieces_.end() ? end : std::min(end, piece->first);
        look(Value{}, at, hole);
        at = hole;
        continue;
      }
      const uint64_t last = std::min(end, piece->second.end);
      look(piece->second.value, at, last);
      at = last;
      ++piece;
    }
  }
  bool operator==(const ByteMap&) const = default;

  void assign(uint64_t begin, uint64_t end, const Value& value) {
    update(begin, end, [&](Value& old, uint64_t, uint64_t) { old = value; });
  }

 private:
  struct Piece {
    uint64_t end;
    Value value;
    bool operator==(const Piece&) const = default;
  };

  using Pieces = std::map<uint64_t, Piece>;

  // Splits the piece that contains `at`, so that one piece begins there. Returns the first piece
  // from `at` on.
  typename Pieces::iterator begin_piece_at(uint64_t at) {
    const auto after = pieces_.upper_bound(at);
    if (after == pieces_.begin()) return after;
    const auto piece = std::prev(after);
    if (piece->first == at) return piece;
    if (piece->second.end <= at) return after;
    const Piece rest = piece->second;
    piece->second.end = at;
    return pieces_.emplace_hint(after, at, rest);
  }

  // Merges neighbours of equal value, from the piece before `piece` to the piece at `end`.
  void merge(typename Pieces::iterator piece, uint64_t end) {
    if (piece != pieces_.begin()) --piece;
    while (piece != pieces_.end()) {
      const auto next = std::next(piece);
      if (next == pieces_.end() || next->first > end) return;
      if (next->first == piece->second.end && next->second.value == piece->second.value) {
        piece->second.end = next->second.end;
        pieces_.erase(next);
      } else {
        piece = next;
      }
    }
  }

  Pieces pieces_;  // by first byte
};

}  // namespace tputwin::insight
