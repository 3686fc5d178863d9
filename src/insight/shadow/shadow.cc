// Classes of lanes, and memories that the host holds a pointer into.
#include "insight/shadow/shadow.h"

#include <bit>
#include <utility>

namespace tputwin::insight {

void LaneBytes::append_to(std::vector<ByteRange>& ranges) const {
  for (uint64_t left = lanes; left != 0; left &= left - 1)
    ranges.push_back({space, static_cast<uint32_t>(std::countr_zero(left)), begin, end});
}

Shadow::Shadow(const Chip& chip) : chip_(chip) {
  const uint64_t all = chip.lanes < 64 ? (uint64_t{1} << chip.lanes) - 1 : UINT64_MAX;
  classes_.push_back({all, {}});
}

void Shadow::separate(uint64_t lanes) {
  for (size_t i = 0, count = classes_.size(); i < count; ++i) {
    const uint64_t inside = classes_[i].lanes & lanes;
    if (inside == 0 || inside == classes_[i].lanes) continue;
    LaneClass outside{classes_[i].lanes & ~lanes, classes_[i].map};
    classes_[i].lanes = inside;
    classes_.push_back(std::move(outside));
  }
}

void Shadow::join_classes() {
  constexpr uint32_t kPeriod = 32;
  if (++commands_ < kPeriod) return;
  commands_ = 0;
  for (size_t i = 0; i < classes_.size(); ++i)
    for (size_t j = classes_.size(); --j > i;) {
      if (classes_[i].map != classes_[j].map) continue;
      classes_[i].lanes |= classes_[j].lanes;
      std::swap(classes_[j], classes_.back());
      classes_.pop_back();
    }
}

void Shadow::fill(const ByteRange& range, CommandId id) {
  update(range, [id](Touched& touched, const LaneBytes&) {
    if (touched.writer == 0) touched.writer = id;
  });
}

void Shadow::fill_chip(CommandId id) {
  for (LaneClass& of : classes_)
    of.map.update(0, chip_.lane_bytes, [id](Touched& touched, uint64_t, uint64_t) {
      if (touched.writer == 0) touched.writer = id;
    });
  fill({Space::l2, 0, 0, chip_.l2.bytes + chip_.l2_tables}, id);
  fill({Space::dtcm, 0, 0, chip_.dtcm.bytes}, id);
}

}  // namespace tputwin::insight
