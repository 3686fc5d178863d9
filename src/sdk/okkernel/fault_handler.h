// FaultHandler: ends the launch instead of the process at a fault of the kernel's own code. The
// fault must follow from an address that a call returned, or from an error of the launch. Other
// faults belong to the program: they go to its handlers, after a line that names the launch.
#pragma once

#include <signal.h>

#include <array>

#include "sdk/okkernel/session.h"

namespace tputwin::okk {

// While one instance exists, the signals of faults come to us first. Any number may exist, in any
// threads.
class FaultSignals {
 public:
  FaultSignals();
  ~FaultSignals();
  FaultSignals(const FaultSignals&) = delete;
  FaultSignals& operator=(const FaultSignals&) = delete;
};

// While it exists, faults of the calling thread's kernel are examined.
class FaultHandler {
 public:
  explicit FaultHandler(Session& session);
  ~FaultHandler();
  FaultHandler(const FaultHandler&) = delete;
  FaultHandler& operator=(const FaultHandler&) = delete;

  // Returns the address that the kernel ended by KernelEnd::fault touched.
  static const void* fault_address();

 private:
  FaultSignals signals_;
};

}  // namespace tputwin::okk
