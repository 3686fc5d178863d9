/* Arguments of the kernels of faulty_kernels.c. */
#ifndef FAULTY_KERNELS_H
#define FAULTY_KERNELS_H

#include <okk.h>

enum { FAULTY_GLOBAL, FAULTY_LOCAL, FAULTY_L2, FAULTY_DTCM };
enum { FAULTY_MISUSE, FAULTY_FAR, FAULTY_DIVIDE, FAULTY_CHASE, FAULTY_ASSERT };

typedef struct {
  int memory, use;
  unsigned idx;
  unsigned long long address;
  long long offset;
} faulty_pointer_args_t;

typedef struct {
  local_addr_t address;
  bool polls;
} faulty_loop_args_t;

#endif
