/*
 * OKKernel: the device API of the BM1684. C99 and C++.
 *
 * Every function documents its rules. A call that breaks a rule does nothing, and its launch fails.
 * The message names the call, the argument, the value and the rule (tputwin/error.h). A call that a
 * document forbids but the chip's reference model executes is counted as a warning.
 */
#ifndef OKK_H
#define OKK_H

#include <stdbool.h>
#ifdef USING_CMODEL
#include <assert.h>
#include <stdio.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Byte offset in local memory, 64 NPUs of 512 KiB. */
typedef unsigned int local_addr_t;
typedef unsigned long long system_addr_t; /* byte address in global memory, L2-SRAM or DTCM */
typedef unsigned long long global_addr_t; /* byte address in global memory */

/* Shapes and strides. Strides count elements, in packed modes 32-bit cells. */
typedef struct {
  int n, c, h, w;
} dim4;
typedef struct {
  int h, w;
} dim2;
typedef struct {
  int top, bottom, left, right;
} Padding;

/* Elements of 32, 16 and 8 bits, and the 32-bit cells of 4N and 2N mode. */
typedef signed char s8x4[4];
typedef unsigned char u8x4[4];
typedef short s16x2[2];
typedef unsigned short u16x2[2];
typedef union {
  float fp32;
  int s32;
  unsigned int u32;
  s8x4 _4N_s8;
  u8x4 _4N_u8;
  s16x2 _2N_s16;
  u16x2 _2N_u16;
} x32;
typedef union {
  short s16;
  unsigned short u16;
} x16;
typedef union {
  signed char s8;
  unsigned char u8;
} x8;

/* A tensor (its address) or a constant. */
typedef struct {
  bool is_addr;
  union {
    float val;
    local_addr_t addr;
  } context;
} fp32_or_addr_t;
typedef struct {
  bool is_addr;
  union {
    x32 val;
    local_addr_t addr;
  } context;
} x32_or_addr_t;

/* Types of the sources and the destination of fixed point functions. bit: 1 for 8 bits, 0 for 16;
 * sign: 1 for signed, 0 for unsigned. */
#define OP_TYPE(src_bit, src0_sign, src1_sign, dst_bit, dst_sign) \
  ((src_bit) | (src0_sign) << 1 | (src1_sign) << 2 | (dst_bit) << 3 | (dst_sign) << 4)
typedef enum {
  S8_OP_S8_TO_S8 = OP_TYPE(1, 1, 1, 1, 1),
  S16_OP_S16_TO_S8 = OP_TYPE(0, 1, 1, 1, 1),
  S8_OP_S8_TO_S16 = OP_TYPE(1, 1, 1, 0, 1),
  S16_OP_S16_TO_S16 = OP_TYPE(0, 1, 1, 0, 1),
  S8_OP_U8_TO_S8 = OP_TYPE(1, 1, 0, 1, 1),
  S16_OP_U16_TO_S8 = OP_TYPE(0, 1, 0, 1, 1),
  S8_OP_U8_TO_S16 = OP_TYPE(1, 1, 0, 0, 1),
  S16_OP_U16_TO_S16 = OP_TYPE(0, 1, 0, 0, 1),
  U8_OP_S8_TO_S8 = OP_TYPE(1, 0, 1, 1, 1),
  U16_OP_S16_TO_S8 = OP_TYPE(0, 0, 1, 1, 1),
  U8_OP_S8_TO_S16 = OP_TYPE(1, 0, 1, 0, 1),
  U16_OP_S16_TO_S16 = OP_TYPE(0, 0, 1, 0, 1),
  U8_OP_U8_TO_S8 = OP_TYPE(1, 0, 0, 1, 1),
  U16_OP_U16_TO_S8 = OP_TYPE(0, 0, 0, 1, 1),
  U8_OP_U8_TO_S16 = OP_TYPE(1, 0, 0, 0, 1),
  U16_OP_U16_TO_S16 = OP_TYPE(0, 0, 0, 0, 1),
  U8_OP_U8_TO_U8 = OP_TYPE(1, 0, 0, 1, 0),
  U16_OP_U16_TO_U8 = OP_TYPE(0, 0, 0, 1, 0),
  U8_OP_U8_TO_U16 = OP_TYPE(1, 0, 0, 0, 0),
  U16_OP_U16_TO_U16 = OP_TYPE(0, 0, 0, 0, 0)
} op_type_t;

/* Types of the 16 by 8-bit products. */
#define MUL_TYPE(src0_sign, src1_sign, dst_sign) ((src0_sign) | (src1_sign) << 1 | (dst_sign) << 2)
typedef enum {
  S16_MUL_S8_TO_S16 = MUL_TYPE(1, 1, 1),
  U16_MUL_S8_TO_S16 = MUL_TYPE(0, 1, 1),
  U16_MUL_U8_TO_U16 = MUL_TYPE(0, 0, 0),
  S16_MUL_U8_TO_S16 = MUL_TYPE(1, 0, 1) /* okk_bdc_fixed_point_packed_s16_mul_u8_to_s16 */
} mul_type_t;

