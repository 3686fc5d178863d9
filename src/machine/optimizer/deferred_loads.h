// PendingLoads: deferred loads. A program skipped them although some of their bytes are live-out.
// The loads execute before an observer could read these bytes, and before their sources are
// written.
#pragma once

#include <memory>
#include <vector>

#include "machine/optimizer/released_pages.h"
#include "memory/global_range.h"
#include "memory/memory.h"
#include "ops/operation.h"

namespace tputwin {

class PendingLoads {
 public:
  // 32-bit fields, as there may be many ranges, for example between the rows of a map.
  struct LaneBytes {
    uint32_t lane, begin, end;
  };
  struct Loads {
    std::vector<Operation> operations;
    std::vector<GlobalRange> sources;  // of each operation
    std::vector<LaneBytes> bytes;      // of all operations together
  };
  PendingLoads(const Chip& chip, const Memory& memory, SparePages& pages)
      : chip_(chip), memory_(memory), pages_(pages) {}

  bool any() const { return loads_ != nullptr; }
  bool are(const std::shared_ptr<const Loads>& loads) const { return any() && loads_ == loads; }
  void owe(std::shared_ptr<const Loads> loads) { loads_ = std::move(loads); }
  // Drops the deferred loads without executing them. The next run defers or executes the same
  // loads.
  void forget() { loads_.reset(); }

  void finish();
  // Executes the deferred loads if their sources intersect `written`. Called before the write.
  void finish_if_from(const GlobalRange& written);

 private:
  const Chip& chip_;
  Memory memory_;
  SparePages& pages_;
  std::shared_ptr<const Loads> loads_;
};

}  // namespace tputwin
