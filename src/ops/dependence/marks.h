// Marks: small numbers that say of bytes where an undefined value or a NaN in them came from.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ops/contract/contract.h"

namespace tputwin {

// 0: none. Where several marks meet, the largest one stays.
using Mark = uint8_t;

struct MarkedBytes {
  ByteRange bytes;
  Mark mark;
};

// One mark for each element of a tensor.
class ElementMarks {
 public:
  explicit ElementMarks(const Shape& shape) : shape_(shape), marks_(shape.count()) {}

  const Shape& shape() const { return shape_; }
  Mark* row(uint32_t n, uint32_t c, uint32_t h) {
    return marks_.data() + ((uint64_t{n} * shape_.c + c) * shape_.h + h) * shape_.w;
  }
  const Mark* row(uint32_t n, uint32_t c, uint32_t h) const {
    return const_cast<ElementMarks*>(this)->row(n, c, h);
  }
  Mark at(uint32_t n, uint32_t c, uint32_t h, uint32_t w) const { return row(n, c, h)[w]; }
  void raise(uint32_t n, uint32_t c, uint32_t h, uint32_t w, Mark mark) {
    Mark& at = row(n, c, h)[w];
    at = std::max(at, mark);
  }
  void raise_all(Mark mark) {
    for (Mark& at : marks_) at = std::max(at, mark);
  }
  // Raises each mark to that of the other tensor at the same index. The other tensor has extent 1
  // along dimensions in which it is broadcast. Elements outside it are unchanged.
  void raise(const ElementMarks& other);
  Mark largest() const {
    return marks_.empty() ? Mark{0} : *std::max_element(marks_.begin(), marks_.end());
  }

 private:
  Shape shape_;
  std::vector<Mark> marks_;
};

// The marks of the bytes that an operation reads, for look-up by address.
class MarkedMemory {
 public:
  // The ranges of one lane, or of one system memory, must be disjoint and in ascending order.
  MarkedMemory(const Chip& chip, const std::vector<MarkedBytes>& marked);

  // Returns the number of a lane or of a system memory.
  size_t place(Space space, uint64_t lane) const {
    return space == Space::local ? lane % lanes_ : lanes_ + static_cast<size_t>(space);
  }
  bool any(size_t place, uint64_t begin, uint64_t end) const {
    const std::vector<Piece>& pieces = places_[place];
    const auto piece = first_after(pieces, begin);
    return piece != pieces.end() && piece->begin < end;
  }
  // Calls f(begin, end, mark) for the marked parts of a range.
  template <class F>
  void for_each(size_t place, uint64_t begin, uint64_t end, F&& f) const {
    const std::vector<Piece>& pieces = places_[place];
    for (auto piece = first_after(pieces, begin); piece != pieces.end() && piece->begin < end;
         ++piece)
      f(std::max(begin, piece->begin), std::min(end, piece->end), piece->mark);
  }
  Mark largest(size_t place, uint64_t begin, uint64_t end) const {
    Mark mark = 0;
    for_each(place, begin, end, [&](uint64_t, uint64_t, Mark m) { mark = std::max(mark, m); });
    return mark;
  }

 private:
  struct Piece {
    uint64_t begin, end;
    Mark mark;
  };
  static std::vector<Piece>::const_iterator first_after(const std::vector<Piece>& pieces,
                                                        uint64_t begin) {
    return std::upper_bound(pieces.begin(), pieces.end(), begin,
                            [](uint64_t at, const Piece& piece) { return at < piece.end; });
  }

  size_t lanes_;
  std::vector<std::vector<Piece>> places_;
};

}  // namespace tputwin
