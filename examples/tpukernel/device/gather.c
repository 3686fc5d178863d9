/* Copies rows of a table by their indices, as an embedding does. GDMA copies from global memory to
 * global memory; an index outside the table gives a constant. */
#include <tpu_kernel.h>

#include "gather.h"

void gather(const void* args) {
  const gather_args_t* p = (const gather_args_t*)args;
  const int most = tpu_gdma_shape_limit(TENSOR_H_DIM);
  const scalar_t missing = {.f32 = -1.0f};
  tpu_initialize();
  for (int i = 0; i < p->count; i += most) {
    const dim4 shape = {1, 1, MIN(most, p->count - i), p->width};
    tpu_gdma_h_gather_S2S(p->result + (unsigned long long)i * p->width * 4, p->table,
                          p->index + i * 4ull, false, missing, &shape, p->rows, NULL, NULL, NULL,
                          DT_FP32);
  }
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(gather)
