// Creates every watcher that the environment enables.
#include "insight/watch.h"

#include "insight/check_process.h"
#include "insight/debug/debug_process.h"
#include "insight/profile/profile_process.h"
#include "insight/recording/recorder.h"
#include "insight/statistics.h"
#include "insight/timing/timing_process.h"

namespace tputwin::insight {
namespace {

struct Entry {
  bool (*is_asked_for)();
  std::unique_ptr<Observer> (*watch)(Device&);
};
constexpr Entry kEntries[] = {
    {is_checking, check_device}, {is_profiling, profile_device},
    {is_timing, time_device},    {debug::is_debugging, debug::debug_device},
    {is_counting, count_device}, {recording::is_asked_for, recording::record_device},
};

}  // namespace

bool is_watching() {
  for (const Entry& entry : kEntries)
    if (entry.is_asked_for()) return true;
  return false;
}

Watchers watch(Device& device) {
  Watchers watchers;
  for (const Entry& entry : kEntries) {
    if (!entry.is_asked_for()) continue;
    watchers.push_back(entry.watch(device));
    device.observers().add(watchers.back().get());
  }
  return watchers;
}

}  // namespace tputwin::insight
