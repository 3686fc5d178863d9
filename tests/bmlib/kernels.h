// Kernels of this program, by name. They use only pointers and one copy function.
#pragma once

#include <atomic>

namespace tputwin::testing {

// Arguments of the kernel "count": adds `step` to the int32 at `address`, `times` times.
struct __attribute__((packed)) CountArguments {
  unsigned char odd;  // leaves the members after it unaligned
  unsigned long long address;
  int times, step;
};

// Arguments of the kernel "waits": it returns when the number is not 0.
struct __attribute__((packed)) WaitArguments {
  std::atomic<int>* until;
};

}  // namespace tputwin::testing
