// Names of the values of a timeline.
#include "insight/timing/timeline.h"

namespace tputwin::insight {

std::string_view to_string(Delay delay) {
  static constexpr std::string_view kNames[] = {"none",   "launch",  "issue",
                                                "engine", "command", "host"};
  return kNames[static_cast<size_t>(delay)];
}

}  // namespace tputwin::insight
