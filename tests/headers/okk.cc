/* The program okk.c as C++11. */
#include <bmlib_runtime.h>
#include <okk.h>
#include <bm_atomic.h>
#include <tputwin/error.h>

typedef struct {
  unsigned long long sum;
  short terms[3];
} __attribute__((packed)) add_args;

static void add(const void* args) {
  const add_args* a = static_cast<const add_args*>(args);
  x32 value;
  value.s32 = 0;
  const dim4 shape = {1, 1, 1, 1};
  int i;
  okk_initialize();
  OKKERNEL_ASSERT(a->sum >= okk_global_mem_start_addr());
  /* with and without the argument that older headers do not have */
  okk_bdc_scale(0, 0, 128, &shape, 0, 0);
  okk_bdc_scale(0, 0, 128, &shape, 0, 0, true);
  okk_poll();
  for (i = 0; i < 3; ++i) value.s32 += a->terms[i];
  okk_global_mem_addr(a->sum)[0] = value._4N_u8[0];
}
OKKERNEL_FUNC_REGISTER(add)

static bm_status_t run(bm_handle_t handle, unsigned char* result) {
  bm_device_mem_t sum = bm_mem_null();
  add_args args = {0, {1, 2, 39}};
  BM_CHECK_RET(bm_malloc_device_byte(handle, &sum, 1));
  args.sum = bm_mem_get_device_addr(sum);
  BM_CHECK_RET(bmkernel_load_firmware(handle, "tcm", "ddr"));
  BM_CHECK_RET(okkernel_launch_sync(handle, "add", &args, sizeof args));
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
  OKKERNEL_LOG("%d\n", result);
  return result == 42 && tputwin_error_count() == 0 && OP_TYPE(1, 1, 1, 1, 1) == S8_OP_S8_TO_S8 ? 0
                                                                                                : 3;
}
