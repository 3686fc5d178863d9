// TW-BML: one program per rule of bmlib. It calls no functions that bmruntime also has.
#include <bmlib_runtime.h>
#include <okk.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "base/errors/bmlib.h"
#include "base/last_error.h"
#include "errors/trigger.h"
#include "sdk/record/model_recorder.h"

namespace tputwin::testing {
namespace {

// Returns the thread's last error, or first warning, after the calls in `function`.
template <class Function>
Status last_report_of(Function function) {
  thread_diagnostics().clear();
  function();
  auto error = thread_diagnostics().last_error();
  auto warnings = thread_diagnostics().warnings();
  thread_diagnostics().clear();
  if (error) return *error;
  return warnings.empty() ? Status() : Status(warnings.front().sample);
}

// Calls last_report_of(...) with a device and 64 bytes of its memory.
template <class Function>
Status with_device(Function function) {
  return last_report_of([&] {
    bm_handle_t handle = nullptr;
    bm_dev_request(&handle, 0);
    bm_device_mem_t memory{};
    bm_malloc_device_byte(handle, &memory, 64);
    function(handle, memory);
    bm_dev_free(handle);
  });
}

char bytes[64];

// Returns the status of recording a launch on a chip.
Status recorded(const Chip& chip, bool takes_pointer) {
  auto device = std::move(*Device::create({.chip = &chip, .global_bytes = 1 << 20}));
  record::Launch launch(*device, "kernel");
  if (takes_pointer) launch.pointer("tpu_global_mem_addr");
  return record::Recorder("recorded.bmodel").add(launch);
}
TW_TRIGGER(bml_record_chip, [] { return recorded(bm1684(), false); });
TW_TRIGGER(bml_record_pointer, [] { return recorded(bm1684x(), true); });
TW_TRIGGER(bml_record_nothing, [] { return record::Recorder("recorded.bmodel").write(); });
TW_TRIGGER(bml_null, [] { return last_report_of([] { bm_dev_getcount(nullptr); }); });
TW_TRIGGER(bml_handle_unknown, [] {
  return last_report_of([] { bm_get_devid(reinterpret_cast<bm_handle_t>(bytes)); });
});
TW_TRIGGER(bml_handle_closed, [] {
  return last_report_of([] {
    bm_handle_t handle = nullptr;
    bm_dev_request(&handle, 0);
    bm_dev_free(handle);
    bm_handle_sync(handle);
  });
});
TW_TRIGGER(bml_not_supported, [] {
  return with_device([](bm_handle_t handle, bm_device_mem_t) {
    unsigned long time;
    bm_get_last_api_process_time_us(handle, &time);
  });
});
TW_TRIGGER(bml_inside_kernel, [] {
  return with_device([](bm_handle_t handle, bm_device_mem_t) {
    okk_register_kernel_func("asks_host", [](const void*) { bm_dev_query(0); });
    okkernel_launch_sync(handle, "asks_host", nullptr, 0);
  });
});
// Runs `function` in a child process; returns its output on standard error.
template <class Function>
Status reported_by_child(ErrorId id, Function function) {
  int ends[2];
  if (pipe(ends) != 0) return {};
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    function();
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  char part[512];
  for (ssize_t count = 0; (count = read(ends[0], part, sizeof part)) > 0;)
    text.append(part, static_cast<size_t>(count));
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return text.find(error_info(id).code) != std::string::npos ? Status(Error(id)) : Status();
}

void launch_with_limit(int milliseconds, okk_kernel_func_t function) {
  bm_handle_t handle = nullptr;
  bm_dev_request(&handle, 0);
  bm_set_sync_timeout(handle, milliseconds);
  okk_register_kernel_func("limited", function);
  okkernel_launch_sync(handle, "limited", nullptr, 0);
  bm_dev_free(handle);
  bm_dev_request(&handle, 0);
  bm_dev_free(handle);
}

TW_TRIGGER(bml_timeout, [] {
  return last_report_of([] {
    launch_with_limit(1, [](const void*) {
      for (;;) okk_npu_num(), okk_poll();
    });
  });
});
TW_TRIGGER(bml_device_lost, [] {
  return reported_by_child(errors::bml_device_lost, [] {
    launch_with_limit(1, [](const void*) {
      for (;;) pause();
    });
  });
});
TW_TRIGGER(bml_crashed, [] {
  return reported_by_child(errors::bml_crashed,
                           [] { launch_with_limit(0, [](const void*) { std::abort(); }); });
});
TW_TRIGGER(bml_time_limit, [] {
  return with_device([](bm_handle_t handle, bm_device_mem_t) { bm_set_sync_timeout(handle, -1); });
});
TW_TRIGGER(bml_device, [] { return last_report_of([] { bm_dev_query(99); }); });
TW_TRIGGER(bml_chip_variable, [] {
  const char* before = std::getenv("TPUTWIN_CHIP");
  const std::string kept = before != nullptr ? before : "";
  setenv("TPUTWIN_CHIP", "BM1688", 1);
  Status status = last_report_of([] {
    bm_handle_t handle;
    bm_dev_request(&handle, 0);
  });
  if (before != nullptr)
    setenv("TPUTWIN_CHIP", kept.c_str(), 1);
  else
    unsetenv("TPUTWIN_CHIP");
  return status;
});
TW_TRIGGER(bml_environment, [] {
  setenv("TPUTWIN_GLOBAL_BYTES", "much", 1);
  Status status = last_report_of([] {
    bm_handle_t handle;
    bm_dev_request(&handle, 0);
  });
  unsetenv("TPUTWIN_GLOBAL_BYTES");
  return status;
});
TW_TRIGGER(bml_size, [] {
  return with_device([](bm_handle_t handle, bm_device_mem_t memory) {
    bm_malloc_device_byte(handle, &memory, 0);
  });
});
TW_TRIGGER(bml_size_u64, [] {
  return with_device([](bm_handle_t handle, bm_device_mem_t) {
    bm_device_mem_u64_t memory;
    bm_malloc_device_dword_u64(handle, &memory, 1ull << 62);
  });
});
TW_TRIGGER(bml_memory_full, [] {
  return with_device([](bm_handle_t handle, bm_device_mem_t memory) {
    bm_malloc_device_byte(handle, &memory, 0xffffffff);
  });
});
TW_TRIGGER(bml_heap, [] {
  return with_device([](bm_handle_t handle, bm_device_mem_t memory) {
    bm_malloc_device_byte_heap(handle, &memory, 3, 64);
  });
});
TW_TRIGGER(bml_heap_mask, [] {
  return with_device([](bm_handle_t handle, bm_device_mem_t memory) {
    bm_malloc_device_byte_heap_mask(handle, &memory, 0, 64);
  });
});
TW_TRIGGER(bml_free, [] {
  return with_device([](bm_handle_t handle, bm_device_mem_t memory) {
    bm_free_device(handle, memory);
    bm_free_device(handle, memory);
  });
});
TW_TRIGGER(bml_memory_type, [] {
  return with_device(
      [](bm_handle_t handle, bm_device_mem_t) { bm_free_device(handle, bm_mem_null()); });
});
TW_TRIGGER(bml_range, [] {
  return with_device([](bm_handle_t handle, bm_device_mem_t memory) {
    bm_memcpy_s2d_partial_offset(handle, memory, bytes, 60, 8);
  });
});
TW_TRIGGER(bml_address, [] {
  return with_device([](bm_handle_t handle, bm_device_mem_t) {
    bm_memcpy_s2d_partial(handle, bm_mem_from_device(0x1000, 64), bytes, 8);
  });
});
TW_TRIGGER(bml_not_allocated, [] {
  return with_device([](bm_handle_t handle, bm_device_mem_t memory) {
    bm_free_device(handle, memory);
    bm_memcpy_s2d_partial(handle, memory, bytes, 8);
  });
});
TW_TRIGGER(bml_stride, [] {
  return with_device([](bm_handle_t handle, bm_device_mem_t memory) {
    bm_memcpy_d2d_stride(handle, memory, 2, memory, 1, 4, 4);
  });
});
TW_TRIGGER(bml_fill, [] {
  return with_device([](bm_handle_t handle, bm_device_mem_t memory) {
    bm_memset_device_ext(handle, bytes, 3, memory);
  });
});
TW_TRIGGER(bml_sizes_differ, [] {
  return with_device([](bm_handle_t handle, bm_device_mem_t memory) {
    bm_device_mem_t shorter = memory;
    bm_mem_set_device_size(&shorter, 32);
    bm_memcpy_c2c(handle, handle, memory, shorter, false);
  });
});
TW_TRIGGER(bml_mapping, [] {
  return with_device(
      [](bm_handle_t handle, bm_device_mem_t) { bm_mem_unmap_device_mem(handle, bytes, 64); });
});
TW_TRIGGER(bml_kernel_unknown, [] {
  return with_device([](bm_handle_t handle, bm_device_mem_t) {
    okkernel_launch_sync(handle, "nobody", nullptr, 0);
  });
});
TW_TRIGGER(bml_kernel_name, [] {
  return with_device([](bm_handle_t handle, bm_device_mem_t) {
    okkernel_launch_sync(handle, std::string(65, 'k').c_str(), nullptr, 0);
  });
});
TW_TRIGGER(bml_kernel_only, [] {
  return with_device([](bm_handle_t handle, bm_device_mem_t) {
    okk_register_kernel_func("first_of_two", [](const void*) {});
    okk_register_kernel_func("second_of_two", [](const void*) {});
    bmkernel_launch(handle, nullptr, 0);
  });
});
TW_TRIGGER(bml_table_size, [] {
  return with_device(
      [](bm_handle_t handle, bm_device_mem_t) { bmkernel_load_lookup_table(handle, bytes, 0); });
});
TW_TRIGGER(bml_clock, [] {
  return with_device([](bm_handle_t handle, bm_device_mem_t) { bm_set_clk_tpu_freq(handle, 0); });
});

}  // namespace
}  // namespace tputwin::testing
