/*
 * TPUKernel: the device API of the BM1684X. C99 and C++.
 *
 * Every function documents its rules. A call that breaks a rule does nothing, and its launch fails.
 * The message names the call, the argument, the value and the rule (tputwin/error.h). A call that a
 * document forbids but the chip's reference model executes is counted as a warning. Functions that
 * the BM1684X does not have, or whose formats are undocumented, are declared and link. They fail
 * with an error that names them. docs/support.md lists them.
 *
 * Unless a function documents something else: extents are in [1, 65535]; dst and sources start in
 * the same NPU. A stride of NULL stands for the 64-byte aligned layout in local memory and the
 * continuous layout in system memory. Functions without stride arguments take the 64-byte aligned
 * layout.
 *
 * Errors of all functions: no kernel runs (TW-TPU-0001); a NULL pointer (0002); extents (0003);
 * strides below 0 or of 4 GiB and more (0004); addresses outside memory (0005 local, 0006 system);
 * addresses not aligned (0007 to 64 bytes, 0008 to an element); different start NPUs (0009); a type
 * that the function does not take (0014). Comments name the others by their last four digits;
 * `tputwin errors ID` explains each.
 *
 * Projects carry copies of the vendor's file of this name, and a kernel may include both. Every
 * copy defines TPUKERNEL_FUNC_REGISTER: if it is defined already, a copy came first and replaces
 * this file. For a copy that comes second, the guards in use are defined below.
 */
#if !defined(TPU_KERNEL_H) && !defined(TPUKERNEL_FUNC_REGISTER)
#define TPU_KERNEL_H
#define TPU_KERNEL_H_
#define _TPU_KERNEL_H
#define _TPU_KERNEL_H_
#define _TPU_KERNEL_
#define __TPU_KERNEL_H
#define __TPU_KERNEL_H_
#define __TPU_KERNEL_H__
#define __TPU_KERNEL__

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#ifdef USING_CMODEL
#include <stdlib.h>
#endif
#include "tpu_defs.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A kernel. args points at the bytes that the host passed. */
typedef void (*tpu_kernel_func_t)(const void*);

/* An operand of a select: a tensor, one value, or one value per channel ([1,C,1,1] compact). */
typedef enum { TENSOR = 0, SCALAR = 1, VECTOR = 2 } var_type_t;
typedef union {
  scalar_t scalar;
  local_addr_t addr;
} var_context_t;
typedef struct {
  var_type_t type;
  var_context_t context;
} variable_t;

/* Requantization of a quantized product to 8 bits. The tensor at addr holds multiplier, shift and
 * yzp of every channel. */
typedef struct {
  bool is_perchannel, do_sym_saturate;
  rounding_mode_t round_mode;
  local_addr_t addr;
  int multiplier, shift, yzp;
} requant_int_info_t;

/* A tensor (its address) or a constant. */
typedef struct {
  int is_const;
  data_type_t dtype;
  __extension__ union {
    local_addr_t addr;
    scalar_t value;
  };
} optional_info_t;
#define OPTIONAL_VALUE(d, v) \
  { .is_const = 1, .dtype = (d), .value = (v) }
#define OPTIONAL_ADDR(d, a) \
  { .is_const = 0, .dtype = (d), .addr = (a) }

typedef enum { BIT_WIDTH_8 = 0, BIT_WIDTH_16 = 1, BIT_WIDTH_32 = 2 } bit_width_t;

/* ---- Registration and debugging (TPUKernel guide) ---- */

/* Registers func as the kernel `name`. */
void tpu_register_kernel_func(const char* name, tpu_kernel_func_t func);
/* Prints the names of the registered kernels to stdout. */
void tpu_dump_registered_kernel_funcs(void);
/* Set and save the engines' command counters (node is opaque). They do nothing here. */
void tpu_set_id_node(void* node);
void tpu_get_id_node(void* node);
/* Set and save the counters of both queues of a parallel section. They do nothing here. */
void tpu_set_parallel_id_node(void* bd_node, void* gdma_node);
void tpu_get_parallel_id_node(void* bd_node, void* gdma_node);
/* Switch a consistency check of the counters. They do nothing here. */
void tpu_enable_check_id_node(void);
void tpu_disable_check_id_node(void);

/* ---- Common (TPUKernel guide) ---- */

/* Must be called before the first engine command of a kernel. */
void tpu_initialize(void);
/* Waits for GDMA and BDC. Must not be called in a parallel section. */
void tpu_poll(void);
/* Waits for the HAU. */
void tpu_hau_poll(void);
/* Begin and end a parallel section, in which engines do not wait for each other. */
void tpu_parallel_start(void);
void tpu_parallel_end(void);
/* Returns true inside a parallel section. */
bool tpu_is_parallel_state(void);
/* Returns the number of NPUs: 64. */
int tpu_npu_num(void);
/* Returns the number of banks of an NPU: 16. */
int tpu_bank_num(void);
/* Returns the execution units of an NPU for a type: 64 / (bytes of an element). */
int tpu_eu_num(data_type_t dtype);
/* Returns the bytes of local memory of an NPU: 262144. */
int tpu_local_mem_size_per_npu(void);
/* Returns the bytes of L2-SRAM: 2076672. */
int tpu_l2_sram_size(void);
/* Returns the system address of L2-SRAM: 0x10000000. */
unsigned long long tpu_l2_sram_get_start_addr(void);
/* Returns the system address of global memory: 0x100000000. */
unsigned long long tpu_global_mem_get_start_addr(void);
/* Returns the start address of local memory: 0x8000000. */
unsigned int tpu_local_mem_get_start_addr(void);
/* Pointers into the chip's memories, for the kernel's own code. Call tpu_poll first. If the address
 * is outside, the launch fails, and the kernel gets a pointer to scratch memory that it may read
 * and write. Outside launches the functions return NULL. */
/* Returns the host pointer for a system address. */
void* tpu_global_mem_addr(global_addr_t addr);
/* Returns the host pointer for byte addr of NPU start_idx. */
void* tpu_local_mem_addr(int start_idx, local_addr_t addr);
/* Returns the host pointer for a local address (NPU * 262144 + offset). */
void* tpu_local_mem_addr_unified(local_addr_t addr);
/* Returns the host pointer for a system address in L2-SRAM. */
void* tpu_l2_sram_addr(l2_sram_addr_t addr);
/* Returns the largest extent of GDMA dimension dim: 65535 for all. */
int tpu_gdma_shape_limit(int dim);
/* Returns the largest distance in bytes between neighbours along w that the GDMA takes: 128. */
int tpu_gdma_move_max_wstride_byte_len(void);

/* ---- Synchronization (TPUKernel guide) ---- */

/* msg_id must be in [0, 511], counts in [1, 127] (TW-TPU-0411). A wait needs as many sends of its
 * message before it (0412). */

/* Sends message msg_id when the engine reaches this command; wait_cnt waits consume it. */
void tpu_bdc_send_msg(int msg_id, int wait_cnt);
/* Makes the engine wait until send_cnt sends of msg_id have happened. */
void tpu_bdc_wait_msg(int msg_id, int send_cnt);
/* Sends message msg_id when the engine reaches this command; wait_cnt waits consume it. */
void tpu_gdma_send_msg(int msg_id, int wait_cnt);
/* Makes the engine wait until send_cnt sends of msg_id have happened. */
void tpu_gdma_wait_msg(int msg_id, int send_cnt);
/* Sends message msg_id when the engine reaches this command; wait_cnt waits consume it. */
void tpu_hau_send_msg(int msg_id, int wait_cnt);
/* Makes the engine wait until send_cnt sends of msg_id have happened. */
void tpu_hau_wait_msg(int msg_id, int send_cnt);
/* Set the offset that is added to later message ids. Here they only check it: 0 to 511. */
void tpu_bdc_set_base_msg_id(int base_msg_id);
void tpu_gdma_set_base_msg_id(int base_msg_id);
void tpu_hau_set_base_msg_id(int base_msg_id);
/* As the functions of the GDMA. */
void tpu_sdma_send_msg(int msg_id, int wait_cnt);
void tpu_sdma_wait_msg(int msg_id, int send_cnt);
/* Sets the offset that is added to later message ids. Here it only checks it: 0 to 511. */
void tpu_sdma_set_base_msg_id(int base_msg_id);
/* Engines between chips; not on BM1684X. */
void tpu_cdma_send_msg(int msg_id, int wait_cnt);
void tpu_cdma_wait_msg(int msg_id, int send_cnt);
/* Sets the offset that is added to later message ids; not on BM1684X. */
void tpu_cdma_set_base_msg_id(int base_msg_id);
/* Barrier over all cores and engines. With one core it is tpu_poll. */
void tpu_sync_all(void);
/* Barrier over cores. With one core it does nothing. */
void tpu_sync_core(int msg_id);
/* Returns the number of cores: 1. */
int tpu_core_num(void);
/* Returns the number of this core: 0. */
int tpu_core_index(void);

/* ---- Utilities (TPUKernel guide) ---- */

/* Returns addr div 262144. */
int tpu_npu_index(local_addr_t addr);
/* Returns (addr mod 262144) div 16384. */
int tpu_bank_index(local_addr_t addr);
/* Returns ceil((start_idx + num_channels) / 64). */
int tpu_channle_num_per_npu(int start_idx, int num_channels);
/* Returns the bytes of one plane in the aligned layout: ceil(h*w/eu)*eu * size. */
int tpu_aligned_feature_size(int h, int w, data_type_t dtype);
/* Fills *stride with the strides of the 64-byte aligned layout. */
void tpu_aligned_stride(dim4* stride, int start_idx, const dim4* shape, data_type_t dtype);
/* Fills *stride with the strides of the compact layout. */
void tpu_compact_stride(dim4* stride, int start_idx, const dim4* shape);
/* Fills *stride with the strides of the line aligned layout. */
void tpu_line_aligned_stride(dim4* stride, int start_idx, const dim4* shape, data_type_t dtype);
/* Fills *stride with the strides of the continuous layout. */
void tpu_continuous_stride(dim4* stride, const dim4* shape);
/* Returns the C stride: align ? ceil(h*w/eu)*eu : h*w. */
int tpu_get_local_cstride(int h, int w, bool align, data_type_t dtype);
/* Returns the N stride: c_stride * ceil((start_idx + c)/64). */
int tpu_get_local_nstride(int c_stride, int c, int start_idx);
/* Returns the bytes per NPU of a local tensor, aligned or compact: n * nstride * size. */
int tpu_get_local_size(const dim4* shape, data_type_t dtype, int start_idx, bool align);
/* Predicates of types; the intN ones cover signed and unsigned. */
bool tpu_is_data_type_signed(data_type_t dtype);
bool tpu_is_data_type_int(data_type_t dtype);
bool tpu_is_data_type_int4(data_type_t dtype);
bool tpu_is_data_type_int8(data_type_t dtype);
bool tpu_is_data_type_int16(data_type_t dtype);
bool tpu_is_data_type_int32(data_type_t dtype);
bool tpu_is_data_type_signed_int(data_type_t dtype);
bool tpu_is_data_type_unsigned_int(data_type_t dtype);
bool tpu_is_data_type_fp(data_type_t dtype);
/* Returns the bytes of an element; stops on 4-bit types. */
int tpu_data_type_size(data_type_t dtype);
/* Returns the bits of an element. */
int tpu_data_type_bits(data_type_t dtype);
/* Folds a dim5 {n,c,d,h,w} into the dim4 (n*d, c, h, w). */
void tpu_local_shape_5d_to_4d(const dim5* shape_5d, dim4* shape_4d);
/* Converts a scalar integer to another integer type; saturates. */
scalar_t tpu_int_cast(scalar_t src, data_type_t dst_dtype, data_type_t src_dtype);
/* Converts a scalar between floating-point types. mode is a rounding mode 0..4. */
scalar_t tpu_fp_cast(scalar_t src, data_type_t dst_dtype, data_type_t src_dtype,
                     rounding_mode_t mode);
/* Converts a scalar float to an integer type; saturates. */
scalar_t tpu_fp_to_int_cast(scalar_t src, data_type_t dst_dtype, data_type_t src_dtype,
                            rounding_mode_t mode);
/* Converts a scalar integer to a floating-point type. */
scalar_t tpu_int_to_fp_cast(scalar_t src, data_type_t dst_dtype, data_type_t src_dtype,
                            rounding_mode_t mode);
/* Converts a scalar between any two types, as the four functions above. */
scalar_t tpu_cast(scalar_t src, data_type_t dst_dtype, data_type_t src_dtype, rounding_mode_t mode);
/* Returns the first and last bank (inclusive) that size bytes at addr touch: bank(addr),
 * bank(addr+size-1). */
range_t tpu_bank_range(local_addr_t addr, int size);
/* Returns true if two ranges intersect, ends inclusive. */
bool tpu_range_overlapped(const range_t* r0, const range_t* r1);
/* Returns true if any two of num ranges intersect. */
bool tpu_any_range_overlapped(const range_t* ranges, int num);
/* Returns the byte offset of channel c inside its NPU: (c div 64) * c_stride * size. */
int tpu_npu_c_offset(int c, int c_stride, data_type_t dtype);
/* Returns the offset of channel c as a local address: (c mod 64)*262144 + (offset in the NPU). */
int tpu_unified_c_offset(int c, int c_stride, data_type_t dtype);

/* ---- GDMA (TPUKernel guide) ---- */

/* Copies between different shapes of equal element count. Elements are taken in n,c,h,w order. */
void tpu_gdma_general_cpy_S2L(local_addr_t dst_addr, system_addr_t src_addr, const dim4* dst_shape,
                              const dim4* src_shape, const dim4* dst_stride, const dim4* src_stride,
                              data_type_t dtype);
void tpu_gdma_general_cpy_L2S(system_addr_t dst_addr, local_addr_t src_addr, const dim4* dst_shape,
                              const dim4* src_shape, const dim4* dst_stride, const dim4* src_stride,
                              data_type_t dtype);
/* dst(n,c,h,w) = src(n,c,h,w). */
void tpu_gdma_cpy_S2L(local_addr_t dst_addr, system_addr_t src_addr, const dim4* shape,
                      const dim4* dst_stride, const dim4* src_stride, data_type_t dtype);
void tpu_gdma_cpy_L2S(system_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                      const dim4* dst_stride, const dim4* src_stride, data_type_t dtype);
void tpu_gdma_cpy_L2L(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                      const dim4* dst_stride, const dim4* src_stride, data_type_t dtype);
void tpu_gdma_cpy_S2S(system_addr_t dst_addr, system_addr_t src_addr, const dim4* shape,
                      const dim4* dst_stride, const dim4* src_stride, data_type_t dtype);
/* dst(n,c,h,w) = src(c,n,h,w); shape is the destination's. */
void tpu_gdma_cpy_nc_trans_S2L(local_addr_t dst_addr, system_addr_t src_addr, const dim4* dst_shape,
                               const dim4* dst_stride, const dim4* src_stride, data_type_t dtype);
void tpu_gdma_cpy_nc_trans_L2S(system_addr_t dst_addr, local_addr_t src_addr, const dim4* dst_shape,
                               const dim4* dst_stride, const dim4* src_stride, data_type_t dtype);
void tpu_gdma_cpy_nc_trans_L2L(local_addr_t dst_addr, local_addr_t src_addr, const dim4* dst_shape,
                               const dim4* dst_stride, const dim4* src_stride, data_type_t dtype);
void tpu_gdma_cpy_nc_trans_S2S(system_addr_t dst_addr, system_addr_t src_addr,
                               const dim4* dst_shape, const dim4* dst_stride,
                               const dim4* src_stride, data_type_t dtype);
/* dst(n,c,h,w) = src(n,w,h,c); shape is the destination's. */
void tpu_gdma_cpy_cw_trans_S2L(local_addr_t dst_addr, system_addr_t src_addr, const dim4* dst_shape,
                               const dim4* dst_stride, const dim4* src_stride, data_type_t dtype);
void tpu_gdma_cpy_cw_trans_L2S(system_addr_t dst_addr, local_addr_t src_addr, const dim4* dst_shape,
                               const dim4* dst_stride, const dim4* src_stride, data_type_t dtype);
void tpu_gdma_cpy_cw_trans_L2L(local_addr_t dst_addr, local_addr_t src_addr, const dim4* dst_shape,
                               const dim4* dst_stride, const dim4* src_stride, data_type_t dtype);
void tpu_gdma_cpy_cw_trans_S2S(system_addr_t dst_addr, system_addr_t src_addr,
                               const dim4* dst_shape, const dim4* dst_stride,
                               const dim4* src_stride, data_type_t dtype);
/* Returns the number of elements that the last mask_select or nonzero wrote. */
unsigned int tpu_gdma_get_filter_num(void);
/* Writes, without gaps, the elements whose mask is nonzero. */
void tpu_gdma_mask_select_L2S(global_addr_t dst_addr, local_addr_t src_addr, addr_t mask_addr,
                              int mask_in_lmem, const dim4* shape, data_type_t data_dtype,
                              data_type_t mask_dtype);
