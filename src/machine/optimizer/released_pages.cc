// Keeps track of released pages and their keepers, until their bytes are needed.
#include "machine/optimizer/released_pages.h"

#include <algorithm>
#include <utility>

namespace tputwin {

void SparePages::spare(GlobalMemory& memory, const std::function<Spared()>& choose) {
  const std::scoped_lock lock(mutex_);
  Spared chosen = choose();
  if (chosen.pages.empty()) return;
  spared_.push_back(std::move(chosen));
  any_.store(true, std::memory_order_release);
  for (const GlobalRange& range : spared_.back().pages) give_back(memory, range);
}

// Restores all pages of a group at once, because a caller that needs one will need the others.
template <class Matches>
void SparePages::fill_where(const Matches& matches) {
  if (!any()) return;
  const std::scoped_lock lock(mutex_);
  for (auto spared = spared_.begin(); spared != spared_.end();) {
    if (!matches(*spared)) {
      ++spared;
      continue;
    }
    spared->fill();
    spared = spared_.erase(spared);
  }
  any_.store(!spared_.empty(), std::memory_order_release);
}

void SparePages::need(const GlobalRange& range) {
  fill_where([&](const Spared& spared) {
    return std::ranges::any_of(spared.pages,
                               [&](const GlobalRange& pages) { return intersect(pages, range); });
  });
}

void SparePages::need_all() {
  fill_where([](const Spared&) { return true; });
}

void SparePages::need_those_of(const void* keeper) {
  fill_where([&](const Spared& spared) { return spared.keeper == keeper; });
}

uint64_t SparePages::bytes_of(const void* keeper) {
  const std::scoped_lock lock(mutex_);
  uint64_t bytes = 0;
  for (const Spared& spared : spared_)
    for (const GlobalRange& range : spared.pages)
      bytes += spared.keeper == keeper ? range.bytes : 0;
  return bytes;
}

}  // namespace tputwin
