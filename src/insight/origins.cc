// The command buffers that the process made.
#include "insight/origins.h"

#include <algorithm>

namespace tputwin::insight {

Origins& Origins::of_process() {
  static auto& instance = *new Origins;
  return instance;
}

void Origins::add(std::span<const uint8_t> commands, Origin origin) {
  std::lock_guard lock(mutex_);
  known_.push_front({{commands.begin(), commands.end()}, std::move(origin)});
  if (known_.size() > kMost) known_.pop_back();
}

Origin Origins::find(std::span<const uint8_t> commands) const {
  std::lock_guard lock(mutex_);
  const auto known = std::ranges::find_if(
      known_, [&](const Known& k) { return std::ranges::equal(k.commands, commands); });
  return known != known_.end() ? known->origin : Origin();
}

}  // namespace tputwin::insight
