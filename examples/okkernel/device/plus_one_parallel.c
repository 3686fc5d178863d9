/* plus_one, second step: both engines work at once.
 *
 * Between okk_parallel_start and okk_parallel_end commands of the same engine keep their order, and
 * the two engines run free of each other. So within one section they must not touch the same data:
 * while BDC computes image n in one buffer ("ping"), GDMA stores image n-1 from the other ("pong")
 * and then loads image n+1 into it, in this order. At the next section the buffers change roles. */
#include <okk.h>

#include "plus_one.h"
#include "tiles.h"

// [readme]
void plus_one_parallel(const void* args) {
  const plus_one_args_t* p = (const plus_one_args_t*)args;
  const dim4 image = {1, p->c, p->h, p->w};
  const unsigned long long bytes = (unsigned long long)p->c * p->h * p->w * 4;
  const local_addr_t buffer[2] = {0, aligned_bytes(&image)};
  okk_initialize();
  OKKERNEL_ASSERT(2 * aligned_bytes(&image) <= okk_local_mem_size_per_npu());
  okk_gdma_32bit_cpy_S2L(buffer[0], p->input, &image, NO_STRIDE, NO_STRIDE);
  for (int n = 0; n < p->n; n++) {
    const local_addr_t ping = buffer[n % 2], pong = buffer[(n + 1) % 2];
    okk_parallel_start();
    okk_bdc_add_C(ping, ping, 1.0f, &image, NO_STRIDE, NO_STRIDE);
    if (n > 0)
      okk_gdma_32bit_cpy_L2S(p->output + (n - 1) * bytes, pong, &image, NO_STRIDE, NO_STRIDE);
    if (n + 1 < p->n)
      okk_gdma_32bit_cpy_S2L(pong, p->input + (n + 1) * bytes, &image, NO_STRIDE, NO_STRIDE);
    okk_parallel_end();
  }
  okk_gdma_32bit_cpy_L2S(p->output + (p->n - 1) * bytes, buffer[(p->n - 1) % 2], &image, NO_STRIDE,
                         NO_STRIDE);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(plus_one_parallel)
// [readme end]
