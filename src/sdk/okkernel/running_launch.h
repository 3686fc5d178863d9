// The launch that a thread runs: its name for the line that a crash leaves, and what other threads
// need to end it.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <string>

#include "machine/stop.h"
#include "sdk/okkernel/fault_handler.h"

namespace tputwin::okk {

// Where a signal met the thread of a launch that is to end.
enum class Met : uint8_t {
  nowhere,  // the signal has not reached it yet
  library,  // in code of ours, which looks whether it is to end
  outside,  // in code that is neither ours nor the kernel's: it cannot be left there
};

// Shared by the thread that runs a launch and the threads that may end it.
struct RunControl {
  std::atomic<bool> stop = false;  // it is to end
  // It did not end: the device belongs to others now, and the launch must not touch it.
  std::atomic<bool> abandoned = false;
  std::atomic<pthread_t> thread{};                      // before it begins
  std::atomic<const void*> function = nullptr;          // of the kernel, while it runs
  std::atomic<uintptr_t> code_begin = 0, code_end = 0;  // of the module that the kernel is in
  std::atomic<Met> met = Met::nowhere;
};

// How messages name a launch.
struct LaunchLabel {
  const char* kind;  // "kernel" or "net"
  const char* name;
  uint64_t number;  // of its device, from 1
  int device;
  std::string text() const;  // "kernel conv, launch 3 of device 0"
};

// Makes a launch the calling thread's for as long as it lives.
class ScopedRun {
 public:
  ScopedRun(RunControl& control, const LaunchLabel& label);
  ~ScopedRun();
  ScopedRun(const ScopedRun&) = delete;
  ScopedRun& operator=(const ScopedRun&) = delete;

 private:
  ScopedStop stop_;
  FaultSignals signals_;
};

// Those of the calling thread; nullptr outside launches.
RunControl* running_control();
const LaunchLabel* running_label();

// From another thread. Asks the launch to end; it does when it calls a function of ours, or between
// two commands.
void request_stop(RunControl& control);
// Sends a signal to the thread of a launch that is to end. In a kernel's own code it ends the
// kernel. Returns where the signal before met the thread.
Met interrupt(RunControl& control);

}  // namespace tputwin::okk
