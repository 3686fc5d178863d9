/* Lesson 7: both engines at once.
 *
 * Outside a parallel section every command waits for the one before it. Inside, commands of one
 * engine keep their order, but the two engines do not wait for each other: GDMA loads the next tile
 * while the compute engine processes this one. Two buffers change roles. The section ends when both
 * engines are done.
 *
 * Exercise: the store is still outside the section. Let GDMA store the previous tile and load the
 * next one while the present one is computed. The store must end before the load overwrites its
 * buffer. */
#include <okk.h>
#include <stddef.h>

#include "../course.h"

enum { TILE = 4096, TILE_BYTES = TILE * 4 };

void loads_ahead(const void* args) {
  const lesson_args_t* p = (const lesson_args_t*)args;
  const dim4 tile = {1, okk_npu_num(), 1, TILE};
  const unsigned long long bytes = (unsigned long long)okk_npu_num() * TILE_BYTES;
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, p->a, &tile, NULL, NULL);
  for (int i = 0; i < p->n; i++) {
    const local_addr_t now = i % 2 * TILE_BYTES, next = (i + 1) % 2 * TILE_BYTES;
    okk_parallel_start();
    okk_bdc_add_C(now, now, 1.0f, &tile, NULL, NULL);
    if (i + 1 < p->n) okk_gdma_32bit_cpy_S2L(next, p->a + (i + 1) * bytes, &tile, NULL, NULL);
    okk_parallel_end();
    okk_gdma_32bit_cpy_L2S(p->out + i * bytes, now, &tile, NULL, NULL);
  }
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(loads_ahead)

int main(void) {
  const int tiles = 5, count = tiles * 64 * TILE;
  float *a = numbers(count), *expected = numbers(count);
  for (int i = 0; i < count; i++) expected[i] = a[i] + 1.0f;
  return finish("7 parallel", launch("loads_ahead", a, count, NULL, 0, count, tiles, 1, 1, 1),
                expected, count);
}
