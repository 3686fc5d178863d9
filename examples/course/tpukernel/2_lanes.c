/* Lesson 2: channels are lanes.
 *
 * Local memory is 64 memories, one for each NPU (lane), each with its own arithmetic. Channel c of
 * a tensor is in NPU c % 64. One NPU computes a tensor of one channel while 63 are idle. Contiguous
 * numbers have no fixed shape: a view of 64 channels gives all NPUs an equal part.
 *
 * Exercise: the numbers are 64 * 100 here. Make a kernel for any count: compute the largest
 * multiple of 64 as before, and the remainder, fewer than 64, as a second, small tensor. Compare
 * `tputwin timing -- PROGRAM` with a tensor of one channel. */
#include <stddef.h>
#include <tpu_kernel.h>

#include "../course.h"

void add_one(const void* args) {
  const lesson_args_t* p = (const lesson_args_t*)args;
  const dim4 shape = {1, tpu_npu_num(), 1, p->w / tpu_npu_num()};
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, p->a, &shape, NULL, NULL, DT_FP32);
  tpu_bdc_fp_add_C(0, 0, (scalar_t){.f32 = 1.0f}, &shape, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_L2S(p->out, 0, &shape, NULL, NULL, DT_FP32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(add_one)

int main(void) {
  enum { COUNT = 6400 };
  float *a = numbers(COUNT), expected[COUNT];
  for (int i = 0; i < COUNT; i++) expected[i] = a[i] + 1.0f;
  return finish("2 lanes", launch("add_one", a, COUNT, NULL, 0, COUNT, 1, 1, 1, COUNT), expected,
                COUNT);
}