/* A kernel. args points at the bytes that the host passed. */
typedef void (*okk_kernel_func_t)(const void* args);

/* Information (OKKernel guide: memory and information functions). Sizes in bytes. */
/* Returns the number of NPUs (lanes): 64. */
int okk_npu_num(void);
/* Returns the number of 32-bit execution units of an NPU: 32. */
unsigned int okk_eu_num(void);
/* Returns 524288. */
unsigned int okk_local_mem_size_per_npu(void);
/* Returns 8. */
unsigned int okk_local_mem_bank_per_npu(void);
/* Returns 2482176, as the reference model does (the guide names 4 MB). */
unsigned int okk_l2_sram_size(void);
/* Returns 390144, as the reference model does (the guide names 512 KB). */
unsigned int okk_dtcm_size(void);
/* Returns 902144. */
unsigned int okk_lookup_table_size(void);
/* Returns 0x100000000. */
unsigned long long okk_global_mem_start_addr(void);
/* Returns 0x8000000. Local addresses of the functions below are offsets from it. */
unsigned int okk_local_mem_start_addr(void);
/* Returns 0x100A2000. */
unsigned int okk_l2_sram_start_addr(void);
/* Returns 0x2020000. */
unsigned int okk_dtcm_start_addr(void);
/* Returns 0x323C00. */
unsigned int okk_lookup_table_start_addr(void);

/* Pointers into the chip's memories, for the kernel's own code. Call okk_poll first. The
 * pointers stay valid for the whole run. If the address is outside, the launch fails, and the
 * kernel gets a pointer to scratch memory that it may read and write. Outside launches the
 * functions return NULL. */
/* Absolute address in global memory. */
unsigned char* okk_global_mem_addr(unsigned long long addr);
/* NPU idx, byte addr inside it. */
unsigned char* okk_local_mem_addr(unsigned int idx, unsigned int addr);
/* Absolute address, start address included. */
unsigned char* okk_l2_sram_addr(unsigned int addr);
/* Absolute address, start address included. */
unsigned char* okk_dtcm_addr(unsigned int addr);

/* Kernels and debugging. */
/* Registers func as the kernel `name`; OKKERNEL_FUNC_REGISTER calls it. The last kernel of a name
 * wins. */
void okk_register_kernel_func(const char* name, okk_kernel_func_t func);
/* Prints the registered names to stdout. */
void okk_dump_registered_kernel_funcs(void);
/* Command counters. The simulator keeps none; these four do nothing. */
void okk_set_id_node(void* node);
void okk_get_id_node(void* node);
void okk_enable_check_id_node(void);
void okk_disable_check_id_node(void);

/* Control (OKKernel guide: control functions). */
/* Must be called before the first GDMA or BDC function of a kernel. */
void okk_initialize(void);
/* Waits for all commands. Must not be called in a parallel section. */
void okk_poll(void);
/* Begins a parallel section, in which only commands of one engine keep their order. Must not be
 * called in a parallel section. */
void okk_parallel_start(void);
/* Ends the section; later commands wait for all its commands. */
void okk_parallel_end(void);
/* Returns true inside a parallel section. */
bool okk_is_parallel_state(void);

/* Layouts. Strides count elements. These functions issue no command. */
/* Returns the NPU that holds a local address. */
int okk_start_npu_index(local_addr_t addr);
/* Returns ceil((start_idx + num_channels) / 64). */
int okk_channle_num_per_npu(int start_idx, int num_channels);
/* The 128-byte aligned layout: the C stride is a multiple of 128 bytes. */
void okk_128_byte_aligned_stride_for_32bit(dim4* stride, int start_idx, const dim4* shape);
void okk_128_byte_aligned_stride_for_16bit(dim4* stride, int start_idx, const dim4* shape);
void okk_128_byte_aligned_stride_for_8bit(dim4* stride, int start_idx, const dim4* shape);
/* The compact layout, without padding. */
void okk_compact_stride(dim4* stride, int start_idx, const dim4* shape);
/* The layout of system memory: (C*H*W, H*W, W, 1). */
void okk_continuous_stride(dim4* stride, const dim4* shape);

/* GDMA: copies between system memory S (global memory, L2-SRAM, DTCM) and local memory L, and
 * fills, bit by bit. A stride of NULL means 128-byte aligned in L and continuous in S. w strides
 * must be 1; a source stride of 0 repeats. OKKernel guide: GDMA functions. */
void okk_gdma_32bit_cpy_S2L(local_addr_t dst_addr, system_addr_t src_addr, const dim4* shape,
                            const dim4* dst_stride, const dim4* src_stride);
