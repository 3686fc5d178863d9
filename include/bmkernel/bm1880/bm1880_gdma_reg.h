/*
 * Descriptor of the BM1880 DMA engine (GDMA): 16 words. Addresses are engine addresses (see
 * memmap.h), strides are bytes; fields that do not fit their word are split into _low and _high.
 * The reset values are what an emitted command starts from.
 */
#ifndef BMKERNEL_BM1880_GDMA_REG_H
#define BMKERNEL_BM1880_GDMA_REG_H

#include "../bm_kernel.h"
#include "reg_gdma.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GDMA_DESC_WORDS 16
#define GDMA_DESC_BYTES 64

/* F(name, first bit, width, reset value): bit b of word w is bit 32 * w + b. */
#define BM1880_GDMA_FIELDS(F)        \
  F(valid, 0, 1, 1)                  \
  F(command, 1, 1, 0)                \
  F(end_of_descriptors, 2, 1, 0)     \
  F(interrupt, 3, 1, 0)              \
  F(barrier_enable, 4, 1, 0)         \
  F(enable_stride, 5, 1, 0)          \
  F(direction, 6, 2, 0)              \
  F(broadcast_enable, 8, 1, 0)       \
  F(add_result, 9, 1, 0)             \
  F(common_mode, 10, 2, 0)           \
  F(hold_value, 12, 4, 0)            \
  F(cmd_id, 16, 16, 0)               \
  F(special_function, 32, 3, 0)      \
  F(dst_fmt, 35, 2, 1)               \
  F(src_fmt, 37, 3, 4)               \
  F(gmem_data_type, 40, 1, 0)        \
  F(winograd_scale_factor, 41, 4, 0) \
  F(lrn_shift_direction, 45, 1, 0)   \
  F(copy_chw, 46, 1, 0)              \
  F(rsvd0, 47, 1, 0)                 \
  F(cmd_id_bd, 48, 16, 0)            \
  F(rsvd1, 64, 32, 0)                \
  F(const_to_fill, 96, 8, 0)         \
  F(rsvd2, 104, 24, 0)               \
  F(dst_h_stride, 128, 16, 0)        \
  F(dst_c_stride_low, 144, 16, 0)    \
  F(dst_n_stride, 160, 32, 0)        \
  F(src_h_stride, 192, 16, 0)        \
  F(src_c_stride_low, 208, 16, 0)    \
  F(src_n_stride, 224, 32, 0)        \
  F(dst_c, 256, 16, 0)               \
  F(src_c, 272, 16, 0)               \
  F(dst_w, 288, 16, 0)               \
  F(dst_h, 304, 16, 0)               \
  F(src_w, 320, 16, 0)               \
  F(src_h, 336, 16, 0)               \
  F(dst_addr_low, 352, 32, 0)        \
  F(src_addr_low, 384, 32, 0)        \
  F(src_n, 416, 16, 0)               \
  F(dst_addr_high, 432, 8, 0)        \
  F(src_addr_high, 440, 8, 0)        \
  F(src_c_stride_high, 448, 16, 0)   \
  F(dst_c_stride_high, 464, 16, 0)   \
  F(rsvd3, 480, 32, 0)

/* One member per field. */
typedef struct {
#define BM1880_FIELD(name, first, width, reset) u32 name;
  BM1880_GDMA_FIELDS(BM1880_FIELD)
#undef BM1880_FIELD
} gdma_reg_t;

/* Sets the values of a descriptor before a call fills it. */
static inline void reset_gdma_reg(gdma_reg_t* r) {
#define BM1880_FIELD(name, first, width, reset) r->name = reset;
  BM1880_GDMA_FIELDS(BM1880_FIELD)
#undef BM1880_FIELD
}

/* Converts the words of a descriptor to fields. */
static inline void parse_gdma_reg(gdma_reg_t* r, const u32* words) {
#define BM1880_FIELD(name, first, width, reset) r->name = bm1880_get_bits(words, first, width);
  BM1880_GDMA_FIELDS(BM1880_FIELD)
#undef BM1880_FIELD
}

/* Converts fields to the words of a descriptor. */
static inline void emit_gdma_reg(const gdma_reg_t* r, u32* words) {
  int i;
  for (i = 0; i < GDMA_DESC_WORDS; ++i) words[i] = 0;
#define BM1880_FIELD(name, first, width, reset) bm1880_set_bits(words, first, width, r->name);
  BM1880_GDMA_FIELDS(BM1880_FIELD)
#undef BM1880_FIELD
}

#ifdef __cplusplus
}
#endif

#endif
