// KernelLock: a lock by which one kernel runs at a time in a process, because kernels keep state in
// global variables.
#pragma once

#include "base/error.h"

namespace tputwin::okk {

class KernelLock {
 public:
  // Waits for the lock. Returns an error if the waiting launch is to end, or if the kernel that
  // holds the lock was given up.
  static Status take();
  static void release();
  // The kernel that holds the lock never ends: no other kernel gets it.
  static void give_up();
  // Makes waiting launches check whether they are to end.
  static void wake();
};

}  // namespace tputwin::okk
