/* Arguments of the softmax kernel. */
#ifndef SOFTMAX_H
#define SOFTMAX_H

typedef struct {
  unsigned long long input, output; /* rows x width, continuous */
  int rows, width;
  int dtype; /* DT_FP32 or DT_BFP16 */
} __attribute__((packed)) softmax_args_t;

#endif
