#include "ops/fast/walk/indexed.h"

#include <algorithm>
#include <vector>

namespace tputwin::fast {
namespace {

// Entries that lie `step` bytes apart.
struct Entries {
  const uint8_t* at;
  size_t step;
};

template <class T>
int64_t entry(const Entries& e, size_t i) {
  return int64_t{Memory::load<T>(e.at + i * e.step)};
}

// `count` places (line, entry) in lines, or (entry, 0) where entries choose rows.
template <class T>
void decode_columns(const Entries& e, size_t count, int64_t line, int64_t columns, int64_t step,
                    int64_t* offset) {
  for (size_t i = 0; i < count; ++i) {
    const int64_t x = entry<T>(e, i);
    offset[i] = x >= 0 && x < columns ? line + x * step : kOutside;
  }
}

template <class T>
void decode_rows(const Entries& e, size_t count, const Limits& limits, int64_t step,
                 int64_t* offset) {
  for (size_t i = 0; i < count; ++i) {
    const int64_t y = entry<T>(e, i);
    offset[i] =
        y >= limits.first_row && y < limits.end_row ? (y - limits.first_row) * step : kOutside;
  }
}

template <class T>
void decode_of(IndexedBy by, const TensorView& index, const Shape& walked, const Limits& limits,
               const Stride& stride, const Memory& memory, uint32_t n, uint32_t c,
               int64_t* offset) {
  if (by == IndexedBy::h)
    return decode_rows<T>({memory.byte(index, n, c, 0, 0), index.stride.h}, walked.h, limits,
                          stride.h, offset);
  for (uint32_t h = 0; h < walked.h; ++h, offset += walked.w)
    decode_columns<T>({memory.byte(index, n, c, h, 0), index.stride.w}, walked.w,
                      int64_t{h} * stride.h, limits.columns, stride.w, offset);
}

// Shared entries lie in a channel each.
void decode_shared(IndexedBy by, const TensorView& index, const Shape& walked, const Limits& limits,
                   const Stride& stride, const Memory& memory, int64_t* offset) {
  for (uint32_t h = 0; h < walked.h; ++h)
    for (uint32_t w = 0; w < walked.w; ++w) {
      const Spot spot = spot_of(by, index, memory, 0, 0, h, w, walked.w);
      const bool inside = spot.y >= limits.first_row && spot.y < limits.end_row && spot.x >= 0 &&
                          spot.x < limits.columns;
      *offset++ = inside ? (spot.y - limits.first_row) * stride.h + spot.x * stride.w : kOutside;
    }
}

}  // namespace

void decode(IndexedBy by, const TensorView& index, const Shape& walked, const Limits& limits,
            const Stride& stride, const Memory& memory, uint32_t n, uint32_t c, int64_t* offset) {
  if (is_shared(by)) return decode_shared(by, index, walked, limits, stride, memory, offset);
  switch (index.dtype) {
    case DType::u8:
      return decode_of<uint8_t>(by, index, walked, limits, stride, memory, n, c, offset);
    case DType::u16:
      return decode_of<uint16_t>(by, index, walked, limits, stride, memory, n, c, offset);
    case DType::i32:
      return decode_of<int32_t>(by, index, walked, limits, stride, memory, n, c, offset);
    default:
      return decode_of<uint32_t>(by, index, walked, limits, stride, memory, n, c, offset);
  }
}

bool all_inside(IndexedBy by, const TensorView& index, const Shape& walked, const Limits& limits,
                const Stride& stride, const Memory& memory) {
  std::vector<int64_t> offset(by == IndexedBy::h ? walked.h : size_t{walked.h} * walked.w);
  const Shape channels = is_shared(by) ? Shape{} : Shape{walked.n, walked.c};
  for (uint32_t n = 0; n < channels.n; ++n)
    for (uint32_t c = 0; c < channels.c; ++c) {
      decode(by, index, walked, limits, stride, memory, n, c, offset.data());
      if (std::ranges::find(offset, kOutside) != offset.end()) return false;
    }
  return true;
}

}  // namespace tputwin::fast
