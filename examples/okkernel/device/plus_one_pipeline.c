/* plus_one, third step: images of any size, as a pipeline of three stages.
 *
 * An image larger than local memory is cut into tiles of some rows. Source and result have two
 * buffers each, so that every section works on three tiles: tile i+1 is loaded, tile i is computed,
 * tile i-1 is stored, and none waits for another. */
#include <okk.h>

#include "plus_one.h"
#include "tiles.h"

typedef struct {
  dim4 shape;
  unsigned long long offset; /* bytes from the tensor's start */
} tile_t;

/* Returns tile i: images of the batch one after the other, `rows` rows at a time. */
static tile_t tile(const plus_one_args_t* p, int rows, int i) {
  const int per_image = DIV_UP(p->h, rows);
  const int n = i / per_image, h = i % per_image * rows;
  tile_t t = {{1, p->c, MIN(rows, p->h - h), p->w}, 0};
  t.offset = (((unsigned long long)n * p->c * p->h) + h) * p->w * 4;
  return t;
}

void plus_one_pipeline(const void* args) {
  const plus_one_args_t* p = (const plus_one_args_t*)args;
  /* rows of a tile: four buffers share an NPU's memory; a channel's plane is padded to 128 bytes */
  const int quarter = (int)okk_local_mem_size_per_npu() / 4;
  const int channels_per_npu = okk_channle_num_per_npu(0, p->c);
  const int rows = MIN(p->h, quarter / channels_per_npu / 128 * 128 / (p->w * 4));
  const int tiles = p->n * DIV_UP(p->h, rows);
  const local_addr_t source[2] = {0, quarter}, result[2] = {2 * quarter, 3 * quarter};
  /* in global memory a tile is a part of its image: the strides are those of the whole */
  dim4 whole = {p->n, p->c, p->h, p->w}, stride;
  okk_initialize();
  OKKERNEL_ASSERT(rows > 0);
  okk_continuous_stride(&stride, &whole);
  for (int step = 0; step < tiles + 2; step++) {
    const int loaded = step, computed = step - 1, stored = step - 2;
    okk_parallel_start();
    if (loaded < tiles) {
      const tile_t t = tile(p, rows, loaded);
      okk_gdma_32bit_cpy_S2L(source[loaded % 2], p->input + t.offset, &t.shape, NO_STRIDE, &stride);
    }
    if (0 <= computed && computed < tiles) {
      const tile_t t = tile(p, rows, computed);
      okk_bdc_add_C(result[computed % 2], source[computed % 2], 1.0f, &t.shape, NO_STRIDE,
                    NO_STRIDE);
    }
    if (0 <= stored) {
      const tile_t t = tile(p, rows, stored);
      okk_gdma_32bit_cpy_L2S(p->output + t.offset, result[stored % 2], &t.shape, &stride,
                             NO_STRIDE);
    }
    okk_parallel_end();
  }
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(plus_one_pipeline)
