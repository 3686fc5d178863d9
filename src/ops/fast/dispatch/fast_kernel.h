// The fast kernels of an operation: a list, best first. The first that does not decline runs.
#pragma once

#include "memory/memory.h"
#include "ops/fast/dispatch/isa.h"
#include "ops/fast/dispatch/kernel_trace.h"

namespace tputwin::fast {

// `Declined` is the result of a kernel: nullptr if it ran, otherwise the reason why it declined. A
// kernel that declines must change nothing.
using Declined = const char*;
constexpr Declined kRan = nullptr;

// `name` identifies the kernel in traces and tests. It describes in a word or two how the kernel
// works.
template <class Op>
struct FastKernel {
  const char* name;
  Declined (*run)(const Op& op, const Memory& memory);
};

template <class Op, size_t N>
bool run_best(const FastKernel<Op> (&kernels)[N], const Op& op, const Memory& memory) {
  if (!vectors_enabled()) return false;
  for (const FastKernel<Op>& kernel : kernels) {
    const Declined why = kernel.run(op, memory);
    if (is_traced()) [[unlikely]]
      trace_kernel(name(op), kernel.name, why);
    if (why == kRan) return true;
  }
  return false;
}

// Defines fast::execute() of an operation type. The arguments after the type list its kernels as
// {"name", run}, the best one first.
#define TW_FAST_KERNELS(Type, ...)                                    \
  bool execute(const Type& op, const Memory& memory) {                \
    static constexpr FastKernel<Type> kFastKernels[] = {__VA_ARGS__}; \
    return run_best(kFastKernels, op, memory);                        \
  }

}  // namespace tputwin::fast
