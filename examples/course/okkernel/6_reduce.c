/* Lesson 6: reductions.
 *
 * The chip has no "sum of a row", but it has poolings. A window of a whole row reduces it to one
 * value. Rows are the channels of a tensor (1, rows, 1, w), so that all NPUs have some.
 *
 * Exercise: compute the sums of rows. The average pooling divides by the size of the window; for
 * powers of two that is exact. */
#include <okk.h>
#include <stddef.h>

#include "../course.h"

enum { ROWS = 128 * 1024 };

void row_maxima(const void* args) {
  const lesson_args_t* p = (const lesson_args_t*)args;
  const dim4 shape = {1, p->h, 1, p->w}, rows = {1, p->h, 1, 1};
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, p->a, &shape, NULL, NULL);
  okk_bdc_max_pool2d(ROWS, 0, &shape, 1, p->w, NULL, NULL);
  okk_gdma_32bit_cpy_L2S(p->out, ROWS, &rows, NULL, NULL);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(row_maxima)

int main(void) {
  enum { H = 150, W = 64 };
  float *a = numbers(H * W), expected[H];
  for (int h = 0; h < H; h++) {
    expected[h] = a[h * W];
    for (int w = 0; w < W; w++)
      if (a[h * W + w] > expected[h]) expected[h] = a[h * W + w];
  }
  return finish("6 reduce", launch("row_maxima", a, H * W, NULL, 0, H, 1, 1, H, W), expected, H);
}
