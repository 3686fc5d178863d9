/*
 * BMKernel for the BM1880: converts calls to commands of the tensor engine and the DMA engine.
 *
 * A call that breaks one of its rules does nothing (and returns NULL if it returns a pointer);
 * tputwin/error.h returns the reason. Numbers in brackets are sections of the BMKernel 1880 Guide.
 *
 * Common rules of the operations:
 * - Extents of local tensors are 1..4095, h and w of tensors at most 1024.
 * - Formats are FMT_I8 and FMT_U8.
 * - Unless the operation documents something else, a result is unsigned exactly if every input is
 *   unsigned, and its fmt must agree.
 * - Results saturate to their type; right shifts are 0..31 and round half up.
 * - A pair x_high, x_low of equally shaped tensors holds the two bytes of 16-bit values, the low
 *   part at the lower address.
 */
#ifndef BMKERNEL_BM1880_BMKERNEL_1880_H
#define BMKERNEL_BM1880_BMKERNEL_1880_H

#include "../bm_kernel.h"
#include "../bm_kernel_legacy.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef bmk_chip_info_t bmk1880_chip_info_t;
typedef bmk_info_t bmk1880_info_t;

/* A stream of commands under construction. Contexts are independent of each other; one context is
 * used by one thread at a time. */
typedef struct bmk1880_context bmk1880_context_t;
/* A command of the current buffer; valid until reset or cleanup. */
typedef struct ec_desc bmk1880_op_t;

/* ---- System [3] ---- */

bmk1880_chip_info_t bmk1880_chip_info(void);

/* Returns a new context in serial mode that writes into info->cmdbuf. chip_version must be 1880,
 * cmdbuf not NULL and cmdbuf_size above 0. Returns NULL on error. [3.1] */
bmk1880_context_t* bmk1880_register(bmk1880_info_t* info);
/* Frees the context and its tensors, not the buffer. [3.2] */
void bmk1880_cleanup(bmk1880_context_t* ctx);
/* Completes the sequence ids and returns the buffer; *size receives the bytes in use. May be called
 * repeatedly, more commands may follow. [3.3] */
u8* bmk1880_acquire_cmdbuf(bmk1880_context_t* ctx, u32* size);
/* Empties the buffer and returns to serial mode. Local memory allocations stay. [3.4] */
void bmk1880_reset(bmk1880_context_t* ctx);

/* Between the two calls, commands of different engines are not ordered among themselves. [3.5,
 * 3.6] */
void bmk1880_parallel_enable(bmk1880_context_t* ctx);
void bmk1880_parallel_disable(bmk1880_context_t* ctx);

/* Streams 0..nr_streams-1: commands of one stream are ordered, commands of different streams only
 * by add_dependency. Creating twice, destroying what was not created and an index out of range are
 * errors. destroy returns to serial mode. [3.7-3.9] */
void bmk1880_create_streams(bmk1880_context_t* ctx, int nr_streams);
void bmk1880_destroy_streams(bmk1880_context_t* ctx);
void bmk1880_set_stream(bmk1880_context_t* ctx, int i);
/* `after` waits for `before`; both are commands of the current buffer, `before` the older one.
 * [3.10] */
void bmk1880_add_dependency(bmk1880_context_t* ctx, bmk1880_op_t* before, bmk1880_op_t* after);

/* Appends an operator that the host runs: op_name (at most 15 characters are significant) with size
 * (at most 176) bytes of parameters in the operator's own format. All engines are idle before and
 * after. */
void bmk1880_cpu_op(bmk1880_context_t* ctx, const char* op_name, char* params, int size);

/* Conversion of a command buffer to the form that the device's firmware runs. size returns the
 * bytes that convert writes. relocate replaces the offsets by addresses of an image at
 * dmabuf_devaddr in global memory. Returns BM_ERR_INVALID_ARGUMENT for NULL, BM_ERR_DATA for a
 * buffer that does not parse. */
