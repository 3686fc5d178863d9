// SparePages: pages of global memory that hold nothing, because somebody keeps their bytes in
// another form. The system has them back. Whoever is about to look at bytes there, or to write
// some, says so first, and they are filled again. Thread-safe.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <vector>

#include "memory/global_range.h"

namespace tputwin {

class SparePages {
 public:
  // Pages, and what fills all of them again. `keeper` says whose they are.
  struct Spared {
    const void* keeper;
    std::vector<GlobalRange> pages;
    std::function<void()> fill;
  };
  // Gives pages of `memory` back to the system, those that `choose` returns. Nobody asks for pages
  // while it looks.
  void spare(GlobalMemory& memory, const std::function<Spared()>& choose);

  bool any() const { return any_.load(std::memory_order_acquire); }
  // Pages of the range are needed from now on.
  void need(const GlobalRange& range);
  void need_all();
  void need_those_of(const void* keeper);
  // Of a keeper, so many that hold nothing.
  uint64_t bytes_of(const void* keeper);

 private:
  template <class Matches>
  void fill_where(const Matches& matches);

  std::atomic<bool> any_{false};
  std::mutex mutex_;
  std::vector<Spared> spared_;
};

}  // namespace tputwin
