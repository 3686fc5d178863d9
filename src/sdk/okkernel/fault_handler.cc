// Signals of faults in launches: SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP and SIGABRT.
#include "sdk/okkernel/fault_handler.h"

#include <algorithm>
#include <memory>
#include <mutex>

#include "sdk/okkernel/crash_line.h"
#include "sdk/okkernel/kernel_exit.h"
#include "sdk/okkernel/pointer.h"
#include "sdk/okkernel/running_launch.h"

namespace tputwin::okk {
namespace {

constexpr std::array kSignals{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};

thread_local Session* watched = nullptr;
thread_local const void* touched = nullptr;

// The program's own handlers, while ours are installed.
std::array<struct sigaction, kSignals.size()> before{};

// Returns true if the fault ends the launch. Faults in code of this library are bugs of ours,
// whatever their cause.
bool ends_launch(int signal, const siginfo_t& info) {
  const bool own = watched != nullptr && in_leavable_kernel() && watched->in_own_code();
  if (!own || info.si_code <= 0) return false;  // sent by a process
  if (watched->device().errors().any()) return true;
  return signal == SIGSEGV && is_next_to_a_memory(watched->device(), info.si_addr);
}

void pass_on(int signal, siginfo_t* info, void* context) {
  const auto index = std::ranges::find(kSignals, signal) - kSignals.begin();
  const struct sigaction& wanted = before[static_cast<size_t>(index)];
  if ((wanted.sa_flags & SA_SIGINFO) != 0) return wanted.sa_sigaction(signal, info, context);
  if (wanted.sa_handler != SIG_DFL && wanted.sa_handler != SIG_IGN)
    return wanted.sa_handler(signal);
  // The instruction faults again, or the signal is raised again, with the program's handler.
  sigaction(signal, &wanted, nullptr);
  if (info->si_code <= 0) raise(signal);
}

void on_signal(int signal, siginfo_t* info, void* context) {
  if (ends_launch(signal, *info)) {
    touched = info->si_addr;
    leave_kernel(KernelEnd::fault);
  }
  if (const LaunchLabel* label = running_label()) {
    const bool is_own = watched != nullptr && in_leavable_kernel() && watched->in_own_code();
    write_crash_line(*label, signal, *info, is_own);
  }
  pass_on(signal, info, context);
}

// A stack for handlers of the thread; a kernel that has exhausted its stack needs it. If the thread
// has such a stack already, it is kept.
class HandlerStack {
 public:
  HandlerStack() {
    stack_t now{};
    if (sigaltstack(nullptr, &now) != 0 || (now.ss_flags & SS_DISABLE) == 0) return;
    bytes_ = std::make_unique<char[]>(kBytes);
    const stack_t own{.ss_sp = bytes_.get(), .ss_flags = 0, .ss_size = kBytes};
    sigaltstack(&own, nullptr);
  }
  ~HandlerStack() {
    if (bytes_ == nullptr) return;
    const stack_t none{.ss_sp = nullptr, .ss_flags = SS_DISABLE, .ss_size = kBytes};
    sigaltstack(&none, nullptr);
  }

 private:
  static constexpr size_t kBytes = size_t{64} << 10;
  std::unique_ptr<char[]> bytes_;
};

struct Installed {
  std::mutex mutex;
  int users = 0;
};

Installed& installed() {
  static auto& instance = *new Installed;
  return instance;
}

}  // namespace

FaultSignals::FaultSignals() {
  static thread_local const HandlerStack stack;
  std::lock_guard lock(installed().mutex);
  if (++installed().users > 1) return;
  struct sigaction action {};
  action.sa_sigaction = on_signal;
  // the handler may not return, so it must not block signals
  action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
  for (size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &action, &before[i]);
}

FaultSignals::~FaultSignals() {
  std::lock_guard lock(installed().mutex);
  if (--installed().users > 0) return;
  for (size_t i = 0; i < kSignals.size(); ++i) {
    struct sigaction now {};
    sigaction(kSignals[i], nullptr, &now);
    // keep a handler that the program has installed in between
    if (now.sa_sigaction == on_signal) sigaction(kSignals[i], &before[i], nullptr);
  }
}

FaultHandler::FaultHandler(Session& session) { watched = &session; }
FaultHandler::~FaultHandler() { watched = nullptr; }

const void* FaultHandler::fault_address() { return touched; }

}  // namespace tputwin::okk
