// KernelLock: the state of the process-wide lock for kernels.
#include "sdk/okkernel/kernel_lock.h"

#include <pthread.h>

#include <condition_variable>
#include <mutex>
#include <string>

#include "base/errors/bmlib.h"
#include "base/errors/machine.h"
#include "sdk/okkernel/running_launch.h"

namespace tputwin::okk {
namespace {

// Never destroyed: a kernel may run while the process exits.
struct State {
  std::mutex mutex;
  std::condition_variable changed;
  bool is_taken = false, is_lost = false;
  std::string holder;  // name of the holder, for messages
};

State* current = nullptr;

// A child of fork() has only the thread that forked. Neither the kernel that held the lock nor a
// thread that held the mutex runs there.
void reset_in_child() { current = new State; }

State& state() {
  static const bool is_made = [] {
    current = new State;
    pthread_atfork(nullptr, nullptr, reset_in_child);
    return true;
  }();
  static_cast<void>(is_made);
  return *current;
}

}  // namespace

Status KernelLock::take() {
  State& lock_state = state();
  std::unique_lock lock(lock_state.mutex);
  lock_state.changed.wait(
      lock, [&] { return !lock_state.is_taken || lock_state.is_lost || is_stop_wanted(); });
  if (lock_state.is_lost)
    return Error(errors::bml_device_lost)
        .argument("kernel", lock_state.holder)
        .detail("one kernel runs at a time in a process, and this one never ends");
  if (lock_state.is_taken)
    return Error(errors::mch_stopped).detail(fmt::format("it waited for {}", lock_state.holder));
  lock_state.is_taken = true;
  const LaunchLabel* label = running_label();
  lock_state.holder = label != nullptr ? label->text() : "a kernel";
  return {};
}

void KernelLock::release() {
  State& lock_state = state();
  std::lock_guard lock(lock_state.mutex);
  lock_state.is_taken = false;
  lock_state.changed.notify_one();
}

void KernelLock::give_up() {
  State& lock_state = state();
  std::lock_guard lock(lock_state.mutex);
  lock_state.is_lost = true;
  lock_state.changed.notify_all();
}

void KernelLock::wake() {
  State& lock_state = state();
  std::lock_guard lock(lock_state.mutex);
  lock_state.changed.notify_all();
}

}  // namespace tputwin::okk
