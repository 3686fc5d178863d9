// ByteMap: a value for every byte of an address space, kept as ranges of equal bytes.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace tputwin::insight {

// Bytes that were never assigned have the value Value{}. The pieces are in ascending order, in
// blocks of a few. A change copies only the blocks that it touches, without a search for each range
// of a strided tensor.
template <class Value>
class ByteMap {
 public:
  // Calls change(value, begin, end) for the pieces of ranges that have one value each. The ranges
  // have members begin and end, ascend, and are disjoint.
  template <class Ranges, class Change>
  void update(const Ranges& ranges, Change change) {
    auto range = std::begin(ranges);
    const auto last = std::end(ranges);
    for (Position at;;) {
      while (range != last && change_piece(at, range->begin, range->end, change)) ++range;
      if (range == last) return;
      Rewriter rewriter(*this, range->begin);
      for (bool is_near = true; is_near && range != last; ++range) {
        rewriter.change(range->begin, range->end, change);
        const auto next = std::next(range);
        is_near = next == last || rewriter.is_near(next->begin);
      }
    }
  }
  template <class Change>
  void update(uint64_t begin, uint64_t end, Change change) {
    update(std::array{Range{begin, end}}, change);
  }

  // Calls look(value, begin, end) for the pieces of a range.
  template <class Look>
  void look(uint64_t begin, uint64_t end, Look look) const {
    if (begin >= end) return;
    uint64_t at = begin;
    for (size_t b = block_at(begin); b < blocks_.size() && blocks_[b].front().begin < end; ++b)
      for (const Piece& piece : blocks_[b]) {
        if (piece.end <= at) continue;
        if (piece.begin >= end) break;
        if (piece.begin > at) look(Value{}, at, piece.begin);
        look(piece.value, std::max(at, piece.begin), std::min(end, piece.end));
        at = std::min(end, piece.end);
      }
    if (at < end) look(Value{}, at, end);
  }

  // Blocks may be cut differently.
  bool operator==(const ByteMap& other) const {
    if (pieces_ != other.pieces_) return false;
    size_t b = 0, at = 0;
    for (const Block& block : blocks_)
      for (const Piece& piece : block) {
        if (piece != other.blocks_[b][at]) return false;
        if (++at == other.blocks_[b].size()) at = 0, ++b;
      }
    return true;
  }

  void assign(uint64_t begin, uint64_t end, const Value& value) {
    update(begin, end, [&](Value& old, uint64_t, uint64_t) { old = value; });
  }

 private:
  struct Range {
    uint64_t begin, end;
  };
  struct Piece {
    uint64_t begin, end;
    Value value;
    bool operator==(const Piece&) const = default;
  };
  using Block = std::vector<Piece>;
  static constexpr size_t kMostPieces = 32, kFewPieces = 8;

  // Returns the first block with a piece that ends at `at` or later.
  size_t block_at(uint64_t at) const {
    const auto found = std::partition_point(
        blocks_.begin(), blocks_.end(), [at](const Block& block) { return block.back().end < at; });
    return static_cast<size_t>(found - blocks_.begin());
  }

  struct Position {
    size_t block = 0, piece = 0;
  };
  bool has(const Position& at) const {
    return at.block < blocks_.size() && at.piece < blocks_[at.block].size();
  }
  Piece& piece(const Position& at) { return blocks_[at.block][at.piece]; }
  static bool is_one(const Piece& before, const Piece& after) {
    return before.end == after.begin && before.value == after.value;
  }

  // Changes a range that is one piece, and sets `at` to the next piece. `at` is where the search
  // begins. Returns false if the range is not one piece.
  template <class Change>
  bool change_piece(Position& at, uint64_t begin, uint64_t end, Change& change) {
    if (!has(at) || piece(at).begin != begin) at = position_of(begin);
    if (!has(at) || piece(at).begin != begin || piece(at).end != end) return false;
    Value value = piece(at).value;
    change(value, begin, end);
    if (value == Value{}) {
      erase(at);
      return true;
    }
    piece(at).value = value;
    Position next{at.block, at.piece + 1};
    if (!has(next)) next = {at.block + 1, 0};
    if (has(next) && is_one(piece(at), piece(next))) {
      piece(at).end = piece(next).end;
      erase(next);
    }
    if (at.piece == 0 && at.block == 0) {
      ++at.piece;
      return true;
    }
    const Position before = at.piece != 0
                                ? Position{at.block, at.piece - 1}
                                : Position{at.block - 1, blocks_[at.block - 1].size() - 1};
    if (is_one(piece(before), piece(at))) {
      piece(before).end = piece(at).end;
      erase(at);
    } else {
      ++at.piece;
    }
    return true;
  }

  // Returns the first piece that ends after a position.
  Position position_of(uint64_t position) const {
    const auto ends_before = [=](const Piece& piece) { return piece.end <= position; };
    const auto block = std::partition_point(blocks_.begin(), blocks_.end(),
                                            [&](const Block& b) { return ends_before(b.back()); });
    if (block == blocks_.end()) return {blocks_.size(), 0};
    const auto piece = std::partition_point(block->begin(), block->end(), ends_before);
    return {static_cast<size_t>(block - blocks_.begin()),
            static_cast<size_t>(piece - block->begin())};
  }

