// Releases pages of constants to the operating system. No run reads them once kernels have packed
// them, while they are unchanged.
#include <algorithm>

#include "base/heap.h"
#include "machine/device.h"
#include "machine/optimizer/executable_plan.h"
#include "machine/optimizer/packed_bytes.h"

namespace tputwin {

Plan::~Plan() { fill_pages(); }

// Restores the pages before the kernels that hold their bytes are destroyed.
void Plan::fill_pages() {
  if (const auto pages = pages_.lock()) pages->need_those_of(this);
}

// Records the global memory that runs touch, separately for elidable loads and for all other
// instructions.
void Plan::note_use() {
  used_.clear(), used_by_spare_.clear();
  for (size_t i = 0; i < program_.size(); ++i)
    for (const Operand& operand : operands(program_[i].op)) {
      if (operand.view->space != Space::global) continue;
      GlobalRange range = extent_in_global(*operand.view);
      range.bytes += fast::PreparedBody::kMoveSlack;
      (steps_[i].spare ? used_by_spare_ : used_).push_back(range);
    }
  merge(used_, 0);
  merge(used_by_spare_, 0);
}

// Restores the pages that a run needs, or its section after a call of the host.
void Plan::need_pages(SparePages& pages, bool spare_loads) const {
  if (!pages.any()) return;
  for (const GlobalRange& range : used_) pages.need(range);
  if (!spare_loads) return;
  for (const GlobalRange& range : used_by_spare_) pages.need(range);
}

// Returns true if all constants are packed and current, and no attempt was made since the last
// packing.
bool Plan::may_spare_pages() const {
  return !constants_.empty() && !was_stale_ && !tried_pages_ &&
         std::ranges::all_of(constants_, &Constants::packed);
}

void Plan::spare_pages(Device& device) {
  tried_pages_ = true;
  pages_ = device.pages_;
  device.pages_->spare(*device.global_, [&]() -> SparePages::Spared {
    const auto bytes = std::make_shared<PackedBytes>(device.chip(), *device.global_);
    for (uint32_t i = 0; i < constants_.size(); ++i)
      if (is_current(constants_[i], device.clock_)) add_packed(i, *bytes);
    auto pages = bytes->pages(used_);
    return {this, std::move(pages), [bytes] { bytes->fill(); }};
  });
  give_back_heap();  // used to build the plan and to pack
}

bool Plan::is_current(const Constants& constants, const WriteClock& clock) const {
  return std::ranges::all_of(constants.sources, [&](const GlobalRange& source) {
    return clock.unchanged(source.begin, source.bytes, constants.packed_at);
  });
}

void Plan::add_packed(uint32_t constants, PackedBytes& bytes) const {
  const auto owner = std::ranges::find(steps_, constants, &Step::constants);
  std::vector<const DmaTensor*> loads;
  for (const uint32_t load : constants_[constants].loads)
    if (const DmaTensor* covered = PackedBytes::covered(program_[load].op);
        covered != nullptr && steps_[load].spare)
      loads.push_back(covered);
  if (owner != steps_.end()) bytes.add(*owner->body, loads);
}

}  // namespace tputwin
