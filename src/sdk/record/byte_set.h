// Sets of bytes of global memory, as half-open ranges that do not touch.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace tputwin::record {

struct Bytes {
  uint64_t begin = 0, end = 0;

  uint64_t size() const { return end - begin; }
  bool empty() const { return begin >= end; }
};

class ByteSet {
 public:
  void add(Bytes range);
  // inside() returns the pieces of a range that are in the set, outside() those that are not.
  std::vector<Bytes> inside(Bytes range) const;
  std::vector<Bytes> outside(Bytes range) const;

 private:
  std::map<uint64_t, uint64_t> ranges_;  // begin to end
};

// Returns the smallest range that contains both.
Bytes hull(Bytes a, Bytes b);

}  // namespace tputwin::record
