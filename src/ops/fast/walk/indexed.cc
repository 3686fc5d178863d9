// Decodes the indices of gather and scatter to byte offsets.
#include "ops/fast/walk/indexed.h"

#include <algorithm>
#include <vector>

namespace tputwin::fast {
namespace {

// Describes entries at a distance of `step` bytes.
struct Entries {
  const uint8_t* at;
  size_t step;
};

template <class T>
int64_t entry(const Entries& e, size_t i) {
  return int64_t{Memory::load<T>(e.at + i * e.step)};
}

// Decodes `count` entries that choose columns, to the byte offsets of their positions in the row at
// offset `line`. A column takes `step` bytes.
template <class T>
void decode_columns(const Entries& e, size_t count, int64_t line, int64_t columns, int64_t step,
                    int64_t* offset) {
  for (size_t i = 0; i < count; ++i) {
    const int64_t x = entry<T>(e, i);
    offset[i] = x >= 0 && x < columns ? line + x * step : kOutside;
  }
}

// Decodes `count` entries that choose rows, to the byte offsets of these rows.
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
void decode_of(const Indexing& x, const Memory& memory, uint32_t n, uint32_t c, int64_t* offset) {
  if (x.by == IndexedBy::h)
    return decode_rows<T>({memory.byte(x.index, n, c, 0, 0), x.index.stride.h}, x.walked.h,
                          x.limits, x.stride.h, offset);
  for (uint32_t h = 0; h < x.walked.h; ++h, offset += x.walked.w)
    decode_columns<T>({memory.byte(x.index, n, c, h, 0), x.index.stride.w}, x.walked.w,
                      int64_t{h} * x.stride.h, x.limits.columns, x.stride.w, offset);
}

// Decodes the entries that all channels share. Each entry is stored in a channel of its own.
void decode_shared(const Indexing& x, const Memory& memory, int64_t* offset) {
  const Limits& limits = x.limits;
  for (uint32_t h = 0; h < x.walked.h; ++h)
    for (uint32_t w = 0; w < x.walked.w; ++w) {
      const Spot spot = spot_of(x.by, x.index, memory, 0, 0, h, w, x.walked.w);
      const bool inside = spot.y >= limits.first_row && spot.y < limits.end_row && spot.x >= 0 &&
                          spot.x < limits.columns;
      *offset++ =
          inside ? (spot.y - limits.first_row) * x.stride.h + spot.x * x.stride.w : kOutside;
    }
}

}  // namespace

void decode(const Indexing& x, const Memory& memory, uint32_t n, uint32_t c, int64_t* offset) {
  if (is_shared(x.by)) return decode_shared(x, memory, offset);
  switch (x.index.dtype) {
    case DType::u8:
      return decode_of<uint8_t>(x, memory, n, c, offset);
    case DType::u16:
      return decode_of<uint16_t>(x, memory, n, c, offset);
    case DType::i32:
      return decode_of<int32_t>(x, memory, n, c, offset);
    default:
      return decode_of<uint32_t>(x, memory, n, c, offset);
  }
}

bool all_inside(const Indexing& x, const Memory& memory) {
  std::vector<int64_t> offset(x.entries());
  const Shape channels = is_shared(x.by) ? Shape{} : Shape{x.walked.n, x.walked.c};
  for (uint32_t n = 0; n < channels.n; ++n)
    for (uint32_t c = 0; c < channels.c; ++c) {
      decode(x, memory, n, c, offset.data());
      if (std::ranges::find(offset, kOutside) != offset.end()) return false;
    }
  return true;
}

}  // namespace tputwin::fast
