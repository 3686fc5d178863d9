/* Solution of lesson 6: the mean, times the width. */
#include <okk.h>
#include <stddef.h>

#include "../../course.h"

enum { ROWS = 128 * 1024 };

void row_sums(const void* args) {
  const lesson_args_t* p = (const lesson_args_t*)args;
  const dim4 shape = {1, p->h, 1, p->w}, rows = {1, p->h, 1, 1};
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, p->a, &shape, NULL, NULL);
  okk_bdc_avg_pool2d(ROWS, 0, &shape, 1, p->w, NULL, NULL);
  okk_bdc_mul_C(ROWS, ROWS, (float)p->w, &rows, NULL, NULL);
  okk_gdma_32bit_cpy_L2S(p->out, ROWS, &rows, NULL, NULL);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(row_sums)

int main(void) {
  enum { H = 150, W = 64 };
  float *a = numbers(H * W), expected[H];
  for (int h = 0; h < H; h++) {
    expected[h] = 0;
    for (int w = 0; w < W; w++) expected[h] += a[h * W + w];
  }
  return finish("6 solution", launch("row_sums", a, H * W, NULL, 0, H, 1, 1, H, W), expected, H);
}