void tpu_gdma_mask_select_S2S(global_addr_t dst_addr, global_addr_t src_addr, addr_t mask_addr,
                              int mask_in_lmem, const dim4* shape, data_type_t data_dtype,
                              data_type_t mask_dtype);
/* As tpu_gdma_mask_select_S2S; waits and returns the number of elements written. */
unsigned int tpu_gdma_mask_select_S2S_with_ret(global_addr_t dst_addr, global_addr_t src_addr,
                                               addr_t mask_addr, int mask_in_lmem,
                                               const dim4* shape, data_type_t data_dtype,
                                               data_type_t mask_dtype);
/* Writes the 32-bit indices (plus base_idx) of nonzero elements. A tensor in system memory may have
 * any number of batches. */
void tpu_gdma_nonzero_L2S(global_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                          data_type_t data_dtype, unsigned int base_idx);
void tpu_gdma_nonzero_S2S(global_addr_t dst_addr, global_addr_t src_addr, const dim4* shape,
                          data_type_t data_dtype, unsigned int base_idx);
/* Copies; the local side is compact, the system side continuous. */
void tpu_gdma_compact_S2L(local_addr_t dst_addr, system_addr_t src_addr, const dim4* shape,
                          data_type_t dtype);
void tpu_gdma_compact_L2S(system_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                          data_type_t dtype);
/* As the compact copies; exchanges n and c. */
void tpu_gdma_compact_nc_trans_S2L(local_addr_t dst_addr, system_addr_t src_addr,
                                   const dim4* dst_shape, data_type_t dtype);
void tpu_gdma_compact_nc_trans_L2S(system_addr_t dst_addr, local_addr_t src_addr,
                                   const dim4* dst_shape, data_type_t dtype);
/* Fills with a constant. */
void tpu_gdma_set_C_system(system_addr_t dst_addr, scalar_t C, const dim4* shape,
                           const dim4* dst_stride, data_type_t dtype);
void tpu_gdma_set_C_local(local_addr_t dst_addr, scalar_t C, const dim4* shape,
                          const dim4* dst_stride, data_type_t dtype);
/* Copies a matrix. The local side has the matrix layout; row_stride counts elements of the system
 * side. If row_stride is less than the length of a row, rows overlap there, later rows win, and the
 * call gives a warning. */
void tpu_gdma_matrix_S2L(local_addr_t dst_addr, system_addr_t src_addr, int rows, int cols,
                         int cols_per_channel, int row_stride, data_type_t dtype);
void tpu_gdma_matrix_L2S(system_addr_t dst_addr, local_addr_t src_addr, int rows, int cols,
                         int cols_per_channel, int row_stride, data_type_t dtype);
/* As the matrix copies; transposes. */
void tpu_gdma_matrix_trans_S2L(local_addr_t dst_addr, system_addr_t src_addr, int src_rows,
                               int src_cols, int dst_cols_per_channel, int src_row_stride,
                               data_type_t dtype);
void tpu_gdma_matrix_trans_L2S(system_addr_t dst_addr, local_addr_t src_addr, int src_rows,
                               int src_cols, int src_cols_per_channel, int dst_row_stride,
                               data_type_t dtype);
/* Copies a vector as a matrix of 1 row. */
void tpu_gdma_vector_S2L(local_addr_t dst_addr, system_addr_t src_addr, int len,
                         int len_per_channel, data_type_t dtype);
void tpu_gdma_vector_L2S(system_addr_t dst_addr, local_addr_t src_addr, int len,
                         int len_per_channel, data_type_t dtype);
/* dst(n,c,h,w) = src(n,0,h,w); shape is the destination's; start NPU + c must not exceed 64. */
void tpu_gdma_channel_bcast_S2L(local_addr_t dst_addr, system_addr_t src_addr, const dim4* shape,
                                const dim4* dst_stride, const dim4* src_stride, data_type_t dtype);
void tpu_gdma_channel_bcast_L2L(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                                const dim4* dst_stride, const dim4* src_stride, data_type_t dtype);
/* out(0,c,h,w) = param(0,c,index(0,c,h,0),w), or C if the index is >= param_h. index is uint32, in
 * local memory if index_is_local, else in system memory. */
void tpu_gdma_h_gather_S2L(local_addr_t output_addr, system_addr_t param_addr, addr_t index_addr,
                           bool index_is_local, scalar_t C, const dim4* shape, int param_h,
                           const dim4* output_stride, const dim4* param_stride,
                           const dim4* index_stride, data_type_t dtype);
void tpu_gdma_h_gather_L2S(system_addr_t output_addr, local_addr_t param_addr, addr_t index_addr,
                           bool index_is_local, scalar_t C, const dim4* shape, int param_h,
                           const dim4* output_stride, const dim4* param_stride,
                           const dim4* index_stride, data_type_t dtype);
void tpu_gdma_h_gather_L2L(local_addr_t output_addr, local_addr_t param_addr, addr_t index_addr,
                           bool index_is_local, scalar_t C, const dim4* shape, int param_h,
                           const dim4* output_stride, const dim4* param_stride,
                           const dim4* index_stride, data_type_t dtype);
void tpu_gdma_h_gather_S2S(system_addr_t output_addr, system_addr_t param_addr, addr_t index_addr,
                           bool index_is_local, scalar_t C, const dim4* shape, int param_h,
                           const dim4* output_stride, const dim4* param_stride,
                           const dim4* index_stride, data_type_t dtype);
/* out(0,c,index(0,c,h,0),w) = param(0,c,h,w). The indices of a channel must be distinct. */
void tpu_gdma_h_scatter_S2L(local_addr_t output_addr, system_addr_t param_addr, addr_t index_addr,
                            bool index_is_local, const dim4* shape, int param_h,
                            const dim4* output_stride, const dim4* param_stride,
                            const dim4* index_stride, data_type_t dtype);
void tpu_gdma_h_scatter_L2S(system_addr_t output_addr, local_addr_t param_addr, addr_t index_addr,
                            bool index_is_local, const dim4* shape, int param_h,
                            const dim4* output_stride, const dim4* param_stride,
                            const dim4* index_stride, data_type_t dtype);
void tpu_gdma_h_scatter_L2L(local_addr_t output_addr, local_addr_t param_addr, addr_t index_addr,
                            bool index_is_local, const dim4* shape, int param_h,
                            const dim4* output_stride, const dim4* param_stride,
                            const dim4* index_stride, data_type_t dtype);
void tpu_gdma_h_scatter_S2S(system_addr_t output_addr, system_addr_t param_addr, addr_t index_addr,
                            bool index_is_local, const dim4* shape, int param_h,
                            const dim4* output_stride, const dim4* param_stride,
                            const dim4* index_stride, data_type_t dtype);
/* Copies count consecutive elements in system memory. */
void tpu_gdma_system_cpy(system_addr_t dst_addr, system_addr_t src_addr, unsigned int count,
                         data_type_t dtype);
/* Copies with one axis reversed; not on BM1684X. */
void tpu_gdma_reverse_S2S(system_addr_t dst_addr, system_addr_t src_addr, const dim4* shape,
                          const dim4* dst_stride, const dim4* src_stride, int reverse_axis,
                          data_type_t dtype);
void tpu_gdma_reverse_S2L(local_addr_t dst_addr, system_addr_t src_addr, const dim4* shape,
                          const dim4* dst_stride, const dim4* src_stride, int reverse_axis,
                          data_type_t dtype);
void tpu_gdma_reverse_L2S(system_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                          const dim4* dst_stride, const dim4* src_stride, int reverse_axis,
                          data_type_t dtype);
void tpu_gdma_reverse_L2L(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                          const dim4* dst_stride, const dim4* src_stride, int reverse_axis,
                          data_type_t dtype);
/* Lossless compression of int8/16-bit tensors. Not supported: the format is undocumented. */
void tpu_gdma_compress_normal_L2S(global_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                                  const dim4* src_stride, data_type_t dtype, unsigned char bias0,
                                  unsigned char bias1, bool zero_guard);
/* Worst-case buffer size. Not supported. */
int tpu_gdma_compress_normal_max_bytes(const dim4* shape, data_type_t dtype);
/* Inverse of tpu_gdma_compress_normal_L2S. Not supported: the format is undocumented. */
void tpu_gdma_decompress_normal_S2L(local_addr_t dst_addr, global_addr_t src_addr,
                                    const dim4* shape, const dim4* dst_stride, data_type_t dtype,
                                    unsigned char bias0, unsigned char bias1, bool zero_guard);
/* Compression to random-access units with meta data. Not supported: the format is undocumented. */
void tpu_gdma_compress_RACU_L2S(global_addr_t dst_racu_addr, global_addr_t dst_meta_addr,
                                local_addr_t src_addr, const dim4* shape, dim4* dst_racu_stride,
                                dim4* dst_meta_stride, const dim4* src_stride, data_type_t dtype,
                                unsigned char bias0, unsigned char bias1, bool zero_guard);
void tpu_gdma_decompress_RACU_S2L(local_addr_t dst_addr, global_addr_t src_racu_addr,
                                  global_addr_t src_meta_addr, const dim4* shape,
                                  const dim4* dst_stride, const dim4* src_racu_stride,
                                  const dim4* src_meta_stride, data_type_t dtype,
                                  unsigned char bias0, unsigned char bias1, bool zero_guard);
/* Worst-case buffer sizes. Not supported. */
int tpu_gdma_compress_RACU_max_meta_bytes(const dim4* shape, data_type_t dtype);
int tpu_gdma_compress_RACU_max_racu_bytes(const dim4* shape, data_type_t dtype);

/* ---- SDMA (TPUKernel guide) ---- */

/* System-memory engine of larger chips. On the BM1684X each runs as the GDMA function of the same
 * name. */
void tpu_sdma_cpy_S2S(system_addr_t dst_addr, system_addr_t src_addr, const dim4* shape,
                      const dim4* dst_stride, const dim4* src_stride, data_type_t dtype);
void tpu_sdma_cpy_nc_trans_S2S(system_addr_t dst_addr, system_addr_t src_addr,
                               const dim4* dst_shape, const dim4* dst_stride,
                               const dim4* src_stride, data_type_t dtype);
void tpu_sdma_cpy_cw_trans_S2S(system_addr_t dst_addr, system_addr_t src_addr,
                               const dim4* dst_shape, const dim4* dst_stride,
                               const dim4* src_stride, data_type_t dtype);
void tpu_sdma_set_C_system(system_addr_t dst_addr, scalar_t C, const dim4* shape,
                           const dim4* dst_stride, data_type_t dtype);
void tpu_sdma_h_gather_S2S(system_addr_t output_addr, system_addr_t param_addr, addr_t index_addr,
                           bool index_is_local, scalar_t C, const dim4* shape, int param_h,
                           const dim4* output_stride, const dim4* param_stride,
                           const dim4* index_stride, data_type_t dtype);
void tpu_sdma_h_scatter_S2S(system_addr_t output_addr, system_addr_t param_addr, addr_t index_addr,
                            bool index_is_local, const dim4* shape, int param_h,
                            const dim4* output_stride, const dim4* param_stride,
                            const dim4* index_stride, data_type_t dtype);
void tpu_sdma_system_cpy(system_addr_t dst_addr, system_addr_t src_addr, unsigned int count,
                         data_type_t dtype);
void tpu_sdma_reverse_S2S(system_addr_t dst_addr, system_addr_t src_addr, const dim4* shape,
                          const dim4* dst_stride, const dim4* src_stride, int reverse_axis,
                          data_type_t dtype);

/* ---- Select (TPUKernel guide) ---- */

/* dst = src0 > src1 ? src2 : src3; operands TENSOR, SCALAR or VECTOR. The chosen value is moved as
 * bits. If floats are compared, its type must be as wide; if integers are, as wide or wider. */
void tpu_bdc_greater_select(local_addr_t dst_addr, const variable_t* src0, const variable_t* src1,
                            const variable_t* src2, const variable_t* src3, const dim4* shape,
                            data_type_t src0_src1_dtype, data_type_t dst_dtype);
/* dst = src0 < src1 ? src2 : src3. */
void tpu_bdc_less_select(local_addr_t dst_addr, const variable_t* src0, const variable_t* src1,
                         const variable_t* src2, const variable_t* src3, const dim4* shape,
                         data_type_t src0_src1_dtype, data_type_t dst_dtype);
/* dst = src0 == src1 ? src2 : src3. */
void tpu_bdc_equal_select(local_addr_t dst_addr, const variable_t* src0, const variable_t* src1,
                          const variable_t* src2, const variable_t* src3, const dim4* shape,
                          data_type_t src0_src1_dtype, data_type_t dst_dtype);
/* dst0 = max(src0,src1); dst1 = src0 > src1 ? src2 : src3. */
void tpu_bdc_maximum_greater_select(local_addr_t dst0_addr, local_addr_t dst1_addr,
                                    const variable_t* src0, const variable_t* src1,
                                    const variable_t* src2, const variable_t* src3,
                                    const dim4* shape, data_type_t dst0_dtype,
                                    data_type_t dst1_dtype);
/* dst0 = min(src0,src1); dst1 = src0 < src1 ? src2 : src3. */
void tpu_bdc_minimum_less_select(local_addr_t dst0_addr, local_addr_t dst1_addr,
                                 const variable_t* src0, const variable_t* src1,
                                 const variable_t* src2, const variable_t* src3, const dim4* shape,
                                 data_type_t dst0_dtype, data_type_t dst1_dtype);

/* ---- Floating-point matrix (TPUKernel guide) ---- */

/* out = left*right (+bias) (+out). Matrix layouts with cols_per_channel, as okk_bdc_matmul. */
void tpu_bdc_fp32_mm(local_addr_t output_addr, local_addr_t left_addr, local_addr_t right_addr,
                     local_addr_t bias_addr, int left_rows, int left_cols, int right_cols,
                     int left_cols_per_channel, int right_cols_per_channel, bool has_bias,
                     bool result_add);
/* As tpu_bdc_fp32_mm; left is given transposed. */
void tpu_bdc_fp32_mm_L_trans(local_addr_t output_addr, local_addr_t left_addr,
                             local_addr_t right_addr, local_addr_t bias_addr, int left_rows,
                             int left_cols, int right_cols, int left_cols_per_channel,
                             int right_cols_per_channel, bool has_bias, bool result_add);
/* As tpu_bdc_fp32_mm; every element of left is C. */
void tpu_bdc_fp32_mm_L_const(local_addr_t output_addr, local_addr_t right_addr,
                             local_addr_t bias_addr, float C, int left_rows, int left_cols,
                             int right_cols, int right_cols_per_channel, bool has_bias,
                             bool result_add);
/* out = left*right (+out), mm2 layout. Inputs must be fp16 or bf16; the output is fp32 or has the
 * type of the inputs. */
void tpu_bdc_fp_mm(local_addr_t output_addr, local_addr_t left_addr, local_addr_t right_addr,
                   int left_rows, int left_cols, int right_cols, data_type_t output_dtype,
                   data_type_t left_right_dtype, bool result_add);
/* As tpu_bdc_fp_mm; right is given transposed. */
void tpu_bdc_fp_mm_R_trans(local_addr_t output_addr, local_addr_t left_addr,
                           local_addr_t right_addr, int left_rows, int left_cols, int right_rows,
                           data_type_t output_dtype, data_type_t left_right_dtype);
/* As tpu_bdc_fp_mm; both are given transposed, and the result is transposed too. */
void tpu_bdc_fp_mm_all_trans(local_addr_t output_addr, local_addr_t left_addr,
                             local_addr_t right_addr, int left_rows, int left_cols, int right_rows,
                             data_type_t output_dtype, data_type_t left_right_dtype,
                             bool result_add);
/* As tpu_bdc_fp_mm; every element of one operand is C, transposed as named. */
void tpu_bdc_fp_mm_L_const(local_addr_t output_addr, local_addr_t right_addr, scalar_t C,
                           int left_rows, int left_cols, int right_cols, data_type_t output_dtype,
                           data_type_t right_C_dtype, bool result_add);
void tpu_bdc_fp_mm_R_const(local_addr_t output_addr, local_addr_t left_addr, scalar_t C,
                           int left_rows, int left_cols, int right_cols, data_type_t output_dtype,
                           data_type_t left_C_dtype, bool result_add);
void tpu_bdc_fp_mm_L_const_R_trans(local_addr_t output_addr, local_addr_t right_addr, scalar_t C,
                                   int left_rows, int left_cols, int right_rows,
                                   data_type_t output_dtype, data_type_t right_C_dtype);
void tpu_bdc_fp_mm_L_const_all_trans(local_addr_t output_addr, local_addr_t right_addr, scalar_t C,
                                     int left_rows, int left_cols, int right_rows,
                                     data_type_t output_dtype, data_type_t right_C_dtype,
                                     bool result_add);
