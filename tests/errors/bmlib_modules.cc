// TW-BML-03xx: modules of device code.
#include <bmlib_runtime.h>

#include <cstdlib>

#include "base/errors/bmlib.h"
#include "base/last_error.h"
#include "errors/trigger.h"
#include "sdk/bmlib/card.h"
#include "sdk/okkernel/registry.h"

namespace tputwin::testing {
namespace {

// This program has libraries of both chips: devices are BM1684 unless a trigger selects another.
[[maybe_unused]] const bool chosen = [] {
  bmlib::use_chip(bm1684());
  return true;
}();

// Returns the thread's last error, or first warning, after `call` on a fresh device.
Status report_of(const Chip& chip, void (*call)(bm_handle_t)) {
  bmlib::use_chip(chip);
  bm_handle_t handle = nullptr;
  bm_dev_request(&handle, 0);
  thread_diagnostics().clear();
  call(handle);
  auto error = thread_diagnostics().last_error();
  auto warnings = thread_diagnostics().warnings();
  bm_dev_free(handle);
  bmlib::use_chip(bm1684());
  thread_diagnostics().clear();
  if (error) return *error;
  return warnings.empty() ? Status() : Status(warnings.front().sample);
}

constexpr char kNoFile[] = "/nonexistent/module.so";

// Returns a module that represents the kernels of the program.
tpu_kernel_module_t some_module(bm_handle_t handle) {
  okk::kernels().add("in_module", [](const void*) {});
  tpu_kernel_module_t module = tpu_kernel_load_module_file(handle, kNoFile);
  thread_diagnostics().clear();
  return module;
}

TW_TRIGGER(bml_module_file, [] {
  setenv("TPUKERNEL_FIRMWARE_PATH", kNoFile, 1);
  Status status = report_of(
      bm1684x(), [](bm_handle_t handle) { tpu_kernel_load_module_file(handle, kNoFile); });
  unsetenv("TPUKERNEL_FIRMWARE_PATH");
  return status;
});
TW_TRIGGER(bml_library_bound, [] {
  return report_of(bm1684x(), [](bm_handle_t handle) {
    tpu_kernel_load_module_file(handle, TPUTWIN_BOUND_LIBRARY);
  });
});
TW_TRIGGER(bml_module_fallback, [] {
  return report_of(bm1684x(), [](bm_handle_t handle) {
    okk::kernels().add("in_module", [](const void*) {});
    tpu_kernel_free_module(handle, tpu_kernel_load_module_file(handle, kNoFile));
  });
});
TW_TRIGGER(bml_chip_api, [] {
  return report_of(bm1684(),
                   [](bm_handle_t handle) { tpu_kernel_load_module_file(handle, kNoFile); });
});
TW_TRIGGER(bml_core, [] {
  return report_of(bm1684x(), [](bm_handle_t handle) {
    tpu_kernel_load_module_to_core(handle, kNoFile, sizeof kNoFile, 1);
  });
});
TW_TRIGGER(bml_module_handle, [] {
  return report_of(bm1684x(),
                   [](bm_handle_t handle) { tpu_kernel_get_function(handle, nullptr, "f"); });
});
TW_TRIGGER(bml_function, [] {
  return report_of(bm1684x(),
                   [](bm_handle_t handle) { tpu_kernel_launch(handle, -1, nullptr, 0); });
});
TW_TRIGGER(bml_function_unknown, [] {
  return report_of(bm1684x(), [](bm_handle_t handle) {
    tpu_kernel_module_t module = some_module(handle);
    tpu_kernel_get_function(handle, module, "nobody");
    tpu_kernel_free_module(handle, module);
  });
});

}  // namespace
}  // namespace tputwin::testing
