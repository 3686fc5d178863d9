/* Multiplies two int8 matrices and compares the 16-bit product with the host's. Plain C99.
 *
 * The program owns the kernel context: the commands go to a buffer of the program, which then
 * passes it to the runtime. */
#include <bmkernel/bm1880/bmkernel_1880.h>
#include <libbmruntime/bmruntime.h>
#include <stdint.h>
#include <stdio.h>
#include <tputwin/error.h>

enum { M = 24, K = 150, N = 70, SHIFT = 3 };

static int16_t reference(const int8_t* left, const int8_t* right, int row, int col) {
  int32_t sum = 0;
  for (int k = 0; k < K; k++) sum += left[row * K + k] * right[k * N + col];
  sum = (sum + (1 << (SHIFT - 1))) >> SHIFT; /* the chip rounds half up */
  return (int16_t)math_min(32767, math_max(-32768, sum));
}

/* res = left * right, as M rows of low bytes followed by M rows of high bytes. */
static void matmul_kernel(bmk1880_context_t* bk, u64 left_addr, u64 right_addr, u64 res_addr) {
  tensor_lmem* left = bmk1880_tl_alloc(bk, shape_t2(M, K), FMT_I8, CTRL_AL);
  tensor_lmem* right = bmk1880_tl_alloc(bk, shape_t2(K, N), FMT_I8, CTRL_AL);
  tensor_lmem* res = bmk1880_tl_alloc(bk, shape_t2(2 * M, N), FMT_I8, CTRL_AL);
  bmk1880_gdma_load(bk, left, left_addr, CTRL_NULL);
  bmk1880_gdma_load(bk, right, right_addr, CTRL_NULL);

  bmk1880_matrix_mac_param_t p = {.res = res,
                                  .left = left,
                                  .right = right,
                                  .bias = NULL,
                                  .lshift_width = 0,
                                  .rshift_width = SHIFT,
                                  .res_is_int8 = false,
                                  .ctrls = CTRL_NULL};
  bmk1880_tpu_matrix_mac(bk, &p);
  bmk1880_gdma_store(bk, res, res_addr, CTRL_NULL);

  bmk1880_tl_free(bk, res);
  bmk1880_tl_free(bk, right);
  bmk1880_tl_free(bk, left);
}

int main(void) {
  static int8_t left[M * K], right[K * N];
  static uint8_t res[2 * M * N], cmdbuf[4096];
  for (int i = 0; i < M * K; i++) left[i] = (int8_t)(i * 37 + i / 11);
  for (int i = 0; i < K * N; i++) right[i] = (int8_t)(i * 91 - i / 7);

  bmctx_t ctx;
  if (bm_init(0, &ctx) != BM_SUCCESS) return 1;
  bmmem_device_t left_mem = bmmem_device_alloc_raw(ctx, sizeof left);
  bmmem_device_t right_mem = bmmem_device_alloc_raw(ctx, sizeof right);
  bmmem_device_t res_mem = bmmem_device_alloc_raw(ctx, sizeof res);
  bm_memcpy_s2d(ctx, left_mem, (uint8_t*)left);
  bm_memcpy_s2d(ctx, right_mem, (uint8_t*)right);

  bmk1880_info_t info = {.chip_version = 1880, .cmdbuf_size = sizeof cmdbuf, .cmdbuf = cmdbuf};
  bmk1880_context_t* bk = bmk1880_register(&info);
  matmul_kernel(bk, bmmem_device_addr(ctx, left_mem), bmmem_device_addr(ctx, right_mem),
                bmmem_device_addr(ctx, res_mem));
  u32 size = 0;
  u8* commands = bmk1880_acquire_cmdbuf(bk, &size);
  uint16_t seq_no = 0;
  bmerr_t status = bm_send_cmdbuf(ctx, commands, size, &seq_no);
  if (status == BM_SUCCESS) status = bm_wait_cmdbuf_done(ctx, seq_no);
  bmk1880_cleanup(bk);
  bm_memcpy_d2s(ctx, res, res_mem);
  bm_exit(ctx); /* frees the device memory as well */

  if (status != BM_SUCCESS) {
    printf("matmul: %s\n", tputwin_last_error());
    return 1;
  }
  for (int i = 0; i < M * N; i++) {
    int16_t value = (int16_t)(res[i] | res[M * N + i] << 8);
    int16_t expected = reference(left, right, i / N, i % N);
    if (value != expected) {
      printf("matmul: element (%d,%d) is %d, not %d\n", i / N, i % N, value, expected);
      return 1;
    }
  }
  printf("matmul: %dx%d = %dx%d * %dx%d equals the host's (%u bytes of commands)\n", M, N, M, K, K,
         N, size);
  return 0;
}
