/* A kernel and its host part in one C99 program, the macros included. */
#include <bmlib_runtime.h>
#include <tpu_kernel.h>
#include <tputwin/error.h>
#include <tputwin/raw_command.h>

typedef struct {
  unsigned long long sum;
  short terms[3];
} __attribute__((packed)) add_args;

static int add(const void* args) {
  const add_args* a = (const add_args*)args;
  const dim4 shape = {1, NPU_NUM, 1, ALIGN(3, 4)};
  const scalar_t one = {.f32 = 1.0f};
  int i, value = 0;
  tpu_initialize();
  TPUKERNEL_ASSERT(a->sum >= tpu_global_mem_get_start_addr());
  TPUKERNEL_ASSERT_INFO(BANK_SIZE == 16384, "bank of %d bytes", BANK_SIZE);
  tpu_bdc_set_C(0, one, &shape, NULL, DT_FP32);
  tpu_poll();
  TPUKERNEL_DBG("%u\n", ((unsigned*)tpu_local_mem_addr(NPU_NUM - 1, 0))[3] == FP_ONE(DT_FP32));
  for (i = 0; i < 3; ++i) value += a->terms[i];
  *(unsigned char*)tpu_global_mem_addr(a->sum) = (unsigned char)value;
  return DIV_UP(0, 4);
}
TPUKERNEL_FUNC_REGISTER(add)

static bm_status_t run(bm_handle_t handle, unsigned char* result) {
  bm_device_mem_t sum = bm_mem_null();
  add_args args = {0, {1, 2, 39}};
  BM_CHECK_RET(bm_malloc_device_byte(handle, &sum, 1));
  args.sum = bm_mem_get_device_addr(sum);
  BM_CHECK_RET(tpu_kernel_launch_sync(handle, "add", &args, sizeof args));
  BM_CHECK_RET(bm_memcpy_d2s(handle, result, sum));
  bm_free_device(handle, sum);
  return BM_SUCCESS;
}

int main(void) {
  bm_handle_t handle;
  unsigned char result = 0;
  if (bm_dev_request(&handle, 0) != BM_SUCCESS) return 1;
  if (run(handle, &result) != BM_SUCCESS) return 2;
  bm_dev_free(handle);
  TPUKERNEL_LOG("%d\n", result);
  return result == 42 && tputwin_error_count() == 0 && MAX(ALIGN_DOWN(7, 4), 3) == 4 ? 0 : 3;
}