void tpu_bdc_fp_mm_R_const_all_trans(local_addr_t output_addr, local_addr_t left_addr, scalar_t C,
                                     int left_rows, int left_cols, int right_rows,
                                     data_type_t output_dtype, data_type_t left_C_dtype,
                                     bool result_add);
/* With bias (address or fp32 constant) and optional ReLU; not on BM1684X. */
void tpu_bdc_fp_mm_with_bias(local_addr_t output_addr, local_addr_t left_addr,
                             local_addr_t right_addr, int left_rows, int left_cols, int right_cols,
                             data_type_t output_dtype, data_type_t left_right_dtype,
                             bool result_add, bool bias_is_const, var_context_t bias_data,
                             bool do_relu);
void tpu_bdc_fp_mm_R_trans_with_bias(local_addr_t output_addr, local_addr_t left_addr,
                                     local_addr_t right_addr, int left_rows, int left_cols,
                                     int right_rows, data_type_t output_dtype,
                                     data_type_t left_right_dtype, bool add_result,
                                     bool bias_is_const, var_context_t bias_data, bool do_relu);
void tpu_bdc_fp_mm_all_trans_with_bias(local_addr_t output_addr, local_addr_t left_addr,
                                       local_addr_t right_addr, int left_rows, int left_cols,
                                       int right_rows, data_type_t output_dtype,
                                       data_type_t left_right_dtype, bool result_add,
                                       bool bias_is_const, var_context_t bias_data, bool do_relu);
void tpu_bdc_fp_mm_L_const_with_bias(local_addr_t output_addr, local_addr_t right_addr, scalar_t C,
                                     int left_rows, int left_cols, int right_cols,
                                     data_type_t output_dtype, data_type_t right_C_dtype,
                                     bool result_add, bool bias_is_const, var_context_t bias_data,
                                     bool do_relu);
void tpu_bdc_fp_mm_R_const_with_bias(local_addr_t output_addr, local_addr_t left_addr, scalar_t C,
                                     int left_rows, int left_cols, int right_cols,
                                     data_type_t output_dtype, data_type_t left_C_dtype,
                                     bool result_add, bool bias_is_const, var_context_t bias_data,
                                     bool do_relu);
void tpu_bdc_fp_mm_L_const_R_trans_with_bias(local_addr_t output_addr, local_addr_t right_addr,
                                             scalar_t C, int left_rows, int left_cols,
                                             int right_rows, data_type_t output_dtype,
                                             data_type_t right_C_dtype, bool result_add,
                                             bool bias_is_const, var_context_t bias_data,
                                             bool do_relu);
void tpu_bdc_fp_mm_L_const_all_trans_with_bias(local_addr_t output_addr, local_addr_t right_addr,
                                               scalar_t C, int left_rows, int left_cols,
                                               int right_rows, data_type_t output_dtype,
                                               data_type_t right_C_dtype, bool result_add,
                                               bool bias_is_const, var_context_t bias_data,
                                               bool do_relu);
void tpu_bdc_fp_mm_R_const_all_trans_with_bias(local_addr_t output_addr, local_addr_t left_addr,
                                               scalar_t C, int left_rows, int left_cols,
                                               int right_rows, data_type_t output_dtype,
                                               data_type_t left_C_dtype, bool result_add,
                                               bool bias_is_const, var_context_t bias_data,
                                               bool do_relu);

/* ---- Integer matrix (TPUKernel guide) ---- */

/* output(i, j) = round(sum over k of left(i, k) * right(k, j) * 2^shift), saturated. L_trans: left
 * is stored transposed. L_const: every element of left is C.
 * - Matrix layout: a matrix of rows x cols with P columns in a channel is the 64-byte aligned
 *   tensor (rows, ceil(cols / P), 1, P). It must start at NPU 0 (TW-TPU-0010) and at a multiple
 *   of 64 (0007).
 * - Shapes: left is (left_rows x left_cols) with left_cols_per_channel columns in a channel. right
 *   is (left_cols x right_cols), output (left_rows x right_cols), both with right_cols_per_channel.
 *   L_trans: left is stored as left_rows x left_cols = K x M; right is (K x right_cols), output (M
 *   x right_cols).
 * - Types: left and right are integers of equal width, 8, 16 or 32 bits (0014, 0015). output has 32
 *   bits: INT32 if left or right is signed, else UINT32.
 * - shift > 0 shifts left, by shift mod 64; shift < 0 shifts right, by at most 63, and rounds.
 *   rounding_mode is any of the seven (0016). The chip's model does not shift products of 8 and 16
 *   bits, nor does this with the quirk `ignored`.
 * - Limits: extents are in [1, 65535] (0020), columns per channel in [1, columns] (0309).
 * - Columns of right that fill its last channel are multiplied too, and written to output.
 * - Aliasing: sources are read before the first write, so output may overlap them.
 *
 * TPUKernel guide: matrix layout. */
void tpu_bdc_int_mm(local_addr_t output_addr, local_addr_t left_addr, local_addr_t right_addr,
                    int left_rows, int left_cols, int right_cols, int left_cols_per_channel,
                    int right_cols_per_channel, data_type_t left_dtype, data_type_t right_dtype,
                    char shift, rounding_mode_t rounding_mode);
void tpu_bdc_int_mm_L_trans(local_addr_t output_addr, local_addr_t left_addr,
                            local_addr_t right_addr, int left_rows, int left_cols, int right_cols,
                            int left_cols_per_channel, int right_cols_per_channel,
                            data_type_t left_dtype, data_type_t right_dtype, char shift,
                            rounding_mode_t rounding_mode);
void tpu_bdc_int_mm_L_const(local_addr_t output_addr, local_addr_t right_addr, scalar_t C,
                            int left_rows, int left_cols, int right_cols,
                            int right_cols_per_channel, data_type_t C_dtype,
                            data_type_t right_dtype, char shift, rounding_mode_t rounding_mode);
/* As the functions above, with a shift for each column of output: shift is an INT8 matrix of 1 x
 * right_cols in the matrix layout, with right_cols_per_channel columns in a channel. */
void tpu_bdc_int_pcs_mm(local_addr_t output_addr, local_addr_t left_addr, local_addr_t right_addr,
                        local_addr_t shift_addr, int left_rows, int left_cols, int right_cols,
                        int left_cols_per_channel, int right_cols_per_channel,
                        data_type_t left_dtype, data_type_t right_dtype,
                        rounding_mode_t rounding_mode);
void tpu_bdc_int_pcs_mm_L_trans(local_addr_t output_addr, local_addr_t left_addr,
                                local_addr_t right_addr, local_addr_t shift_addr, int left_rows,
                                int left_cols, int right_cols, int left_cols_per_channel,
                                int right_cols_per_channel, data_type_t left_dtype,
                                data_type_t right_dtype, rounding_mode_t rounding_mode);
void tpu_bdc_int_pcs_mm_L_const(local_addr_t output_addr, local_addr_t right_addr,
                                local_addr_t shift_addr, scalar_t C, int left_rows, int left_cols,
                                int right_cols, int right_cols_per_channel, data_type_t C_dtype,
                                data_type_t right_dtype, rounding_mode_t rounding_mode);
/* General quantized product (zero point, bias, requant); not on BM1684X. */
void tpu_bdc_quant_mm(local_addr_t output_addr, data_type_t output_dtype, optional_info_t* left,
                      optional_info_t* right, int output_rows, int inner_cols, int output_cols,
                      bool left_trans, bool right_trans, bool result_add, bool do_relu,
                      optional_info_t* rzp, optional_info_t* bias, requant_int_info_t* requant);
/* ((out << lshift if result_add) + left*right + bias) >> rshift to 8 or 16 bits, optional ReLU. */
void tpu_bdc_int8_mm(local_addr_t output_addr, local_addr_t left_addr, local_addr_t right_addr,
                     local_addr_t bias_addr, int left_rows, int left_cols, int right_cols,
                     int left_cols_per_channel, int right_cols_per_channel,
                     data_type_t output_dtype, data_type_t left_dtype, data_type_t right_dtype,
                     data_type_t bias_dtype, unsigned char lshift, unsigned char rshift,
                     bool has_bias, bool result_add, bool result_relu);
void tpu_bdc_int8_mm_L_trans(local_addr_t output_addr, local_addr_t left_addr,
                             local_addr_t right_addr, local_addr_t bias_addr, int left_rows,
                             int left_cols, int right_cols, int left_cols_per_channel,
                             int right_cols_per_channel, data_type_t output_dtype,
                             data_type_t left_dtype, data_type_t right_dtype,
                             data_type_t bias_dtype, unsigned char lshift, unsigned char rshift,
                             bool has_bias, bool result_add, bool result_relu);
void tpu_bdc_int8_mm_L_const(local_addr_t output_addr, local_addr_t right_addr,
                             local_addr_t bias_addr, scalar_t C, int left_rows, int left_cols,
                             int right_cols, int right_cols_per_channel, data_type_t output_dtype,
                             data_type_t C_dtype, data_type_t right_dtype, data_type_t bias_dtype,
                             unsigned char lshift, unsigned char rshift, bool has_bias,
                             bool result_add, bool result_relu);
/* int32 out = left*(right - zp) (+out), mm2 layout; one zero point for the matrix. */
void tpu_bdc_int8_zp_mm(local_addr_t output_addr, local_addr_t left_addr, local_addr_t right_addr,
                        scalar_t zp_val, int left_rows, int left_cols, int right_cols,
                        data_type_t left_dtype, data_type_t right_zp_dtype, bool result_add);
void tpu_bdc_int8_zp_mm_R_trans(local_addr_t output_addr, local_addr_t left_addr,
                                local_addr_t right_addr, scalar_t zp_val, int left_rows,
                                int left_cols, int right_rows, data_type_t left_dtype,
                                data_type_t right_zp_dtype);
void tpu_bdc_int8_zp_mm_all_trans(local_addr_t output_addr, local_addr_t left_addr,
                                  local_addr_t right_addr, scalar_t zp_val, int left_rows,
                                  int left_cols, int right_rows, data_type_t left_dtype,
                                  data_type_t right_zp_dtype, bool result_add);
void tpu_bdc_int8_zp_mm_L_const(local_addr_t output_addr, local_addr_t right_addr, scalar_t C,
                                scalar_t zp_val, int left_rows, int left_cols, int right_cols,
                                data_type_t C_dtype, data_type_t right_zp_dtype, bool result_add);
void tpu_bdc_int8_zp_mm_R_const(local_addr_t output_addr, local_addr_t left_addr, scalar_t C,
                                scalar_t zp_val, int left_rows, int left_cols, int right_cols,
                                data_type_t left_dtype, data_type_t C_zp_dtype, bool result_add);
void tpu_bdc_int8_zp_mm_L_const_R_trans(local_addr_t output_addr, local_addr_t right_addr,
                                        scalar_t C, scalar_t zp_val, int left_rows, int left_cols,
                                        int right_rows, data_type_t C_dtype,
                                        data_type_t right_zp_dtype);
void tpu_bdc_int8_zp_mm_L_const_all_trans(local_addr_t output_addr, local_addr_t right_addr,
                                          scalar_t C, scalar_t zp_val, int left_rows, int left_cols,
                                          int right_rows, data_type_t C_dtype,
                                          data_type_t right_zp_dtype, bool result_add);
void tpu_bdc_int8_zp_mm_R_const_all_trans(local_addr_t output_addr, local_addr_t left_addr,
                                          scalar_t C, scalar_t zp_val, int left_rows, int left_cols,
                                          int right_rows, data_type_t left_dtype,
                                          data_type_t C_zp_dtype, bool result_add);
/* As the functions above, with a zero point per channel. */
void tpu_bdc_int8_pc_zp_mm(local_addr_t output_addr, local_addr_t left_addr,
                           local_addr_t right_addr, local_addr_t zp_addr, int left_rows,
                           int left_cols, int right_cols, data_type_t left_dtype,
                           data_type_t right_zp_dtype, bool result_add);
void tpu_bdc_int8_pc_zp_mm_R_trans(local_addr_t output_addr, local_addr_t left_addr,
                                   local_addr_t right_addr, local_addr_t zp_addr, int left_rows,
                                   int left_cols, int right_rows, data_type_t left_dtype,
                                   data_type_t right_zp_dtype);
void tpu_bdc_int8_pc_zp_mm_all_trans(local_addr_t output_addr, local_addr_t left_addr,
                                     local_addr_t right_addr, local_addr_t zp_addr, int left_rows,
                                     int left_cols, int right_rows, data_type_t left_dtype,
                                     data_type_t right_zp_dtype, bool result_add);
void tpu_bdc_int8_pc_zp_mm_L_const(local_addr_t output_addr, local_addr_t right_addr,
                                   local_addr_t zp_addr, scalar_t C, int left_rows, int left_cols,
                                   int right_cols, data_type_t C_dtype, data_type_t right_zp_dtype,
                                   bool result_add);
void tpu_bdc_int8_pc_zp_mm_R_const(local_addr_t output_addr, local_addr_t left_addr,
                                   local_addr_t zp_addr, scalar_t C, int left_rows, int left_cols,
                                   int right_cols, data_type_t left_dtype, data_type_t C_zp_dtype,
                                   bool result_add);
void tpu_bdc_int8_pc_zp_mm_L_const_R_trans(local_addr_t output_addr, local_addr_t right_addr,
                                           local_addr_t zp_addr, scalar_t C, int left_rows,
                                           int left_cols, int right_rows, data_type_t C_dtype,
                                           data_type_t right_zp_dtype);
void tpu_bdc_int8_pc_zp_mm_L_const_all_trans(local_addr_t output_addr, local_addr_t right_addr,
                                             local_addr_t zp_addr, scalar_t C, int left_rows,
                                             int left_cols, int right_rows, data_type_t C_dtype,
                                             data_type_t right_zp_dtype, bool result_add);
void tpu_bdc_int8_pc_zp_mm_R_const_all_trans(local_addr_t output_addr, local_addr_t left_addr,
                                             local_addr_t zp_addr, scalar_t C, int left_rows,
                                             int left_cols, int right_rows, data_type_t left_dtype,
                                             data_type_t C_zp_dtype, bool result_add);

/* ---- Floating-point neural network (TPUKernel guide) ---- */

/* src + bias(0,c,0,0). */
void tpu_bdc_fp_bias(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t bias_addr,
                     const dim4* shape, data_type_t dtype);
/* (src + bias)^2 per channel. */
void tpu_bdc_fp_add_bias_sqr(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t bias_addr,
                             const dim4* shape, data_type_t dtype);
/* (src + C)^2. */
void tpu_bdc_fp_add_C_sqr(local_addr_t dst_addr, local_addr_t src_addr, scalar_t C,
                          const dim4* shape, data_type_t dtype);
/* (src - bias)^2 per channel. */
void tpu_bdc_fp_sub_bias_sqr(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t bias_addr,
                             const dim4* shape, data_type_t dtype);
/* (src - C)^2. */
void tpu_bdc_fp_sub_C_sqr(local_addr_t dst_addr, local_addr_t src_addr, scalar_t C,
                          const dim4* shape, data_type_t dtype);
/* src * scale(0,c,0,0). */
void tpu_bdc_fp_scale(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t scale_addr,
                      const dim4* shape, data_type_t dtype);
/* src*scale + bias per channel. */
void tpu_bdc_fp_scale_bias(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t scale_addr,
                           local_addr_t bias_addr, const dim4* shape, data_type_t dtype);
/* src*scale + bias, both constants. */
void tpu_bdc_fp_scale_bias_C(local_addr_t dst_addr, local_addr_t src_addr, scalar_t scale,
                             scalar_t bias, const dim4* shape, data_type_t dtype);
/* Convolution. Weights of fp32: [1, OC, IC, KH*KW] compact; of fp16 and bf16: groups of 32 input
 * channels, [1, OC, ceil(IC/32)*KH*KW, 32]. Bias: fp32, [1, OC, 1, 1] compact. */
void tpu_bdc_fp_conv2d(local_addr_t output_addr, local_addr_t input_addr, local_addr_t weight_addr,
                       local_addr_t bias_addr, const dim4* input_shape, const dim4* input_stride,
                       int output_c, const dim2* kernel, const padding_t* padding,
                       const dim2* stride, const dim2* dilation, data_type_t output_dtype,
                       data_type_t input_dtype, bool has_bias, bool result_add);
/* Deconvolution: the kernel is rotated by 180 degrees, zeros are inserted between input rows and
 * columns, and the stride is 1. */
void tpu_bdc_fp_conv2d_for_deconv2d(local_addr_t output_addr, local_addr_t input_addr,
                                    local_addr_t weight_addr, local_addr_t bias_addr,
                                    const dim4* input_shape, const dim4* input_stride, int output_c,
                                    const dim2* kernel, const dim2* insert,
                                    const padding_t* padding, const dim2* dilation,
                                    data_type_t output_dtype, data_type_t input_dtype,
                                    bool has_bias, bool result_add);
