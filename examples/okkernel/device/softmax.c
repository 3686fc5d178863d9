/* softmax(x) = exp(x - max) / sum(exp(x - max)), along w or along c.
 *
 * The largest value is subtracted first, so that no exponent is above 0 and nothing overflows.
 *
 * Both axes use the same function: in local memory the values of one group are in one NPU, along h
 * or along w. Pooling with a window of a whole group computes the largest value, and the mean, from
 * which the sum follows. A stride of 0 applies the result of the pooling to the whole group. NPUs
 * cannot read each other's memory, so along c the tensor must be transposed. In global memory the
 * distance of channels is a stride like any other, and GDMA puts channels along h. */
#include <okk.h>

#include "softmax.h"
#include "tiles.h"

/* The buffers of a tile, each a quarter of local memory. Three hold tensors of the tile's shape;
 * the last one holds the maximum, and later the sum, of each group. */
enum { QUARTER = 128 * 1024 };
static const local_addr_t kX = 0, kWork = QUARTER, kExp = 2 * QUARTER, kGroup = 3 * QUARTER;

/* x: `shape` at kX, in the aligned layout. Groups are along h (kernel_h = shape->h) or along w. */
static void softmax_in_local_memory(const dim4* shape, int kernel_h, int kernel_w) {
  const dim4 groups = {shape->n, shape->c, shape->h / kernel_h, shape->w / kernel_w};
  dim4 repeated;
  okk_128_byte_aligned_stride_for_32bit(&repeated, 0, &groups);
  if (kernel_h > 1) repeated.h = 0;
  if (kernel_w > 1) repeated.w = 0;
  okk_bdc_max_pool2d(kGroup, kX, shape, kernel_h, kernel_w, 0, 0);
  okk_bdc_sub(kX, kX, kGroup, shape, NO_STRIDE, NO_STRIDE, &repeated);
  okk_bdc_max_C(kX, kX, -103.0f, shape, NO_STRIDE, NO_STRIDE); /* the lowest that exp takes */
  okk_bdc_exp(kExp, kX, kWork, shape);
  okk_bdc_avg_pool2d(kGroup, kExp, shape, kernel_h, kernel_w, 0, 0);
  okk_bdc_mul_C(kGroup, kGroup, (float)(kernel_h * kernel_w), &groups, NO_STRIDE, NO_STRIDE);
  okk_bdc_div(kX, kExp, kGroup, shape, NO_STRIDE, NO_STRIDE, &repeated);
}

/* Groups are contiguous rows of memory, which are distributed to the NPUs. */
static void softmax_over_w(const softmax_args_t* p) {
  const int rows = p->n * p->c * p->h;
  const int per_npu = QUARTER / (ALIGN(p->w, 32) * 4);
  const int most = MIN(4095, per_npu * okk_npu_num());
  OKKERNEL_ASSERT(most > 0);
  for (int row = 0; row < rows; row += most) {
    const dim4 shape = {1, MIN(most, rows - row), 1, p->w};
    const unsigned long long offset = (unsigned long long)row * p->w * 4;
    okk_gdma_32bit_cpy_S2L(kX, p->input + offset, &shape, NO_STRIDE, NO_STRIDE);
    softmax_in_local_memory(&shape, 1, p->w);
    okk_gdma_32bit_cpy_L2S(p->output + offset, kX, &shape, NO_STRIDE, NO_STRIDE);
  }
}

/* Groups are c values, h * w elements apart. A tile takes `width` neighbouring positions for each
 * NPU: the tensor (1, NPUs, c, width). w is contiguous on both sides, as GDMA requires. */
static void softmax_over_c(const softmax_args_t* p) {
  const int plane = p->h * p->w;
  const int most = QUARTER / 4 / p->c;
  OKKERNEL_ASSERT(most > 0);
  for (int n = 0; n < p->n; n++) {
    for (int done = 0; done < plane;) {
      const int left = plane - done;
      const int width = MIN(most, MAX(left / okk_npu_num(), 1));
      const dim4 shape = {1, MIN(okk_npu_num(), left / width), p->c, width};
      const dim4 stride = {0, width, plane, 1};
      const unsigned long long offset = ((unsigned long long)n * p->c * plane + done) * 4;
      okk_gdma_32bit_cpy_S2L(kX, p->input + offset, &shape, NO_STRIDE, &stride);
      softmax_in_local_memory(&shape, p->c, 1);
      okk_gdma_32bit_cpy_L2S(p->output + offset, kX, &shape, &stride, NO_STRIDE);
      done += shape.c * width;
    }
  }
}

void softmax(const void* args) {
  const softmax_args_t* p = (const softmax_args_t*)args;
  okk_initialize();
  if (p->axis == SOFTMAX_OVER_C)
    softmax_over_c(p);
  else
    softmax_over_w(p);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(softmax)
