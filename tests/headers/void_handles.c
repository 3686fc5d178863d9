/* A program in the style of the documents: handles are void *, the header is <bm_kernel.h>. */
#include <bm_kernel.h>
#include <bm1880/bmkernel_1880.h>

static u8 cmdbuf[65536];

int main(void) {
  bmk1880_info_t info;
  void *ctx;
  void *before;
  void *after;
  u32 size = 0;
  tensor_lmem *a_high, *a_low;
  bmk1880_add_const_param_t add;

  info.chip_version = 1880;
  info.cmdbuf = cmdbuf;
  info.cmdbuf_size = sizeof cmdbuf;
  ctx = bmk1880_register(&info);
  if (ctx == NULL) return 1;

  a_low = bmk1880_tl_alloc(ctx, shape_t4(1, 32, 8, 8), FMT_I8, CTRL_AL);
  a_high = bmk1880_tl_alloc(ctx, shape_t4(1, 32, 8, 8), FMT_I8, CTRL_AL);
  bmk1880_create_streams(ctx, 2);
  bmk1880_set_stream(ctx, 0);
  bmk1880_gdma_load(ctx, a_low, 0, CTRL_NULL);
  before = bmk1880_gdma_load(ctx, a_high, 2048, CTRL_NULL);
  bmk1880_set_stream(ctx, 1);
  add.res_high = a_high;
  add.res_low = a_low;
  add.a_high = a_high;
  add.a_low = a_low;
  add.b = -100;
  add.b_is_signed = true;
  after = bmk1880_tpu_add_const(ctx, &add);
  bmk1880_add_dependency(ctx, before, after);
  bmk1880_destroy_streams(ctx);
  bmk1880_gdma_store(ctx, a_low, 4096, CTRL_NULL);
  bmk1880_tl_free(ctx, a_high);
  bmk1880_tl_free(ctx, a_low);

  if (bmk1880_acquire_cmdbuf(ctx, &size) != cmdbuf || size != 3 * 72 + 120) return 2;
  bmk1880_cleanup(ctx);
  return 0;
}
