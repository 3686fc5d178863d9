/* Arguments of the softmax kernel. */
#ifndef SOFTMAX_H
#define SOFTMAX_H

enum { SOFTMAX_OVER_C = 1, SOFTMAX_OVER_W = 3 };

typedef struct {
  int n, c, h, w; /* of both tensors, fp32, continuous in global memory */
  int axis;       /* SOFTMAX_OVER_C or SOFTMAX_OVER_W */
  unsigned long long input;
  unsigned long long output;
} __attribute__((packed)) softmax_args_t;

#endif
