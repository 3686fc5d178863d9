// How a kernel's own code is left before its end: by longjmp, so that neither its cooperation nor
// unwind tables are needed. Local objects of a C++ kernel are not destroyed then.
#pragma once

#include "sdk/okkernel/session.h"

namespace tputwin::okk {

enum class KernelEnd {
  returned,
  reported,   // for an error that is booked
  assertion,  // a condition did not hold, after an error
  runaway,    // it called on and on after an error
  stopped,    // its time was over
  fault,      // its own code touched what is no memory, or divided by zero
};

// Runs a kernel's own code on the calling thread, whose exit it is until then.
KernelEnd run_leavable(KernelFunction function, const void* arguments);

// Whether the calling thread is inside run_leavable().
bool in_leavable_kernel();
// Makes it return `end`.
[[noreturn]] void leave_kernel(KernelEnd end);

}  // namespace tputwin::okk
