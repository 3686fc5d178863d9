// Early exit from a kernel's own code by longjmp. It needs neither the kernel's cooperation nor
// unwind tables. It does not destroy local objects of a C++ kernel.
#pragma once

#include "sdk/okkernel/session.h"

namespace tputwin::okk {

enum class KernelEnd {
  returned,
  reported,   // for an error that is recorded
  assertion,  // a condition did not hold, after an error
  runaway,    // it kept calling after an error
  stopped,    // its time limit expired
  // Its own code touched an invalid address, or divided by zero.
  fault,
};

// Runs a kernel's own code on the calling thread; leave_kernel() returns here.
KernelEnd run_leavable(KernelFunction function, const void* arguments);

// Returns true if the calling thread is inside run_leavable().
bool in_leavable_kernel();
// Makes run_leavable() return `end`.
[[noreturn]] void leave_kernel(KernelEnd end);

}  // namespace tputwin::okk