void okk_gdma_32bit_cpy_L2S(system_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                            const dim4* dst_stride, const dim4* src_stride);
void okk_gdma_32bit_cpy_L2L(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                            const dim4* dst_stride, const dim4* src_stride);
void okk_gdma_32bit_cpy_S2S(system_addr_t dst_addr, system_addr_t src_addr, const dim4* shape,
                            const dim4* dst_stride, const dim4* src_stride);
void okk_gdma_16bit_cpy_S2L(local_addr_t dst_addr, system_addr_t src_addr, const dim4* shape,
                            const dim4* dst_stride, const dim4* src_stride);
void okk_gdma_16bit_cpy_L2S(system_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                            const dim4* dst_stride, const dim4* src_stride);
void okk_gdma_16bit_cpy_L2L(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                            const dim4* dst_stride, const dim4* src_stride);
void okk_gdma_16bit_cpy_S2S(system_addr_t dst_addr, system_addr_t src_addr, const dim4* shape,
                            const dim4* dst_stride, const dim4* src_stride);
void okk_gdma_8bit_cpy_S2L(local_addr_t dst_addr, system_addr_t src_addr, const dim4* shape,
                           const dim4* dst_stride, const dim4* src_stride);
void okk_gdma_8bit_cpy_L2S(system_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                           const dim4* dst_stride, const dim4* src_stride);
void okk_gdma_8bit_cpy_L2L(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                           const dim4* dst_stride, const dim4* src_stride);
void okk_gdma_8bit_cpy_S2S(system_addr_t dst_addr, system_addr_t src_addr, const dim4* shape,
                           const dim4* dst_stride, const dim4* src_stride);

/* A matrix of 32-bit elements. In L a channel holds cols_per_channel columns, 128-byte aligned. In
 * S rows start row_stride elements apart. */
void okk_gdma_32bit_matrix_S2L(local_addr_t dst_addr, system_addr_t src_addr, int rows, int cols,
                               int cols_per_channel, int row_stride);
void okk_gdma_32bit_matrix_L2S(system_addr_t dst_addr, local_addr_t src_addr, int rows, int cols,
                               int cols_per_channel, int row_stride);

/* Fills with C. */
void okk_gdma_32bit_set_C_system(system_addr_t dst_addr, x32 C, const dim4* shape,
                                 const dim4* dst_stride);
void okk_gdma_32bit_set_C_local(local_addr_t dst_addr, x32 C, const dim4* shape,
                                const dim4* dst_stride);
void okk_gdma_16bit_set_C_system(system_addr_t dst_addr, x16 C, const dim4* shape,
                                 const dim4* dst_stride);
void okk_gdma_16bit_set_C_local(local_addr_t dst_addr, x16 C, const dim4* shape,
                                const dim4* dst_stride);
void okk_gdma_8bit_set_C_system(system_addr_t dst_addr, x8 C, const dim4* shape,
                                const dim4* dst_stride);
void okk_gdma_8bit_set_C_local(local_addr_t dst_addr, x8 C, const dim4* shape,
                               const dim4* dst_stride);

/* BDC functions work on local memory. Unless a function documents something else:
 * - n, h, w are in [1, 65535], c in [1, 4095];
 * - addresses are multiples of 4, preferably of 128;
 * - destination and sources start at the same NPU;
 * - a stride of NULL means the 128-byte aligned layout;
 * - a source stride of 0 repeats;
 * - the destination may be a source.
 *
 * Copy and fill of 32-bit elements. */
/* dst = src. As recorded on the reference model, dst is written with src_stride and src is read
 * with dst_stride; docs/discrepancies.md. */
void okk_bdc_32bit_cpy(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                       const dim4* dst_stride, const dim4* src_stride);
void okk_bdc_32bit_set_C(local_addr_t dst_addr, x32 C, const dim4* shape, const dim4* dst_stride);

/* Conversions. The layout is 128-byte aligned, addresses are multiples of 128. Exception: the
 * tensors of the last two are all aligned or all compact, and their work tensor is as large as the
 * source. */
/* Truncates; saturates. */
void okk_bdc_fp32_to_int32(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape);
/* Converts int32 in [-128, 127] to fp32. */
void okk_bdc_lookup_int32_to_fp32(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape);
/* Converts an 8-bit source in 4N mode. */
void okk_bdc_4N_int8_to_fp32(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work_addr,
                             const dim4* shape, bool is_signed, bool is_aligned_layout);
/* Converts an 8-bit source in 1N mode. */
void okk_bdc_int8_to_fp32(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work_addr,
                          const dim4* shape, bool is_signed, bool is_aligned_layout);

