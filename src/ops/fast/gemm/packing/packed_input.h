// The buffer of a BM1880 convolution's packed input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/bits.h"
#include "ops/fast/gemm/geometry/conv2d_bm1880_planes.h"

namespace tputwin::fast {

// Gives access to a buffer with the cells of all groups. They are followed by one byte for each
// part of a group: 1 if the part is wide (a byte is above 127), else 0.
class PackedInput {
 public:
  static constexpr size_t kParts = 4;  // the largest number of parts of a group's input

  // Returns the size of a buffer in uint32 cells.
  static size_t words(const CellPlanes& planes) {
    return planes.size() + kSlack + ceil_div(planes.groups * kParts, sizeof(uint32_t));
  }
  PackedInput(uint32_t* buffer, const CellPlanes& planes)
      : cells_(buffer),
        groups_(planes.groups),
        wide_(reinterpret_cast<uint8_t*>(buffer + planes.size() + kSlack)) {}

  uint32_t* cells() const { return cells_; }
  uint8_t* wide_parts(size_t group) const { return wide_ + group * kParts; }
  void clear_wide_parts() const { std::memset(wide_, 0, groups_ * kParts); }
  bool has_wide_parts() const { return std::memchr(wide_, 1, groups_ * kParts) != nullptr; }

 private:
  static constexpr size_t kSlack = 64;  // cells; the last tile reads whole vectors

  uint32_t* cells_;
  size_t groups_;
  uint8_t* wide_;
};

// Describes a buffer of this thread. `is_kept` is true if its last owner was the same, so that it
// still holds what the owner packed.
struct TakenInput {
  PackedInput input;
  bool is_kept;
};
// Returns the buffer of `slot` and makes `owner` its owner. Each thread has
// PreparedKernel::kInputSlots slots. The buffer is valid until the next call with the same slot.
TakenInput take_packed_input(const CellPlanes& planes, uint32_t slot, const void* owner);

}  // namespace tputwin::fast
