// Executes deferred loads when their bytes are needed.
#include "machine/optimizer/deferred_loads.h"

#include <algorithm>
#include <utility>

#include "base/copy_run.h"

namespace tputwin {

void PendingLoads::finish() {
  const auto loads = std::exchange(loads_, nullptr);
  if (loads == nullptr) return;
  for (const GlobalRange& source : loads->sources) pages_.need(source);
  LocalMemory lanes(chip_);
  for (const Operation& load : loads->operations) execute(load, {lanes, memory_.global});
  for (const auto& [lane, begin, end] : loads->bytes)
    copy_run(memory_.local.lane(lane) + begin, lanes.lane(lane) + begin, end - begin);
}

void PendingLoads::finish_if_from(const GlobalRange& written) {
  if (loads_ != nullptr && std::ranges::any_of(loads_->sources, [&](const GlobalRange& source) {
        return intersect(source, written);
      }))
    finish();
}

}  // namespace tputwin
