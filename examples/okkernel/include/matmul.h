/* Arguments of the matmul kernel. */
#ifndef MATMUL_H
#define MATMUL_H

typedef struct {
  int rows, inner, cols;   /* left: rows x inner, right: inner x cols */
  unsigned long long left; /* fp32 matrices, row after row in global memory */
  unsigned long long right;
  unsigned long long output;
} __attribute__((packed)) matmul_args_t;

#endif
