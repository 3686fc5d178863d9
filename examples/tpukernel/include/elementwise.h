/* Arguments of the kernels exp_from_tables and exp_function. */
#ifndef ELEMENTWISE_H
#define ELEMENTWISE_H

typedef struct {
  unsigned long long input, output; /* fp32, continuous */
  int count;
} __attribute__((packed)) elementwise_args_t;

#endif
