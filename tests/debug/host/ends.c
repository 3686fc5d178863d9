/* A launch and an end of the program that exit() does not see. Arguments: "ok", "refused" (its first
 * command), or "fault" (a wrong address after its commands); and how to end. */
#include <bmlib_runtime.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef ENDS_OF_TPUKERNEL
#include <tpu_kernel.h>
#else
#include <okk.h>
#endif

typedef struct {
  unsigned long long tensor;
  float scale;
  int is_refused, has_fault;
} scale_args_t;

#ifdef ENDS_OF_TPUKERNEL /* on the BM1684X */
void scale(const void* args) {
  const scale_args_t* p = (const scale_args_t*)args;
  const dim4 shape = {1, 2, 8, 8};
  const scalar_t factor = {.f32 = p->scale};
  tpu_initialize();
  if (p->is_refused) {
    tpu_bdc_fp_mul_C(2, 0, factor, &shape, NULL, NULL, DT_FP32);
    return;
  }
  tpu_gdma_cpy_S2L(0, p->tensor, &shape, NULL, NULL, DT_FP32);
  tpu_bdc_fp_mul_C(0, 0, factor, &shape, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_L2S(p->tensor, 0, &shape, NULL, NULL, DT_FP32);
  tpu_poll();
  if (p->has_fault) *(volatile int*)8 = 1;
}
TPUKERNEL_FUNC_REGISTER(scale)
#else
static void scale(const void* args) {
  const scale_args_t* p = (const scale_args_t*)args;
  const dim4 shape = {1, 2, 8, 8};
  okk_initialize();
  if (p->is_refused) {
    okk_bdc_mul_C(2, 0, p->scale, &shape, NULL, NULL);
    return;
  }
  okk_gdma_32bit_cpy_S2L(0, p->tensor, &shape, NULL, NULL);
  okk_bdc_mul_C(0, 0, p->scale, &shape, NULL, NULL);
  okk_gdma_32bit_cpy_L2S(p->tensor, 0, &shape, NULL, NULL);
  okk_poll();
  if (p->has_fault) *(volatile int*)8 = 1;
}
OKKERNEL_FUNC_REGISTER(scale)
#endif

static int end(const char* how) {
  if (strcmp(how, "_exit") == 0) _exit(3);
  if (strcmp(how, "abort") == 0) abort();
  if (strcmp(how, "SIGTERM") == 0) raise(SIGTERM);
  if (strcmp(how, "SIGKILL") == 0) raise(SIGKILL);
  return 0;
}

int main(int count, char** words) {
  static float values[128];
  bm_handle_t handle;
  bm_device_mem_t memory;
  scale_args_t args = {0, 1000.0f, 0, 0};
  if (count != 3 || bm_dev_request(&handle, 0) != BM_SUCCESS) return 2;
  bm_malloc_device_byte(handle, &memory, sizeof values);
  bm_memcpy_s2d(handle, memory, values);
  args.tensor = bm_mem_get_device_addr(memory);
  args.is_refused = strcmp(words[1], "refused") == 0;
  args.has_fault = strcmp(words[1], "fault") == 0;
  if (okkernel_launch_sync(handle, "scale", &args, sizeof args) != BM_SUCCESS) return 1;
  return end(words[2]);
}