bmerr_t bmk1880_dmabuf_size(uint8_t* cmdbuf, size_t sz, size_t* psize);
bmerr_t bmk1880_dmabuf_convert(uint8_t* cmdbuf, size_t sz, uint8_t* dmabuf);
bmerr_t bmk1880_dmabuf_relocate(uint8_t* dmabuf, u64 dmabuf_devaddr);
/* Prints a summary to stdout. */
void bmk1880_dmabuf_dump(uint8_t* dmabuf);

/* ---- Local memory [4.7-4.11] ---- */

/* Allocates from the stack of local memory; with CTRL_AL the start and the strides are aligned.
 * Returns NULL if the tensor does not fit. [4.9] */
tensor_lmem* bmk1880_tl_alloc(bmk1880_context_t* ctx, shape_t s, fmt_t fmt, u32 ctrls);
/* Allocates from one bank; the common stack then ends below the lowest bank in use. [4.10] */
tensor_lmem* bmk1880_tl_alloc_bank(bmk1880_context_t* ctx, u32 bank_id, shape_t s, fmt_t fmt,
                                   u32 ctrls);
/* Describes a tensor at a given address; reserves nothing and checks nothing. [4.7, 4.8] */
tensor_lmem* bmk1880_tl_prealloc(bmk1880_context_t* ctx, laddr_t la, shape_t s, fmt_t fmt);
tensor_lmem* bmk1880_tl_prealloc_align(bmk1880_context_t* ctx, laddr_t la, shape_t s, fmt_t fmt);
/* Frees a tensor of any of the four. Allocated ones are freed in reverse order. [4.11] */
void bmk1880_tl_free(bmk1880_context_t* ctx, tensor_lmem* t);

/* Fills in the shape as the hardware sees it: matrices become (row, blocks, 1, columns of a
 * block). */
void bmk1880_tl_shape_to_nchw(const bmk1880_context_t* ctx, shape_t s, int* n, int* c, int* h,
                              int* w);
/* Return the bytes per lane. */
int bmk1880_tl_shape_to_size(const bmk1880_context_t* ctx, shape_t s, bool aligned, fmt_t fmt);
int bmk1880_tl_size(const bmk1880_context_t* ctx, tensor_lmem* t);
/* Returns BITS in global memory: the number of elements times the width of one, as the chip's own
 * library does. */
size_t bmk1880_tg_shape_to_size(shape_t s, fmt_t fmt);

/* ---- Data movement [4.12-4.18] ---- */

/* Copies within global memory. Both must be tensors or both matrices, with equal counts; elements
 * are taken in index order. CTRL_TP (tensors): dst(c,n,h,w) = src(n,c,h,w). [4.12] */
bmk1880_op_t* bmk1880_gdma_copy_gmem(bmk1880_context_t* ctx, tensor_gmem* dst, tensor_gmem* src,
                                     ctrl_t ctrls);
/* Copies within local memory. Tensors must be aligned and have equal counts. [4.13] */
bmk1880_op_t* bmk1880_gdma_copy_lmem(bmk1880_context_t* ctx, tensor_lmem* dst, tensor_lmem* src);
/* Copies between the default strided array at gaddr and t. CTRL_TP: the array is (c,n,h,w), or
 * (col,row) for a matrix. CTRL_NEURON, CTRL_WEIGHT: gaddr is relative to that area. Load only:
 * CTRL_WINOGRAD with a scale factor converts (1,oc,ic,9) kernels to the (1,oc,ic,16) that winograd
 * takes. [4.14, 4.15] */
bmk1880_op_t* bmk1880_gdma_load(bmk1880_context_t* ctx, tensor_lmem* t, u64 gaddr, ctrl_t ctrls);
bmk1880_op_t* bmk1880_gdma_store(bmk1880_context_t* ctx, tensor_lmem* t, u64 gaddr, ctrl_t ctrls);
/* As load and store, with strides of the global side. Its innermost stride is always 1; h (row)
 * strides are at most 65535. [4.16, 4.17] */
