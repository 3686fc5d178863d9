/* Lesson 3: strides.
 *
 * A tensor is an address, a shape, and strides: the distance in elements between neighbours in n,
 * c, h and w. In system memory NULL means (c*h*w, h*w, w, 1). Other strides copy parts of tensors
 * or transpose them: this kernel copies every second row by a doubled h stride. GDMA requires a w
 * stride of 1.
 *
 * Exercise: transpose a tensor: swap c and h, so that out (1, h, c, w) has row h of channel c as
 * row c of channel h. One pair of strides is enough. */
#include <okk.h>
#include <stddef.h>

#include "../course.h"

void even_rows(const void* args) {
  const lesson_args_t* p = (const lesson_args_t*)args;
  const dim4 half = {1, p->c, p->h / 2, p->w};
  const dim4 every_second = {p->c * p->h * p->w, p->h * p->w, 2 * p->w, 1};
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, p->a, &half, NULL, &every_second);
  okk_gdma_32bit_cpy_L2S(p->out, 0, &half, NULL, NULL);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(even_rows)

int main(void) {
  enum { C = 70, H = 10, W = 12, COUNT = C * H * W / 2 };
  float *a = numbers(2 * COUNT), expected[COUNT];
  for (int i = 0; i < COUNT; i++) expected[i] = a[i / W * 2 * W + i % W];
  return finish("3 strides", launch("even_rows", a, 2 * COUNT, NULL, 0, COUNT, 1, C, H, W),
                expected, COUNT);
}
