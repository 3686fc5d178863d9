// Kernels of this program, by name. They work through pointers and one copy function only.
#pragma once

#include <atomic>

namespace tputwin::testing {

// Of the kernel "count": adds `step` to the word at `address`, `times` times.
struct __attribute__((packed)) CountArguments {
  unsigned char odd;  // nothing after it is aligned
  unsigned long long address;
  int times, step;
};

// Of the kernel "waits": it returns when the number is no longer 0.
struct __attribute__((packed)) WaitArguments {
  std::atomic<int>* until;
};

}  // namespace tputwin::testing
