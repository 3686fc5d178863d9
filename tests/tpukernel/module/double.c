/* Device code of the module tests: one kernel that registers itself, one found by its symbol. */
#include <tpu_kernel.h>

typedef struct {
  global_addr_t dst, src;
  int count;
} args_t;

static void times(const args_t* args, float factor) {
  const dim4 shape = {1, 1, 1, args->count};
  const scalar_t C = {.f32 = factor};
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, args->src, &shape, NULL, NULL, DT_FP32);
  tpu_bdc_fp_mul_C(BANK_SIZE, 0, C, &shape, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_L2S(args->dst, BANK_SIZE, &shape, NULL, NULL, DT_FP32);
  tpu_poll();
}

void double_all(const void* args) { times((const args_t*)args, 2.0f); }
TPUKERNEL_FUNC_REGISTER(double_all)

void triple_all(const void* args) { times((const args_t*)args, 3.0f); }
