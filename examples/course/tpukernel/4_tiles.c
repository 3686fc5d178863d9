/* Lesson 4: tiles.
 *
 * A tensor larger than local memory is processed in tiles. A tile's bytes in an NPU are the bytes
 * of its channels there, with rows rounded up to the layout's alignment. A call beyond local memory
 * fails with an error. This kernel processes 64 * TILE numbers at a time; the count must be a
 * multiple of that.
 *
 * Exercise: let it process any multiple of 64: the last tile is smaller. */
#include <stddef.h>
#include <tpu_kernel.h>

#include "../course.h"

enum { TILE = 4096 }; /* numbers of an NPU in a tile: 16 KiB */

void double_all(const void* args) {
  const lesson_args_t* p = (const lesson_args_t*)args;
  const dim4 tile = {1, tpu_npu_num(), 1, TILE};
  const int tiles = p->w / (tpu_npu_num() * TILE);
  tpu_initialize();
  for (int i = 0; i < tiles; i++) {
    const unsigned long long offset = (unsigned long long)i * tpu_npu_num() * TILE * 4;
    tpu_gdma_cpy_S2L(0, p->a + offset, &tile, NULL, NULL, DT_FP32);
    tpu_bdc_fp_mul_C(0, 0, (scalar_t){.f32 = 2.0f}, &tile, NULL, NULL, DT_FP32);
    tpu_gdma_cpy_L2S(p->out + offset, 0, &tile, NULL, NULL, DT_FP32);
  }
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(double_all)

int main(void) {
  const int count = 3 * 64 * TILE;
  float *a = numbers(count), *expected = numbers(count);
  for (int i = 0; i < count; i++) expected[i] = a[i] * 2.0f;
  return finish("4 tiles", launch("double_all", a, count, NULL, 0, count, 1, 1, 1, count), expected,
                count);
}