/* fp32 arithmetic. Every step is rounded; subnormals count as 0. */
/* src0 + src1 */
void okk_bdc_add(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                 const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                 const dim4* src1_stride);
/* src + C */
void okk_bdc_add_C(local_addr_t dst_addr, local_addr_t src_addr, float C, const dim4* shape,
                   const dim4* dst_stride, const dim4* src_stride);
/* src0 - src1 */
void okk_bdc_sub(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                 const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                 const dim4* src1_stride);
/* src - C */
void okk_bdc_sub_C(local_addr_t dst_addr, local_addr_t src_addr, float C, const dim4* shape,
                   const dim4* dst_stride, const dim4* src_stride);
/* C - src */
void okk_bdc_C_sub(local_addr_t dst_addr, local_addr_t src_addr, float C, const dim4* shape,
                   const dim4* dst_stride, const dim4* src_stride);
/* src0 * src1 */
void okk_bdc_mul(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                 const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                 const dim4* src1_stride);
/* src * C */
void okk_bdc_mul_C(local_addr_t dst_addr, local_addr_t src_addr, float C, const dim4* shape,
                   const dim4* dst_stride, const dim4* src_stride);
/* src0 / src1 by an approximation, some ulp off */
void okk_bdc_div(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                 const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                 const dim4* src1_stride);
/* src / C */
void okk_bdc_div_C(local_addr_t dst_addr, local_addr_t src_addr, float C, const dim4* shape,
                   const dim4* dst_stride, const dim4* src_stride);
/* C / src */
void okk_bdc_C_div(local_addr_t dst_addr, local_addr_t src_addr, float C, const dim4* shape,
                   const dim4* dst_stride, const dim4* src_stride);
/* dst + src0 * src1, not fused */
void okk_bdc_mac(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                 const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                 const dim4* src1_stride);
/* dst + src * C */
void okk_bdc_mac_C(local_addr_t dst_addr, local_addr_t src_addr, float C, const dim4* shape,
                   const dim4* dst_stride, const dim4* src_stride);
/* the larger; NaN gives src1 */
void okk_bdc_max(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                 const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                 const dim4* src1_stride);
void okk_bdc_max_C(local_addr_t dst_addr, local_addr_t src_addr, float C, const dim4* shape,
                   const dim4* dst_stride, const dim4* src_stride);
/* the smaller; NaN gives src1 */
void okk_bdc_min(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                 const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                 const dim4* src1_stride);
void okk_bdc_min_C(local_addr_t dst_addr, local_addr_t src_addr, float C, const dim4* shape,
                   const dim4* dst_stride, const dim4* src_stride);

/* Compare fp32 numbers: dst is select_val if the comparison holds, else 0. */
/* src0 > src1 */
void okk_bdc_greater_select_value(local_addr_t dst_addr, local_addr_t src0_addr,
                                  local_addr_t src1_addr, x32 select_val, const dim4* shape,
                                  const dim4* dst_stride, const dim4* src0_stride,
                                  const dim4* src1_stride);
/* src > C */
void okk_bdc_greater_C_select_value(local_addr_t dst_addr, local_addr_t src_addr, float C,
                                    x32 select_val, const dim4* shape, const dim4* dst_stride,
                                    const dim4* src_stride);
/* C > src */
void okk_bdc_C_greater_select_value(local_addr_t dst_addr, local_addr_t src_addr, float C,
                                    x32 select_val, const dim4* shape, const dim4* dst_stride,
                                    const dim4* src_stride);
/* equal bits of src0 and src1 */
void okk_bdc_equal_select_value(local_addr_t dst_addr, local_addr_t src0_addr,
                                local_addr_t src1_addr, x32 select_val, const dim4* shape,
                                const dim4* dst_stride, const dim4* src0_stride,
                                const dim4* src1_stride);
/* equal bits of src and C */
void okk_bdc_equal_C_select_value(local_addr_t dst_addr, local_addr_t src_addr, float C,
                                  x32 select_val, const dim4* shape, const dim4* dst_stride,
                                  const dim4* src_stride);

/* Compare, then choose one of two. Operands are constants, or tensors in the 128-byte aligned
 * layout whose addresses are multiples of 128. */
/* src0 > src1 ? select0 : select1 */
void okk_bdc_greater_select(local_addr_t dst_addr, const fp32_or_addr_t* src0,
                            const fp32_or_addr_t* src1, const x32_or_addr_t* select0,
                            const x32_or_addr_t* select1, const dim4* shape);
/* neither is greater than the other ? select0 : select1 */
void okk_bdc_equal_select(local_addr_t dst_addr, const fp32_or_addr_t* src0,
                          const fp32_or_addr_t* src1, const x32_or_addr_t* select0,
                          const x32_or_addr_t* select1, const dim4* shape);

/* 32-bit logic and shifts. Amounts are in [-32, 32]: positive ones shift left, negative ones right.
 * Arithmetic shifts take int32, logical shifts uint32. */
