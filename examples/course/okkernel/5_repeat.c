/* Lesson 5: strides of zero.
 *
 * A stride of 0 reads the same element again: one element is used for all of an axis. Here a bias
 * for each channel, a tensor (1, c, 1, 1), is added to its whole plane with h and w strides of 0;
 * its channels are in the NPUs of the planes. Two tensors in different banks of local memory are
 * read at once: the bias begins at 128 KiB.
 *
 * Exercise: add a row (1, 1, 1, w) to all rows of all channels. Every NPU needs the row, so load it
 * with a c stride of 0 in system memory first. */
#include <okk.h>
#include <stddef.h>

#include "../course.h"

enum { BIAS = 128 * 1024 };

void add_bias(const void* args) {
  const lesson_args_t* p = (const lesson_args_t*)args;
  const dim4 shape = {1, p->c, p->h, p->w}, bias = {1, p->c, 1, 1};
  dim4 repeated;
  okk_initialize();
  okk_128_byte_aligned_stride_for_32bit(&repeated, 0, &bias);
  repeated.h = repeated.w = 0;
  okk_gdma_32bit_cpy_S2L(0, p->a, &shape, NULL, NULL);
  okk_gdma_32bit_cpy_S2L(BIAS, p->b, &bias, NULL, NULL);
  okk_bdc_add(0, 0, BIAS, &shape, NULL, NULL, &repeated);
  okk_gdma_32bit_cpy_L2S(p->out, 0, &shape, NULL, NULL);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(add_bias)

int main(void) {
  enum { C = 100, H = 9, W = 14, COUNT = C * H * W };
  float *a = numbers(COUNT), *b = numbers(C), expected[COUNT];
  for (int i = 0; i < COUNT; i++) expected[i] = a[i] + b[i / (H * W)];
  return finish("5 repeat", launch("add_bias", a, COUNT, b, C, COUNT, 1, C, H, W), expected, COUNT);
}
