/* What the host passes to the plus_one kernels. Packed, and addresses of 64 bits: the host has the
 * same layout whatever its pointers are. */
#ifndef PLUS_ONE_H
#define PLUS_ONE_H

typedef struct {
  int n, c, h, w;           /* of both tensors, fp32, continuous in global memory */
  unsigned long long input; /* device addresses */
  unsigned long long output;
} __attribute__((packed)) plus_one_args_t;

#endif