void okk_bdc_32bit_and(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                       const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                       const dim4* src1_stride);
void okk_bdc_32bit_and_C(local_addr_t dst_addr, local_addr_t src_addr, x32 C, const dim4* shape,
                         const dim4* dst_stride, const dim4* src_stride);
void okk_bdc_32bit_or(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                      const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                      const dim4* src1_stride);
void okk_bdc_32bit_or_C(local_addr_t dst_addr, local_addr_t src_addr, x32 C, const dim4* shape,
                        const dim4* dst_stride, const dim4* src_stride);
void okk_bdc_32bit_xor(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                       const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                       const dim4* src1_stride);
void okk_bdc_32bit_xor_C(local_addr_t dst_addr, local_addr_t src_addr, x32 C, const dim4* shape,
                         const dim4* dst_stride, const dim4* src_stride);
void okk_bdc_32bit_arithmetic_shift(local_addr_t dst_addr, local_addr_t src0_addr,
                                    local_addr_t src1_addr, const dim4* shape,
                                    const dim4* dst_stride, const dim4* src0_stride,
                                    const dim4* src1_stride);
void okk_bdc_32bit_logical_shift(local_addr_t dst_addr, local_addr_t src0_addr,
                                 local_addr_t src1_addr, const dim4* shape, const dim4* dst_stride,
                                 const dim4* src0_stride, const dim4* src1_stride);
void okk_bdc_32bit_arithmetic_shift_C(local_addr_t dst_addr, local_addr_t src_addr, int C,
                                      const dim4* shape, const dim4* dst_stride,
                                      const dim4* src_stride);
void okk_bdc_32bit_logical_shift_C(local_addr_t dst_addr, local_addr_t src_addr, int C,
                                   const dim4* shape, const dim4* dst_stride,
                                   const dim4* src_stride);
void okk_bdc_32bit_C_arithmetic_shift(local_addr_t dst_addr, local_addr_t src_addr, int C,
                                      const dim4* shape, const dim4* dst_stride,
                                      const dim4* src_stride);
void okk_bdc_32bit_C_logical_shift(local_addr_t dst_addr, local_addr_t src_addr, unsigned int C,
                                   const dim4* shape, const dim4* dst_stride,
                                   const dim4* src_stride);

/* fp32 functions in the 128-byte aligned layout; addresses are multiples of 128. exp, sigmoid and
 * tanh take sources in [-103.0, 88.0] and a work tensor as large as the source. The work tensor
 * must be neither source nor destination. num_series counts the terms of the series, in [1, 64];
 * functions without it take 32. */
/* 1 / sqrt(src), src > 0 */
void okk_bdc_rsqrt(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape);
/* sqrt(src), src >= 0 */
void okk_bdc_sqrt(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape);
/* e^src for |src| < 1 */
void okk_bdc_taylor_exp(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                        int num_series);
/* e^src, src int32 in [-103, 88] */
void okk_bdc_lookup_exp(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape);
/* e^src */
void okk_bdc_exp(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work_addr,
                 const dim4* shape);
void okk_bdc_exp_tunable(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work_addr,
                         const dim4* shape, int num_series);
/* 1 / (1 + e^-src) */
void okk_bdc_sigmoid(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work_addr,
                     const dim4* shape);
void okk_bdc_sigmoid_tunable(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work_addr,
                             const dim4* shape, int num_series);
/* tanh(src) */
void okk_bdc_tanh(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work_addr,
                  const dim4* shape);
void okk_bdc_tanh_tunable(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work_addr,
                          const dim4* shape, int num_series);

/* fp32 functions with strides. */
/* 1 / src */
void okk_bdc_reciprocal(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                        const dim4* dst_stride, const dim4* src_stride);
/* -src */
void okk_bdc_neg(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                 const dim4* dst_stride, const dim4* src_stride);
/* src > 0 ? src : 0 */
void okk_bdc_relu(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                  const dim4* dst_stride, const dim4* src_stride);

/* Per channel, fp32. scale and bias are (1,C,1,1) in the compact layout, start at the NPU of dst
 * and src, and have addresses that are multiples of 4. OKKernel guide: FP32 Neural Network
 * Functions. */
/* src + bias */
void okk_bdc_bias(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t bias_addr,
                  const dim4* shape, const dim4* dst_stride, const dim4* src_stride);
/* scale: src * scale; with result_add: dst + src * scale.
 * scale_bias: src * scale + bias; with result_add: dst + src * scale + bias.
 *
 * Older headers declare both without result_add. Calls without it mean false: in C++ by the
 * default, in C by the macros below. C programs that take the addresses of the older functions
 * define OKK_SCALE_NO_RESULT_ADD before this header and see only those. */
#ifdef __cplusplus
#define OKK_DEFAULT_FALSE = false
#else
#define OKK_DEFAULT_FALSE
#endif
void okk_bdc_scale(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t scale_addr,
                   const dim4* shape, const dim4* dst_stride, const dim4* src_stride,
                   bool result_add OKK_DEFAULT_FALSE);
