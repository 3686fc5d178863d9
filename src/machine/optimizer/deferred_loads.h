// DeferredLoads: loads that the last run of a plan skipped although some of their bytes are
// live-out. They execute before an observer could read these bytes, and before their sources are
// written.
#pragma once

#include <memory>
#include <vector>

#include "machine/optimizer/released_pages.h"
#include "memory/global_range.h"
#include "memory/memory.h"
#include "ops/operation.h"

namespace tputwin {

class DeferredLoads {
 public:
  // 32-bit fields, as there may be many ranges, for example between the rows of a map.
  struct LaneBytes {
    uint32_t lane, begin, end;
  };
  // The loads that a plan defers, all of them or none in a run.
  struct Loads {
    std::vector<Operation> operations;
    std::vector<GlobalRange> sources;  // of each operation
    std::vector<LaneBytes> live_out;   // of all operations together
  };
  DeferredLoads(const Chip& chip, const Memory& memory, ReleasedPages& pages)
      : chip_(chip), memory_(memory), pages_(pages) {}

  bool any() const { return loads_ != nullptr; }
  // Returns true if these loads are deferred now.
  bool are(const std::shared_ptr<const Loads>& loads) const { return any() && loads_ == loads; }
  void defer(std::shared_ptr<const Loads> loads) { loads_ = std::move(loads); }
  // Drops the deferred loads without executing them. The next run must defer or execute the same
  // loads.
  void drop() { loads_.reset(); }

  // Executes the deferred loads: writes their live-out bytes to local memory.
  void execute();
  // Executes the deferred loads if their sources intersect `written`. The caller must call it
  // before it writes.
  void execute_if_from(const GlobalRange& written);

 private:
  const Chip& chip_;
  Memory memory_;
  ReleasedPages& pages_;
  std::shared_ptr<const Loads> loads_;
};

}  // namespace tputwin
