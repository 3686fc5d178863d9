// Stop flags and foreign-code marks of threads.
#include "machine/stop.h"

namespace tputwin {
namespace {

thread_local const std::atomic<bool>* flag_of_thread = nullptr;
thread_local std::atomic<bool> is_in_foreign_code = false;

}  // namespace

bool is_stop_wanted() {
  return flag_of_thread != nullptr && flag_of_thread->load(std::memory_order_relaxed);
}

ScopedStop::ScopedStop(const std::atomic<bool>& flag) : before_(flag_of_thread) {
  flag_of_thread = &flag;
}

ScopedStop::~ScopedStop() { flag_of_thread = before_; }

ScopedForeignCode::ScopedForeignCode() { is_in_foreign_code = true; }
ScopedForeignCode::~ScopedForeignCode() { is_in_foreign_code = false; }

bool runs_foreign_code() { return is_in_foreign_code; }

}  // namespace tputwin
