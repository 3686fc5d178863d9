// PendingLoads: loads that a program left out, though some of what they bring lies in lanes at its
// end: lanes are owed these bytes until somebody could see them, or writes where they come from.
#pragma once

#include <memory>
#include <vector>

#include "machine/spare_pages.h"
#include "memory/global_range.h"
#include "memory/memory.h"
#include "ops/operation.h"

namespace tputwin {

class PendingLoads {
 public:
  struct LaneBytes {  // small, as there may be many: between the rows of a map, say
    uint32_t lane, begin, end;
  };
  struct Loads {
    std::vector<Operation> operations;
    std::vector<GlobalRange> sources;  // of each
    std::vector<LaneBytes> bytes;      // of all of them together
  };
  PendingLoads(const Chip& chip, const Memory& memory, SparePages& pages)
      : chip_(chip), memory_(memory), pages_(pages) {}

  bool any() const { return loads_ != nullptr; }
  bool are(const std::shared_ptr<const Loads>& loads) const { return any() && loads_ == loads; }
  void owe(std::shared_ptr<const Loads> loads) { loads_ = std::move(loads); }
  // They are left out or done once more: nobody has seen that they were owed.
  void forget() { loads_.reset(); }

  void finish();
  // Global memory is about to be written there.
  void finish_if_from(const GlobalRange& written);

 private:
  const Chip& chip_;
  Memory memory_;
  SparePages& pages_;
  std::shared_ptr<const Loads> loads_;
};

}  // namespace tputwin
