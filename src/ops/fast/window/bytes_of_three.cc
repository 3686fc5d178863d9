// Finds the layout of a plane and the places of its results.
#include "ops/fast/window/bytes_of_three.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "base/bits.h"
#include "ops/fast/scratch.h"

namespace tputwin::fast {
namespace {

// Returns how many inputs of an axis are inside of the windows of `outputs` results.
uint32_t reached(const Axis& axis, uint32_t inputs, uint32_t outputs) {
  const uint32_t padded = (outputs - 1) * axis.stride + axis.kernel;
  return padded <= axis.pad_before ? 0 : std::min(inputs, padded - axis.pad_before);
}

bool is_three(const Axis& axis) {
  return axis.kernel == BytesOfThree::kSide && axis.dilation == 1 && axis.insert == 0 &&
         axis.insert_last == 0 && (axis.stride == 1 || axis.stride == 2);
}

}  // namespace

std::span<const ChannelPlane> planes_of_slots(const Shape& shape, uint32_t lanes, size_t begin,
                                              size_t end) {
  thread_local std::vector<ChannelPlane> planes;
  planes.clear();
  for (size_t slot = begin; slot < end; ++slot)
    for (auto c = static_cast<uint32_t>(slot); c < shape.c; c += lanes)
      for (uint32_t n = 0; n < shape.n; ++n) planes.push_back({n, c});
  return planes;
}

bool BytesOfThree::build(const Window& window, const TensorView& in, const Shape& out,
                         size_t out_pitch) {
  step_ = 0;
  if (!is_three(window.h) || !is_three(window.w) || window.h.stride != window.w.stride)
    return false;
  const uint32_t step = window.h.stride;
  // Rows of fewer results leave vectors empty, and are slower than SlidingBlocks.
  if (out.w < (step == 1 ? 16 : 32)) return false;
  // A row of a part has the columns under the first and the last tap. A vector that begins in the
  // last unit ends after it, and the rows after the last one are read, too.
  const size_t pitch = ceil_div<size_t>(out.w + (step == 1 ? kSide - 1 : 1), kQuarter) * kQuarter;
  const size_t units = ceil_div(ceil_div<size_t>(out.h, step == 1 ? 2 : 1) * pitch, kUnit);
  const size_t part_bytes = ceil_div(units * kUnit + pitch + kQuarter, kUnit) * kUnit + kUnit;
  constexpr size_t kMostBytes = 512 << 10;
  if (part_bytes * step * 2 > kMostBytes) return false;
  pad_h_ = window.h.pad_before, pad_w_ = window.w.pad_before;
  in_h_ = reached(window.h, in.shape.h, out.h), in_w_ = reached(window.w, in.shape.w, out.w);
  in_pitch_ = in.stride.h;
  static std::atomic<uint64_t> builds = 0;
  id_ = ++builds;
  step_ = step, pitch_ = pitch, part_bytes_ = part_bytes, units_ = units;
  runs_.clear();
  ends_.assign(1, 0);
  for (size_t unit = 0; unit < units; ++unit)
    for (size_t row = 0; row < rows(); ++row) {
      add_runs(unit, row, out, out_pitch);
      ends_.push_back(static_cast<uint32_t>(runs_.size()));
    }
  return true;
}

uint8_t* BytesOfThree::padded_layouts(uint8_t padding) const {
  // A thread often has several tasks of one instruction.
  struct Layouts {
    Scratch scratch;
    uint64_t id = 0;
    uint8_t padding = 0;
  };
  thread_local Layouts mine;
  auto* const bytes = mine.scratch.take<uint8_t>(layouts() * this->bytes());
  if (mine.id == id_ && mine.padding == padding) return bytes;
  std::memset(bytes, padding, layouts() * this->bytes());
  mine.id = id_, mine.padding = padding;
  return bytes;
}

void BytesOfThree::add_runs(size_t unit, size_t row, const Shape& out, size_t out_pitch) {
  const size_t begin = unit * kUnit, end = begin + kUnit;
  for (size_t i = begin / pitch_; i * pitch_ < end; ++i) {
    const size_t y = i * rows() + row;
    const size_t first = std::max(i * pitch_, begin), last = std::min(i * pitch_ + out.w, end);
    if (y >= out.h || first >= last) continue;
    runs_.push_back({.mask = ~uint64_t{0} >> (kUnit - (last - first)) << (first - begin),
                     .out = static_cast<int32_t>(y * out_pitch + begin - i * pitch_)});
  }
}

}  // namespace tputwin::fast
