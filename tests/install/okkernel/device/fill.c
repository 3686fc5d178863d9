#include <stddef.h>
#include "okk.h"

typedef struct {
  unsigned long long out;
  unsigned count;
  float value;
} __attribute__((packed)) fill_args;

static int unused; /* a compiler warning must not stop the build */

void fill(const void* args) {
  const fill_args* a = (const fill_args*)args;
  const dim4 shape = {1, 1, 1, (int)a->count};
  x32 value = {.fp32 = a->value};
  okk_initialize();
  okk_gdma_32bit_set_C_system(a->out, value, &shape, NULL);
  okk_poll();
  OKKERNEL_LOG("filled %u\n", a->count);
}
OKKERNEL_FUNC_REGISTER(fill)
