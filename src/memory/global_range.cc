// Extents of views, merging of ranges, and return of pages to the system.
#include "memory/global_range.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace tputwin {

GlobalRange extent_in_global(const TensorView& v) {
  if (v.shape.count() == 0) return {v.address, 0};
  const auto steps = [](uint64_t extent, uint64_t stride) { return (extent - 1) * stride; };
  const uint64_t last = steps(cells(v), v.stride.n) + steps(v.shape.c, v.stride.c) +
                        steps(v.shape.h, v.stride.h) + steps(v.shape.w, v.stride.w);
  return {v.address, last + (is_run(v) ? run_bytes(v) : v.plane_stride + uint64_t{1})};
}

void merge(std::vector<GlobalRange>& ranges, uint64_t gap) {
  std::ranges::sort(ranges, {}, &GlobalRange::begin);
  size_t count = 0;
  for (const GlobalRange range : ranges) {
    if (count == 0 || range.begin > ranges[count - 1].end() + gap) {
      ranges[count++] = range;
      continue;
    }
    GlobalRange& last = ranges[count - 1];
    last.bytes = std::max(last.end(), range.end()) - last.begin;
  }
  ranges.resize(count);
}

uint64_t page_bytes() {
  static const auto bytes = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

void give_back(GlobalMemory& memory, const GlobalRange& pages) {
  uint8_t* first = memory.data() + pages.begin;
  // If the system refuses the pages, they are filled with zeros.
  if (madvise(first, pages.bytes, MADV_DONTNEED) != 0) std::memset(first, 0, pages.bytes);
}

}  // namespace tputwin
