/* Lesson 1: three steps, two memories.
 *
 * A program's tensors are in global memory. The compute engine accesses local memory only. So every
 * kernel loads (S2L: system to local), computes, and stores (L2S). A dim4 is the shape (n, c, h,
 * w); NULL as strides means the default layout of that memory. The first call of a kernel is
 * tpu_initialize, the last tpu_poll, which waits.
 *
 * Exercise: let the kernel store the second half of the numbers before the first. Addresses count
 * bytes, and tensors in local memory must be aligned: what happens if they are not? */
#include <stddef.h>
#include <tpu_kernel.h>

#include "../course.h"

void copy(const void* args) {
  const lesson_args_t* p = (const lesson_args_t*)args;
  const dim4 shape = {1, 1, 1, p->w};
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, p->a, &shape, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_L2S(p->out, 0, &shape, NULL, NULL, DT_FP32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(copy)

int main(void) {
  const int count = 1000;
  float* a = numbers(count);
  return finish("1 copy", launch("copy", a, count, NULL, 0, count, 1, 1, 1, count), a, count);
}
