// The exit from a kernel.
#include "sdk/okkernel/kernel_exit.h"

#include <csetjmp>

namespace tputwin::okk {
namespace {

thread_local std::jmp_buf* kernel_exit = nullptr;  // nullptr outside kernels

// Sets the thread's exit while it exists. Its destructor also resets it when an exception leaves
// the kernel.
struct ExitScope {
  explicit ExitScope(std::jmp_buf& exit) { kernel_exit = &exit; }
  ~ExitScope() { kernel_exit = nullptr; }
};

}  // namespace

// The kernel runs between setjmp and longjmp; no local variable here changes between them.
KernelEnd run_leavable(KernelFunction function, const void* arguments) {
  std::jmp_buf exit;
  const ExitScope scope(exit);
  const int end = setjmp(exit);
  if (end == 0) function(arguments);
  return static_cast<KernelEnd>(end);
}

bool in_leavable_kernel() { return kernel_exit != nullptr; }

void leave_kernel(KernelEnd end) { std::longjmp(*kernel_exit, static_cast<int>(end)); }

}  // namespace tputwin::okk