void okk_bdc_scale_bias(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t scale_addr,
                        local_addr_t bias_addr, const dim4* shape, const dim4* dst_stride,
                        const dim4* src_stride, bool result_add OKK_DEFAULT_FALSE);
#undef OKK_DEFAULT_FALSE

#ifndef __cplusplus
/* Value of result_add in calls without it. */
enum { OKK_NO_RESULT_ADD = -0x7fffffff };
#ifdef OKK_SCALE_NO_RESULT_ADD
static inline void okk_bdc_scale_old(local_addr_t dst_addr, local_addr_t src_addr,
                                     local_addr_t scale_addr, const dim4* shape,
                                     const dim4* dst_stride, const dim4* src_stride) {
  okk_bdc_scale(dst_addr, src_addr, scale_addr, shape, dst_stride, src_stride, false);
}
static inline void okk_bdc_scale_bias_old(local_addr_t dst_addr, local_addr_t src_addr,
                                          local_addr_t scale_addr, local_addr_t bias_addr,
                                          const dim4* shape, const dim4* dst_stride,
                                          const dim4* src_stride) {
  okk_bdc_scale_bias(dst_addr, src_addr, scale_addr, bias_addr, shape, dst_stride, src_stride,
                     false);
}
#define okk_bdc_scale okk_bdc_scale_old
#define okk_bdc_scale_bias okk_bdc_scale_bias_old
#else
static inline void okk_bdc_scale_any(local_addr_t dst_addr, local_addr_t src_addr,
                                     local_addr_t scale_addr, const dim4* shape,
                                     const dim4* dst_stride, const dim4* src_stride, int result_add,
                                     ...) {
  okk_bdc_scale(dst_addr, src_addr, scale_addr, shape, dst_stride, src_stride,
                result_add != OKK_NO_RESULT_ADD && result_add != 0);
}
static inline void okk_bdc_scale_bias_any(local_addr_t dst_addr, local_addr_t src_addr,
                                          local_addr_t scale_addr, local_addr_t bias_addr,
                                          const dim4* shape, const dim4* dst_stride,
                                          const dim4* src_stride, int result_add, ...) {
  okk_bdc_scale_bias(dst_addr, src_addr, scale_addr, bias_addr, shape, dst_stride, src_stride,
                     result_add != OKK_NO_RESULT_ADD && result_add != 0);
}
#define okk_bdc_scale(...) okk_bdc_scale_any(__VA_ARGS__, OKK_NO_RESULT_ADD)
#define okk_bdc_scale_bias(...) okk_bdc_scale_bias_any(__VA_ARGS__, OKK_NO_RESULT_ADD)
#endif
#endif

/* 2-D convolution (cross-correlation), fp32. OKKernel guide: FP32 Neural Network Functions.
 * - Output: 128-byte aligned, address a multiple of 128.
 * - Weight: 2IC mode; kernel_stride counts pairs, NULL means compact.
 * - Bias: compact (1,output_c,1,1), read only with using_bias.
 * - Output, weight and bias start at the same NPU.
 * - h and w of the padded input and of the output are at most 2047.
 * - Paddings are in [0, 15] (NULL: 0), strides and dilations in [1, 15] (NULL: 1).
 * - result_add adds to the old output. */
void okk_bdc_conv2d(local_addr_t output_addr, local_addr_t input_addr, local_addr_t weight_addr,
                    local_addr_t bias_addr, const dim4* input_shape, int output_c, int kernel_h,
                    int kernel_w, const dim4* input_stride, const dim4* kernel_stride,
                    bool using_bias, bool result_add, const Padding* padding, const dim2* stride,
                    const dim2* dilation);

/* As okk_bdc_conv2d, with one filter per channel: (1,c,kernel_h,kernel_w), compact. The input is
 * 128-byte aligned and starts at the NPU of the output. */
void okk_bdc_depthwise2d(local_addr_t output_addr, local_addr_t input_addr,
                         local_addr_t weight_addr, local_addr_t bias_addr, const dim4* input_shape,
                         int kernel_h, int kernel_w, bool using_bias, const Padding* padding,
                         const dim2* stride, const dim2* dilation);

/* Pooling, fp32, 128-byte aligned. The average always divides by kernel_h * kernel_w and counts
 * padding as 0. The maximum counts padding as the lowest number. */
void okk_bdc_avg_pool2d(local_addr_t output_addr, local_addr_t input_addr, const dim4* input_shape,
                        int kernel_h, int kernel_w, const Padding* padding, const dim2* stride);
void okk_bdc_max_pool2d(local_addr_t output_addr, local_addr_t input_addr, const dim4* input_shape,
                        int kernel_h, int kernel_w, const Padding* padding, const dim2* stride);