bmk1880_op_t* bmk1880_gdma_load_stride(bmk1880_context_t* ctx, tensor_lmem* t, u64 gaddr,
                                       stride_t stride, ctrl_t ctrls);
bmk1880_op_t* bmk1880_gdma_store_stride(bmk1880_context_t* ctx, tensor_lmem* t, u64 gaddr,
                                        stride_t stride, ctrl_t ctrls);
/* Shifts an aligned tensor by lrn_step (1..15) channels, filling with zeros. right_shift:
 * dst(n,c,h,w) = src(n,c-lrn_step,h,w). [4.18] */
bmk1880_op_t* bmk1880_gdma_lrn_shift(bmk1880_context_t* ctx, tensor_lmem* dst, tensor_lmem* src,
                                     bool right_shift, int lrn_step);

/* ---- Computation [4.19-4.47] ---- */

/* res = (a * b) >> rshift_width; 16-bit if res_high is given. [4.19] */
typedef struct {
  tensor_lmem* res_high;
  tensor_lmem* res_low;
  tensor_lmem* a;
  tensor_lmem* b;
  int rshift_width;
} bmk1880_mul_param_t;
bmk1880_op_t* bmk1880_tpu_mul(bmk1880_context_t* ctx, const bmk1880_mul_param_t* p);

/* As bmk1880_tpu_mul, with an 8-bit constant. [4.20] */
typedef struct {
  tensor_lmem* res_high;
  tensor_lmem* res_low;
  tensor_lmem* a;
  s8 b;
  bool b_is_signed;
  int rshift_width;
} bmk1880_mul_const_param_t;
bmk1880_op_t* bmk1880_tpu_mul_const(bmk1880_context_t* ctx, const bmk1880_mul_const_param_t* p);

/* res = (a * b + (res << lshift_width)) >> rshift_width. The old res is always 16-bit; the new one
 * is 8-bit, in res_low, if res_is_int8. lshift_width is 0..31. [4.21] */
typedef struct {
  tensor_lmem* res_high;
  tensor_lmem* res_low;
  bool res_is_int8;
  tensor_lmem* a;
  tensor_lmem* b;
  int lshift_width;
  int rshift_width;
} bmk1880_mac_param_t;
bmk1880_op_t* bmk1880_tpu_mac(bmk1880_context_t* ctx, const bmk1880_mac_param_t* p);

/* As bmk1880_tpu_mac, with an 8-bit constant. [4.22] */
typedef struct {
  tensor_lmem* res_high;
  tensor_lmem* res_low;
  bool res_is_int8;
  tensor_lmem* a;
  s8 b;
  bool b_is_signed;
  int lshift_width;
  int rshift_width;
} bmk1880_mac_const_param_t;
bmk1880_op_t* bmk1880_tpu_mac_const(bmk1880_context_t* ctx, const bmk1880_mac_const_param_t* p);

/* res = a + b, both 16-bit; res 8-bit if res_high is NULL. [4.23] */
typedef struct {
  tensor_lmem* res_high;
  tensor_lmem* res_low;
  tensor_lmem* a_high;
  tensor_lmem* a_low;
  tensor_lmem* b_high;
  tensor_lmem* b_low;
} bmk1880_add_param_t;
bmk1880_op_t* bmk1880_tpu_add(bmk1880_context_t* ctx, const bmk1880_add_param_t* p);

/* As bmk1880_tpu_add, with a 16-bit constant. [4.24] */
typedef struct {
  tensor_lmem* res_high;
  tensor_lmem* res_low;
  tensor_lmem* a_high;
  tensor_lmem* a_low;
  s16 b;
  bool b_is_signed;
} bmk1880_add_const_param_t;
bmk1880_op_t* bmk1880_tpu_add_const(bmk1880_context_t* ctx, const bmk1880_add_const_param_t* p);

/* res = a - b; res is always signed. [4.25] */
typedef struct {
  tensor_lmem* res_high;
  tensor_lmem* res_low;
  tensor_lmem* a_high;
  tensor_lmem* a_low;
  tensor_lmem* b_high;
  tensor_lmem* b_low;
} bmk1880_sub_param_t;
bmk1880_op_t* bmk1880_tpu_sub(bmk1880_context_t* ctx, const bmk1880_sub_param_t* p);

