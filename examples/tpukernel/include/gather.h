/* Arguments of the gather kernel. */
#ifndef GATHER_H
#define GATHER_H

/* result(i) = table(index(i)), rows of `width` fp32 numbers; -1 if index(i) is no row. */
typedef struct {
  unsigned long long table, index, result;
  int rows, width, count;
} __attribute__((packed)) gather_args_t;

#endif
