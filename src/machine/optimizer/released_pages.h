// SparePages: pages of global memory that were returned to the operating system, as a keeper holds
// their bytes in another form. The functions need...() restore pages; callers must call them before
// they read or write bytes there. Thread-safe.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <vector>

#include "memory/global_range.h"

namespace tputwin {

class SparePages {
 public:
  // Pages and the function that restores all of them. `keeper` identifies the owner.
  struct Spared {
    const void* keeper;
    std::vector<GlobalRange> pages;
    std::function<void()> fill;
  };
  // Returns pages of `memory` that `choose` selects to the operating system. No other thread can
  // restore pages while `choose` runs.
  void spare(GlobalMemory& memory, const std::function<Spared()>& choose);

  bool any() const { return any_.load(std::memory_order_acquire); }
  // Restores the pages of the range, with all other pages of their keepers' groups.
  void need(const GlobalRange& range);
  void need_all();
  void need_those_of(const void* keeper);
  // Returns the number of bytes of `keeper` that are not in memory.
  uint64_t bytes_of(const void* keeper);

 private:
  template <class Matches>
  void fill_where(const Matches& matches);

  std::atomic<bool> any_{false};
  std::mutex mutex_;
  std::vector<Spared> spared_;
};

}  // namespace tputwin