/* The larger element; a, b and the result must be all signed or all unsigned. [4.26] */
typedef struct {
  tensor_lmem* max;
  tensor_lmem* a;
  tensor_lmem* b;
} bmk1880_max_param_t;
bmk1880_op_t* bmk1880_tpu_max(bmk1880_context_t* ctx, const bmk1880_max_param_t* p);

typedef struct {
  tensor_lmem* max;
  tensor_lmem* a;
  s8 b;
  bool b_is_signed;
} bmk1880_max_const_param_t;
bmk1880_op_t* bmk1880_tpu_max_const(bmk1880_context_t* ctx, const bmk1880_max_const_param_t* p);

/* The smaller element, as for max. [4.27, 4.28] */
typedef struct {
  tensor_lmem* min;
  tensor_lmem* a;
  tensor_lmem* b;
} bmk1880_min_param_t;
bmk1880_op_t* bmk1880_tpu_min(bmk1880_context_t* ctx, const bmk1880_min_param_t* p);

typedef struct {
  tensor_lmem* min;
  tensor_lmem* a;
  s8 b;
  bool b_is_signed;
} bmk1880_min_const_param_t;
bmk1880_op_t* bmk1880_tpu_min_const(bmk1880_context_t* ctx, const bmk1880_min_const_param_t* p);

/* 16-bit a, shifted by the counts in bits, -16..16. Positive counts shift left and drop high bits;
 * negative ones shift right and round down. All types are signed. [4.29] */
typedef struct {
  tensor_lmem* res_high;
  tensor_lmem* res_low;
  tensor_lmem* a_high;
  tensor_lmem* a_low;
  tensor_lmem* bits;
} bmk1880_arith_shift_param_t;
bmk1880_op_t* bmk1880_tpu_arith_shift(bmk1880_context_t* ctx, const bmk1880_arith_shift_param_t* p);

/* Bitwise and, or, xor of bytes, and of both bytes of 16-bit values. [4.30-4.35] */
typedef struct {
  tensor_lmem* res;
  tensor_lmem* a;
  tensor_lmem* b;
} bmk1880_and_int8_param_t;
bmk1880_op_t* bmk1880_tpu_and_int8(bmk1880_context_t* ctx, const bmk1880_and_int8_param_t* p);

typedef struct {
  tensor_lmem* res_high;
  tensor_lmem* res_low;
  tensor_lmem* a_high;
  tensor_lmem* a_low;
  tensor_lmem* b_high;
  tensor_lmem* b_low;
} bmk1880_and_int16_param_t;
bmk1880_op_t* bmk1880_tpu_and_int16(bmk1880_context_t* ctx, const bmk1880_and_int16_param_t* p);

typedef struct {
  tensor_lmem* res;
  tensor_lmem* a;
  tensor_lmem* b;
} bmk1880_or_int8_param_t;
bmk1880_op_t* bmk1880_tpu_or_int8(bmk1880_context_t* ctx, const bmk1880_or_int8_param_t* p);

typedef struct {
  tensor_lmem* res_high;
  tensor_lmem* res_low;
  tensor_lmem* a_high;
  tensor_lmem* a_low;
  tensor_lmem* b_high;
  tensor_lmem* b_low;
} bmk1880_or_int16_param_t;
bmk1880_op_t* bmk1880_tpu_or_int16(bmk1880_context_t* ctx, const bmk1880_or_int16_param_t* p);

typedef struct {
  tensor_lmem* res;
  tensor_lmem* a;
  tensor_lmem* b;
} bmk1880_xor_int8_param_t;
bmk1880_op_t* bmk1880_tpu_xor_int8(bmk1880_context_t* ctx, const bmk1880_xor_int8_param_t* p);

