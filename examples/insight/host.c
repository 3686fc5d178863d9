/* Launches the kernel "blend" and checks its result. */
#include <bmlib_runtime.h>
#include <stdio.h>

#include "blend.h"

static float a[kCount], b[kCount], sum[kCount];

static int compare(void) {
  int i;
  for (i = 0; i < kCount; i++)
    if (sum[i] != a[i] + b[i]) {
      printf("sum[%d] is %g, not %g\n", i, (double)sum[i], (double)(a[i] + b[i]));
      return 1;
    }
  printf("%d sums are right\n", kCount);
  return 0;
}

int main(void) {
  bm_handle_t handle;
  bm_device_mem_t memory[3];
  blend_args_t args;
  int i;
  for (i = 0; i < kCount; i++) a[i] = (float)i, b[i] = (float)(1000 + i);
  if (bm_dev_request(&handle, 0) != BM_SUCCESS) return 2;
  for (i = 0; i < 3; i++) bm_malloc_device_byte(handle, &memory[i], sizeof a);
  bm_memcpy_s2d(handle, memory[0], a);
  bm_memcpy_s2d(handle, memory[1], b);
  args.a = bm_mem_get_device_addr(memory[0]);
  args.b = bm_mem_get_device_addr(memory[1]);
  args.sum = bm_mem_get_device_addr(memory[2]);
  if (okkernel_launch_sync(handle, "blend", &args, sizeof args) != BM_SUCCESS) return 2;
  bm_memcpy_d2s(handle, sum, memory[2]);
  for (i = 0; i < 3; i++) bm_free_device(handle, memory[i]);
  bm_dev_free(handle);
  return compare();
}
