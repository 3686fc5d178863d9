/* sum = a + b on the BM1684, with a mistake: golden/understand.commands finds it. */
#include <bmlib_runtime.h>
#include <okk.h>
#include <stdio.h>

enum { kH = 8, kW = 8, kCount = 2 * kH * kW };

typedef struct {
  unsigned long long a, b, sum;
} blend_args_t;

static void blend(const void* args) {
  const blend_args_t* p = (const blend_args_t*)args;
  const dim4 shape = {1, 2, kH, kW};
  const local_addr_t a = 0, b = kH * kW * 2, sum = kH * kW * 8;
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(a, p->a, &shape, NULL, NULL);
  okk_gdma_32bit_cpy_S2L(b, p->b, &shape, NULL, NULL);
  okk_bdc_add(sum, a, b, &shape, NULL, NULL, NULL);
  okk_gdma_32bit_cpy_L2S(p->sum, sum, &shape, NULL, NULL);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(blend)

int main(void) {
  static float a[kCount], b[kCount], sum[kCount];
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
  bm_dev_free(handle);
  for (i = 0; i < kCount; i++)
    if (sum[i] != a[i] + b[i]) {
      printf("sum[%d] is %g, not %g\n", i, (double)sum[i], (double)(a[i] + b[i]));
      return 1;
    }
  return 0;
}