typedef struct {
  tensor_lmem* res_high;
  tensor_lmem* res_low;
  tensor_lmem* a_high;
  tensor_lmem* a_low;
  tensor_lmem* b_high;
  tensor_lmem* b_low;
} bmk1880_xor_int16_param_t;
bmk1880_op_t* bmk1880_tpu_xor_int16(bmk1880_context_t* ctx, const bmk1880_xor_int16_param_t* p);

/* dst = src within local memory. Both tensors use the strides of dst. [4.36] */
typedef struct {
  tensor_lmem* dst;
  tensor_lmem* src;
} bmk1880_copy_param_t;
bmk1880_op_t* bmk1880_tpu_copy(bmk1880_context_t* ctx, const bmk1880_copy_param_t* p);

/* As bmk1880_tpu_copy, with explicit strides (0..65535; the w stride is always 1). [4.37] */
typedef struct {
  tensor_lmem* dst;
  stride_t dst_stride;
  tensor_lmem* src;
  stride_t src_stride;
} bmk1880_copy_with_stride_param_t;
bmk1880_op_t* bmk1880_tpu_copy_with_stride(bmk1880_context_t* ctx,
                                           const bmk1880_copy_with_stride_param_t* p);

/* Sum of each channel: res is (1,C,1,1), with the signedness of a. [4.38] */
typedef struct {
  tensor_lmem* res_high;
  tensor_lmem* res_low;
  tensor_lmem* a;
} bmk1880_mdsum_param_t;
bmk1880_op_t* bmk1880_tpu_mdsum(bmk1880_context_t* ctx, const bmk1880_mdsum_param_t* p);

/* ofmap = table[ifmap]: table is (1,32,16,16), 256 bytes in each lane. All aligned. [4.39] */
typedef struct {
  tensor_lmem* ofmap;
  tensor_lmem* ifmap;
  tensor_lmem* table;
} bmk1880_lut_param_t;
bmk1880_op_t* bmk1880_tpu_lut(bmk1880_context_t* ctx, const bmk1880_lut_param_t* p);

/* max(0, ifmap); bytes are read as signed. [4.40] */
typedef struct {
  tensor_lmem* ofmap;
  tensor_lmem* ifmap;
} bmk1880_relu_param_t;
bmk1880_op_t* bmk1880_tpu_relu(bmk1880_context_t* ctx, const bmk1880_relu_param_t* p);

/* Convolution. ifmap and ofmap aligned at multiples of 16; weight (IC,OC,KH,KW), unaligned, stored
 * as a tensor (1,OC,KH*KW,IC); bias NULL or 16-bit as (2,OC,1,1), unaligned. ins_* and pad_* are
 * 0..15 zeros, stride_* 1..15, dilation_* 1..16. Bias, then ReLU, then shift; the result is
 * unsigned with ReLU and signed without. [4.41] */
typedef struct {
  tensor_lmem* ofmap;
  tensor_lmem* ifmap;
  tensor_lmem* weight;
  tensor_lmem* bias;
  u8 ins_h, ins_last_h;
  u8 ins_w, ins_last_w;
  u8 pad_top, pad_bottom;
  u8 pad_left, pad_right;
  u8 stride_h, stride_w;
  u8 dilation_h, dilation_w;
  bool relu_enable;
  int rshift_width;
} bmk1880_conv_param_t;
bmk1880_op_t* bmk1880_tpu_conv(bmk1880_context_t* ctx, const bmk1880_conv_param_t* p);

/* Some documents list ins_* members for winograd and max_pooling, which insert nothing. Programs
 * that assign them (0) compile with BMK1880_INS_MEMBERS defined; the members are not read. */
#ifdef BMK1880_INS_MEMBERS
#define BMK1880_UNUSED_INS \
  u8 ins_h, ins_last_h;    \
  u8 ins_w, ins_last_w;
#else
#define BMK1880_UNUSED_INS
#endif

/* 3x3 convolution in winograd form: weight (IC,OC,4,4), signed, unaligned default strides, loaded
 * with CTRL_WINOGRAD; h and w of ofmap are even. [4.42] */
