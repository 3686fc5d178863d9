/* Adds row by row. docs/check.md shows what is wrong with one of the two. */
#include <okk.h>
#include <stddef.h>

#include "blend.h"

static void blend(const void* args) {
  const blend_args_t* p = (const blend_args_t*)args;
  const dim4 row = {1, kC, 1, kW}, rows = {kC * kH * kW, kH * kW, kW, 1};
  const local_addr_t a = 0, b = kW * 2, sum = kW * 8;
  okk_initialize();
  for (int n = 0; n < kN; n++)
    for (int h = 0; h < kH; h++) {
      const unsigned long long at = (n * rows.n + h * rows.h) * sizeof(float);
      okk_gdma_32bit_cpy_S2L(a, p->a + at, &row, NULL, &rows);
      okk_gdma_32bit_cpy_S2L(b, p->b + at, &row, NULL, &rows);
      okk_bdc_add(sum, a, b, &row, NULL, NULL, NULL);
      okk_gdma_32bit_cpy_L2S(p->sum + at, sum, &row, &rows, NULL);
    }
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(blend)
