#include <stdio.h>
#include "bmlib_runtime.h"
#include "tputwin/error.h"

struct __attribute__((packed)) Args {
  unsigned long long out;
  unsigned count;
  float value;
};

int main() {
  bm_handle_t handle;
  bm_device_mem_t out;
  float result[100];
  BM_CHECK_RET(bm_dev_request(&handle, 0));
  BM_CHECK_RET(bm_malloc_device_byte(handle, &out, sizeof(result)));
  Args args = {bm_mem_get_device_addr(out), 100, 2.5f};
  BM_CHECK_RET(okkernel_launch_async(handle, "fill", &args, sizeof(args)));
  BM_CHECK_RET(okkernel_sync(handle));
  BM_CHECK_RET(bm_memcpy_d2s(handle, result, out));
  args.out = 0;  // no memory
  const bool refused = okkernel_launch_sync(handle, "fill", &args, sizeof(args)) == BM_ERR_FAILURE;
  printf("%s\n", tputwin_last_error());
  bm_dev_free(handle);
  return refused && result[0] == 2.5f && result[99] == 2.5f ? 0 : 1;
}