/* Depthwise deconvolution. kernel_is_const: weight_addr holds the bits of every weight. */
void tpu_bdc_fp_depthwise_for_deconv2d(local_addr_t output_addr, local_addr_t input_addr,
                                       local_addr_t weight_addr, local_addr_t bias_addr,
                                       const dim4* input_shape, const dim2* kernel,
                                       const dim2* insert, const padding_t* padding,
                                       const dim2* dilation, data_type_t output_dtype,
                                       data_type_t input_dtype, bool kernel_is_const,
                                       bool has_bias);
/* Convolution whose weights are all C. */
void tpu_bdc_fp_conv2d_kernel_const(local_addr_t output_addr, local_addr_t input_addr,
                                    local_addr_t bias_addr, scalar_t C, const dim4* input_shape,
                                    const dim4* input_stride, int output_c, const dim2* kernel,
                                    const padding_t* padding, const dim2* stride,
                                    const dim2* dilation, data_type_t output_dtype,
                                    data_type_t input_dtype, bool has_bias, bool result_add);
/* Max pooling; padding has the value pad_val. */
void tpu_bdc_fp_max_pool2d(local_addr_t output_addr, local_addr_t input_addr,
                           const dim4* input_shape, const dim2* kernel, const padding_t* padding,
                           const dim2* stride, const dim2* dilation, data_type_t dtype,
                           scalar_t pad_val);
/* Average pooling with zeros inserted into the input. */
void tpu_bdc_fp_ins_avg_pool2d(local_addr_t output_addr, local_addr_t input_addr,
                               const dim4* input_shape, const dim2* kernel,
                               const padding_t* padding, const dim2* stride, const dim2* dilation,
                               const dim2* ins, data_type_t dtype, scalar_t scale);
/* Sum pooling times scale, given in dtype; 1/(kh*kw) for the average. */
void tpu_bdc_fp_avg_pool2d(local_addr_t output_addr, local_addr_t input_addr,
                           const dim4* input_shape, const dim2* kernel, const padding_t* padding,
                           const dim2* stride, const dim2* dilation, data_type_t dtype,
                           scalar_t scale);
/* Depthwise convolution with zeros inserted into the input. */
void tpu_bdc_fp_ins_depthwise(local_addr_t output_addr, local_addr_t input_addr,
                              local_addr_t weight_addr, local_addr_t bias_addr,
                              const dim4* input_shape, const dim2* kernel, const padding_t* padding,
                              const dim2* stride, const dim2* ins, const dim2* dilation,
                              data_type_t dtype, bool has_bias);
/* output = depthwise convolution of input with one kernel per channel, plus bias if has_bias.
 * - Shapes: input is input_shape (N, C, H, W); weight (1, C, KH, KW); bias (1, C, 1, 1); output (N,
 *   C, OH, OW), with OH = (H + top + bottom - ((KH - 1) * dilation->h + 1)) / stride->h + 1,
 *   rounded down, and OW likewise.
 * - Layouts: input and output are 64-byte aligned, weight and bias compact. Addresses must be
 *   multiples of 64 (TW-TPU-0007). All tensors must start in one NPU (TW-TPU-0009).
 * - Types: dtype is the type of all tensors: DT_FP32, DT_FP16 or DT_BFP16 (TW-TPU-0014).
 * - Limits: kernel extents are in [1, 65535] (TW-TPU-0301); padding in [0, 15], NULL means 0
 *   (0302); strides in [1, 15], NULL means 1 (0303); dilations in [1, 15], NULL means 1 (0304); OH
 *   and OW in [1, 65535] (0306). kernel must not be NULL (0002).
 * - Padding counts as 0 and is multiplied like other elements, so that 0 * infinity is NaN.
 * - Aliasing: sources are read before the first write, so output may overlap them.
 *
 * TPUKernel guide: tpu_bdc_fp_conv2d. */
void tpu_bdc_fp_depthwise2d(local_addr_t output_addr, local_addr_t input_addr,
                            local_addr_t weight_addr, local_addr_t bias_addr,
                            const dim4* input_shape, const dim2* kernel, const padding_t* padding,
                            const dim2* stride, const dim2* dilation, data_type_t dtype,
                            bool has_bias);
/* Maximum pooling, average pooling and depthwise convolution on the regions of interest that roi
 * lists; empty regions give except_val. Not on BM1684X: the call does nothing, and the launch fails
 * with TW-TPU-0017 for all arguments. TPUKernel guide: functions by chip. */
void tpu_bdc_fp_roi_max_pool2d(local_addr_t output_addr, local_addr_t input_addr,
                               local_addr_t roi_addr, const dim4* input_shape, int output_w,
                               const dim2* kernel, data_type_t dtype, scalar_t except_val);
void tpu_bdc_fp_roi_avg_pool2d(local_addr_t output_addr, local_addr_t input_addr,
                               local_addr_t roi_addr, const dim4* input_shape, int output_w,
                               const dim2* kernel, data_type_t dtype, scalar_t except_val,
                               scalar_t scale);
void tpu_bdc_fp_roi_depthwise2d(local_addr_t output_addr, local_addr_t input_addr,
                                local_addr_t weight_addr, local_addr_t roi_addr,
                                const dim4* input_shape, int output_w, const dim2* kernel,
                                data_type_t dtype, scalar_t except_val);

/* ---- Integer neural network (TPUKernel guide) ---- */

/* output = sum over ic, kh, kw of value * (weight(oc, ic, kh, kw) - kzp), modulo 2^32; with
 * result_add plus the old output. value is the input, or pad outside it. The pc forms have one kzp
 * for each output channel and one pad for each input channel.
 * - Shapes: input is input_shape (N, IC, H, W); output (N, output_c, OH, OW), OH and OW as in
 *   tpu_bdc_fp_depthwise2d; weight (1, OC, ceil(IC / 64) * KH * KW, 64): the weight of input
 *   channel ic and tap k = kh * KW + kw is element (0, oc, ic div 64 * KH * KW + k, ic mod 64).
 *   kernel_const: every weight is C. kzp_addr: (1, OC, 1, 1). pad_addr: (1, IC, 1, 2), in each
 *   channel the padding and a number that is ignored.
 * - Layouts: output is 64-byte aligned; input too, or has input_stride with a w stride of 1
 *   (TW-TPU-0024). weight, kzp and pad are compact. Addresses without input_stride must be
 *   multiples of 64 (0007).
 * - Start: input and pad must start at NPU 0 (0010, 0009), weight and kzp at the NPU of output
 *   (0009).
 * - Types: input, weight and kzp are 8-bit (0014). output has 32 bits only: DT_UINT32 exactly if
 *   input and weight are unsigned and kzp_val is 0, else DT_INT32 (0015). The pc form always takes
 *   DT_INT32 (0014).
 * - Limits of output_c: [1, 65535] (0003); of kernel, padding, stride, dilation and output as in
 *   tpu_bdc_fp_depthwise2d (0301 to 0304, 0306).
 * - Aliasing: sources are read before the first write, so output may overlap them.
 *
 * TPUKernel guide: tpu_bdc_fp_conv2d, remarks on dtype. */
void tpu_bdc_int8_asym_quant_conv2d(local_addr_t output_addr, local_addr_t input_addr,
                                    local_addr_t weight_addr, scalar_t kzp_val, scalar_t pad_val,
                                    const dim4* input_shape, const dim4* input_stride, int output_c,
                                    const dim2* kernel, const padding_t* padding,
                                    const dim2* stride, const dim2* dilation,
                                    data_type_t output_dtype, data_type_t input_dtype,
                                    data_type_t weight_dtype, data_type_t kzp_dtype,
                                    bool result_add);
void tpu_bdc_int8_asym_pc_quant_conv2d(local_addr_t output_addr, local_addr_t input_addr,
                                       local_addr_t weight_addr, local_addr_t kzp_addr,
                                       local_addr_t pad_addr, const dim4* input_shape,
                                       const dim4* input_stride, int output_c, const dim2* kernel,
                                       const padding_t* padding, const dim2* stride,
                                       const dim2* dilation, data_type_t output_dtype,
                                       data_type_t input_dtype, data_type_t weight_dtype,
                                       data_type_t kzp_dtype, bool result_add);
void tpu_bdc_int8_asym_quant_conv2d_kernel_const(local_addr_t output_addr, local_addr_t input_addr,
                                                 scalar_t C, scalar_t kzp_val, scalar_t pad_val,
                                                 const dim4* input_shape, const dim4* input_stride,
                                                 int output_c, const dim2* kernel,
                                                 const padding_t* padding, const dim2* stride,
                                                 const dim2* dilation, data_type_t output_dtype,
                                                 data_type_t input_dtype, data_type_t weight_dtype,
                                                 data_type_t kzp_dtype, bool result_add);
/* Deconvolution forms: insert->h and insert->w, in [0, 14] (TW-TPU-0305), rows and columns are
 * inserted between neighbouring ones of the input, the stride is 1, and the kernel is rotated by
 * 180 degrees. H becomes (H - 1) * (insert->h + 1) + 1, W likewise. Inserted elements have the
 * value insert_val. pad_insert_addr: (1, IC, 1, 2), compact, in each channel the padding and the
 * inserted value. The pc form always takes an output of DT_UINT32. Otherwise as the functions
 * above. */
void tpu_bdc_int8_asym_quant_conv2d_for_deconv2d(
    local_addr_t output_addr, local_addr_t input_addr, local_addr_t weight_addr, scalar_t kzp_val,
    scalar_t pad_val, scalar_t insert_val, const dim4* input_shape, const dim4* input_stride,
    int output_c, const dim2* kernel, const dim2* insert, const padding_t* padding,
    const dim2* dilation, data_type_t output_dtype, data_type_t input_dtype,
    data_type_t weight_dtype, data_type_t kzp_dtype, bool result_add);
void tpu_bdc_int8_asym_pc_quant_conv2d_for_deconv2d(
    local_addr_t output_addr, local_addr_t input_addr, local_addr_t weight_addr,
    local_addr_t kzp_addr, local_addr_t pad_insert_addr, const dim4* input_shape,
    const dim4* input_stride, int output_c, const dim2* kernel, const dim2* insert,
    const padding_t* padding, const dim2* dilation, data_type_t output_dtype,
    data_type_t input_dtype, data_type_t weight_dtype, data_type_t kzp_dtype, bool result_add);
/* output = saturate(acc / 2^rshift, rounded half up), with acc = bias(oc) + sum over ic, kh, kw of
 * input * weight(oc, ic, kh, kw), modulo 2^32. result_relu replaces a negative acc by 0 first.
 * Padding counts as 0. for_deconv2d: the kernel is rotated and rows and columns of 0 are inserted,
 * as in tpu_bdc_int8_asym_quant_conv2d_for_deconv2d.
 * - Shapes, layouts and start NPUs are those of tpu_bdc_int8_asym_quant_conv2d. bias is (1, OC, 1,
 *   1), compact, at a multiple of 64 (TW-TPU-0007), and must start at the NPU of output (0009). It
 *   is read only if has_bias.
 * - Types: input and weight are 8-bit, bias 16-bit, output 8-bit or 16-bit (0014). With result_relu
 *   the output must be unsigned (0308).
 * - Limits: rshift is in [0, 31] (0310); others as in tpu_bdc_int8_asym_quant_conv2d.
 * - Aliasing: sources are read before the first write, so output may overlap them.
 *
 * TPUKernel guide: tpu_bdc_int8_sym_quant_conv2d. */
void tpu_bdc_int8_sym_quant_conv2d(local_addr_t output_addr, local_addr_t input_addr,
                                   local_addr_t weight_addr, local_addr_t bias_addr,
                                   const dim4* input_shape, const dim4* input_stride, int output_c,
                                   const dim2* kernel, const padding_t* padding, const dim2* stride,
                                   const dim2* dilation, data_type_t output_dtype,
                                   data_type_t input_dtype, data_type_t weight_dtype,
                                   data_type_t bias_dtype, unsigned char rshift, bool has_bias,
                                   bool result_relu);
void tpu_bdc_int8_sym_quant_conv2d_for_deconv2d(
    local_addr_t output_addr, local_addr_t input_addr, local_addr_t weight_addr,
    local_addr_t bias_addr, const dim4* input_shape, const dim4* input_stride, int output_c,
    const dim2* kernel, const dim2* insert, const padding_t* padding, const dim2* dilation,
    data_type_t output_dtype, data_type_t input_dtype, data_type_t weight_dtype,
    data_type_t bias_dtype, unsigned char rshift, bool has_bias, bool result_relu);
/* int8 convolution with fused requantization (per channel or constant) and optional weight zero
 * point; not on BM1684X. */
void tpu_bdc_conv2d_requant_pc(local_addr_t output_addr, local_addr_t input_addr,
                               local_addr_t weight_addr, local_addr_t bias_addr,
                               local_addr_t requant_addr, const dim4* input_shape,
                               const dim4* input_stride, int output_c, const dim2* kernel,
                               const padding_t* padding, const dim2* stride, const dim2* dilation,
                               data_type_t output_dtype, data_type_t input_dtype,
                               data_type_t weight_dtype, data_type_t bias_dtype, bool has_bias,
                               bool result_relu, bool has_requant, bool sym_range);
void tpu_bdc_conv2d_requant_C(local_addr_t output_addr, local_addr_t input_addr,
                              local_addr_t weight_addr, local_addr_t bias_addr,
                              const dim4* input_shape, const dim4* input_stride, int output_c,
                              const dim2* kernel, const padding_t* padding, const dim2* stride,
                              const dim2* dilation, data_type_t output_dtype,
                              data_type_t input_dtype, data_type_t weight_dtype,
                              data_type_t bias_dtype, int multiplier, char rshift, short output_zp,
                              bool has_bias, bool result_relu, bool has_requant, bool sym_range);
void tpu_bdc_conv2d_requant_pc_asym_pc(
    local_addr_t output_addr, local_addr_t input_addr, local_addr_t weight_addr,
    local_addr_t bias_addr, local_addr_t kzp_addr, local_addr_t pad_addr, local_addr_t requant_addr,
    const dim4* input_shape, const dim4* input_stride, int output_c, const dim2* kernel,
    const padding_t* padding, const dim2* stride, const dim2* dilation, data_type_t output_dtype,
    data_type_t input_dtype, data_type_t weight_dtype, data_type_t bias_dtype, bool has_requant,
    bool has_bias, bool result_relu, bool result_add, bool sym_range,
    rounding_mode_t rounding_mode);
void tpu_bdc_conv2d_requant_C_asym_pc(
    local_addr_t output_addr, local_addr_t input_addr, local_addr_t weight_addr,
    local_addr_t bias_addr, local_addr_t kzp_addr, local_addr_t pad_addr, const dim4* input_shape,
    const dim4* input_stride, int output_c, const dim2* kernel, const padding_t* padding,
    const dim2* stride, const dim2* dilation, data_type_t output_dtype, data_type_t input_dtype,
    data_type_t weight_dtype, data_type_t bias_dtype, int multiplier, char rshift, short output_zp,
    bool has_requant, bool has_bias, bool result_relu, bool result_add, bool sym_range,
    rounding_mode_t rounding_mode);
void tpu_bdc_conv2d_requant_C_asym_C(
    local_addr_t output_addr, local_addr_t input_addr, local_addr_t weight_addr,
    local_addr_t bias_addr, scalar_t kzp_val, scalar_t pad_val, const dim4* input_shape,
    const dim4* input_stride, int output_c, const dim2* kernel, const padding_t* padding,
    const dim2* stride, const dim2* dilation, data_type_t output_dtype, data_type_t input_dtype,
    data_type_t weight_dtype, data_type_t bias_dtype, int multiplier, char rshift, short output_zp,
    bool has_requant, bool has_bias, bool result_relu, bool result_add, bool sym_range,
    rounding_mode_t rounding_mode);
void tpu_bdc_conv2d_requant_pc_asym_C(
    local_addr_t output_addr, local_addr_t input_addr, local_addr_t weight_addr,
    local_addr_t bias_addr, local_addr_t requant_addr, scalar_t kzp_val, scalar_t pad_val,
    const dim4* input_shape, const dim4* input_stride, int output_c, const dim2* kernel,
    const padding_t* padding, const dim2* stride, const dim2* dilation, data_type_t output_dtype,
    data_type_t input_dtype, data_type_t weight_dtype, data_type_t bias_dtype, bool has_requant,
    bool has_bias, bool result_relu, bool result_add, bool sym_range,
    rounding_mode_t rounding_mode);
/* Depthwise convolution with fused requantization; not on BM1684X. */
void tpu_bdc_depthwise2d_requant_pc_asym_C(
    local_addr_t output_addr, local_addr_t input_addr, local_addr_t weight_addr,
    local_addr_t bias_addr, local_addr_t requant_addr, scalar_t pad_val, const dim4* input_shape,
    const dim2* kernel, const padding_t* padding, const dim2* stride, const dim2* dilation,
    data_type_t output_dtype, data_type_t input_dtype, data_type_t weight_dtype,
    data_type_t bias_dtype, bool has_bias, bool has_requant, bool result_relu, bool sym_range,
    rounding_mode_t rounding_mode);
