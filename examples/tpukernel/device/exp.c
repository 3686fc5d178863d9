/* e^x, in two ways: from the chip's tables, step by step, and with the API's function for it.
 *
 * x = k + f, k a whole number, |f| <= 1/2: e^x = e^k * e^f. e^k comes from a table of 192 numbers,
 * k in [-103, 88]; e^f is a Taylor series of 32 terms. Both are stored in static memory and are
 * copied into every NPU. */
#include <tpu_kernel.h>

#include "elementwise.h"

/* One bank of local memory per tensor, so that operands cause no bank conflicts. */
enum { BANK = 16 * 1024, MOST = BANK / 4 };
static const local_addr_t kX = 0, kWhole = BANK, kIndex = 2 * BANK, kPower = 3 * BANK,
                          kSeries = 4 * BANK, kCoeff = 5 * BANK, kTable = 6 * BANK;
enum { TABLE_FIRST = -103, TABLE_LAST = 88, TABLE_LENGTH = 192, TERMS = 32 };

static scalar_t number(float value) {
  scalar_t scalar = {.f32 = value};
  return scalar;
}

static void from_tables(const dim4* shape) {
  const scalar_t first = {.s32 = -TABLE_FIRST};
  tpu_bdc_max_C(kX, kX, number(TABLE_FIRST), shape, NULL, NULL, DT_FP32);
  tpu_bdc_min_C(kX, kX, number(TABLE_LAST), shape, NULL, NULL, DT_FP32);
  /* k, ties away from zero as in the function, and its index in the table as a 16-bit number */
  tpu_bdc_cast(kWhole, kX, shape, NULL, NULL, DT_INT32, DT_FP32, RM_HALF_AWAY_FROM_ZERO);
  tpu_bdc_int_add_C(kIndex, kWhole, first, shape, NULL, NULL, DT_INT16, DT_INT32, DT_INT32, 0,
                    RM_HALF_TO_EVEN, true);
  tpu_bdc_table_lookup(kPower, kIndex, kTable, shape, TABLE_LENGTH, DT_FP32, DT_UINT16);
  /* f */
  tpu_bdc_cast(kSeries, kWhole, shape, NULL, NULL, DT_FP32, DT_INT32, RM_HALF_TO_EVEN);
  tpu_bdc_fp_sub(kX, kX, kSeries, shape, NULL, NULL, NULL, DT_FP32);
  tpu_bdc_fp_taylor(kSeries, kX, kCoeff, shape, TERMS, DT_FP32);
  tpu_bdc_fp_mul(kX, kSeries, kPower, shape, NULL, NULL, NULL, DT_FP32);
}

static void with_function(const dim4* shape) {
  tpu_bdc_fp32_exp(kPower, kX, kWhole, kSeries, kCoeff, kTable, shape);
  tpu_bdc_cpy(kX, kPower, shape, NULL, NULL, DT_FP32);
}

static void run(const elementwise_args_t* p, void (*compute)(const dim4*)) {
  tpu_initialize();
  tpu_bdc_load_fp32_exp_coeff(kCoeff);
  tpu_bdc_load_fp32_exp_table(kTable);
  for (int done = 0; done < p->count;) {
    /* a row of numbers in every NPU; a remainder smaller than the number of NPUs goes to the first
     * one */
    const int left = p->count - done, per_npu = MIN(left / NPU_NUM, MOST);
    const dim4 shape = {1, per_npu > 0 ? NPU_NUM : 1, 1, per_npu > 0 ? per_npu : left};
    tpu_gdma_cpy_S2L(kX, p->input + done * 4ull, &shape, NULL, NULL, DT_FP32);
    compute(&shape);
    tpu_gdma_cpy_L2S(p->output + done * 4ull, kX, &shape, NULL, NULL, DT_FP32);
    done += shape.c * shape.w;
  }
  tpu_poll();
}

void exp_from_tables(const void* args) { run((const elementwise_args_t*)args, from_tables); }
TPUKERNEL_FUNC_REGISTER(exp_from_tables)

void exp_function(const void* args) { run((const elementwise_args_t*)args, with_function); }
TPUKERNEL_FUNC_REGISTER(exp_function)
