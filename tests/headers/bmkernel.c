/* Every BMKernel header together, and the helpers that user programs use. */
#define BMK1880_INS_MEMBERS
#include <bmkernel/bm1880/bm1880_gdma_reg.h>
#include <bmkernel/bm1880/bm1880_reg.h>
#include <bmkernel/bm1880/bmkernel_1880.h>
#include <bmkernel/bm1880/memmap.h>
#include <bmkernel/bm1880/reg_bdcast.h>
#include <bmkernel/bm1880/reg_gdma.h>
#include <bmkernel/bm_cmdbuf.h>
#include <bmkernel/bm_kernel.h>
#include <bmkernel/bm_kernel_legacy.h>
#include <bmkernel/bm_regcpu.h>
#include <tputwin/error.h>

#include <string.h>

static int failures = 0;
static void expect(int holds) {
  if (!holds) ++failures;
}

static void helpers(void) {
  stride_t s = stride_st4(4, 3, 2, 1);
  tensor_gmem g;
  tensor_lmem t;
  cmd_hdr_t header;
  memset(&t, 0, sizeof t);
  expect(s.n == 4 && s.c == 3 && s.row == 2 && s.col == 1);
  expect(stride_t2(7, 1).row == 7 && stride_t4(1, 2, 3, 4).w == 4);
  g.shape = shape_t2(5, 6);
  expect(tg_is_matrix(&g) && tg_matrix_row(&g) == 5 && tg_matrix_col(&g) == 6);
  t.shape = shape_t4(1, 2, 3, 4);
  t.operand.laddr = 64;
  expect(tl_address(&t) == 64 && !tl_is_matrix(&t) && !tl_is_prealloc(&t));
  tl_reshape(&t, shape_t1(9));
  expect(tl_is_matrix(&t) && t.shape.col == 9);
  t.type = TL_TYPE_CONSTANT;
  expect(tl_is_const(&t) && tl_address(&t) == LADDR_INVALID);
  memset(&header, 0, sizeof header);
  header.mask = 300;
  expect(cmd_hdr_len(&header) == 300);
  header.len = 112;
  expect(cmd_hdr_len(&header) == 112 && sizeof header == 8 && sizeof(dma_hdr_t) == 64);
  expect(sizeof(cpu_desc_t) == CPU_ENGINE_DESCRIPTOR_BYTES);
  expect(ALIGN(17, 16) == 32 && ALIGN_DOWN(17, 16) == 16 && align_up(33, 32) == 64);
  expect(ceiling_func(7, 2) == 4 && ceiling_func_shift(9, 3) == 2);
  expect(get_num_shift(8) == 3 && get_num_shift(1) == 0 && get_num_shift(0) == 64);
  expect(math_min(1, 2) == 1 && math_max(1, 2) == 2);
}

/* The register layouts match the bytes that the library writes. */
static void registers(void) {
  static u8 buffer[4096];
  u32 size = 0, words[BD_DESC_WORDS], again[BD_DESC_WORDS];
  bmk1880_info_t info;
  bmk1880_context_t *ctx;
  tensor_lmem *t;
  bmk1880_relu_param_t relu;
  bmk1880_winograd_param_t with_ins;
  bd_reg_t bd;
  gdma_reg_t gdma;
  u8 *cmdbuf;
  with_ins.ins_h = with_ins.ins_last_h = with_ins.ins_w = with_ins.ins_last_w = 0;
  expect(with_ins.ins_h == 0);
  info.chip_version = bmk1880_chip_info().version;
  info.cmdbuf = buffer;
  info.cmdbuf_size = sizeof buffer;
  ctx = bmk1880_register(&info);
  t = bmk1880_tl_alloc(ctx, shape_t4(2, 3, 4, 5), FMT_I8, CTRL_AL);
  relu.ofmap = relu.ifmap = t;
  expect(bmk1880_gdma_load(ctx, t, 0x1000, CTRL_NULL) != NULL);
  expect(bmk1880_tpu_relu(ctx, &relu) != NULL);
  cmdbuf = bmk1880_acquire_cmdbuf(ctx, &size);
  expect(size == 8 + GDMA_DESC_BYTES + 8 + BD_DESC_BYTES);
  memcpy(words, cmdbuf + 8, GDMA_DESC_BYTES);
  parse_gdma_reg(&gdma, words);
  expect(gdma.src_addr_low == 0x1000 && gdma.src_addr_high == 1 && gdma.src_w == 5);
  expect(gdma.dst_addr_low == LOCAL_MEM_START_ADDR && gdma.direction == GDMA_DIR_S2L);
  emit_gdma_reg(&gdma, again);
  expect(memcmp(words, again, GDMA_DESC_BYTES) == 0);
  memcpy(words, cmdbuf + 8 + GDMA_DESC_BYTES + 8, BD_DESC_BYTES);
  parse_bd_reg(&bd, words);
  expect(bd.tsk_typ == BD_TASK_TENSOR && bd.tsk_eu_typ == BD_EU_MAX && bd.cmd_id_gdma == 1);
  expect(bd.res0_n == 2 && bd.res0_c == 3 && bd.res0_h == 4 && bd.res0_w == 5);
  emit_bd_reg(&bd, again);
  expect(memcmp(words, again, BD_DESC_BYTES) == 0);
  reset_bd_reg(&bd);
  reset_gdma_reg(&gdma);
  expect(bd.opt_right_shift == 10 && gdma.valid == 1);
  bmk1880_tl_free(ctx, t);
  bmk1880_cleanup(ctx);
  expect(tputwin_error_count() == 0);
}

int main(void) {
  helpers();
  registers();
  return failures;
}