/* Depthwise convolution with fused requantization; not on BM1684X. */
void tpu_bdc_depthwise2d_requant_C_sym_C(
    local_addr_t output_addr, local_addr_t input_addr, local_addr_t weight_addr,
    local_addr_t bias_addr, scalar_t pad_val, const dim4* input_shape, const dim2* kernel,
    const padding_t* padding, const dim2* stride, const dim2* dilation, data_type_t output_dtype,
    data_type_t input_dtype, data_type_t weight_dtype, data_type_t bias_dtype, unsigned char rshift,
    bool has_bias, bool result_relu, bool sym_range, rounding_mode_t rounding_mode);
/* Max pooling. */
void tpu_bdc_int8_max_pool2d(local_addr_t output_addr, local_addr_t input_addr,
                             const dim4* input_shape, const dim2* kernel, const padding_t* padding,
                             const dim2* stride, const dim2* dilation, data_type_t dtype,
                             scalar_t pad_val);
/* (sum * scale) >> rshift, rounded; scale is uint8. */
void tpu_bdc_int8_ins_avg_pool2d(local_addr_t output_addr, local_addr_t input_addr,
                                 const dim4* input_shape, const dim2* kernel,
                                 const padding_t* padding, const dim2* stride, const dim2* ins,
                                 const dim2* dilation, data_type_t output_dtype,
                                 data_type_t input_dtype, unsigned char scale,
                                 unsigned char rshift);
void tpu_bdc_int8_avg_pool2d(local_addr_t output_addr, local_addr_t input_addr,
                             const dim4* input_shape, const dim2* kernel, const padding_t* padding,
                             const dim2* stride, const dim2* dilation, data_type_t output_dtype,
                             data_type_t input_dtype, unsigned char scale, unsigned char rshift);
/* int8 depthwise convolution: bias, >> rshift with a rounding mode, ReLU. The padding value is a
 * constant, or there is one per channel. */
void tpu_bdc_int8_depthwise2d(local_addr_t output_addr, local_addr_t input_addr,
                              local_addr_t weight_addr, local_addr_t bias_addr, scalar_t pad_val,
                              const dim4* input_shape, const dim2* kernel, const padding_t* padding,
                              const dim2* stride, const dim2* dilation, data_type_t output_dtype,
                              data_type_t input_dtype, data_type_t weight_dtype,
                              data_type_t bias_dtype, unsigned char rshift, bool has_bias,
                              bool result_relu, rounding_mode_t rounding_mode);
void tpu_bdc_int8_depthwise2d_kernel_const(
    local_addr_t output_addr, local_addr_t input_addr, local_addr_t bias_addr, scalar_t C,
    scalar_t pad_val, const dim4* input_shape, const dim2* kernel, const padding_t* padding,
    const dim2* stride, const dim2* dilation, data_type_t output_dtype, data_type_t input_dtype,
    data_type_t weight_dtype, data_type_t bias_dtype, unsigned char rshift, bool has_bias,
    bool result_relu, rounding_mode_t rounding_mode);
void tpu_bdc_int8_pc_pad_depthwise2d(
    local_addr_t output_addr, local_addr_t input_addr, local_addr_t weight_addr,
    local_addr_t bias_addr, local_addr_t pad_addr, const dim4* input_shape, const dim2* kernel,
    const padding_t* padding, const dim2* stride, const dim2* dilation, data_type_t output_dtype,
    data_type_t input_dtype, data_type_t weight_dtype, data_type_t bias_dtype, unsigned char rshift,
    bool has_bias, bool result_relu, rounding_mode_t rounding_mode);
/* Deconvolution forms of the int8 depthwise convolution. */
void tpu_bdc_int8_pc_pad_depthwise_for_deconv2d(
    local_addr_t output_addr, local_addr_t input_addr, local_addr_t weight_addr,
    local_addr_t bias_addr, local_addr_t pad_addr, const dim4* input_shape, const dim2* kernel,
    const padding_t* padding, const dim2* insert, const dim2* dilation, data_type_t output_dtype,
    data_type_t input_dtype, data_type_t weight_dtype, data_type_t bias_dtype, unsigned char rshift,
    bool has_bias, bool result_relu, rounding_mode_t rounding_mode);
void tpu_bdc_int8_depthwise_for_deconv2d(
    local_addr_t output_addr, local_addr_t input_addr, local_addr_t weight_addr,
    local_addr_t bias_addr, scalar_t pad_val, const dim4* input_shape, const dim2* kernel,
    const padding_t* padding, const dim2* insert, const dim2* dilation, data_type_t output_dtype,
    data_type_t input_dtype, data_type_t weight_dtype, data_type_t bias_dtype, unsigned char rshift,
    bool has_bias, bool result_relu, rounding_mode_t rounding_mode);
/* Pooling and depthwise convolution on regions of interest; not on BM1684X. */
void tpu_bdc_int8_roi_max_pool2d(local_addr_t output_addr, local_addr_t input_addr,
                                 local_addr_t roi_addr, const dim4* input_shape, int output_w,
                                 const dim2* kernel, data_type_t dtype, scalar_t except_val);
void tpu_bdc_int8_roi_avg_pool2d(local_addr_t output_addr, local_addr_t input_addr,
                                 local_addr_t roi_addr, const dim4* input_shape, int output_w,
                                 const dim2* kernel, data_type_t output_dtype,
                                 data_type_t input_dtype, scalar_t except_val, scalar_t scale);
void tpu_bdc_int8_roi_depthwise2d(local_addr_t output_addr, local_addr_t input_addr,
                                  local_addr_t weight_addr, local_addr_t roi_addr,
                                  const dim4* input_shape, int output_w, const dim2* kernel,
                                  data_type_t output_dtype, data_type_t input_dtype,
                                  data_type_t weight_dtype, scalar_t except_val);

/* ---- Quantization (TPUKernel guide) ---- */

/* sat(shift(src*multiplier) + offset). src is INT32, INT16 or UINT16, dst has 8 or 16 bits; shift
 * is in [-64, 31]. */
void tpu_bdc_int_requant(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                         int multiplier, char shift, scalar_t offset, data_type_t dst_dtype,
                         data_type_t src_dtype, rounding_mode_t rounding_mode);
/* As tpu_bdc_int_requant; quant is a [1,C,1,3] INT32 tensor of multiplier, shift, offset. */
void tpu_bdc_int_pc_requant(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t quant_addr,
                            const dim4* shape, data_type_t dst_dtype, data_type_t src_dtype,
                            rounding_mode_t rounding_mode);
/* sat(round(float(src)*scale + offset)). */
void tpu_bdc_fp32_requant(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                          float scale, float offset, data_type_t dst_dtype, data_type_t src_dtype,
                          rounding_mode_t dst_rounding_mode, rounding_mode_t src_rounding_mode);
/* As tpu_bdc_fp32_requant; quant is a [1,C,1,2] FP32 tensor of scale, offset. */
void tpu_bdc_fp32_pc_requant(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t quant_addr,
                             const dim4* shape, data_type_t dst_dtype, data_type_t src_dtype,
                             rounding_mode_t dst_rounding_mode, rounding_mode_t src_rounding_mode);
/* shift((src - offset)*multiplier). */
void tpu_bdc_int_dequant(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                         scalar_t offset, int multiplier, char shift, data_type_t dst_dtype,
                         data_type_t src_dtype, rounding_mode_t rounding_mode);
/* As tpu_bdc_int_dequant; quant is a [1,C,1,3] INT32 tensor of offset, multiplier, shift. */
void tpu_bdc_int_pc_dequant(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t quant_addr,
                            const dim4* shape, data_type_t dst_dtype, data_type_t src_dtype,
                            rounding_mode_t rounding_mode);
/* (src - offset)*scale; the result is fp32. */
void tpu_bdc_fp32_dequant(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                          scalar_t offset, float scale, data_type_t src_dtype,
                          rounding_mode_t rounding_mode);
/* As tpu_bdc_fp32_dequant; quant is a [1,C,1,2] tensor of offset (INT32) and scale (FP32). */
void tpu_bdc_fp32_pc_dequant(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t quant_addr,
                             const dim4* shape, data_type_t src_dtype,
                             rounding_mode_t rounding_mode);

/* ---- Binary, all types (TPUKernel guide) ---- */

/* Bitwise. Types of any kind count as their bits; the vc forms take integer types. */
void tpu_bdc_and(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                 const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                 const dim4* src1_stride, data_type_t dtype);
void tpu_bdc_and_C(local_addr_t dst_addr, local_addr_t src_addr, scalar_t C, const dim4* shape,
                   const dim4* dst_stride, const dim4* src_stride, data_type_t dtype);
void tpu_bdc_or(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                const dim4* src1_stride, data_type_t dtype);
void tpu_bdc_or_C(local_addr_t dst_addr, local_addr_t src_addr, scalar_t C, const dim4* shape,
                  const dim4* dst_stride, const dim4* src_stride, data_type_t dtype);
void tpu_bdc_xor(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                 const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                 const dim4* src1_stride, data_type_t dtype);
void tpu_bdc_xor_C(local_addr_t dst_addr, local_addr_t src_addr, scalar_t C, const dim4* shape,
                   const dim4* dst_stride, const dim4* src_stride, data_type_t dtype);
/* The smaller and the larger element, all types. */
void tpu_bdc_min(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                 const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                 const dim4* src1_stride, data_type_t dtype);
void tpu_bdc_min_C(local_addr_t dst_addr, local_addr_t src_addr, scalar_t C, const dim4* shape,
                   const dim4* dst_stride, const dim4* src_stride, data_type_t dtype);
void tpu_bdc_max(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                 const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                 const dim4* src1_stride, data_type_t dtype);
void tpu_bdc_max_C(local_addr_t dst_addr, local_addr_t src_addr, scalar_t C, const dim4* shape,
                   const dim4* dst_stride, const dim4* src_stride, data_type_t dtype);
/* Shift by a signed amount (> 0: left). Right shifts round. dst may have any width. */
void tpu_bdc_arithmetic_shift(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t shift_addr,
                              const dim4* shape, const dim4* dst_stride, const dim4* src_stride,
                              const dim4* shift_stride, data_type_t dst_dtype,
                              data_type_t src_dtype, data_type_t shift_dtype,
                              rounding_mode_t rounding_mode);
void tpu_bdc_arithmetic_shift_C(local_addr_t dst_addr, local_addr_t src_addr, char C,
                                const dim4* shape, const dim4* dst_stride, const dim4* src_stride,
                                data_type_t dst_dtype, data_type_t src_dtype,
                                rounding_mode_t rounding_mode);
/* Logical shift of unsigned types. */
void tpu_bdc_logical_shift(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t shift_addr,
                           const dim4* shape, const dim4* dst_stride, const dim4* src_stride,
                           const dim4* shift_stride, data_type_t dst_dtype, data_type_t src_dtype,
                           data_type_t shift_dtype, rounding_mode_t rounding_mode);
void tpu_bdc_logical_shift_C(local_addr_t dst_addr, local_addr_t src_addr, char C,
                             const dim4* shape, const dim4* dst_stride, const dim4* src_stride,
                             data_type_t dst_dtype, data_type_t src_dtype,
                             rounding_mode_t rounding_mode);
/* dst = condition ? true_val : 0. dst may have any type that is not wider than src. */
void tpu_bdc_greater(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                     scalar_t true_val, const dim4* shape, const dim4* dst_stride,
                     const dim4* src0_stride, const dim4* src1_stride, data_type_t dst_dtype,
                     data_type_t src_dtype);
void tpu_bdc_greater_C(local_addr_t dst_addr, local_addr_t src_addr, scalar_t C, scalar_t true_val,
                       const dim4* shape, const dim4* dst_stride, const dim4* src_stride,
                       data_type_t dst_dtype, data_type_t src_dtype);
void tpu_bdc_less(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                  scalar_t true_val, const dim4* shape, const dim4* dst_stride,
                  const dim4* src0_stride, const dim4* src1_stride, data_type_t dst_dtype,
                  data_type_t src_dtype);
void tpu_bdc_less_C(local_addr_t dst_addr, local_addr_t src_addr, scalar_t C, scalar_t true_val,
                    const dim4* shape, const dim4* dst_stride, const dim4* src_stride,
                    data_type_t dst_dtype, data_type_t src_dtype);
void tpu_bdc_equal(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                   scalar_t true_val, const dim4* shape, const dim4* dst_stride,
                   const dim4* src0_stride, const dim4* src1_stride, data_type_t dst_dtype,
                   data_type_t src_dtype);
void tpu_bdc_equal_C(local_addr_t dst_addr, local_addr_t src_addr, scalar_t C, scalar_t true_val,
                     const dim4* shape, const dim4* dst_stride, const dim4* src_stride,
                     data_type_t dst_dtype, data_type_t src_dtype);
void tpu_bdc_greater_equal(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                           scalar_t true_val, const dim4* shape, const dim4* dst_stride,
                           const dim4* src0_stride, const dim4* src1_stride, data_type_t dst_dtype,
                           data_type_t src_dtype);
void tpu_bdc_greater_equal_C(local_addr_t dst_addr, local_addr_t src_addr, scalar_t C,
                             scalar_t true_val, const dim4* shape, const dim4* dst_stride,
                             const dim4* src_stride, data_type_t dst_dtype, data_type_t src_dtype);
void tpu_bdc_less_equal(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                        scalar_t true_val, const dim4* shape, const dim4* dst_stride,
                        const dim4* src0_stride, const dim4* src1_stride, data_type_t dst_dtype,
                        data_type_t src_dtype);
void tpu_bdc_less_equal_C(local_addr_t dst_addr, local_addr_t src_addr, scalar_t C,
                          scalar_t true_val, const dim4* shape, const dim4* dst_stride,
                          const dim4* src_stride, data_type_t dst_dtype, data_type_t src_dtype);
void tpu_bdc_not_equal(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                       scalar_t true_val, const dim4* shape, const dim4* dst_stride,
                       const dim4* src0_stride, const dim4* src1_stride, data_type_t dst_dtype,
                       data_type_t src_dtype);
void tpu_bdc_not_equal_C(local_addr_t dst_addr, local_addr_t src_addr, scalar_t C,
                         scalar_t true_val, const dim4* shape, const dim4* dst_stride,
                         const dim4* src_stride, data_type_t dst_dtype, data_type_t src_dtype);
/* Vector correlation: dst(i, j) = src0(i) op src1(j), for all functions with vc in their names.
 * - Shapes: a vector of len elements with P in a channel is (1, ceil(len / P), 1, P). dst is
 *   (src0_len, ceil(src1_len / src1_len_per_channel), 1, src1_len_per_channel): row i holds src0(i)
 *   op src1.
 * - Layouts: all are 64-byte aligned. They must start at NPU 0 (TW-TPU-0009, 0010) and at a
 *   multiple of 64 (0007).
 * - Types: and, or, xor take integers of 8, 16 or 32 bits; min and max take all types (0014).
 * - Limits: lengths are in [1, 65535] (0020), lengths per channel in [1, length] (0309).
 * - Elements of src1 that fill its last channel take part too, and dst has their results.
 * - Aliasing: sources are read before the first write, so dst may overlap them.
 *
 * TPUKernel guide: remarks on lengths, matrix layout. */
void tpu_bdc_vc_and(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                    int src0_len, int src1_len, int src0_len_per_channel, int src1_len_per_channel,
                    data_type_t dtype);
void tpu_bdc_vc_or(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                   int src0_len, int src1_len, int src0_len_per_channel, int src1_len_per_channel,
                   data_type_t dtype);
void tpu_bdc_vc_xor(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                    int src0_len, int src1_len, int src0_len_per_channel, int src1_len_per_channel,
                    data_type_t dtype);
void tpu_bdc_vc_min(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                    int src0_len, int src1_len, int src0_len_per_channel, int src1_len_per_channel,
                    data_type_t dtype);
void tpu_bdc_vc_max(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                    int src0_len, int src1_len, int src0_len_per_channel, int src1_len_per_channel,
                    data_type_t dtype);
/* Vector correlation by comparison: dst(i, j) = true_val if src0(i) and src1(j) compare so, else 0.
 * dst_dtype is any type that is not wider than src_dtype (TW-TPU-0015). Otherwise as
 * tpu_bdc_vc_and. */
void tpu_bdc_vc_greater(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                        scalar_t true_val, int src0_len, int src1_len, int src0_len_per_channel,
                        int src1_len_per_channel, data_type_t dst_dtype, data_type_t src_dtype);
void tpu_bdc_vc_less(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                     scalar_t true_val, int src0_len, int src1_len, int src0_len_per_channel,
                     int src1_len_per_channel, data_type_t dst_dtype, data_type_t src_dtype);
void tpu_bdc_vc_equal(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                      scalar_t true_val, int src0_len, int src1_len, int src0_len_per_channel,
                      int src1_len_per_channel, data_type_t dst_dtype, data_type_t src_dtype);
