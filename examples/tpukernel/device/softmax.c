/* softmax(x) = exp(x - max) / sum(exp(x - max)) along w, of fp32 or bf16 numbers.
 *
 * Rows are distributed to the NPUs. Pooling with a window of a whole row computes the largest value
 * and the sum. A stride of 0 applies either to all elements of its row. bf16 numbers are converted
 * to fp32 after the load, because the exponential of this chip is fp32. */
#include <tpu_kernel.h>

#include "softmax.h"

enum { BANK = 16 * 1024, BUFFER = 2 * BANK };
static const local_addr_t kX = 0, kExp = BUFFER, kWork0 = 2 * BUFFER, kWork1 = 3 * BUFFER,
                          kNarrow = 4 * BUFFER, kRow = 5 * BUFFER, kCoeff = 6 * BUFFER,
                          kTable = 6 * BUFFER + BANK;

static void softmax_rows(const dim4* shape) {
  const dim4 rows = {1, shape->c, 1, 1};
  const dim2 window = {1, shape->w}, one = {1, 1};
  const padding_t none = {0, 0, 0, 0};
  const scalar_t lowest = {.u32 = FP_NEG_MAX(DT_FP32)}, unit = {.f32 = 1.0f};
  dim4 repeated;
  tpu_aligned_stride(&repeated, 0, &rows, DT_FP32);
  repeated.w = 0;
  tpu_bdc_fp_max_pool2d(kRow, kX, shape, &window, &none, &one, &one, DT_FP32, lowest);
  tpu_bdc_fp_sub(kX, kX, kRow, shape, NULL, NULL, &repeated, DT_FP32);
  tpu_bdc_fp32_exp(kExp, kX, kWork0, kWork1, kCoeff, kTable, shape);
  tpu_bdc_fp_avg_pool2d(kRow, kExp, shape, &window, &none, &one, &one, DT_FP32, unit);
  tpu_bdc_fp32_div(kX, kExp, kRow, shape, NULL, NULL, &repeated);
}

void softmax(const void* args) {
  const softmax_args_t* p = (const softmax_args_t*)args;
  const data_type_t dtype = (data_type_t)p->dtype;
  const int bytes = tpu_data_type_size(dtype);
  const int per_npu = BUFFER / tpu_aligned_feature_size(1, p->width, DT_FP32);
  TPUKERNEL_ASSERT(per_npu > 0);
  tpu_initialize();
  tpu_bdc_load_fp32_exp_coeff(kCoeff);
  tpu_bdc_load_fp32_exp_table(kTable);
  for (int row = 0; row < p->rows; row += per_npu * NPU_NUM) {
    const dim4 shape = {1, MIN(per_npu * NPU_NUM, p->rows - row), 1, p->width};
    const unsigned long long offset = (unsigned long long)row * p->width * bytes;
    const local_addr_t landing = dtype == DT_FP32 ? kX : kNarrow;
    tpu_gdma_cpy_S2L(landing, p->input + offset, &shape, NULL, NULL, dtype);
    if (dtype != DT_FP32)
      tpu_bdc_cast(kX, kNarrow, &shape, NULL, NULL, DT_FP32, dtype, RM_HALF_TO_EVEN);
    softmax_rows(&shape);
    if (dtype != DT_FP32)
      tpu_bdc_cast(kNarrow, kX, &shape, NULL, NULL, dtype, DT_FP32, RM_HALF_TO_EVEN);
    tpu_gdma_cpy_L2S(p->output + offset, landing, &shape, NULL, NULL, dtype);
  }
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(softmax)
