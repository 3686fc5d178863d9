// SIGSEGV, SIGBUS and SIGFPE in a kernel's own code.
#include "sdk/okkernel/fault_handler.h"

#include <algorithm>

#include "sdk/okkernel/kernel_exit.h"
#include "sdk/okkernel/pointer.h"

namespace tputwin::okk {
namespace {

thread_local Session* watched = nullptr;
thread_local const void* touched = nullptr;

// Faults in our own code are our bugs, whatever their cause.
bool ends_launch(int signal, const siginfo_t& info) {
  const bool own = watched != nullptr && in_leavable_kernel() && watched->in_own_code();
  if (!own || info.si_code <= 0) return false;  // sent by somebody
  if (watched->device().failed()) return true;
  return signal == SIGSEGV && beside_a_memory(watched->device(), info.si_addr);
}

}  // namespace

std::array<struct sigaction, FaultHandler::kSignals.size()> FaultHandler::before_;

FaultHandler::FaultHandler(Session& session) {
  watched = &session;
  struct sigaction action {};
  action.sa_sigaction = on_signal;
  // the handler does not return: nothing must be left blocked
  action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
  for (size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &action, &before_[i]);
}

FaultHandler::~FaultHandler() {
  watched = nullptr;
  for (size_t i = 0; i < kSignals.size(); ++i) {
    struct sigaction now {};
    sigaction(kSignals[i], nullptr, &now);
    // a handler that the program installed meanwhile stays
    if (now.sa_sigaction == on_signal) sigaction(kSignals[i], &before_[i], nullptr);
  }
}

const void* FaultHandler::fault_address() { return touched; }

void FaultHandler::on_signal(int signal, siginfo_t* info, void* context) {
  if (!ends_launch(signal, *info)) return pass_on(signal, info, context);
  touched = info->si_addr;
  leave_kernel(KernelEnd::fault);
}

void FaultHandler::pass_on(int signal, siginfo_t* info, void* context) {
  const auto index = std::ranges::find(kSignals, signal) - kSignals.begin();
  const struct sigaction& before = before_[static_cast<size_t>(index)];
  if ((before.sa_flags & SA_SIGINFO) != 0) return before.sa_sigaction(signal, info, context);
  if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)
    return before.sa_handler(signal);
  // the instruction faults again, or the signal comes again, and takes its way
  sigaction(signal, &before, nullptr);
  if (info->si_code <= 0) raise(signal);
}

}  // namespace tputwin::okk
