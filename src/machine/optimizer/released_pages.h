// ReleasedPages: pages of a device's global memory that were returned to the operating system while
// an owner holds their bytes in another form. The functions restore...() bring pages back; callers
// must call them before they read or write bytes there. Thread-safe.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <vector>

#include "memory/global_range.h"

namespace tputwin {

class ReleasedPages {
 public:
  // Pages that one owner released together, and the function that writes their bytes back.
  struct PageGroup {
    const void* owner;
    std::vector<GlobalRange> pages;
    std::function<void()> restore;
  };
  // Returns the pages of `memory` that `choose` selects to the operating system. No other thread
  // can restore pages while `choose` runs.
  void release(GlobalMemory& memory, const std::function<PageGroup()>& choose);

  bool any() const { return any_.load(std::memory_order_acquire); }
  // Restores the pages of the range, with all other pages of their groups.
  void restore(const GlobalRange& range);
  void restore_all();
  void restore_those_of(const void* owner);
  // Returns the number of bytes of `owner` that are not in memory.
  uint64_t bytes_of(const void* owner);

 private:
  template <class Matches>
  void restore_where(const Matches& matches);

  std::atomic<bool> any_{false};
  std::mutex mutex_;
  std::vector<PageGroup> groups_;
};

}  // namespace tputwin
