// The flag of each thread.
#include "machine/stop.h"

namespace tputwin {
namespace {

thread_local const std::atomic<bool>* flag_of_thread = nullptr;

}  // namespace

bool is_stop_wanted() {
  return flag_of_thread != nullptr && flag_of_thread->load(std::memory_order_relaxed);
}

ScopedStop::ScopedStop(const std::atomic<bool>& flag) : before_(flag_of_thread) {
  flag_of_thread = &flag;
}

ScopedStop::~ScopedStop() { flag_of_thread = before_; }

}  // namespace tputwin
