/* Arguments of the plus_one kernels. Packed, with 64-bit addresses: the layout is the same for
 * every size of the host's pointers. */
#ifndef PLUS_ONE_H
#define PLUS_ONE_H

typedef struct {
  int n, c, h, w;           /* of both tensors, fp32, continuous in global memory */
  unsigned long long input; /* device addresses */
  unsigned long long output;
} __attribute__((packed)) plus_one_args_t;

#endif
