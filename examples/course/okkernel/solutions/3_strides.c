/* Solution of lesson 3: the source is read with the strides of h and c exchanged. */
#include <okk.h>
#include <stddef.h>

#include "../../course.h"

void swap_c_h(const void* args) {
  const lesson_args_t* p = (const lesson_args_t*)args;
  const dim4 swapped = {1, p->h, p->c, p->w};
  const dim4 in_source = {p->c * p->h * p->w, p->w, p->h * p->w, 1};
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, p->a, &swapped, NULL, &in_source);
  okk_gdma_32bit_cpy_L2S(p->out, 0, &swapped, NULL, NULL);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(swap_c_h)

int main(void) {
  enum { C = 70, H = 10, W = 12, COUNT = C * H * W };
  float *a = numbers(COUNT), expected[COUNT];
  for (int c = 0; c < C; c++)
    for (int h = 0; h < H; h++)
      for (int w = 0; w < W; w++) expected[(h * C + c) * W + w] = a[(c * H + h) * W + w];
  return finish("3 solution", launch("swap_c_h", a, COUNT, NULL, 0, COUNT, 1, C, H, W), expected,
                COUNT);
}
