/* row_sums RESULTS: sums of neighbouring elements of each row, stored on the first elements of the
 * same row. The chip reads all elements of a row before it writes the first sum, as recordings
 * show. So the results are right, and the overlap is no finding. */
#include <stddef.h>
#include <tpu_kernel.h>

#include "course/course.h"

enum { ROWS = 3, WIDTH = 64 };

void row_sums(const void* args) {
  const lesson_args_t* p = (const lesson_args_t*)args;
  const dim4 rows = {1, ROWS, 1, WIDTH}, sums = {1, ROWS, 1, p->w};
  const dim2 window = {1, WIDTH + 1 - p->w}, one = {1, 1};
  const padding_t none = {0, 0, 0, 0};
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, p->a, &rows, NULL, NULL, DT_FP32);
  tpu_bdc_fp_avg_pool2d(0, 0, &rows, &window, &none, &one, &one, DT_FP32, (scalar_t){.f32 = 1.0f});
  tpu_gdma_cpy_L2S(p->out, 0, &sums, NULL, NULL, DT_FP32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(row_sums)

int main(int argc, char** argv) {
  const int results = argc > 1 ? atoi(argv[1]) : 1, count = ROWS * results;
  float *a = numbers(ROWS * WIDTH), *expected = numbers(count);
  for (int i = 0; i < count; i++) {
    const int first = i / results * WIDTH + i % results;
    expected[i] = 0;
    for (int k = 0; k <= WIDTH - results; k++) expected[i] += a[first + k];
  }
  const float* out = launch("row_sums", a, ROWS * WIDTH, NULL, 0, count, 1, ROWS, 1, results);
  return finish("row sums", out, expected, count);
}