/* output = left * right (+ bias) (+ old output), fp32 matrices in the matrix layout. Addresses are
 * multiples of 128; output, right and bias start at the same NPU. Columns per channel are in [1,
 * min(128, columns)]; left_rows is in [1, 65535]; a matrix takes at most 4095 channels. */
void okk_bdc_matmul(local_addr_t output_addr, local_addr_t left_addr, local_addr_t right_addr,
                    local_addr_t bias_addr, int left_rows, int left_cols, int right_cols,
                    int left_cols_per_channel, int right_cols_per_channel, bool using_bias,
                    bool result_add);

/* Fixed point: 8-bit elements in 4N mode, 16-bit elements in 2N mode. Strides count 32-bit cells,
 * tensors start at NPU 0. Results are shifted right by rshift in [0, 31], ties rounded up, and
 * saturated. op_type names the types; src/sdk/okkernel/fixed_point.cc lists the valid ones.
 * OKKernel guide: Fixed Point Binary Functions. */
void okk_bdc_fixed_point_packed_add(local_addr_t dst_addr, local_addr_t src0_addr,
                                    local_addr_t src1_addr, const dim4* shape,
                                    const dim4* dst_stride, const dim4* src0_stride,
                                    const dim4* src1_stride, op_type_t op_type, int rshift);
void okk_bdc_fixed_point_packed_add_C(local_addr_t dst_addr, local_addr_t src_addr, int C,
                                      const dim4* shape, const dim4* dst_stride,
                                      const dim4* src_stride, op_type_t op_type, int rshift);
void okk_bdc_fixed_point_packed_sub(local_addr_t dst_addr, local_addr_t src0_addr,
                                    local_addr_t src1_addr, const dim4* shape,
                                    const dim4* dst_stride, const dim4* src0_stride,
                                    const dim4* src1_stride, op_type_t op_type, int rshift);
void okk_bdc_fixed_point_packed_sub_C(local_addr_t dst_addr, local_addr_t src_addr, int C,
                                      const dim4* shape, const dim4* dst_stride,
                                      const dim4* src_stride, op_type_t op_type, int rshift);
void okk_bdc_fixed_point_packed_C_sub(local_addr_t dst_addr, local_addr_t src_addr, int C,
                                      const dim4* shape, const dim4* dst_stride,
                                      const dim4* src_stride, op_type_t op_type, int rshift);
void okk_bdc_fixed_point_packed_mul(local_addr_t dst_addr, local_addr_t src0_addr,
                                    local_addr_t src1_addr, const dim4* shape,
                                    const dim4* dst_stride, const dim4* src0_stride,
                                    const dim4* src1_stride, op_type_t op_type, int rshift);
void okk_bdc_fixed_point_packed_mul_C(local_addr_t dst_addr, local_addr_t src_addr, int C,
                                      const dim4* shape, const dim4* dst_stride,
                                      const dim4* src_stride, op_type_t op_type, int rshift);
void okk_bdc_fixed_point_packed_mac(local_addr_t dst_addr, local_addr_t src0_addr,
                                    local_addr_t src1_addr, const dim4* shape,
                                    const dim4* dst_stride, const dim4* src0_stride,
                                    const dim4* src1_stride, bool is_origin_dst_signed,
                                    op_type_t op_type, int lshift, int rshift);
void okk_bdc_fixed_point_packed_mac_C(local_addr_t dst_addr, local_addr_t src_addr, int C,
                                      const dim4* shape, const dim4* dst_stride,
                                      const dim4* src_stride, bool is_origin_dst_signed,
                                      op_type_t op_type, int lshift, int rshift);
void okk_bdc_fixed_point_packed_max(local_addr_t dst_addr, local_addr_t src0_addr,
                                    local_addr_t src1_addr, const dim4* shape,
                                    const dim4* dst_stride, const dim4* src0_stride,
                                    const dim4* src1_stride, op_type_t op_type);
void okk_bdc_fixed_point_packed_max_C(local_addr_t dst_addr, local_addr_t src_addr, int C,
                                      const dim4* shape, const dim4* dst_stride,
                                      const dim4* src_stride, op_type_t op_type);
void okk_bdc_fixed_point_packed_min(local_addr_t dst_addr, local_addr_t src0_addr,
                                    local_addr_t src1_addr, const dim4* shape,
                                    const dim4* dst_stride, const dim4* src0_stride,
                                    const dim4* src1_stride, op_type_t op_type);
void okk_bdc_fixed_point_packed_min_C(local_addr_t dst_addr, local_addr_t src_addr, int C,
                                      const dim4* shape, const dim4* dst_stride,
                                      const dim4* src_stride, op_type_t op_type);

