// Kernels whose own code is faulty, and libraries of kernels with undefined functions.
#include <bm_atomic.h>

#include "base/errors/bmlib.h"
#include "base/errors/okkernel.h"
#include "base/errors/tpukernel.h"
#include "base/last_error.h"
#include "errors/kernel.h"
#include "errors/trigger.h"
#include "sdk/okkernel/linking/undefined_function.h"
#include "tools/kernel.h"

// Declared here because okk.h and tpu_kernel.h share names.
extern "C" void* tpu_global_mem_addr(unsigned long long addr);
extern "C" void tpu_initialize(void);

namespace tputwin::testing {
namespace {

Status left(const Chip& chip, okk::KernelFunction kernel) {
  auto device = Device::create({.chip = &chip, .global_bytes = uint64_t{1} << 20});
  if (!device.ok()) return device.error();
  const okk::Outcome outcome = okk::run_kernel(**device, "kernel", kernel, nullptr);
  return outcome.error ? Status(*outcome.error) : Status();
}

TW_TRIGGER(okk_pointer_left, [] {
  return left(bm1684(), [](const void*) {
    okk_initialize();
    *static_cast<volatile unsigned char*>(okk_local_mem_addr(63, 0) + (1 << 20)) = 1;
  });
});
TW_TRIGGER(tpu_pointer_left, [] {
  return left(bm1684x(), [](const void*) {
    tpu_initialize();
    static_cast<volatile unsigned char*>(tpu_global_mem_addr(0x100000000))[-1] = 1;
  });
});

// Calls the function that replaces one that no library defines.
void call_undefined(const void*) { okk::undefined_function("helper_of_another_file")(); }
TW_TRIGGER(okk_undefined, [] { return left(bm1684(), call_undefined); });
TW_TRIGGER(tpu_undefined, [] { return left(bm1684x(), call_undefined); });

TW_TRIGGER(okk_unsupported, [] {
  return in_kernel([] {
    const SortParam param{};
    bm_atomic_sort(&param);
  });
});

Status loaded(const char* library) {
  thread_diagnostics().clear();
  Status status = tools::load_kernels(library).status();
  const auto warnings = thread_diagnostics().warnings();
  thread_diagnostics().clear();
  if (status.ok() && !warnings.empty()) return warnings.front().sample;
  return status;
}
TW_TRIGGER(bml_library_undefined, [] { return loaded(TPUTWIN_LACKING_LIBRARY); });

}  // namespace
}  // namespace tputwin::testing
