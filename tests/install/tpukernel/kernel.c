/* The kernel of a module: writes a number to global memory. */
#include <tpu_kernel.h>

typedef struct {
  unsigned long long address;
  int value;
} __attribute__((packed)) write_args;

static void write_number(const void* args) {
  const write_args* a = (const write_args*)args;
  tpu_initialize();
  *(int*)tpu_global_mem_addr(a->address) = a->value;
}
TPUKERNEL_FUNC_REGISTER(write_number)