/* 16-bit shifts by amounts in [-16, 16]: positive ones shift left, negative ones right. */
void okk_bdc_fixed_point_packed_16bit_arithmetic_shift(
    local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr, const dim4* shape,
    const dim4* dst_stride, const dim4* src0_stride, const dim4* src1_stride);
void okk_bdc_fixed_point_packed_16bit_logical_shift(local_addr_t dst_addr, local_addr_t src0_addr,
                                                    local_addr_t src1_addr, const dim4* shape,
                                                    const dim4* dst_stride, const dim4* src0_stride,
                                                    const dim4* src1_stride);
void okk_bdc_fixed_point_packed_16bit_arithmetic_shift_C(local_addr_t dst_addr,
                                                         local_addr_t src_addr, short C,
                                                         const dim4* shape, const dim4* dst_stride,
                                                         const dim4* src_stride);
void okk_bdc_fixed_point_packed_16bit_logical_shift_C(local_addr_t dst_addr, local_addr_t src_addr,
                                                      short C, const dim4* shape,
                                                      const dim4* dst_stride,
                                                      const dim4* src_stride);
void okk_bdc_fixed_point_packed_16bit_C_arithmetic_shift(local_addr_t dst_addr,
                                                         local_addr_t src_addr, short C,
                                                         const dim4* shape, const dim4* dst_stride,
                                                         const dim4* src_stride);
void okk_bdc_fixed_point_packed_16bit_C_logical_shift(local_addr_t dst_addr, local_addr_t src_addr,
                                                      unsigned short C, const dim4* shape,
                                                      const dim4* dst_stride,
                                                      const dim4* src_stride);

/* Products of 16 by 8 bits. The 16-bit factor is given as two 8-bit tensors, or is split in work
 * tensors. */
void okk_bdc_fixed_point_packed_16bit_mul_8bit(local_addr_t dst_addr, local_addr_t src0_high_addr,
                                               local_addr_t src0_low_addr, local_addr_t src1_addr,
                                               const dim4* shape, const dim4* dst_stride,
                                               const dim4* src0_high_stride,
                                               const dim4* src0_low_stride, const dim4* src1_stride,
                                               mul_type_t mul_type, int rshift);
void okk_bdc_fixed_point_packed_s16_mul_u8_to_s16(
    local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr, local_addr_t work_addr,
    local_addr_t work_high_addr, local_addr_t work_low_addr, const dim4* shape,
    const dim4* dst_stride, const dim4* src0_stride, const dim4* src1_stride,
    const dim4* work_stride, const dim4* work_high_stride, const dim4* work_low_stride, int rshift);

/* Bytes of 16-bit elements. OKKernel guide: fixed point unary functions. */
/* bits 15..8 */
void okk_bdc_fixed_point_packed_16bit_split_high_8bit(local_addr_t dst_addr, local_addr_t src_addr,
                                                      const dim4* shape, const dim4* dst_stride,
                                                      const dim4* src_stride);
/* bits 7..0; work is a 16-bit tensor */
void okk_bdc_fixed_point_packed_16bit_split_low_8bit(local_addr_t dst_addr, local_addr_t src_addr,
                                                     local_addr_t work_addr, const dim4* shape,
                                                     const dim4* dst_stride, const dim4* src_stride,
                                                     const dim4* work_stride);
/* ---- Macros ---- */

/* Registers a kernel by its name, before main. A semicolon may follow. */
#define OKKERNEL_FUNC_REGISTER(f)                                   \
  __attribute__((constructor)) void okk_kernel_register_##f(void);  \
  __attribute__((constructor)) void okk_kernel_register_##f(void) { \
    okk_register_kernel_func(#f, f);                                \
  }

/* Called by the macros below. */
void okk_log(const char* format, ...) __attribute__((format(printf, 1, 2)));
void okk_assert_logged(const char* file, int line, const char* function, const char* expression);
void okk_assert_failed(const char* file, int line, const char* function, const char* expression)
    __attribute__((noreturn));

#ifdef USING_CMODEL
#define OKKERNEL_LOG(...) printf(__VA_ARGS__)
/* As assert: aborts the process, unless NDEBUG is defined. With the environment variable
 * TPUTWIN_ASSERT=fail the kernel ends here instead, and its launch fails. longjmp leaves the
 * kernel, so that local objects of a C++ kernel are not destroyed. */
#ifdef NDEBUG
#define OKKERNEL_ASSERT(x) ((void)0)
#else
#define OKKERNEL_ASSERT(x) ((x) ? (void)0 : okk_assert_failed(__FILE__, __LINE__, __func__, #x))
#endif
#else
/* As on the device: writes to the log, and the kernel goes on. */
#define OKKERNEL_LOG(...) okk_log(__VA_ARGS__)
#define OKKERNEL_ASSERT(x) ((x) ? (void)0 : okk_assert_logged(__FILE__, __LINE__, __func__, #x))
#endif

#ifdef __cplusplus
}
#endif

#endif
