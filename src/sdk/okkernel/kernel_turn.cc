// KernelTurn: the state of the process-wide lock for kernels.
#include "sdk/okkernel/kernel_turn.h"

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

Status KernelTurn::take() {
  State& turn = state();
  std::unique_lock lock(turn.mutex);
  turn.changed.wait(lock, [&] { return !turn.is_taken || turn.is_lost || is_stop_wanted(); });
  if (turn.is_lost)
    return Error(errors::bml_device_lost)
        .argument("kernel", turn.holder)
        .detail("one kernel runs at a time in a process, and this one never ends");
  if (turn.is_taken)
    return Error(errors::mch_stopped).detail(fmt::format("it waited for {}", turn.holder));
  turn.is_taken = true;
  const LaunchLabel* label = running_label();
  turn.holder = label != nullptr ? label->text() : "a kernel";
  return {};
}

void KernelTurn::release() {
  State& turn = state();
  std::lock_guard lock(turn.mutex);
  turn.is_taken = false;
  turn.changed.notify_one();
}

void KernelTurn::give_up() {
  State& turn = state();
  std::lock_guard lock(turn.mutex);
  turn.is_lost = true;
  turn.changed.notify_all();
}

void KernelTurn::wake() {
  State& turn = state();
  std::lock_guard lock(turn.mutex);
  turn.changed.notify_all();
}

}  // namespace tputwin::okk
