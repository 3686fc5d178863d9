// Requests to end a launch, and the signal that reaches a kernel's own code.
#include "sdk/okkernel/running_launch.h"

#include <fmt/format.h>
#include <link.h>
#include <signal.h>
#include <ucontext.h>

#include <mutex>

#include "sdk/okkernel/kernel_exit.h"
#include "sdk/okkernel/kernel_lock.h"
#include "sdk/okkernel/session.h"

namespace tputwin::okk {
namespace {

thread_local RunControl* control_of_thread = nullptr;
thread_local const LaunchLabel* label_of_thread = nullptr;

// Ignored by default, and used by few programs.
constexpr int kSignal = SIGURG;

struct sigaction before {};  // the program's action for the signal

uintptr_t interrupted_address(const void* context) {
  const mcontext_t& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return static_cast<uintptr_t>(machine.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return machine.pc;
#else
  static_cast<void>(machine);
  return 0;
#endif
}

// Ends a kernel only in its own code. In a function of another library the thread may hold a lock,
// for example of the heap, that would never be released.
void on_interrupt(RunControl& control, const void* context) {
  const Session* session = current_session();
  if (session == nullptr || !in_leavable_kernel()) {
    control.met = runs_foreign_code() ? Met::outside : Met::library;
    return;
  }
  const uintptr_t at = interrupted_address(context);
  if (!session->in_own_code()) {
    control.met = Met::library;
  } else if (control.code_begin <= at && at < control.code_end) {
    leave_kernel(KernelEnd::stopped);
  } else {
    control.met = Met::outside;
  }
}

void on_signal(int signal, siginfo_t* info, void* context) {
  RunControl* control = control_of_thread;
  if (control != nullptr && control->stop) return on_interrupt(*control, context);
  if ((before.sa_flags & SA_SIGINFO) != 0) return before.sa_sigaction(signal, info, context);
  if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) before.sa_handler(signal);
}

// Installs our handler before the program's, also before one that it installed later.
void install_handler() {
  static auto& mutex = *new std::mutex;
  std::lock_guard lock(mutex);
  struct sigaction now {};
  sigaction(kSignal, nullptr, &now);
  if ((now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == on_signal) return;
  before = now;
  struct sigaction action {};
  action.sa_sigaction = on_signal;
  // The handler may not return, so it must not block signals. Without SA_RESTART, a waiting system
  // call ends.
  action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
  sigaction(kSignal, &action, nullptr);
}

// Finds the executable segment of the module that contains a function.
int find_module(dl_phdr_info* info, size_t, void* data) {
  auto& control = *static_cast<RunControl*>(data);
  const auto function = reinterpret_cast<uintptr_t>(control.function.load());
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& part = info->dlpi_phdr[i];
    const uintptr_t begin = info->dlpi_addr + part.p_vaddr, end = begin + part.p_memsz;
    if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0 || function < begin || function >= end)
      continue;
    control.code_begin = begin;
    control.code_end = end;
    return 1;
  }
  return 0;
}

}  // namespace

std::string LaunchLabel::text() const {
  return fmt::format("{} {}, launch {} of device {}", kind, name, number, device);
}

ScopedRun::ScopedRun(RunControl& control, const LaunchLabel& label) : stop_(control.stop) {
  control_of_thread = &control;
  label_of_thread = &label;
}

ScopedRun::~ScopedRun() {
  control_of_thread = nullptr;
  label_of_thread = nullptr;
}

RunControl* running_control() { return control_of_thread; }
const LaunchLabel* running_label() { return label_of_thread; }

void request_stop(RunControl& control) {
  install_handler();
  control.stop = true;
  KernelLock::wake();
}

Met interrupt(RunControl& control) {
  if (control.code_end == 0 && control.function != nullptr) dl_iterate_phdr(find_module, &control);
  const Met met = control.met.exchange(Met::nowhere);
  pthread_kill(control.thread, kSignal);
  return met;
}

}  // namespace tputwin::okk
