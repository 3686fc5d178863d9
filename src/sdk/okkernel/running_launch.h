// The launch that a thread runs: its name for the line that a crash prints, and the data that other
// threads need to end it.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <string>

#include "machine/stop.h"
#include "sdk/okkernel/fault_handler.h"

namespace tputwin::okk {

// Code that a signal met in the thread of a launch that is to end.
enum class Met : uint8_t {
  nowhere,  // the signal has not reached it yet
  library,  // in this library, which checks whether to end
  // In other code than ours and the kernel's: it cannot be left there.
  outside,
};

// Shared by the thread that runs a launch and the threads that may end it.
struct RunControl {
  std::atomic<bool> stop = false;  // the launch is to end
  // The launch did not end: the device belongs to others now, and the launch must not touch it.
  std::atomic<bool> abandoned = false;
  std::atomic<pthread_t> thread{};                      // set before the launch begins
  std::atomic<const void*> function = nullptr;          // of the kernel, while it runs
  std::atomic<uintptr_t> code_begin = 0, code_end = 0;  // of the kernel's module
  std::atomic<Met> met = Met::nowhere;
};

// The name of a launch in messages.
struct LaunchLabel {
  const char* kind;  // "kernel" or "net"
  const char* name;
  uint64_t number;  // number of the launch on its device, from 1
  int device;
  std::string text() const;  // "kernel conv, launch 3 of device 0"
};

// Makes a launch the calling thread's for the lifetime of the object.
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

// Return those of the calling thread; nullptr outside launches.
RunControl* running_control();
const LaunchLabel* running_label();

// For another thread. Requests the launch to end. It ends when it calls a function of this library,
// or between two commands.
void request_stop(RunControl& control);
// Sends a signal to the thread of a launch that is to end. In a kernel's own code the signal ends
// the kernel. Returns the code that the previous signal met.
Met interrupt(RunControl& control);

}  // namespace tputwin::okk
