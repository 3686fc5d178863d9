/* Lesson 8: mistakes that a board does not show.
 *
 * This kernel has a mistake, but its result is right, on the simulator and most days on a board. In
 * the parallel section the store does not wait for the addition whose result it stores. Run:
 *
 *   tputwin check -- ./8_check      prints the two commands that race, and their lines (needs -g)
 *   tputwin timing -- ./8_check     prints the limit of each line
 *
 * Exercise: fix it, so that the check finds nothing. Loads and computing must still run in
 * parallel. */
#include <stddef.h>
#include <tpu_kernel.h>

#include "../course.h"

enum { TILE = 1024, TILE_BYTES = TILE * 4 };

void hasty(const void* args) {
  const lesson_args_t* p = (const lesson_args_t*)args;
  const dim4 tile = {1, tpu_npu_num(), 1, TILE};
  const unsigned long long bytes = (unsigned long long)tpu_npu_num() * TILE_BYTES;
  tpu_initialize();
  for (int i = 0; i < p->n; i++) {
    const local_addr_t buffer = i % 2 * TILE_BYTES;
    tpu_gdma_cpy_S2L(buffer, p->a + i * bytes, &tile, NULL, NULL, DT_FP32);
    tpu_parallel_start();
    tpu_bdc_fp_add_C(buffer, buffer, (scalar_t){.f32 = 1.0f}, &tile, NULL, NULL, DT_FP32);
    tpu_gdma_cpy_L2S(p->out + i * bytes, buffer, &tile, NULL, NULL, DT_FP32); /* too early */
    tpu_parallel_end();
  }
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(hasty)

int main(void) {
  const int tiles = 4, count = tiles * 64 * TILE;
  float *a = numbers(count), *expected = numbers(count);
  for (int i = 0; i < count; i++) expected[i] = a[i] + 1.0f;
  return finish("8 check", launch("hasty", a, count, NULL, 0, count, tiles, 1, 1, 1), expected,
                count);
}
