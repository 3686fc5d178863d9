/* result = left * right of fp16 matrices of any size, in tiles.
 *
 * The rows of a matrix are the channels of a tensor [1, rows, 1, cols], distributed to the NPUs.
 * The matrix unit multiplies fp16 numbers and sums them in fp32. The sums of a tile of the result
 * stay in local memory while the tiles along the depth are added to them (result_add). At the end
 * they are rounded to fp16 once. Left, right and result are in different banks, as the unit
 * requires. */
#include <tpu_kernel.h>

#include "matmul.h"

enum { BANK = 16 * 1024, TILE_ROWS = 128, TILE_DEPTH = 512, TILE_COLS = 512 };
static const local_addr_t kLeft = 0, kRight = 2 * BANK, kSum = 8 * BANK, kNarrow = 12 * BANK;

/* Loads a tile of a matrix in global memory; consecutive rows are `row` elements apart. */
static void load(local_addr_t to, system_addr_t from, int rows, int cols, int row) {
  const dim4 shape = {1, rows, 1, cols}, stride = {0, row, 0, 1};
  tpu_gdma_cpy_S2L(to, from, &shape, NULL, &stride, DT_FP16);
}

static void store(system_addr_t to, local_addr_t from, int rows, int cols, int row) {
  const dim4 shape = {1, rows, 1, cols}, stride = {0, row, 0, 1};
  tpu_gdma_cpy_L2S(to, from, &shape, &stride, NULL, DT_FP16);
}

static unsigned long long place(unsigned long long matrix, int row, int col, int cols) {
  return matrix + ((unsigned long long)row * cols + col) * 2;
}

static void tile(const matmul_args_t* p, int row, int col) {
  const int rows = MIN(TILE_ROWS, p->rows - row), cols = MIN(TILE_COLS, p->cols - col);
  const dim4 shape = {1, rows, 1, cols};
  for (int k = 0; k < p->depth; k += TILE_DEPTH) {
    const int depth = MIN(TILE_DEPTH, p->depth - k);
    load(kLeft, place(p->left, row, k, p->depth), rows, depth, p->depth);
    load(kRight, place(p->right, k, col, p->cols), depth, cols, p->cols);
    tpu_bdc_fp_mm(kSum, kLeft, kRight, rows, depth, cols, DT_FP32, DT_FP16, k > 0);
  }
  tpu_bdc_cast(kNarrow, kSum, &shape, NULL, NULL, DT_FP16, DT_FP32, RM_HALF_TO_EVEN);
  store(place(p->result, row, col, p->cols), kNarrow, rows, cols, p->cols);
}

void matmul(const void* args) {
  const matmul_args_t* p = (const matmul_args_t*)args;
  tpu_initialize();
  for (int row = 0; row < p->rows; row += TILE_ROWS)
    for (int col = 0; col < p->cols; col += TILE_COLS) tile(p, row, col);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(matmul)
