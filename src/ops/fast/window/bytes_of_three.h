// Windows of 3x3 over planes of bytes, with a stride of 1 or 2 along both axes. A plane is copied
// to a layout with its padding. There four rows, byte by byte, are cells of four bytes, and the
// cells of three columns are all inputs of a result. With a stride of 1 they are also those of the
// result in the next row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "memory/memory.h"
#include "ops/contract/window.h"

namespace tputwin::fast {

// A plane of one channel of one image.
struct ChannelPlane {
  uint32_t n, c;
};
// Returns the planes in the slots [begin, end) of lanes, in the order in which threads compute
// them.
std::span<const ChannelPlane> planes_of_slots(const Shape& shape, uint32_t lanes, size_t begin,
                                              size_t end);

class BytesOfThree {
 public:
  static constexpr size_t kSide = 3;
  static constexpr size_t kUnit = 64;     // positions that are computed together
  static constexpr size_t kQuarter = 16;  // those of a quarter of a vector

  // Results of one row among the positions of a unit, which are bits of `mask`. The first position
  // belongs `out` elements after a plane's first result.
  struct Run {
    uint64_t mask;
    int32_t out;
  };

  // Rows of results begin `out_pitch` elements apart. Returns false if the window is another one,
  // or the plane is large.
  bool build(const Window& window, const TensorView& in, const Shape& out, size_t out_pitch);
  explicit operator bool() const { return step_ != 0; }

  uint32_t step() const { return step_; }
  // Number of layouts that a thread has. Vectors of a plane that was just copied would wait until
  // all its stores have reached the cache. So the next plane is copied before a plane is computed,
  // unless two planes fill the first cache.
  size_t layouts() const { return bytes() <= kSmall ? 2 : 1; }
  // Bytes of a layout, including those that are read beyond its end.
  size_t bytes() const { return step_ * 2 * part_bytes_; }
  // The layout has a part for even rows and one for odd rows, counted with the padding. With a
  // stride of 2 each of them has a part for even columns and one for odd columns.
  size_t part_bytes() const { return part_bytes_; }
  size_t pitch() const { return pitch_; }  // between the rows of a part
  size_t units() const { return units_; }
  // Returns the runs of a unit. With a stride of 1, its positions are those of two rows of results,
  // which have their own runs.
  std::span<const Run> runs(size_t unit, size_t row) const {
    const uint32_t* const end = &ends_[unit * rows() + row];
    return {runs_.data() + end[0], runs_.data() + end[1]};
  }

  // Returns the layouts of this thread, whose padding has the value `padding`. The pointer is valid
  // until the next call.
  uint8_t* padded_layouts(uint8_t padding) const;

  uint32_t pad_h() const { return pad_h_; }
  uint32_t pad_w() const { return pad_w_; }
  // Rows and columns of the input that windows reach.
  uint32_t in_height() const { return in_h_; }
  uint32_t in_width() const { return in_w_; }
  size_t in_pitch() const { return in_pitch_; }

 private:
  static constexpr size_t kSmall = 12 << 10;
  size_t rows() const { return step_ == 1 ? 2 : 1; }
  void add_runs(size_t unit, size_t row, const Shape& out, size_t out_pitch);

  uint64_t id_ = 0;  // of what build() found, in the process
  uint32_t step_ = 0, pad_h_ = 0, pad_w_ = 0, in_h_ = 0, in_w_ = 0;
  size_t in_pitch_ = 0, pitch_ = 0, part_bytes_ = 0, units_ = 0;
  std::vector<Run> runs_;
  std::vector<uint32_t> ends_;  // 0, then the end of the runs of each row of each unit
};

}  // namespace tputwin::fast
