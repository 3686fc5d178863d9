/* Small helpers of the kernels. okk.h does not define such names. */
#ifndef TILES_H
#define TILES_H

#define DIV_UP(a, b) (((a)-1) / (b) + 1)
#define ALIGN(a, b) (DIV_UP(a, b) * (b))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define NO_STRIDE ((const dim4*)0) /* local: 128-byte aligned layout; system: continuous */

/* Returns the bytes of an fp32 tensor (128-byte aligned layout) in every NPU, from NPU 0 on. */
static inline unsigned int aligned_bytes(const dim4* shape) {
  dim4 stride;
  okk_128_byte_aligned_stride_for_32bit(&stride, 0, shape);
  return (unsigned int)(shape->n * stride.n) * 4;
}

#endif
