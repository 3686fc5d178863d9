// KernelTurn: one kernel runs at a time in a process, because kernels keep state in global
// variables.
#pragma once

#include "base/error.h"

namespace tputwin::okk {

class KernelTurn {
 public:
  // Waits for the turn. An error if the launch that waits is to end, or if the kernel that has the
  // turn was given up.
  static Status take();
  static void release();
  // The kernel that has the turn never ends: no other kernel gets it.
  static void give_up();
  // Those that wait look whether they are to end.
  static void wake();
};

}  // namespace tputwin::okk
