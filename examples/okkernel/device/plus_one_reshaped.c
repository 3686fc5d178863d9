/* plus_one, fourth step: all NPUs work.
 *
 * Channel c of a tensor is in NPU c mod 64, so a tensor with 3 channels uses 3 of 64 NPUs. Adding
 * one does not depend on channels. So this kernel treats the tensors as plain arrays and gives
 * every NPU an equal part. Only the shapes in the commands change. */
#include <okk.h>

#include "plus_one.h"
#include "tiles.h"

typedef struct {
  dim4 shape;
  unsigned long long offset;
} part_t;

/* Returns the part after `done` of `count` elements, at most npus * row at a time. A remainder of
 * less than a full row for each NPU becomes shorter rows, and the last elements one row. */
static part_t next_part(unsigned long long done, unsigned long long count, int npus, int row) {
  const unsigned long long left = count - done;
  part_t part = {{1, npus, 1, row}, done * 4};
  if (left < (unsigned long long)npus * row) part.shape.w = (int)(left / npus);
  if (part.shape.w == 0) part.shape.c = 1, part.shape.w = (int)left;
  return part;
}

void plus_one_reshaped(const void* args) {
  const plus_one_args_t* p = (const plus_one_args_t*)args;
  const unsigned long long count = (unsigned long long)p->n * p->c * p->h * p->w;
  const int npus = okk_npu_num();
  /* four buffers; a command's width is at most 65535 */
  const int quarter = (int)okk_local_mem_size_per_npu() / 4;
  const int row = MIN(quarter / 4, 65535);
  const local_addr_t source[2] = {0, quarter}, result[2] = {2 * quarter, 3 * quarter};
  part_t loaded = {{0, 0, 0, 0}, 0}, computed = loaded, stored = loaded;
  okk_initialize();
  /* the three stages as before; shape.n is 0 where a stage has no part */
  for (unsigned long long step = 0, done = 0;; step++) {
    stored = computed;
    computed = loaded;
    loaded.shape.n = 0;
    if (done < count) {
      loaded = next_part(done, count, npus, row);
      done += (unsigned long long)loaded.shape.c * loaded.shape.w;
    }
    if (loaded.shape.n + computed.shape.n + stored.shape.n == 0) break;
    const int now = step % 2, before = 1 - now;
    okk_parallel_start();
    if (loaded.shape.n)
      okk_gdma_32bit_cpy_S2L(source[now], p->input + loaded.offset, &loaded.shape, NO_STRIDE,
                             NO_STRIDE);
    if (computed.shape.n)
      okk_bdc_add_C(result[before], source[before], 1.0f, &computed.shape, NO_STRIDE, NO_STRIDE);
    if (stored.shape.n)
      okk_gdma_32bit_cpy_L2S(p->output + stored.offset, result[now], &stored.shape, NO_STRIDE,
                             NO_STRIDE);
    okk_parallel_end();
  }
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(plus_one_reshaped)