  void erase(const Position& at) {
    Block& block = blocks_[at.block];
    block.erase(block.begin() + static_cast<ptrdiff_t>(at.piece));
    if (block.empty()) blocks_.erase(blocks_.begin() + static_cast<ptrdiff_t>(at.block));
    --pieces_;
  }

  // Replaces the blocks from one on by copies with changes.
  class Rewriter {
   public:
    Rewriter(ByteMap& map, uint64_t begin)
        : map_(map), pieces_(map.copied_), first_(map.block_at(begin)), block_(first_) {
      pieces_.clear();
    }
    Rewriter(const Rewriter&) = delete;
    ~Rewriter() {
      if (at_ != 0) copy_rest();
      while (block_ < map_.blocks_.size() && (pieces_.size() < kFewPieces || touches_next()))
        copy_rest();
      map_.replace(first_, block_);
    }

    // Returns true if no whole block is before a position.
    bool is_near(uint64_t position) const {
      return block_ == map_.blocks_.size() || position <= map_.blocks_[block_].back().end;
    }

    template <class Change>
    void change(uint64_t begin, uint64_t end, Change& change) {
      if (begin >= end) return;
      copy_before(begin);
      for (uint64_t at = begin; at < end;) {
        const Piece* piece = next();
        if (piece == nullptr || piece->begin > at) {
          const uint64_t hole = piece == nullptr ? end : std::min(end, piece->begin);
          append(Value{}, at, hole, change);
          at = hole;
        } else {
          const uint64_t last = std::min(end, piece->end);
          append(piece->value, at, last, change);
          at = last;
          drop_before(last);
        }
      }
    }

   private:
    // Returns the next piece of the map; nullptr: there is none.
    Piece* next() { return block_ == map_.blocks_.size() ? nullptr : &map_.blocks_[block_][at_]; }
    void step() {
      if (++at_ == map_.blocks_[block_].size()) at_ = 0, ++block_;
    }
    // Drops what the next piece has before a position.
    void drop_before(uint64_t position) {
      Piece& piece = *next();
      piece.begin = position;
      if (piece.begin == piece.end) step();
    }
    // Copies the pieces and the part of a piece before a position.
    void copy_before(uint64_t position) {
      for (Piece* piece = next(); piece != nullptr && piece->begin < position; piece = next()) {
        if (piece->end <= position) {
          copy_pieces(position);
          continue;
        }
        push({piece->begin, position, piece->value});
        drop_before(position);
      }
    }
    // Copies the pieces of a block that end before a position or there. There is one at least.
    void copy_pieces(uint64_t position) {
      const Block& block = map_.blocks_[block_];
      const auto from = block.begin() + static_cast<ptrdiff_t>(at_);
      const auto to = std::partition_point(
          from + 1, block.end(), [=](const Piece& piece) { return piece.end <= position; });
      push(*from);
      pieces_.insert(pieces_.end(), from + 1, to);
      at_ = static_cast<size_t>(to - block.begin());
      if (to == block.end()) at_ = 0, ++block_;
    }
    void copy_rest() { copy_pieces(UINT64_MAX); }
    bool touches_next() {
      return !pieces_.empty() && pieces_.back().end == next()->begin &&
             pieces_.back().value == next()->value;
    }
    template <class Change>
    void append(Value value, uint64_t begin, uint64_t end, Change& change) {
      change(value, begin, end);
      if (value != Value{}) push({begin, end, value});
    }
    // Merges neighbours of equal value.
    void push(const Piece& piece) {
      if (!pieces_.empty() && pieces_.back().end == piece.begin &&
          pieces_.back().value == piece.value)
        pieces_.back().end = piece.end;
      else
        pieces_.push_back(piece);
    }

    ByteMap& map_;
    std::vector<Piece>& pieces_;
    const size_t first_;
    size_t block_, at_ = 0;  // the next piece
  };

  // Replaces blocks by the copied pieces.
  void replace(size_t first, size_t last) {
    for (size_t b = first; b < last; ++b) pieces_ -= blocks_[b].size();
    pieces_ += copied_.size();
    const size_t count = (copied_.size() + kMostPieces - 1) / kMostPieces;
    const auto at = [&](size_t b) { return blocks_.begin() + static_cast<ptrdiff_t>(b); };
    if (first + count < last) blocks_.erase(at(first + count), at(last));
    if (first + count > last) blocks_.insert(at(last), first + count - last, Block{});
    if (count == 1) return blocks_[first].swap(copied_);
    for (size_t i = 0; i < count; ++i) {
      const auto part = [&](size_t k) {
        return copied_.begin() + static_cast<ptrdiff_t>(copied_.size() * k / count);
      };
      blocks_[first + i].assign(part(i), part(i + 1));
    }
  }

  std::vector<Block> blocks_;  // none is empty
  size_t pieces_ = 0;          // in all blocks
  std::vector<Piece> copied_;  // by the change that is under way
};

}  // namespace tputwin::insight
