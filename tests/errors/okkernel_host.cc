// TW-OKK-00xx and 04xx: kernels that break the rules of control, pointers and registration.
#include <bmlib_runtime.h>
#include <okk.h>

#include <cstdlib>
#include <stdexcept>

#include "base/errors/memory.h"
#include "base/errors/okkernel.h"
#include "base/last_error.h"
#include "errors/trigger.h"

namespace tputwin::testing {
namespace {

constexpr dim4 kFourWords = {1, 1, 1, 4};

// Returns the thread's last error, or first warning, after a launch of the kernel.
Status report_of(okk_kernel_func_t kernel) {
  thread_diagnostics().clear();
  bm_handle_t handle = nullptr;
  bm_dev_request(&handle, 0);
  okk_register_kernel_func("trigger", kernel);
  thread_diagnostics().clear();
  okkernel_launch_sync(handle, "trigger", nullptr, 0);
  bm_dev_free(handle);
  auto error = thread_diagnostics().last_error();
  auto warnings = thread_diagnostics().warnings();
  thread_diagnostics().clear();
  if (error) return *error;
  return warnings.empty() ? Status() : Status(warnings.front().sample);
}

TW_TRIGGER(okk_parallel_nested, [] {
  return report_of([](const void*) {
    okk_parallel_start();
    okk_parallel_start();
  });
});
TW_TRIGGER(okk_parallel_end_outside,
           [] { return report_of([](const void*) { okk_parallel_end(); }); });
TW_TRIGGER(okk_poll_parallel, [] {
  return report_of([](const void*) {
    okk_parallel_start();
    okk_poll();
  });
});
TW_TRIGGER(okk_parallel_open, [] { return report_of([](const void*) { okk_parallel_start(); }); });
TW_TRIGGER(okk_uninitialized, [] {
  return report_of([](const void*) { okk_bdc_32bit_cpy(128, 0, &kFourWords, nullptr, nullptr); });
});
TW_TRIGGER(okk_pointer, [] { return report_of([](const void*) { okk_local_mem_addr(64, 0); }); });
TW_TRIGGER(okk_pointer_unpolled, [] {
  return report_of([](const void*) {
    okk_initialize();
    okk_bdc_32bit_cpy(128, 0, &kFourWords, nullptr, nullptr);
    okk_local_mem_addr(0, 0);
  });
});
TW_TRIGGER(okk_kernel_twice, []() -> Status {
  thread_diagnostics().clear();
  okk_register_kernel_func("twice", [](const void*) {});
  okk_register_kernel_func("twice", [](const void*) { okk_poll(); });
  auto warnings = thread_diagnostics().warnings();
  thread_diagnostics().clear();
  return warnings.empty() ? Status() : Status(warnings.front().sample);
});
TW_TRIGGER(okk_assert, [] {
  setenv("TPUTWIN_ASSERT", "fail", 1);
  Status status =
      report_of([](const void*) { okk_assert_failed("file.c", 1, "kernel", "1 + 1 == 3"); });
  unsetenv("TPUTWIN_ASSERT");
  return status;
});
// Writes four int32 from the last int32 of a memory on.
TW_TRIGGER(mem_l2_range, [] {
  return report_of([](const void*) {
    okk_initialize();
    okk_gdma_32bit_set_C_system(okk_l2_sram_start_addr() + okk_l2_sram_size() - 4, {}, &kFourWords,
                                nullptr);
  });
});
TW_TRIGGER(mem_dtcm_range, [] {
  return report_of([](const void*) {
    okk_initialize();
    okk_gdma_32bit_set_C_system(okk_dtcm_start_addr() + okk_dtcm_size() - 4, {}, &kFourWords,
                                nullptr);
  });
});
TW_TRIGGER(okk_exception,
           [] { return report_of([](const void*) { throw std::runtime_error("left"); }); });

}  // namespace
}  // namespace tputwin::testing