void tpu_bdc_vc_greater_equal(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                              scalar_t true_val, int src0_len, int src1_len,
                              int src0_len_per_channel, int src1_len_per_channel,
                              data_type_t dst_dtype, data_type_t src_dtype);
void tpu_bdc_vc_less_equal(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                           scalar_t true_val, int src0_len, int src1_len, int src0_len_per_channel,
                           int src1_len_per_channel, data_type_t dst_dtype, data_type_t src_dtype);
void tpu_bdc_vc_not_equal(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                          scalar_t true_val, int src0_len, int src1_len, int src0_len_per_channel,
                          int src1_len_per_channel, data_type_t dst_dtype, data_type_t src_dtype);

/* ---- Floating-point binary (TPUKernel guide) ---- */

/* a + b. */
void tpu_bdc_fp_add(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                    const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                    const dim4* src1_stride, data_type_t dtype);
void tpu_bdc_fp_add_C(local_addr_t dst_addr, local_addr_t src_addr, scalar_t C, const dim4* shape,
                      const dim4* dst_stride, const dim4* src_stride, data_type_t dtype);
/* a - b (C - a). */
void tpu_bdc_fp_sub(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                    const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                    const dim4* src1_stride, data_type_t dtype);
void tpu_bdc_fp_sub_C(local_addr_t dst_addr, local_addr_t src_addr, scalar_t C, const dim4* shape,
                      const dim4* dst_stride, const dim4* src_stride, data_type_t dtype);
void tpu_bdc_fp_C_sub(local_addr_t dst_addr, local_addr_t src_addr, scalar_t C, const dim4* shape,
                      const dim4* dst_stride, const dim4* src_stride, data_type_t dtype);
/* a * b. */
void tpu_bdc_fp_mul(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                    const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                    const dim4* src1_stride, data_type_t dtype);
void tpu_bdc_fp_mul_C(local_addr_t dst_addr, local_addr_t src_addr, scalar_t C, const dim4* shape,
                      const dim4* dst_stride, const dim4* src_stride, data_type_t dtype);
/* a * a. */
void tpu_bdc_fp_square(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                       const dim4* dst_stride, const dim4* src_stride, data_type_t dtype);
/* a * reciprocal(b), 3 iterations. */
void tpu_bdc_fp32_div(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                      const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                      const dim4* src1_stride);
void tpu_bdc_fp32_div_C(local_addr_t dst_addr, local_addr_t src_addr, float C, const dim4* shape,
                        const dim4* dst_stride, const dim4* src_stride);
void tpu_bdc_fp32_C_div(local_addr_t dst_addr, local_addr_t src_addr, float C, const dim4* shape,
                        const dim4* dst_stride, const dim4* src_stride);
/* As tpu_bdc_fp32_div with num_iter iterations. */
void tpu_bdc_fp32_tunable_div(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                              const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                              const dim4* src1_stride, int num_iter);
void tpu_bdc_fp32_tunable_div_C(local_addr_t dst_addr, local_addr_t src_addr, float C,
                                const dim4* shape, const dim4* dst_stride, const dim4* src_stride,
                                int num_iter);
void tpu_bdc_fp32_tunable_C_div(local_addr_t dst_addr, local_addr_t src_addr, float C,
                                const dim4* shape, const dim4* dst_stride, const dim4* src_stride,
                                int num_iter);
/* Form with a type argument, which must be DT_FP32. */
void tpu_bdc_fp_div(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                    const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                    const dim4* src1_stride, data_type_t dtype);
void tpu_bdc_fp_div_C(local_addr_t dst_addr, local_addr_t src_addr, scalar_t C, const dim4* shape,
                      const dim4* dst_stride, const dim4* src_stride, data_type_t dtype);
void tpu_bdc_fp_C_div(local_addr_t dst_addr, local_addr_t src_addr, scalar_t C, const dim4* shape,
                      const dim4* dst_stride, const dim4* src_stride, data_type_t dtype);
void tpu_bdc_fp_tunable_div(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                            const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                            const dim4* src1_stride, data_type_t dtype, int num_iter);
void tpu_bdc_fp_tunable_div_C(local_addr_t dst_addr, local_addr_t src_addr, scalar_t C,
                              const dim4* shape, const dim4* dst_stride, const dim4* src_stride,
                              data_type_t dtype, int num_iter);
void tpu_bdc_fp_tunable_C_div(local_addr_t dst_addr, local_addr_t src_addr, scalar_t C,
                              const dim4* shape, const dim4* dst_stride, const dim4* src_stride,
                              data_type_t dtype, int num_iter);
/* dst + a*b, not fused. */
void tpu_bdc_fp32_mac(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                      const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                      const dim4* src1_stride);
void tpu_bdc_fp32_mac_C(local_addr_t dst_addr, local_addr_t src_addr, float C, const dim4* shape,
                        const dim4* dst_stride, const dim4* src_stride);
/* abs(a - b). */
void tpu_bdc_fp_diff_abs(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                         const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                         const dim4* src1_stride, data_type_t dtype);
void tpu_bdc_fp_diff_abs_C(local_addr_t dst_addr, local_addr_t src_addr, scalar_t C,
                           const dim4* shape, const dim4* dst_stride, const dim4* src_stride,
                           data_type_t dtype);
/* src0 ^ src1, by log and exp. */
void tpu_bdc_fp32_pow(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                      local_addr_t work0_addr, local_addr_t work1_addr, local_addr_t exp_coeff_addr,
                      local_addr_t log_coeff_addr, local_addr_t exp_table_addr, const dim4* shape);
/* src ^ C. */
void tpu_bdc_fp32_pow_C(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                        local_addr_t work1_addr, local_addr_t exp_coeff_addr,
                        local_addr_t log_coeff_addr, local_addr_t exp_table_addr, float C,
                        const dim4* shape);
/* C ^ src. */
void tpu_bdc_fp32_C_pow(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                        local_addr_t work1_addr, local_addr_t exp_coeff_addr,
                        local_addr_t exp_table_addr, float C, const dim4* shape);
/* Vector correlation, as tpu_bdc_vc_and: dst(i, j) = src0(i) op src1(j), op being + - * /. dtype is
 * DT_FP32, DT_FP16 or DT_BFP16 (TW-TPU-0014); the quotient is fp32. */
void tpu_bdc_fp_vc_add(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                       int src0_len, int src1_len, int src0_len_per_channel,
                       int src1_len_per_channel, data_type_t dtype);
void tpu_bdc_fp_vc_sub(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                       int src0_len, int src1_len, int src0_len_per_channel,
                       int src1_len_per_channel, data_type_t dtype);
void tpu_bdc_fp_vc_mul(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                       int src0_len, int src1_len, int src0_len_per_channel,
                       int src1_len_per_channel, data_type_t dtype);
void tpu_bdc_fp32_vc_div(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                         int src0_len, int src1_len, int src0_len_per_channel,
                         int src1_len_per_channel);

/* ---- Integer binary (TPUKernel guide) ---- */

/* Exact sum, then a shift with rounding, then saturation or wrap. */
void tpu_bdc_int_add(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                     const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                     const dim4* src1_stride, data_type_t dst_dtype, data_type_t src0_dtype,
                     data_type_t src1_dtype, char shift, rounding_mode_t rounding_mode,
                     bool saturation);
void tpu_bdc_int_add_C(local_addr_t dst_addr, local_addr_t src_addr, scalar_t C, const dim4* shape,
                       const dim4* dst_stride, const dim4* src_stride, data_type_t dst_dtype,
                       data_type_t src_dtype, data_type_t C_dtype, char shift,
                       rounding_mode_t rounding_mode, bool saturation);
/* As the functions above; the shifts are a [1,C,1,1] INT8 tensor in the compact layout. */
void tpu_bdc_int_pcs_add(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                         local_addr_t shift_addr, const dim4* shape, const dim4* dst_stride,
                         const dim4* src0_stride, const dim4* src1_stride, data_type_t dst_dtype,
                         data_type_t src0_dtype, data_type_t src1_dtype,
                         rounding_mode_t rounding_mode, bool saturation);
void tpu_bdc_int_pcs_add_C(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t shift_addr,
                           scalar_t C, const dim4* shape, const dim4* dst_stride,
                           const dim4* src_stride, data_type_t dst_dtype, data_type_t src_dtype,
                           data_type_t C_dtype, rounding_mode_t rounding_mode, bool saturation);
/* Exact difference, then a shift with rounding, then saturation or wrap. */
void tpu_bdc_int_sub(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                     const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                     const dim4* src1_stride, data_type_t dst_dtype, data_type_t src0_dtype,
                     data_type_t src1_dtype, char shift, rounding_mode_t rounding_mode,
                     bool saturation);
void tpu_bdc_int_sub_C(local_addr_t dst_addr, local_addr_t src_addr, scalar_t C, const dim4* shape,
                       const dim4* dst_stride, const dim4* src_stride, data_type_t dst_dtype,
                       data_type_t src_dtype, data_type_t C_dtype, char shift,
                       rounding_mode_t rounding_mode, bool saturation);
void tpu_bdc_int_C_sub(local_addr_t dst_addr, local_addr_t src_addr, scalar_t C, const dim4* shape,
                       const dim4* dst_stride, const dim4* src_stride, data_type_t dst_dtype,
                       data_type_t src_dtype, data_type_t C_dtype, char shift,
                       rounding_mode_t rounding_mode, bool saturation);
/* As the functions above; the shifts are a [1,C,1,1] INT8 tensor in the compact layout. */
void tpu_bdc_int_pcs_sub(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                         local_addr_t shift_addr, const dim4* shape, const dim4* dst_stride,
                         const dim4* src0_stride, const dim4* src1_stride, data_type_t dst_dtype,
                         data_type_t src0_dtype, data_type_t src1_dtype,
                         rounding_mode_t rounding_mode, bool saturation);
void tpu_bdc_int_pcs_sub_C(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t shift_addr,
                           scalar_t C, const dim4* shape, const dim4* dst_stride,
                           const dim4* src_stride, data_type_t dst_dtype, data_type_t src_dtype,
                           data_type_t C_dtype, rounding_mode_t rounding_mode, bool saturation);
void tpu_bdc_int_pcs_C_sub(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t shift_addr,
                           scalar_t C, const dim4* shape, const dim4* dst_stride,
                           const dim4* src_stride, data_type_t dst_dtype, data_type_t src_dtype,
                           data_type_t C_dtype, rounding_mode_t rounding_mode, bool saturation);
/* Exact product, then a shift with rounding, then saturation or wrap. */
void tpu_bdc_int_mul(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                     const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                     const dim4* src1_stride, data_type_t dst_dtype, data_type_t src0_dtype,
                     data_type_t src1_dtype, char shift, rounding_mode_t rounding_mode,
                     bool saturation);
/* src*src, shifted and saturated as tpu_bdc_int_mul. */
void tpu_bdc_int_square(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                        const dim4* dst_stride, const dim4* src_stride, data_type_t dst_dtype,
                        data_type_t src_dtype, char shift, rounding_mode_t rounding_mode,
                        bool saturation);
/* Exact product, then a shift with rounding, then saturation or wrap. */
void tpu_bdc_int_mul_C(local_addr_t dst_addr, local_addr_t src_addr, scalar_t C, const dim4* shape,
                       const dim4* dst_stride, const dim4* src_stride, data_type_t dst_dtype,
                       data_type_t src_dtype, data_type_t C_dtype, char shift,
                       rounding_mode_t rounding_mode, bool saturation);
/* As the functions above; the shifts are a [1,C,1,1] INT8 tensor in the compact layout. */
void tpu_bdc_int_pcs_mul(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                         local_addr_t shift_addr, const dim4* shape, const dim4* dst_stride,
                         const dim4* src0_stride, const dim4* src1_stride, data_type_t dst_dtype,
                         data_type_t src0_dtype, data_type_t src1_dtype,
                         rounding_mode_t rounding_mode, bool saturation);
void tpu_bdc_int_pcs_mul_C(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t shift_addr,
                           scalar_t C, const dim4* shape, const dim4* dst_stride,
                           const dim4* src_stride, data_type_t dst_dtype, data_type_t src_dtype,
                           data_type_t C_dtype, rounding_mode_t rounding_mode, bool saturation);
/* Minimum and maximum with C, then a shift with rounding. */
void tpu_bdc_int_min_C(local_addr_t dst_addr, local_addr_t src_addr, scalar_t C, const dim4* shape,
                       const dim4* dst_stride, const dim4* src_stride, data_type_t dtype,
                       char shift, rounding_mode_t rounding_mode);
void tpu_bdc_int_max_C(local_addr_t dst_addr, local_addr_t src_addr, scalar_t C, const dim4* shape,
                       const dim4* dst_stride, const dim4* src_stride, data_type_t dtype,
                       char shift, rounding_mode_t rounding_mode);
/* dst (16 bits) = ((dst << lshift) + a*b) >> rshift, rounded. */
void tpu_bdc_int8_mac(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                      const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                      const dim4* src1_stride, data_type_t src0_dtype, data_type_t src1_dtype,
                      unsigned char lshift, unsigned char rshift, rounding_mode_t rounding_mode);
void tpu_bdc_int8_mac_C(local_addr_t dst_addr, local_addr_t src_addr, scalar_t C, const dim4* shape,
                        const dim4* dst_stride, const dim4* src_stride, data_type_t src_dtype,
                        data_type_t C_dtype, unsigned char lshift, unsigned char rshift,
                        rounding_mode_t rounding_mode);
/* Vector correlation, as tpu_bdc_vc_and: dst(i, j) = src0(i) op src1(j), exact and then saturated,
 * or modulo 2^bits without saturation. Types are integers of 8, 16 or 32 bits (TW-TPU-0014). A sum
 * or product must be signed exactly if a source is, a difference always (0015). */
void tpu_bdc_int_vc_add(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                        int src0_len, int src1_len, int src0_len_per_channel,
                        int src1_len_per_channel, data_type_t dst_dtype, data_type_t src0_dtype,
                        data_type_t src1_dtype, bool saturation);
void tpu_bdc_int_vc_sub(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                        int src0_len, int src1_len, int src0_len_per_channel,
                        int src1_len_per_channel, data_type_t dst_dtype, data_type_t src0_dtype,
                        data_type_t src1_dtype, bool saturation);
void tpu_bdc_int_vc_mul(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                        int src0_len, int src1_len, int src0_len_per_channel,
                        int src1_len_per_channel, data_type_t dst_dtype, data_type_t src0_dtype,
                        data_type_t src1_dtype, bool saturation);

/* ---- Copy, fill, transpose (TPUKernel guide) ---- */

/* Copy; dst and src start at the same NPU. */
void tpu_bdc_cpy(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                 const dim4* dst_stride, const dim4* src_stride, data_type_t dtype);
/* Copy between different start NPUs; aligned layouts. */
void tpu_bdc_cpy_cross_npu(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                           data_type_t dtype);
/* dst(n,c,h,w) = src(n,0,h,w): one NPU to shape->c NPUs. */
void tpu_bdc_npu_bcast(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                       data_type_t dtype);
/* Fill. */
void tpu_bdc_set_C(local_addr_t dst_addr, scalar_t C, const dim4* shape, const dim4* dst_stride,
                   data_type_t dtype);
/* dst(n,c,h,w) = src(n,w,h,c). Both start at NPU 0, in different banks. */
void tpu_bdc_cw_trans(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                      data_type_t dtype);
/* The result of tpu_bdc_cw_trans by another data path, which is probably faster if w is long. */
void tpu_bdc_wc_trans(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                      data_type_t dtype);

/* ---- Conversion and rounding (TPUKernel guide) ---- */

/* dst = src converted to dst_dtype.
 * - Shapes: dst and src have `shape`, and must start in one NPU (TW-TPU-0009).
 * - Layouts: given by the strides; a stride of NULL means 64-byte aligned, at a multiple of 64
 *   (0007). With strides, addresses must be multiples of the element's bytes (0008).
 * - Types: integers of 8, 16 and 32 bits, DT_FP32, DT_FP16 and DT_BFP16 (0014). Conversions between
 *   DT_FP16 and DT_BFP16 do not exist (0015).
 * - Values are rounded once, by mode; it must be one of the first five, RM_HALF_TO_EVEN to RM_UP
 *   (0016). Integer results saturate.
 * - Aliasing: src is read before the first write, so dst may overlap it. If dst starts where src
 *   does, it must not be wider (0106).
 *
 * TPUKernel guide: tpu_bdc_cast. */
void tpu_bdc_cast(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                  const dim4* dst_stride, const dim4* src_stride, data_type_t dst_dtype,
                  data_type_t src_dtype, rounding_mode_t mode);
/* Rounds to an integer value in the float type; modes 0..4. */
void tpu_bdc_fp_round(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                      const dim4* dst_stride, const dim4* src_stride, data_type_t dtype,
                      rounding_mode_t mode);
