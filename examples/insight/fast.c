/* Adds image by image: during an addition the next image is loaded and the previous one stored. */
#include <okk.h>
#include <stddef.h>

#include "blend.h"

static void blend(const void* args) {
  const blend_args_t* p = (const blend_args_t*)args;
  const dim4 image = {1, kC, kH, kW};
  const unsigned bytes = kC * kH * kW * sizeof(float), of_lane = kH * kW * sizeof(float);
  const local_addr_t a[2] = {0, 3 * of_lane};
  okk_initialize();
  for (int step = 0; step < kN + 2; step++) {
    const int n = step - 1, stored = step - 2;
    const local_addr_t now = a[n & 1], other = a[step & 1];
    okk_parallel_start();
    if (n >= 0 && n < kN)
      okk_bdc_add(now + 2 * of_lane, now, now + of_lane, &image, NULL, NULL, NULL);
    if (stored >= 0)
      okk_gdma_32bit_cpy_L2S(p->sum + stored * bytes, other + 2 * of_lane, &image, NULL, NULL);
    if (step < kN) {
      okk_gdma_32bit_cpy_S2L(other, p->a + step * bytes, &image, NULL, NULL);
      okk_gdma_32bit_cpy_S2L(other + of_lane, p->b + step * bytes, &image, NULL, NULL);
    }
    okk_parallel_end();
  }
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(blend)
