// Executes deferred loads when their bytes are needed.
#include "machine/optimizer/deferred_loads.h"

#include <algorithm>
#include <utility>

#include "base/copy_run.h"

namespace tputwin {

// The loads execute on local memory of their own, because later instructions of the program may
// have overwritten other bytes of their destinations.
void DeferredLoads::execute() {
  const auto loads = std::exchange(loads_, nullptr);
  if (loads == nullptr) return;
  for (const GlobalRange& source : loads->sources) pages_.restore(source);
  LocalMemory loaded(chip_);
  for (const Operation& load : loads->operations) tputwin::execute(load, {loaded, memory_.global});
  for (const auto& [lane, begin, end] : loads->live_out)
    copy_run(memory_.local.lane(lane) + begin, loaded.lane(lane) + begin, end - begin);
}

void DeferredLoads::execute_if_from(const GlobalRange& written) {
  if (loads_ == nullptr) return;
  const auto overlaps = [&](const GlobalRange& source) { return intersect(source, written); };
  if (std::ranges::any_of(loads_->sources, overlaps)) execute();
}

}  // namespace tputwin
