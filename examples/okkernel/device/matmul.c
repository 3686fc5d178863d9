/* output = left * right, for matrices larger than local memory.
 *
 * The output is made in blocks. A block is the sum of products of a block of left and a block of
 * right. okk_bdc_matmul adds them up in local memory (result_add), so only finished blocks are
 * stored. While one pair is multiplied, the next pair is loaded and a finished block is stored. */
#include <okk.h>

#include "matmul.h"
#include "tiles.h"

/* Blocks: each of 64 NPUs holds kColsPerNpu columns: 128 bytes, the alignment of the layout, so
 * that blocks need no padding. */
enum { kRows = 128, kInner = 256, kColsPerNpu = 32, kCols = 64 * kColsPerNpu };

/* Bytes of a matrix in an NPU: every row has its (padded) columns for each round of the NPUs. */
static unsigned int matrix_bytes(int rows, int cols, int cols_per_channel) {
  const dim4 shape = {rows, DIV_UP(cols, cols_per_channel), 1, cols_per_channel};
  return aligned_bytes(&shape);
}

/* The step that multiplies one pair of blocks. Steps of one output block follow each other. */
typedef struct {
  int row, rows, col, cols, k, inner; /* where the blocks begin, and their extents */
  int left_per_channel, right_per_channel;
  bool first, last; /* of the steps that add to one output block */
} step_t;

static step_t step_number(const matmul_args_t* p, int i) {
  const int k_steps = DIV_UP(p->inner, kInner), col_steps = DIV_UP(p->cols, kCols);
  step_t s;
  s.k = i % k_steps * kInner;
  s.col = i / k_steps % col_steps * kCols;
  s.row = i / k_steps / col_steps * kRows;
  s.rows = MIN(kRows, p->rows - s.row);
  s.cols = MIN(kCols, p->cols - s.col);
  s.inner = MIN(kInner, p->inner - s.k);
  /* blocks smaller than a full one are also spread over all NPUs */
  s.left_per_channel = DIV_UP(s.inner, okk_npu_num());
  s.right_per_channel = DIV_UP(s.cols, okk_npu_num());
  s.first = s.k == 0;
  s.last = s.k + s.inner == p->inner;
  return s;
}

static void load(const matmul_args_t* p, const step_t* s, local_addr_t left, local_addr_t right) {
  okk_gdma_32bit_matrix_S2L(left, p->left + ((unsigned long long)s->row * p->inner + s->k) * 4,
                            s->rows, s->inner, s->left_per_channel, p->inner);
  okk_gdma_32bit_matrix_S2L(right, p->right + ((unsigned long long)s->k * p->cols + s->col) * 4,
                            s->inner, s->cols, s->right_per_channel, p->cols);
}

void matmul(const void* args) {
  const matmul_args_t* p = (const matmul_args_t*)args;
  const unsigned int left_bytes = matrix_bytes(kRows, kInner, DIV_UP(kInner, 64));
  const unsigned int right_bytes = matrix_bytes(kInner, kCols, kColsPerNpu);
  const unsigned int output_bytes = matrix_bytes(kRows, kCols, kColsPerNpu);
  const local_addr_t left[2] = {0, left_bytes};
  const local_addr_t right[2] = {2 * left_bytes, 2 * left_bytes + right_bytes};
  const local_addr_t output[2] = {2 * (left_bytes + right_bytes),
                                  2 * (left_bytes + right_bytes) + output_bytes};
  const int steps = DIV_UP(p->rows, kRows) * DIV_UP(p->cols, kCols) * DIV_UP(p->inner, kInner);
  step_t current = step_number(p, 0), finished = current;
  int block = 0, finished_block = -1; /* output blocks alternate between two buffers */
  okk_initialize();
  OKKERNEL_ASSERT(output[1] + output_bytes <= okk_local_mem_size_per_npu());
  load(p, &current, left[0], right[0]);
  for (int i = 0; i <= steps; i++) {
    okk_parallel_start();
    if (finished_block >= 0) {
      const system_addr_t to =
          p->output + ((unsigned long long)finished.row * p->cols + finished.col) * 4;
      okk_gdma_32bit_matrix_L2S(to, output[finished_block % 2], finished.rows, finished.cols,
                                finished.right_per_channel, p->cols);
      finished_block = -1;
    }
    if (i < steps) {
      current = step_number(p, i);
      okk_bdc_matmul(output[block % 2], left[i % 2], right[i % 2], 0, current.rows, current.inner,
                     current.cols, current.left_per_channel, current.right_per_channel,
                     /*using_bias=*/false, /*result_add=*/!current.first);
      if (i + 1 < steps) {
        const step_t next = step_number(p, i + 1);
        load(p, &next, left[(i + 1) % 2], right[(i + 1) % 2]);
      }
      if (current.last) {
        finished = current;
        finished_block = block++;
      }
    }
    okk_parallel_end();
  }
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(matmul)
