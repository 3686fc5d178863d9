// FaultHandler: a fault of a kernel's own code ends its launch instead of the process where it
// follows from an address we handed out or from an error of the launch. Other faults are the
// program's, and go where they would go without us.
#pragma once

#include <signal.h>

#include <array>

#include "sdk/okkernel/session.h"

namespace tputwin::okk {

// While it lives, faults of the calling thread's kernel are looked at. One at a time in a process.
class FaultHandler {
 public:
  explicit FaultHandler(Session& session);
  ~FaultHandler();
  FaultHandler(const FaultHandler&) = delete;
  FaultHandler& operator=(const FaultHandler&) = delete;

  // What the kernel that was left by KernelEnd::fault touched.
  static const void* fault_address();

 private:
  static constexpr std::array kSignals{SIGSEGV, SIGBUS, SIGFPE};
  static void on_signal(int signal, siginfo_t* info, void* context);
  static void pass_on(int signal, siginfo_t* info, void* context);

  static std::array<struct sigaction, kSignals.size()> before_;
};

}  // namespace tputwin::okk
