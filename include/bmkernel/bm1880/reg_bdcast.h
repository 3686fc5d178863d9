/*
 * Tensor engine (BD) of the BM1880: registers, task codes and stride kinds.
 */
#ifndef BMKERNEL_BM1880_REG_BDCAST_H
#define BMKERNEL_BM1880_REG_BDCAST_H

#include "../bm_kernel.h"
#include "memmap.h"

/* Registers, relative to BD_ENGINE_BASE_ADDR. */
#define BD_CTRL_REG 0x100
#define BD_DESC_ADDR_REG 0x104
/* Descriptors in memory start at a multiple of 2^BD_DESC_ALIGN_BIT bytes. */
#define BD_DESC_ALIGN_BIT 8

/* tsk_typ */
#define BD_TASK_CONV 0 /* also winograd */
#define BD_TASK_POOLING 1
#define BD_TASK_MATRIX_MAC 2
#define BD_TASK_TENSOR 3 /* element-wise, mdsum, lookup */
#define BD_TASK_MATRIX_MAC_2 4

/* tsk_eu_typ of BD_TASK_POOLING */
#define BD_POOL_MAX 0
#define BD_POOL_AVG 1
#define BD_POOL_DEPTHWISE 2

/* tsk_eu_typ of BD_TASK_TENSOR */
#define BD_EU_MUL 0
#define BD_EU_MAC 1
#define BD_EU_ADD 2
#define BD_EU_SUB 3
#define BD_EU_MAX 4
#define BD_EU_MIN 5
#define BD_EU_SHIFT 6
#define BD_EU_AND 7
#define BD_EU_OR 8
#define BD_EU_XOR 9
#define BD_EU_COPY 10

/* short_*_str */
#define BD_STRIDE_ALIGNED 0 /* default aligned strides */
#define BD_STRIDE_WEIGHT 1  /* convolution weight; result of mdsum: unaligned */
#define BD_STRIDE_BIAS 2    /* 16-bit bias in two planes */
#define BD_STRIDE_EXPLICIT 3

/* Bits [first, first + width) of a descriptor; width is at most 32. */
static inline u32 bm1880_get_bits(const u32* words, u32 first, u32 width) {
  u64 pair = words[first / 32];
  if (first % 32 + width > 32) pair |= (u64)words[first / 32 + 1] << 32;
  return (u32)((pair >> first % 32) & (((u64)1 << width) - 1));
}

/* Writes these bits; they must be 0 before. */
static inline void bm1880_set_bits(u32* words, u32 first, u32 width, u32 value) {
  u64 pair = ((u64)value & (((u64)1 << width) - 1)) << first % 32;
  words[first / 32] |= (u32)pair;
  if (first % 32 + width > 32) words[first / 32 + 1] |= (u32)(pair >> 32);
}

#endif
