/* Solution of lesson 1: each half has its own buffer in local memory, where tensors begin at
 * aligned addresses. */
#include <okk.h>
#include <stddef.h>

#include "../../course.h"

enum { SECOND = 64 * 1024 };

void swap_halves(const void* args) {
  const lesson_args_t* p = (const lesson_args_t*)args;
  const dim4 half = {1, 1, 1, p->w / 2};
  const unsigned long long bytes = (unsigned long long)(p->w / 2) * 4;
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, p->a, &half, NULL, NULL);
  okk_gdma_32bit_cpy_S2L(SECOND, p->a + bytes, &half, NULL, NULL);
  okk_gdma_32bit_cpy_L2S(p->out, SECOND, &half, NULL, NULL);
  okk_gdma_32bit_cpy_L2S(p->out + bytes, 0, &half, NULL, NULL);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(swap_halves)

int main(void) {
  enum { COUNT = 1000 };
  float *a = numbers(COUNT), expected[COUNT];
  for (int i = 0; i < COUNT; i++) expected[i] = a[(i + COUNT / 2) % COUNT];
  return finish("1 solution", launch("swap_halves", a, COUNT, NULL, 0, COUNT, 1, 1, 1, COUNT),
                expected, COUNT);
}