void tpu_bdc_fp_floor(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                      const dim4* dst_stride, const dim4* src_stride, data_type_t dtype);
void tpu_bdc_fp_ceil(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                     const dim4* dst_stride, const dim4* src_stride, data_type_t dtype);

/* ---- Unary (TPUKernel guide) ---- */

/* Absolute value; unsigned elements are copied. */
void tpu_bdc_abs(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                 const dim4* dst_stride, const dim4* src_stride, data_type_t dtype);
/* Bitwise complement, integer types. */
void tpu_bdc_not(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                 const dim4* dst_stride, const dim4* src_stride, data_type_t dtype);
/* Negation. */
void tpu_bdc_neg(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                 const dim4* dst_stride, const dim4* src_stride, data_type_t dtype);
/* 1/x, 3 iterations; fp32 only. */
void tpu_bdc_fp32_reciprocal(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                             const dim4* dst_stride, const dim4* src_stride);
/* As tpu_bdc_fp32_reciprocal with num_iter iterations. */
void tpu_bdc_fp32_tunable_reciprocal(local_addr_t dst_addr, local_addr_t src_addr,
                                     const dim4* shape, const dim4* dst_stride,
                                     const dim4* src_stride, int num_iter);
void tpu_bdc_fp_tunable_reciprocal(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                                   const dim4* dst_stride, const dim4* src_stride,
                                   data_type_t dtype, int num_iter);
/* 1/x, 3 iterations; fp32 only. */
void tpu_bdc_fp_reciprocal(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                           const dim4* dst_stride, const dim4* src_stride, data_type_t dtype);
/* Reciprocal followed by num_comp correction steps; three work tensors. */
void tpu_bdc_fp32_compensate_reciprocal(local_addr_t dst_addr, local_addr_t src_addr,
                                        local_addr_t work0_addr, local_addr_t work1_addr,
                                        local_addr_t work2_addr, const dim4* shape,
                                        const dim4* src_stride, int num_comp);
void tpu_bdc_fp32_tunable_compensate_reciprocal(local_addr_t dst_addr, local_addr_t src_addr,
                                                local_addr_t work0_addr, local_addr_t work1_addr,
                                                local_addr_t work2_addr, const dim4* shape,
                                                const dim4* src_stride, int num_iter, int num_comp);
/* 1/sqrt(x), 3 iterations; fp32 only. */
void tpu_bdc_fp32_rsqrt(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape);
/* As tpu_bdc_fp32_rsqrt with num_iter iterations. */
void tpu_bdc_fp32_tunable_rsqrt(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                                int num_iter);
/* 1/sqrt(x), 3 iterations; fp32 only. */
void tpu_bdc_fp_rsqrt(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                      data_type_t dtype);
/* As tpu_bdc_fp_rsqrt with num_iter iterations. */
void tpu_bdc_fp_tunable_rsqrt(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                              data_type_t dtype, int num_iter);
/* Square root; fp32 only. */
void tpu_bdc_fp_sqrt(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                     data_type_t dtype);
void tpu_bdc_fp_tunable_sqrt(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                             data_type_t dtype, int num_iter);
void tpu_bdc_fp32_sqrt(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape);
void tpu_bdc_fp32_tunable_sqrt(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                               int num_iter);
/* dst = e^src. src is clamped to [-103, 88] first; NaN counts as -103.
 * - Shapes: dst, src, work0 and work1 have `shape`, in the 64-byte aligned layout, at multiples of
 *   64 (TW-TPU-0007). They must start in one NPU (0009). All are DT_FP32.
 * - Tables: coeff is (1, 64, 1, 32), filled by tpu_bdc_load_fp32_exp_coeff. table is (1, 64, 1,
 *   192), filled by tpu_bdc_load_fp32_exp_table. Both are 64-byte aligned and must start at NPU 0
 *   (0010).
 * - work0 and work1 are overwritten. So may be bytes between the planes of dst.
 * - Aliasing: work0, work1, coeff and table must share no bytes with each other, dst or src (0104).
 *   dst may be src; an overlap in part gives the warning TW-TPU-0018.
 *
 * TPUKernel guide: remarks on work tensors. */
void tpu_bdc_fp32_exp(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                      local_addr_t work1_addr, local_addr_t coeff_addr, local_addr_t table_addr,
                      const dim4* shape);
/* e^x - 1. */
void tpu_bdc_fp32_expm1(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                        local_addr_t work1_addr, local_addr_t coeff_addr, local_addr_t table_addr,
                        const dim4* shape);
/* ln(x). Takes the coefficients of log. */
void tpu_bdc_fp32_log(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work_addr,
                      local_addr_t coeff_addr, const dim4* shape);
/* ln(1 + x). */
void tpu_bdc_fp32_log1p(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work_addr,
                        local_addr_t coeff_addr, const dim4* shape);
/* Logarithm to base x. */
void tpu_bdc_fp32_logx(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work_addr,
                       local_addr_t coeff_addr, const dim4* shape, float x);
/* -1, 0 or 1. */
void tpu_bdc_sign(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                  data_type_t dtype);
/* Sine and cosine; each has a coefficient table of its own. */
void tpu_bdc_fp32_sin(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work_addr,
                      local_addr_t coeff_addr, const dim4* shape);
void tpu_bdc_fp32_cos(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work_addr,
                      local_addr_t coeff_addr, const dim4* shape);
/* Tangent and cotangent; coefficients of tan. */
void tpu_bdc_fp32_tan(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work_addr,
                      local_addr_t coeff_addr, const dim4* shape);
void tpu_bdc_fp32_cot(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work_addr,
                      local_addr_t coeff_addr, const dim4* shape);
/* Inverse sine and cosine; coefficients of arcsin. */
void tpu_bdc_fp32_arcsin(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work_addr,
                         local_addr_t coeff_addr, const dim4* shape);
void tpu_bdc_fp32_arccos(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work_addr,
                         local_addr_t coeff_addr, const dim4* shape);
/* Inverse hyperbolic functions; coefficients of log. */
void tpu_bdc_fp32_arcsinh(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work_addr,
                          local_addr_t coeff_addr, const dim4* shape);
void tpu_bdc_fp32_arccosh(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work_addr,
                          local_addr_t coeff_addr, const dim4* shape);
void tpu_bdc_fp32_arctanh(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work_addr,
                          local_addr_t coeff_addr, const dim4* shape);
/* Position of the first zero or one bit of an element; not on BM1684X. */
void tpu_bdc_first_zero_bit_index(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                                  const dim4* dst_stride, const dim4* src_stride,
                                  bit_width_t dst_width, bit_width_t src_width);
void tpu_bdc_first_one_bit_index(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                                 const dim4* dst_stride, const dim4* src_stride,
                                 bit_width_t dst_width, bit_width_t src_width);

/* ---- Special (TPUKernel guide) ---- */

/* dst(n,c,h,w) = sum over i in [0, num) of coeff(0, NPU of the element, 0, i) * src(n,c,h,w)^i, by
 * Horner's rule. coeff: NPU 0, [1, NPU_NUM, 1, num], 64-byte aligned layout. num >= 2. DT_FP32,
 * DT_FP16 or DT_BFP16. */
void tpu_bdc_fp_taylor(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t coeff_addr,
                       const dim4* shape, int num, data_type_t dtype);
/* dst(n,c,h,w) = table(0, NPU of the element, 0, src(n,c,h,w)). table: NPU 0, [1, NPU_NUM, 1, len],
 * 64-byte aligned layout. h * w <= 65535. src_dtype: DT_UINT16 or DT_UINT8, elements in
 * [0, len - 1]. For speed, dst, src and table should be in different banks. */
void tpu_bdc_table_lookup(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t table_addr,
                          const dim4* shape, int len, data_type_t dst_dtype, data_type_t src_dtype);
/* Unbiased exponent, as integer or float. */
void tpu_bdc_fp_exponent_part(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                              data_type_t dst_dtype, data_type_t src_dtype);
/* dst(0,c,0,w) = element w of the len in static memory, for c in [0, npu_num); contiguous. */
void tpu_bdc_npu_bcast_from_static(local_addr_t dst_addr, static_addr_t src_addr, int npu_num,
                                   int len, data_type_t dtype);
/* dst(0,i,0,0) = element i of the len in static memory; dst is compact, [1,len,1,1]. */
void tpu_bdc_npu_distribute_from_static(local_addr_t dst_addr, static_addr_t src_addr, int len,
                                        data_type_t dtype);
/* dst(0,c,0,w) = start + step * w for c in [0, npu_num), w in [0, num); INT32, modulo 2^32. dst
 * starts in NPU 0; npu_num in [1, 64]; num > 0. */
void tpu_bdc_arithmetic_sequence_bcast(local_addr_t dst_addr, int npu_num, int start, int step,
                                       int num);
/* dst(0,c,0,0) = start + step * c for c in [0, num); dst: NPU 0, [1, num, 1, 1], compact layout,
 * INT32. num > 0. */
void tpu_bdc_arithmetic_sequence_distribute(local_addr_t dst_addr, int start, int step, int num);
/* As tpu_bdc_arithmetic_sequence_distribute in the 64-byte aligned layout: one row of 64 bytes per
 * 64 channels. */
void tpu_bdc_arithmetic_sequence_distribute_aligned(local_addr_t dst_addr, int start, int step,
                                                    int num);
/* 0, 1, 2, ..., num-1 in NPU 0 only, UINT32 or UINT16. At least 256 bytes are written. */
void tpu_bdc_generate_arithmetic_sequence(local_addr_t dst_addr, int num, data_type_t dtype);
/* dst(0,c,0,w) = start + step * (num * c + w) for c in [0, npu_num), w in [0, num). dst: NPU 0,
 * [1, npu_num, 1, num], 64-byte aligned layout, INT32. buffer: NPU 0, [1, NPU_NUM, 1, 1], compact
 * layout, INT32; overwritten. npu_num > 0, num > 0. */
void tpu_bdc_arithmetic_sequence_general(local_addr_t dst_addr, local_addr_t buffer_addr,
                                         int npu_num, int start, int step, int num);
/* Copies a constant table into every NPU, at NPU 0's address: the coefficients of the series of a
 * function, [1, NPU_NUM, 1, 32] (erf: 10), or e^k for k in [-103, 88], [1, NPU_NUM, 1, 192].
 * 64-byte aligned layout, fp32. */
void tpu_bdc_load_fp32_exp_coeff(local_addr_t coeff_addr);
void tpu_bdc_load_fp32_exp_table(local_addr_t table_addr);
void tpu_bdc_load_fp32_log_coeff(local_addr_t coeff_addr);
void tpu_bdc_load_fp32_erf_coeff(local_addr_t coeff_addr);
void tpu_bdc_load_fp32_sin_coeff(local_addr_t coeff_addr);
void tpu_bdc_load_fp32_cos_coeff(local_addr_t coeff_addr);
void tpu_bdc_load_fp32_tan_coeff(local_addr_t coeff_addr);
void tpu_bdc_load_fp32_arcsin_coeff(local_addr_t coeff_addr);

/* ---- Scatter and gather (TPUKernel guide) ---- */

/* out(n,c,0,w) = param(n,c,0,index(w)). One index vector serves all n and c. */
void tpu_bdc_w_gather(local_addr_t output_addr, local_addr_t param_addr, local_addr_t index_addr,
                      const dim4* shape, int param_w, data_type_t dtype, data_type_t index_dtype);
/* As tpu_bdc_w_gather; an index out of range gives C if fill_const. */
void tpu_bdc_w_gather_exception(local_addr_t output_addr, local_addr_t param_addr,
                                local_addr_t index_addr, scalar_t C, const dim4* shape, int param_w,
                                data_type_t dtype, data_type_t index_dtype, bool fill_const);
/* out(n,c,0,index(w)) = param(n,c,0,w). The indices must be distinct. */
void tpu_bdc_w_scatter(local_addr_t output_addr, local_addr_t param_addr, local_addr_t index_addr,
                       const dim4* shape, int param_w, data_type_t dtype, data_type_t index_dtype);
/* Gather and scatter by index pairs (w, h) into a plane. */
void tpu_bdc_hw_gather(local_addr_t output_addr, local_addr_t param_addr, local_addr_t index_addr,
                       const dim4* shape, int param_h, int param_w, data_type_t dtype);
void tpu_bdc_hw_gather_exception(local_addr_t output_addr, local_addr_t param_addr,
                                 local_addr_t index_addr, scalar_t C, const dim4* shape,
                                 int param_h, int param_w, data_type_t dtype, bool fill_const);
void tpu_bdc_hw_scatter(local_addr_t output_addr, local_addr_t param_addr, local_addr_t index_addr,
                        const dim4* shape, int param_h, int param_w, data_type_t dtype);
/* Gather and scatter with an index row of its own for every (n,c). is_param_repeated: param has one
 * batch, which serves all. */
void tpu_bdc_batch_bcast_w_gather(local_addr_t output_addr, local_addr_t param_addr,
                                  local_addr_t index_addr, const dim4* shape, int param_w,
                                  data_type_t dtype, data_type_t index_dtype,
                                  bool is_param_repeated);
void tpu_bdc_batch_bcast_w_gather_exception(local_addr_t output_addr, local_addr_t param_addr,
                                            local_addr_t index_addr, scalar_t C, const dim4* shape,
                                            int param_w, data_type_t dtype, data_type_t index_dtype,
                                            bool is_param_repeated, bool fill_const);
void tpu_bdc_batch_bcast_w_scatter(local_addr_t output_addr, local_addr_t param_addr,
                                   local_addr_t index_addr, const dim4* shape, int param_w,
                                   data_type_t dtype, data_type_t index_dtype,
                                   bool is_param_repeated);
/* Moves the elements with nonzero mask together and writes their counts. */
void tpu_bdc_batch_bcast_w_mask_select(local_addr_t output_addr, local_addr_t count_addr,
                                       local_addr_t param_addr, local_addr_t mask_addr,
                                       const dim4* shape, data_type_t dtype, data_type_t mask_dtype,
                                       bool is_param_repeated);
/* Gather and scatter of whole rows; line aligned layout. */
void tpu_bdc_batch_bcast_h_gather(local_addr_t output_addr, local_addr_t param_addr,
                                  local_addr_t index_addr, const dim4* shape, int param_h,
                                  data_type_t dtype, data_type_t index_dtype,
                                  bool is_param_repeated);
void tpu_bdc_batch_bcast_h_gather_exception(local_addr_t output_addr, local_addr_t param_addr,
                                            local_addr_t index_addr, scalar_t C, const dim4* shape,
                                            int param_h, data_type_t dtype, data_type_t index_dtype,
                                            bool is_param_repeated, bool fill_const);
void tpu_bdc_batch_bcast_h_scatter(local_addr_t output_addr, local_addr_t param_addr,
                                   local_addr_t index_addr, const dim4* shape, int param_h,
                                   data_type_t dtype, data_type_t index_dtype,
                                   bool is_param_repeated);
/* output(n, c, 0, w) = param(n, c, 0, index(n, c, 0, w)). These functions differ from
 * tpu_bdc_batch_bcast_w_gather only in param, which may span four banks of 16384 bytes; the number
 * of banks is not checked.
 * - Shapes: output and index have `shape`, whose h must be 1 (TW-TPU-0025). param is (N, C, 1,
 *   param_w); with is_param_repeated (1, C, 1, param_w), and the first channel of every NPU serves
 *   all channels there. With the quirk `ignored` param always has one batch.
 * - Layouts: all are 64-byte aligned, at multiples of 64 (0007), and must start at NPU 0 (0010).
 * - Types: dtype is any type; index_dtype is DT_UINT8 or DT_UINT16 (0014).
 * - Limits: param_w is in [1, 65535] (0020).
 * - An index must be below param_w: otherwise output is not written, and the launch fails (0204).
 *   In the exception form such an element becomes C if fill_const, else it keeps its old value.
 * - Banks: output, param and index should share no bank; the warning is TW-TPU-0019.
 * - Aliasing: sources are read before the first write.
 *
 * TPUKernel guide: scatter and gather, remarks on banks. */
void tpu_bdc_4bank_w_gather(local_addr_t output_addr, local_addr_t param_addr,
                            local_addr_t index_addr, const dim4* shape, int param_w,
                            data_type_t dtype, data_type_t index_dtype, bool is_param_repeated);
void tpu_bdc_4bank_w_gather_exception(local_addr_t output_addr, local_addr_t param_addr,
                                      local_addr_t index_addr, scalar_t C, const dim4* shape,
                                      int param_w, data_type_t dtype, data_type_t index_dtype,
                                      bool is_param_repeated, bool fill_const);

/* ---- Activations (TPUKernel guide) ---- */

/* max(x, 0), all types. */
void tpu_bdc_relu(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                  const dim4* dst_stride, const dim4* src_stride, data_type_t dtype);
/* x > 0 ? x : alpha*x. */
void tpu_bdc_prelu(local_addr_t dst_addr, local_addr_t src_addr, scalar_t alpha, const dim4* shape,
                   data_type_t dtype);
