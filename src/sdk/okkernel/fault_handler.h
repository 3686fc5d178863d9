// FaultHandler: a fault of a kernel's own code ends its launch instead of the process where it
// follows from an address we handed out or from an error of the launch. Other faults are the
// program's, and go where they would go without us, after a line that names the launch.
#pragma once

#include <signal.h>

#include <array>

#include "sdk/okkernel/session.h"

namespace tputwin::okk {

// While one lives, the signals of faults come to us first. Any number may live, in any threads.
class FaultSignals {
 public:
  FaultSignals();
  ~FaultSignals();
  FaultSignals(const FaultSignals&) = delete;
  FaultSignals& operator=(const FaultSignals&) = delete;
};

// While it lives, faults of the calling thread's kernel are looked at.
class FaultHandler {
 public:
  explicit FaultHandler(Session& session);
  ~FaultHandler();
  FaultHandler(const FaultHandler&) = delete;
  FaultHandler& operator=(const FaultHandler&) = delete;

  // What the kernel that was left by KernelEnd::fault touched.
  static const void* fault_address();

 private:
  FaultSignals signals_;
};

}  // namespace tputwin::okk
