/* Arguments of the matmul kernel. */
#ifndef MATMUL_H
#define MATMUL_H

/* result = left * right, row by row; fp16 numbers. */
typedef struct {
  unsigned long long left, right, result;
  int rows, depth, cols;
} __attribute__((packed)) matmul_args_t;

#endif