typedef struct {
  tensor_lmem* ofmap;
  tensor_lmem* ifmap;
  tensor_lmem* weight;
  tensor_lmem* bias;
  u8 pad_top, pad_bottom;
  u8 pad_left, pad_right;
  bool relu_enable;
  int rshift_width;
  BMK1880_UNUSED_INS
} bmk1880_winograd_param_t;
bmk1880_op_t* bmk1880_tpu_winograd(bmk1880_context_t* ctx, const bmk1880_winograd_param_t* p);

/* One kernel per channel: weight (1,C,KH,KW) aligned and bias as for conv, both read as signed; the
 * result is signed. [4.43] */
typedef struct {
  tensor_lmem* ofmap;
  tensor_lmem* ifmap;
  tensor_lmem* weight;
  tensor_lmem* bias;
  u8 ins_h, ins_last_h;
  u8 ins_w, ins_last_w;
  u8 pad_top, pad_bottom;
  u8 pad_left, pad_right;
  u8 stride_h, stride_w;
  int rshift_width;
} bmk1880_depthwise_param_t;
bmk1880_op_t* bmk1880_tpu_depthwise(bmk1880_context_t* ctx, const bmk1880_depthwise_param_t* p);

/* Maximum over kh x kw windows (kh * kw > 1); padding never wins. Signedness as ifmap. [4.44] */
typedef struct {
  tensor_lmem* ofmap;
  tensor_lmem* ifmap;
  u8 kh, kw;
  u8 pad_top, pad_bottom;
  u8 pad_left, pad_right;
  u8 stride_h, stride_w;
  BMK1880_UNUSED_INS
} bmk1880_max_pooling_param_t;
bmk1880_op_t* bmk1880_tpu_max_pooling(bmk1880_context_t* ctx, const bmk1880_max_pooling_param_t* p);

/* (sum over the window * avg_pooling_const) >> rshift_width; padding counts as 0. [4.45] */
typedef struct {
  tensor_lmem* ofmap;
  tensor_lmem* ifmap;
  u8 kh, kw;
  u8 ins_h, ins_last_h;
  u8 ins_w, ins_last_w;
  u8 pad_top, pad_bottom;
  u8 pad_left, pad_right;
  u8 stride_h, stride_w;
  u8 avg_pooling_const;
  int rshift_width;
} bmk1880_avg_pooling_param_t;
bmk1880_op_t* bmk1880_tpu_avg_pooling(bmk1880_context_t* ctx, const bmk1880_avg_pooling_param_t* p);

#undef BMK1880_UNUSED_INS

/* res(R,C) = left(R,K) * right(K,C) + bias(1,C), then CTRL_RELU or CTRL_RA (adds old res <<
 * lshift_width), then the shift. All aligned matrices at multiples of 16; bias is NULL or 16-bit as
 * (2,C); res has 2R rows when its old or new value is 16-bit (rows R..2R-1 are the high bytes).
 * [4.46] */
typedef struct {
  tensor_lmem* res;
  tensor_lmem* left;
  tensor_lmem* right;
  tensor_lmem* bias;
  int lshift_width;
  int rshift_width;
  bool res_is_int8;
  ctrl_t ctrls;
} bmk1880_matrix_mac_param_t;
bmk1880_op_t* bmk1880_tpu_matrix_mac(bmk1880_context_t* ctx, const bmk1880_matrix_mac_param_t* p);

/* A 256 x 256 x 256 product with folded bytes: res and left are (1,256,1,256), right, the
 * transposed factor, is (256,16,1,16). [4.47] */
typedef struct {
  tensor_lmem* res;
  tensor_lmem* left;
  tensor_lmem* right;
} bmk1880_matrix_mac_2_param_t;
bmk1880_op_t* bmk1880_tpu_matrix_mac_2(bmk1880_context_t* ctx,
                                       const bmk1880_matrix_mac_2_param_t* p);

#ifdef __cplusplus
}
#endif

#endif
