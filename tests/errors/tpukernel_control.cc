// TW-TPU-00xx and 04xx: kernels that break the rules of arguments, control and pointers.
#include <tputwin/raw_command.h>

#include <stdexcept>

#include "base/errors/ops.h"
#include "base/errors/tpukernel.h"
#include "base/last_error.h"
#include "errors/tpu_kernel.h"
#include "ops/operation.h"

namespace tputwin::testing {
namespace {

const dim4* shape = &kTpuShape;
constexpr local_addr_t kNpu1 = 256 * 1024;
constexpr scalar_t kZero{.u32 = 0};

Status last_error() {
  auto error = thread_diagnostics().last_error();
  auto warnings = thread_diagnostics().warnings();
  thread_diagnostics().clear();
  if (error) return *error;
  return warnings.empty() ? Status() : Status(warnings.front().sample);
}

TW_TRIGGER(tpu_no_kernel, [] {
  thread_diagnostics().clear();
  tpu_poll();
  return last_error();
});
TW_TRIGGER(tpu_null, [] { return in_tpu_kernel([] { tpu_bdc_sign(0, 0, nullptr, DT_FP32); }); });
TW_TRIGGER(tpu_shape, [] {
  const dim4 wide{1, 1, 1, 65536};
  return in_tpu_kernel([&] { tpu_bdc_sign(0, 0, &wide, DT_FP32); });
});
TW_TRIGGER(tpu_stride, [] {
  const dim4 stride{0, 0, -8, 1};
  return in_tpu_kernel([&] { tpu_bdc_abs(0, 0, shape, &stride, nullptr, DT_FP32); });
});
TW_TRIGGER(tpu_local_address,
           [] { return in_tpu_kernel([] { tpu_bdc_sign(64 * kNpu1, 0, shape, DT_FP32); }); });
TW_TRIGGER(tpu_address_64,
           [] { return in_tpu_kernel([] { tpu_bdc_sign(32, 0, shape, DT_FP32); }); });
TW_TRIGGER(tpu_address_element, [] {
  const dim4 stride{64, 16, 8, 1};
  return in_tpu_kernel([&] { tpu_bdc_abs(2, 0, shape, &stride, nullptr, DT_FP32); });
});
TW_TRIGGER(tpu_start_npu,
           [] { return in_tpu_kernel([] { tpu_bdc_sign(0, kNpu1, shape, DT_FP32); }); });
TW_TRIGGER(tpu_npu_0, [] {
  return in_tpu_kernel(
      [] { tpu_bdc_vc_greater(0, kNpu1, 0, kZero, 4, 4, 4, 4, DT_FP32, DT_FP32); });
});
TW_TRIGGER(tpu_dtype, [] {
  return in_tpu_kernel([] { tpu_bdc_fp_floor(0, 0, shape, nullptr, nullptr, DT_INT8); });
});
TW_TRIGGER(tpu_dtype_pair, [] {
  return in_tpu_kernel(
      [] { tpu_bdc_cast(0, 4096, shape, nullptr, nullptr, DT_BFP16, DT_FP16, RM_HALF_TO_EVEN); });
});
TW_TRIGGER(tpu_rounding, [] {
  return in_tpu_kernel(
      [] { tpu_bdc_fp_round(0, 0, shape, nullptr, nullptr, DT_FP32, RM_HALF_UP); });
});
TW_TRIGGER(tpu_unsupported, [] {
  return in_tpu_kernel([] { tpu_gdma_reverse_S2S(0, 0, shape, nullptr, nullptr, 3, DT_FP32); });
});
TW_TRIGGER(tpu_overlap, [] {
  const uint64_t at = bm1684x().global_base;
  return in_tpu_kernel([&] { tpu_gdma_nonzero_S2S(at + 8, at, shape, DT_INT32, 0); });
});
TW_TRIGGER(ops_refused_overlap, [] {
  const uint64_t at = bm1684x().global_base;
  return in_tpu_kernel(
      [&] { tpu_gdma_cpy_cw_trans_S2S(at + 8, at, shape, nullptr, nullptr, DT_INT32); });
});
TW_TRIGGER(tpu_count, [] {
  return in_tpu_kernel([] { tpu_bdc_vc_greater(0, 0, 0, kZero, 0, 4, 4, 4, DT_FP32, DT_FP32); });
});
TW_TRIGGER(tpu_shift, [] {
  return in_tpu_kernel(
      [] { tpu_bdc_int_requant(0, 4096, shape, 1, 32, kZero, DT_INT8, DT_INT32, RM_HALF_UP); });
});
TW_TRIGGER(tpu_shift_type, [] {
  return in_tpu_kernel([] {
    tpu_bdc_arithmetic_shift(0, 4096, 8192, shape, nullptr, nullptr, nullptr, DT_INT8, DT_INT8,
                             DT_INT16, RM_HALF_UP);
  });
});
TW_TRIGGER(tpu_variable_type, [] {
  const variable_t odd{static_cast<var_type_t>(3), {}};
  return in_tpu_kernel(
      [&] { tpu_bdc_equal_select(0, &odd, &odd, &odd, &odd, shape, DT_FP32, DT_FP32); });
});
TW_TRIGGER(tpu_space, [] {
  TensorView view{.space = Space::global,
                  .dtype = DType::f32,
                  .shape = {1, 1, 1, 4},
                  .stride = {16, 16, 16, 4}};
  return check(Convert{.out = view, .in = view}, bm1684x());
});
TW_TRIGGER(tpu_element, [] {
  TensorView view{.dtype = DType::i8, .pack = 4, .shape = {4, 1, 1, 4}, .stride = {16, 16, 16, 4}};
  return check(Convert{.out = view, .in = view}, bm1684x());
});
TW_TRIGGER(tpu_extents, [] {
  TensorView view{.dtype = DType::f32, .shape = {1, 1, 1, 4}, .stride = {16, 16, 16, 4}};
  TensorView other = view;
  other.shape.w = 3;
  return check(Convert{.out = view, .in = other}, bm1684x());
});

TW_TRIGGER(tpu_parallel_nested, [] {
  return in_tpu_kernel([] {
    tpu_parallel_start();
    tpu_parallel_start();
  });
});
TW_TRIGGER(tpu_parallel_end_outside, [] { return in_tpu_kernel([] { tpu_parallel_end(); }); });
TW_TRIGGER(tpu_poll_parallel, [] {
  return in_tpu_kernel([] {
    tpu_parallel_start();
    tpu_poll();
  });
});
TW_TRIGGER(tpu_parallel_open, [] { return in_tpu_kernel([] { tpu_parallel_start(); }); });
TW_TRIGGER(tpu_pointer, [] { return in_tpu_kernel([] { tpu_local_mem_addr(64, 0); }); });
TW_TRIGGER(tpu_pointer_unpolled, [] {
  return in_tpu_kernel([] {
    tpu_bdc_sign(0, 0, shape, DT_FP32);
    tpu_local_mem_addr(0, 0);
  });
});
TW_TRIGGER(tpu_exception,
           [] { return in_tpu_kernel([] { throw std::runtime_error("a kernel in C++"); }); });
TW_TRIGGER(tpu_message_id, [] { return in_tpu_kernel([] { tpu_bdc_send_msg(512, 1); }); });
TW_TRIGGER(tpu_message_lost, [] { return in_tpu_kernel([] { tpu_gdma_wait_msg(3, 1); }); });
TW_TRIGGER(tpu_raw_command, [] {
  return in_tpu_kernel([] {
    const unsigned end[] = {0x8, 0x6, 0, 0};
    tputwin_gdma_command(end, sizeof end, TPUTWIN_NOWHERE);
  });
});
TW_TRIGGER(tpu_dtype_width, [] { return in_tpu_kernel([] { tpu_data_type_size(DT_INT4); }); });
TW_TRIGGER(tpu_kernel_twice, [] {
  thread_diagnostics().clear();
  tpu_register_kernel_func("tpu_twice", [](const void*) {});
  tpu_register_kernel_func("tpu_twice", [](const void*) { tpu_poll(); });
  return last_error();
});
TW_TRIGGER(tpu_uninitialized, [] {
  auto device =
      Device::create({.chip = &bm1684x(), .global_bytes = uint64_t{1} << 20, .strict = true});
  const okk::Outcome outcome = okk::run_kernel(
      **device, "kernel", [](const void*) { tpu_bdc_sign(0, 0, shape, DT_FP32); }, nullptr);
  return outcome.error ? Status(*outcome.error) : Status();
});
TW_TRIGGER(tpu_assert, [] {
  setenv("TPUTWIN_ASSERT", "fail", 1);
  Status status = in_tpu_kernel([] { tputwin_tpu_assert("kernel.c", 7, "0"); });
  unsetenv("TPUTWIN_ASSERT");
  return status;
});

}  // namespace
}  // namespace tputwin::testing
