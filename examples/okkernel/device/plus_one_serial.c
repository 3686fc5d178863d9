/* plus_one, first step: one image of the batch after the other.
 *
 * Data takes three steps: global memory -> local memory (GDMA), computing in local memory (BDC),
 * local memory -> global memory (GDMA). Outside a parallel section every command waits for the one
 * before it, so there are no races, but one of the two engines is always idle. */
#include <okk.h>

#include "plus_one.h"
#include "tiles.h"

void plus_one_serial(const void* args) {
  const plus_one_args_t* p = (const plus_one_args_t*)args;
  const dim4 image = {1, p->c, p->h, p->w};
  const unsigned long long bytes = (unsigned long long)p->c * p->h * p->w * 4;
  const local_addr_t buffer = 0;
  okk_initialize();
  OKKERNEL_ASSERT(aligned_bytes(&image) <= okk_local_mem_size_per_npu());
  for (int n = 0; n < p->n; n++) {
    okk_gdma_32bit_cpy_S2L(buffer, p->input + n * bytes, &image, NO_STRIDE, NO_STRIDE);
    okk_bdc_add_C(buffer, buffer, 1.0f, &image, NO_STRIDE, NO_STRIDE);
    okk_gdma_32bit_cpy_L2S(p->output + n * bytes, buffer, &image, NO_STRIDE, NO_STRIDE);
  }
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(plus_one_serial)
