// Keeps track of released pages and their owners, until their bytes are needed.
#include "machine/optimizer/released_pages.h"

#include <algorithm>
#include <utility>

namespace tputwin {

void ReleasedPages::release(GlobalMemory& memory, const std::function<PageGroup()>& choose) {
  const std::scoped_lock lock(mutex_);
  PageGroup chosen = choose();
  if (chosen.pages.empty()) return;
  groups_.push_back(std::move(chosen));
  any_.store(true, std::memory_order_release);
  for (const GlobalRange& range : groups_.back().pages) give_back(memory, range);
}

// Restores all pages of a group at once, because a caller that needs one will need the others.
template <class Matches>
void ReleasedPages::restore_where(const Matches& matches) {
  if (!any()) return;
  const std::scoped_lock lock(mutex_);
  for (auto group = groups_.begin(); group != groups_.end();) {
    if (!matches(*group)) {
      ++group;
      continue;
    }
    group->restore();
    group = groups_.erase(group);
  }
  any_.store(!groups_.empty(), std::memory_order_release);
}

void ReleasedPages::restore(const GlobalRange& range) {
  restore_where([&](const PageGroup& group) {
    return std::ranges::any_of(group.pages,
                               [&](const GlobalRange& pages) { return intersect(pages, range); });
  });
}

void ReleasedPages::restore_all() {
  restore_where([](const PageGroup&) { return true; });
}

void ReleasedPages::restore_those_of(const void* owner) {
  restore_where([&](const PageGroup& group) { return group.owner == owner; });
}

uint64_t ReleasedPages::bytes_of(const void* owner) {
  const std::scoped_lock lock(mutex_);
  uint64_t bytes = 0;
  for (const PageGroup& group : groups_)
    for (const GlobalRange& range : group.pages) bytes += group.owner == owner ? range.bytes : 0;
  return bytes;
}

}  // namespace tputwin
