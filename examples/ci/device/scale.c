/* The kernel under test: out = in * factor, a row of fp32 numbers that fits local memory. */
#include <okk.h>
#include <stddef.h>

typedef struct {
  unsigned long long in, out; /* device addresses */
  int count;                  /* at most 65535 */
  float factor;
} __attribute__((packed)) scale_args_t;

void scale(const void* args) {
  const scale_args_t* p = (const scale_args_t*)args;
  const dim4 row = {1, 1, 1, p->count};
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, p->in, &row, NULL, NULL);
  okk_bdc_mul_C(0, 0, p->factor, &row, NULL, NULL);
  okk_gdma_32bit_cpy_L2S(p->out, 0, &row, NULL, NULL);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(scale)