/* x > 0 ? x : alpha*(e^x - 1). */
void tpu_bdc_fp32_elu(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                      local_addr_t work1_addr, local_addr_t coeff_addr, local_addr_t table_addr,
                      float alpha, const dim4* shape);
/* 1/(1+e^-x). */
void tpu_bdc_fp32_sigmoid(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                          local_addr_t work1_addr, local_addr_t coeff_addr, local_addr_t table_addr,
                          const dim4* shape);
/* clamp(alpha*x + beta, 0, 1). */
void tpu_bdc_fp_hsigmoid(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                         const dim4* shape, float alpha, float beta, data_type_t dtype);
/* x * clamp(x + 3, 0, 6) / 6. */
void tpu_bdc_fp_hswish(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                       const dim4* shape, data_type_t dtype);
/* 1 if src is finite, else 0. */
void tpu_bdc_fp_isfinite(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                         const dim4* shape, data_type_t dtype);
/* 1 if src is a NaN, an infinity, the positive or the negative infinity, else 0, as numbers of
 * dtype. dtype must be DT_FP32, DT_FP16 or DT_BFP16. dst, src and work0 have `shape` in the 64-byte
 * aligned layout and start at one NPU. dst may be src or work0. work0 may be overwritten and must
 * not overlap src. The guide does not name these four; they have the arguments of
 * tpu_bdc_fp_isfinite. */
void tpu_bdc_fp_isnan(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                      const dim4* shape, data_type_t dtype);
void tpu_bdc_fp_isinf(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                      const dim4* shape, data_type_t dtype);
void tpu_bdc_fp_isposinf(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                         const dim4* shape, data_type_t dtype);
void tpu_bdc_fp_isneginf(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                         const dim4* shape, data_type_t dtype);
/* Hyperbolic functions. */
void tpu_bdc_fp32_sinh(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                       local_addr_t work1_addr, local_addr_t coeff_addr, local_addr_t table_addr,
                       const dim4* shape);
void tpu_bdc_fp32_cosh(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                       local_addr_t work1_addr, local_addr_t coeff_addr, local_addr_t table_addr,
                       const dim4* shape);
void tpu_bdc_fp32_tanh(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                       local_addr_t work1_addr, local_addr_t coeff_addr, local_addr_t table_addr,
                       const dim4* shape);
/* ln(1 + e^(beta*x)). The chip multiplies it by beta; the document divides. */
void tpu_bdc_fp32_softplus(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                           local_addr_t work1_addr, local_addr_t exp_coeff_addr,
                           local_addr_t log_coeff_addr, local_addr_t exp_table_addr,
                           const dim4* shape, float beta);
/* x / (1 + abs(x)). */
void tpu_bdc_fp32_softsign(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape);
/* Error function and its complement. */
void tpu_bdc_fp32_erf(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                      local_addr_t work1_addr, local_addr_t work2_addr, local_addr_t exp_coeff_addr,
                      local_addr_t erf_coeff_addr, local_addr_t exp_table_addr, const dim4* shape);
void tpu_bdc_fp32_erfc(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                       local_addr_t work1_addr, local_addr_t work2_addr,
                       local_addr_t exp_coeff_addr, local_addr_t erf_coeff_addr,
                       local_addr_t exp_table_addr, const dim4* shape);
/* x/2 * (1 + erf(x/sqrt(2))). */
void tpu_bdc_fp32_gelu(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                       local_addr_t work1_addr, local_addr_t work2_addr, local_addr_t work3_addr,
                       local_addr_t exp_coeff_addr, local_addr_t erf_coeff_addr,
                       local_addr_t exp_table_addr, const dim4* shape);
/* Approximations of gelu by tanh and by sigmoid. */
void tpu_bdc_fp32_gelu_fast(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                            local_addr_t work1_addr, local_addr_t coeff_addr,
                            local_addr_t table_addr, const dim4* shape);
/* x*tanh(ln(1+e^x)). */
void tpu_bdc_fp32_mish(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                       local_addr_t work1_addr, local_addr_t coeff_addr, local_addr_t table_addr,
                       const dim4* shape);
/* x*sigmoid(beta*x). */
void tpu_bdc_fp32_swish(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                        local_addr_t work1_addr, local_addr_t coeff_addr, local_addr_t table_addr,
                        float beta, const dim4* shape);
/* x*sigmoid(x). */
void tpu_bdc_fp32_silu(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                       local_addr_t work1_addr, local_addr_t coeff_addr, local_addr_t table_addr,
                       const dim4* shape);
/* Scaled elu with the standard constants. */
void tpu_bdc_fp32_selu(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                       local_addr_t work1_addr, local_addr_t coeff_addr, local_addr_t table_addr,
                       const dim4* shape);
/* ln(sigmoid(x)). */
void tpu_bdc_fp32_log_sigmoid(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                              local_addr_t work1_addr, local_addr_t coeff_addr,
                              local_addr_t table_addr, local_addr_t ln_coeff_addr,
                              const dim4* shape);

/* ---- HAU, cache, helpers (TPUKernel guide) ---- */

/* Sorts len elements, ascending or (descended) descending, and writes the first K to output. Equal
 * elements keep their order. NaN sort beyond the infinity of their sign; 0 and -0 are equal.
 * - Operands are in global memory or L2-SRAM (TW-TPU-0006), without gaps, at multiples of 4 (0008).
 * - Types: DT_FP32, DT_INT32 or DT_UINT32 (0014).
 * - Limits: len is at least 1 (0020), K in [1, len] (0208).
 * - Aliasing: output may be input; an overlap in part gives the warning TW-TPU-0018.
 *
 * Call tpu_hau_poll before the kernel's own code reads output. TPUKernel guide: tpu_hau_sort. */
void tpu_hau_sort(system_addr_t output_addr, system_addr_t input_addr, int len, int K,
                  bool descended, data_type_t dtype);
/* As tpu_hau_sort; also writes K indices to output_idx: int32 positions of the elements in input,
 * from 0. */
void tpu_hau_sort_natural_index(system_addr_t output_data_addr, system_addr_t output_idx_addr,
                                system_addr_t input_addr, int len, int K, bool descended,
                                data_type_t dtype);
/* As tpu_hau_sort; len int32 numbers at input_idx move with their elements, and the first K go to
 * output_idx. Equal elements are ordered by these numbers, ascending in both directions. */
void tpu_hau_sort_specific_index(system_addr_t output_data_addr, system_addr_t output_idx_addr,
                                 system_addr_t input_data_addr, system_addr_t input_idx_addr,
                                 int len, int K, bool descended, data_type_t dtype);
/* As the sort functions above. dtype_flags: 0 fp32, 1 int32, 2 uint32 (others TW-TPU-0014). topk is
 * K. idx_enable 0: no indices; otherwise idx_auto selects positions (not 0) or the numbers at
 * src_idx. */
void tpu_hau_sort_general(system_addr_t src_data_addr, system_addr_t src_idx_addr,
                          system_addr_t dst_data_addr, system_addr_t dst_idx_addr, int dtype_flags,
                          int len, int is_descend, int idx_enable, int idx_auto, int topk);
/* Non-maximum suppression. Not supported: the formats are undocumented. */
void tpu_hau_hard_nms(system_addr_t output_addr, system_addr_t input_addr, int box_num,
                      int keep_num);
void tpu_hau_soft_nms(system_addr_t output_addr, system_addr_t iou_addr, system_addr_t score_addr,
                      float threshold, int box_num, int keep_num);
/* Gathers lines by indices in [start, end], inclusive. An index outside gives C if fill_const. */
void tpu_hau_line_gather(system_addr_t output_addr, system_addr_t param_addr,
                         system_addr_t index_addr, scalar_t C, int line_num, int line_len,
                         int index_len, int start, int end, data_type_t dtype, bool fill_const);
/* Cache maintenance of the controller; does nothing here. */
void tpu_invalidate_cache(system_addr_t address, unsigned long long size);
void tpu_flush_cache(system_addr_t address, unsigned long long size);
/* Returns the bytes of a cache line of the controller: 64. */
int tpu_cache_line_size(void);
/* memcpy and memset on the controller. */
void* tpu_kernel_memcpy(void* dst, const void* src, size_t n);
void* tpu_kernel_memset(void* dst, int c, size_t n);
/* Prints a local tensor, for debugging. */
void tpu_print_local_mem_data(local_addr_t local_offset, int start_idx, const dim4* shape,
                              const dim4* stride, data_type_t dtype);
/* ---- Later additions of the API ---- */

/* Forms with a type argument of the fp32 functions above. On the BM1684X they take only DT_FP32.
 * The tables are those of the fp32 forms, rounded to the given type. tpu_bdc_fp_exp needs no table
 * of powers. */
void tpu_bdc_load_fp_exp_coeff(local_addr_t coeff_addr, data_type_t dtype);
void tpu_bdc_load_fp_erf_coeff(local_addr_t coeff_addr, data_type_t dtype);
void tpu_bdc_load_fp_log_coeff(local_addr_t coeff_addr, data_type_t dtype);
void tpu_bdc_fp_exp(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                    local_addr_t work1_addr, local_addr_t coeff_addr, const dim4* shape,
                    data_type_t dtype);
void tpu_bdc_fp_expm1(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                      local_addr_t work1_addr, local_addr_t coeff_addr, const dim4* shape,
                      data_type_t dtype);
void tpu_bdc_fp_erf(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                    local_addr_t work1_addr, local_addr_t work2_addr, local_addr_t exp_coeff_addr,
                    local_addr_t erf_coeff_addr, const dim4* shape, data_type_t dtype);
void tpu_bdc_fp_erfc(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work0_addr,
                     local_addr_t work1_addr, local_addr_t work2_addr, local_addr_t exp_coeff_addr,
                     local_addr_t erf_coeff_addr, const dim4* shape, data_type_t dtype);
void tpu_bdc_fp_log(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work_addr,
                    local_addr_t coeff_addr, const dim4* shape, data_type_t dtype);
/* dst[i] = C for i in [0, count). */
void tpu_gdma_system_set(system_addr_t dst_addr, scalar_t C, unsigned int count, data_type_t dtype);
/* Copy from local memory to L2-SRAM with a reduction. Not on BM1684X: the call does nothing, and
 * the launch fails with TW-TPU-0017 for all arguments. TPUKernel guide: functions by chip. */
void tpu_gdma_cpy_reduce_L12L2(system_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                               const dim4* dst_stride, const dim4* src_stride, data_type_t dtype,
                               int reduce_psum_op, int reduce_opcode);
/* Waits as tpu_poll. */
void tpu_poll_descriptor(void);
/* One core has 1 work item in 1 group; both have index 0. */
int tpu_workitem_num(void);
int tpu_workitem_index(void);
int tpu_group_num(void);
int tpu_group_index(void);

/* TPUKERNEL_ASSERT of compiled kernel objects refers to these. The first returns 1: a failed
 * assertion ends the program. The second prints a backtrace on stdout. */
int get_atomic_cmodel_assert_enable(void);
void __print_trace(void);
/* Handles a failed assertion: exits with code 233, or with TPUTWIN_ASSERT=fail leaves the kernel,
 * whose launch then fails. */
void tputwin_tpu_assert(const char* file, int line, const char* expression);

/* For kernels that run without a host program: cmodel_init opens the chip, makes it the thread's
 * and fills its tables. */
int cmodel_init(int node, unsigned long long global_size);
void set_cur_nodechip_idx(int node);
void tpu_kernel_init(int node);

/* ---- Macros ---- */

/* Registers a kernel by its name before main, or when its library is loaded. */
#define TPUKERNEL_FUNC_REGISTER(func)                                         \
  __attribute__((constructor)) static void tpu_kernel_register_##func(void) { \
    tpu_register_kernel_func(#func, (tpu_kernel_func_t)(void (*)(void))func); \
  }

/* The first argument of these macros is a format, in quotation marks. */
#ifdef USING_CMODEL
#define TPUKERNEL_LOG(...) printf(__VA_ARGS__)
#define TPUKERNEL_ASSERT_INFO(condition, ...)                  \
  do {                                                         \
    if (get_atomic_cmodel_assert_enable() && !(condition)) {   \
      printf("[ERR] " __VA_ARGS__);                            \
      printf(": %s:%d: %s\n", __FILE__, __LINE__, #condition); \
      __print_trace();                                         \
      tputwin_tpu_assert(__FILE__, __LINE__, #condition);      \
    }                                                          \
  } while (0)
#else
#define TPUKERNEL_LOG(...) \
  do {                     \
  } while (0)
#define TPUKERNEL_ASSERT_INFO(condition, ...)                             \
  do {                                                                    \
    if (!(condition)) tputwin_tpu_assert(__FILE__, __LINE__, #condition); \
  } while (0)
#endif
#define TPUKERNEL_ASSERT(condition) TPUKERNEL_ASSERT_INFO(condition, "assertion failed")
#define TPUKERNEL_ERR(...)               \
  do {                                   \
    TPUKERNEL_LOG("[ERR] " __VA_ARGS__); \
    TPUKERNEL_ASSERT(0);                 \
  } while (0)
#define TPUKERNEL_DBG(...) TPUKERNEL_LOG("[DBG] " __VA_ARGS__)

/* Bit patterns of floating-point types. */
#define FP_ONE(dtype) ((dtype) == DT_FP32 ? 0x3f800000 : (dtype) == DT_FP16 ? 0x3c00 : 0x3f80)
#define FP_NEG_ONE(dtype) ((dtype) == DT_FP32 ? 0xbf800000 : (dtype) == DT_FP16 ? 0xbc00 : 0xbf80)
#define FP_MAX(dtype) ((dtype) == DT_FP32 ? 0x7f7fffff : (dtype) == DT_FP16 ? 0x7bff : 0x7f7f)
#define FP_NEG_MAX(dtype) ((dtype) == DT_FP32 ? 0xff7fffff : (dtype) == DT_FP16 ? 0xfbff : 0xff7f)

#ifndef NPU_NUM
#define NPU_NUM tpu_npu_num()
#endif
#ifndef LOCAL_MEM_SIZE
#define LOCAL_MEM_SIZE tpu_local_mem_size_per_npu()
#endif
#ifndef LOCAL_MEM_BANKS
#define LOCAL_MEM_BANKS tpu_bank_num()
#endif
#ifndef LOCAL_MEM_START_ADDR
#define LOCAL_MEM_START_ADDR tpu_local_mem_get_start_addr()
#endif
#ifndef L2_SRAM_SIZE
#define L2_SRAM_SIZE tpu_l2_sram_size()
#endif
#ifndef L2_SRAM_START_ADDR
#define L2_SRAM_START_ADDR tpu_l2_sram_get_start_addr()
#endif
#ifndef EU_NUM
#define EU_NUM tpu_eu_num(DT_FP32)
#endif
#ifndef EU_NUM_32BIT
#define EU_NUM_32BIT tpu_eu_num(DT_FP32)
#endif
#ifndef EU_NUM_16BIT
#define EU_NUM_16BIT tpu_eu_num(DT_FP16)
#endif
#ifndef EU_NUM_8BIT
#define EU_NUM_8BIT tpu_eu_num(DT_INT8)
#endif
#ifndef BANK_SIZE
#define BANK_SIZE (LOCAL_MEM_SIZE / LOCAL_MEM_BANKS)
#endif
#ifndef LOCAL_BANK_SIZE
#define LOCAL_BANK_SIZE (LOCAL_MEM_SIZE / LOCAL_MEM_BANKS)
#endif
#ifndef ALIGN_BYTES
#define ALIGN_BYTES (EU_NUM * 4)
#endif
/* Helper macros. MIN and MAX are spelled as in headers of kernels: a second definition with other
 * tokens is a warning, with -Werror an error. Programs that define others define
 * TPUTWIN_NO_HELPER_MACROS, and these are not defined. */
#ifndef TPUTWIN_NO_HELPER_MACROS
#ifndef MIN
#define MIN(x, y) (((x)) < ((y)) ? (x) : (y))
#endif
#ifndef MAX
#define MAX(x, y) (((x)) > ((y)) ? (x) : (y))
#endif
/* mask must be a power of two less 1. */
#ifndef ALIGN_MASK
#define ALIGN_MASK(x, mask) (((x) + (mask)) & ~(mask))
#endif
#ifndef ALIGN_MASK_DOWN
#define ALIGN_MASK_DOWN(x, mask) ((x) & ~(mask))
#endif
/* a must be a power of two. */
#ifndef ALIGN
#define ALIGN(x, a) ALIGN_MASK(x, (__typeof__(x))(a)-1)
#endif
#ifndef ALIGN_DOWN
#define ALIGN_DOWN(x, a) ((x) / (a) * (a))
#endif
#ifndef DIV_UP
#define DIV_UP(a, b) ((a) == 0 ? 0 : ((a)-1) / (b) + 1)
#endif
#ifndef UNUSED
#define UNUSED(x) (void)(x)
#endif
#endif

#ifdef __cplusplus
}
#endif

#endif
