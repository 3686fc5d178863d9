/*
 * Descriptor of the BM1880 tensor engine (BD): 28 words, fields in ascending order, some of them
 * across a word boundary. Addresses are local memory offsets (lane in bits 16 and up), strides are
 * bytes, rsvd* fields are 0.
 */
#ifndef BMKERNEL_BM1880_REG_H
#define BMKERNEL_BM1880_REG_H

#include "../bm_kernel.h"
#include "reg_bdcast.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BD_DESC_WORDS 28
#define BD_DESC_BYTES 112

/* F(name, first bit, width, reset value): bit b of word w is bit 32 * w + b. */
#define BM1880_BD_FIELDS(F)           \
  F(cmd_en, 0, 1, 0)                  \
  F(cmd_end, 1, 1, 0)                 \
  F(cmd_id_en, 2, 1, 0)               \
  F(cmd_id_tpu, 3, 16, 0)             \
  F(cmd_id_gdma, 19, 16, 0)           \
  F(cmd_keep, 35, 1, 0)               \
  F(cmd_intr_en, 36, 1, 0)            \
  F(tsk_typ, 37, 4, 0)                \
  F(tsk_eu_typ, 41, 8, 0)             \
  F(tsk_opd_num, 49, 2, 3)            \
  F(opt_right_shift, 51, 5, 10)       \
  F(opt_left_shift, 56, 5, 2)         \
  F(opt_shift_typ, 61, 1, 1)          \
  F(opt_rshift_typ, 62, 1, 1)         \
  F(opt_res_add, 63, 1, 0)            \
  F(opt_relu, 64, 1, 1)               \
  F(opt_left_tran, 65, 1, 0)          \
  F(opt_winograd, 66, 1, 0)           \
  F(tens_mdsum, 67, 1, 0)             \
  F(tens_lookup, 68, 1, 0)            \
  F(opt_res0_sign, 69, 1, 0)          \
  F(opt_opd0_sign, 70, 1, 0)          \
  F(opt_opd1_sign, 71, 1, 1)          \
  F(opt_opd2_sign, 72, 1, 1)          \
  F(opt_res0_int8, 73, 1, 1)          \
  F(opt_opd0_int8, 74, 1, 1)          \
  F(opt_opd1_int8, 75, 1, 1)          \
  F(opt_opd2_int8, 76, 1, 0)          \
  F(opt_opd0_const, 77, 1, 0)         \
  F(opt_opd1_const, 78, 1, 0)         \
  F(opt_opd2_const, 79, 1, 0)         \
  F(short_nchwstr_same, 80, 1, 0)     \
  F(short_res0_str, 81, 2, 0)         \
  F(short_opd0_str, 83, 2, 0)         \
  F(short_opd1_str, 85, 2, 0)         \
  F(short_opd2_str, 87, 2, 0)         \
  F(conv_opd0_x_ins0, 89, 4, 0)       \
  F(conv_opd0_y_ins0, 93, 4, 0)       \
  F(conv_opd0_x_ins0_last, 97, 4, 0)  \
  F(conv_opd0_y_ins0_last, 101, 4, 0) \
  F(conv_opd1_x_ins0, 105, 4, 0)      \
  F(conv_opd1_y_ins0, 109, 4, 0)      \
  F(opd0_ins_val, 113, 8, 0)          \
  F(rsvd0, 121, 7, 0)                 \
  F(res0_n, 128, 12, 1)               \
  F(res0_c, 140, 12, 1)               \
  F(res0_h, 152, 12, 1)               \
  F(res0_w, 164, 12, 16)              \
  F(res0_addr, 176, 24, 0)            \
  F(opd0_addr, 200, 24, 0)            \
  F(opd1_addr, 224, 16, 0)            \
  F(rsvd1, 240, 16, 0)                \
  F(opd2_addr, 256, 16, 0)            \
  F(opd0_c, 272, 12, 1)               \
  F(opd0_h, 284, 12, 1)               \
  F(opd0_w, 296, 12, 16)              \
  F(opd1_h, 308, 12, 1)               \
  F(opd1_w, 320, 12, 16)              \
  F(conv_opd0_up_pad, 332, 4, 0)      \
  F(conv_opd0_dn_pad, 336, 4, 0)      \
  F(conv_opd0_lf_pad, 340, 4, 0)      \
  F(conv_opd0_rt_pad, 344, 4, 0)      \
  F(conv_op_x_str, 348, 4, 0)         \
  F(conv_op_y_str, 352, 4, 0)         \
  F(rsvd2, 356, 28, 0)                \
  F(opd0_n, 384, 12, 1)               \
  F(opd1_n, 396, 12, 1)               \
  F(opd1_c, 408, 12, 1)               \
  F(opd2_n, 420, 12, 1)               \
  F(opd2_c, 432, 12, 1)               \
  F(opd2_h, 444, 12, 1)               \
  F(opd2_w, 456, 12, 16)              \
  F(rsvd3, 468, 44, 0)                \
  F(res0_n_str, 512, 16, 16)          \
  F(res0_c_str, 528, 16, 16)          \
  F(res0_h_str, 544, 16, 0)           \
  F(res0_w_str, 560, 16, 1)           \
  F(res0_b_str, 576, 16, 16)          \
  F(opd0_n_str, 592, 16, 16)          \
  F(opd0_c_str, 608, 16, 16)          \
  F(rsvd4, 624, 16, 0)                \
  F(opd0_h_str, 640, 16, 0)           \
  F(opd0_w_str, 656, 16, 1)           \
  F(opd0_b_str, 672, 16, 16)          \
  F(opd1_n_str, 688, 16, 16)          \
  F(opd1_c_str, 704, 16, 16)          \
  F(opd1_h_str, 720, 16, 0)           \
  F(opd1_w_str, 736, 16, 1)           \
  F(rsvd5, 752, 16, 0)                \
  F(opd1_b_str, 768, 16, 16)          \
  F(opd2_n_str, 784, 16, 16)          \
  F(opd2_c_str, 800, 16, 16)          \
  F(opd2_h_str, 816, 16, 0)           \
  F(opd2_w_str, 832, 16, 1)           \
  F(opd2_b_str, 848, 16, 16)          \
  F(rsvd6, 864, 32, 0)

/* One member per field. */
typedef struct {
#define BM1880_FIELD(name, first, width, reset) u32 name;
  BM1880_BD_FIELDS(BM1880_FIELD)
#undef BM1880_FIELD
} bd_reg_t;

/* Sets the values of a descriptor before a call fills it. */
static inline void reset_bd_reg(bd_reg_t* r) {
#define BM1880_FIELD(name, first, width, reset) r->name = reset;
  BM1880_BD_FIELDS(BM1880_FIELD)
#undef BM1880_FIELD
}

/* Converts the words of a descriptor to fields. */
static inline void parse_bd_reg(bd_reg_t* r, const u32* words) {
#define BM1880_FIELD(name, first, width, reset) r->name = bm1880_get_bits(words, first, width);
  BM1880_BD_FIELDS(BM1880_FIELD)
#undef BM1880_FIELD
}

/* Converts fields to the words of a descriptor. */
static inline void emit_bd_reg(const bd_reg_t* r, u32* words) {
  int i;
  for (i = 0; i < BD_DESC_WORDS; ++i) words[i] = 0;
#define BM1880_FIELD(name, first, width, reset) bm1880_set_bits(words, first, width, r->name);
  BM1880_BD_FIELDS(BM1880_FIELD)
#undef BM1880_FIELD
}

#ifdef __cplusplus
}
#endif

#endif
