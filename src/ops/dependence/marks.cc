// Marks of elements and of bytes.
#include "ops/dependence/marks.h"

#include <optional>

namespace tputwin {
namespace {

// Returns the index in a tensor of extent `own` that goes with index `at` of the result.
std::optional<uint32_t> index_along(uint32_t own, uint32_t at) {
  if (own == 1) return 0;
  return at < own ? std::optional(at) : std::nullopt;
}

}  // namespace

void ElementMarks::raise(const ElementMarks& other) {
  if (other.shape_ == shape_) {
    for (size_t i = 0; i < marks_.size(); ++i) marks_[i] = std::max(marks_[i], other.marks_[i]);
    return;
  }
  for (uint32_t n = 0; n < shape_.n; ++n)
    for (uint32_t c = 0; c < shape_.c; ++c)
      for (uint32_t h = 0; h < shape_.h; ++h) {
        const auto on = index_along(other.shape_.n, n), oc = index_along(other.shape_.c, c),
                   oh = index_along(other.shape_.h, h);
        if (!on || !oc || !oh) continue;
        Mark* const marks = row(n, c, h);
        const Mark* const from = other.row(*on, *oc, *oh);
        for (uint32_t w = 0; w < shape_.w; ++w)
          if (const auto ow = index_along(other.shape_.w, w))
            marks[w] = std::max(marks[w], from[*ow]);
      }
}

MarkedMemory::MarkedMemory(const Chip& chip, const std::vector<MarkedBytes>& marked)
    : lanes_(chip.lanes), places_(lanes_ + 4) {
  for (const auto& [bytes, mark] : marked)
    places_[place(bytes.space, bytes.lane)].push_back({bytes.begin, bytes.end, mark});
}

}  // namespace tputwin
