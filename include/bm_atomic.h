/*
 * The layer below OKKernel, bm_atomic_*: its types and functions, so that programs that include it
 * compile and link. C99 and C++. The documents do not describe it well enough to reproduce the
 * chip's bytes: every bm_atomic_* and bm_local_* function does nothing, and its launch fails with
 * TW-OKK-0019 and its name (tputwin/error.h). The functions that describe the device work as their
 * okk_* counterparts.
 */
#ifndef BM_ATOMIC_H
#define BM_ATOMIC_H

#include "okk.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { BM_INT8 = 0, BM_UINT8 = 1, BM_INT16 = 2, BM_UNT16 = 3, BM_FP32 = 4 } BmDataType;
typedef enum {
  BM_MUL = 0,
  BM_MAC = 1,
  BM_ADD = 2,
  BM_SUB = 3,
  BM_MAX = 4,
  BM_MIN = 5,
  BM_SHIFT = 6,
  BM_AND = 7,
  BM_OR = 8,
  BM_XOR = 9,
  BM_SG = 10, /* select if greater */
  BM_SE = 11, /* select if equal */
  BM_DIV = 12,
  BM_TAYLOR = 13,
  BM_FP32_INT32 = 14,
  BM_NORMALIZE_INT32 = 15,
  BM_NORMALIZE_FP32 = 16,
  BM_RSQRT = 17,
  BM_CPY = 19,
  BM_SQR_SUM = 20,
  BM_SQR_DIFF = 21
} BmAtomicOp;
typedef enum { BM_ASCEND = 0, BM_DESCEND = 1 } BmSortOrder;
typedef enum { BM_GD_8BIT = 0, BM_GD_32BIT = 2, BM_GD_128BIT = 4 } BmGDType;
typedef enum { BM_RELU = 0, BM_ELU = 1, BM_PRELU = 2, BM_TANH = 3, BM_SIGMOID = 4 } BmActType;
typedef enum { S2L = 0, L2S = 1, S2S = 2, L2L = 3 } BmGDMADir;
typedef enum { FLOAT32 = 0, INT16 = 1, UINT8 = 2, INT8 = 3, FLOAT16 = 4 } BmGDMAFormat;

/* Parameters. Shapes are n, c, h, w; pad is top, bottom, left, right; local addresses are
 * offsets. */
typedef struct {
  unsigned int input_addr, weight_addr, bias_addr, output_addr, input_shape[4], output_c, kernel_h,
      kernel_w, stride_h, stride_w, input_stride[4], kernel_stride[4], ins_h, ins_w, dilate_h,
      dilate_w;
  bool kernel_is_const;
  float kernel_val;
  unsigned int pad[4];
  bool using_bias, kernel_flip, result_add;
} ConvParam;
typedef struct {
  unsigned int input_addr, weight_addr, bias_addr, output_addr, input_shape[4], output_c, kernel_h,
      kernel_w, stride_h, stride_w, input_stride[4], kernel_stride[4], ins_h, ins_w, dilate_h,
      dilate_w;
  bool kernel_is_const;
  signed char kernel_val;
  unsigned int pad[4], rshift_bit;
  bool using_bias, kernel_flip, result_add, if_relu, input_sign, weight_sign, bias_sign;
} ConvQuantParam;
typedef struct {
  unsigned int input_addr, weight_addr, bias_addr, output_addr, input_shape[4], output_c,
      input_stride[4], ins_h, ins_w, pad[4];
  bool using_bias, result_add;
} WinoParam;
typedef struct {
  unsigned int input_addr, weight_addr, bias_addr, output_addr, input_shape[4], output_c,
      input_stride[4], ins_h, ins_w, pad[4], rshift_bit;
  bool using_bias, result_add, if_relu, input_sign, bias_sign;
} WinoQuantParam;
typedef struct {
  unsigned int input_addr, output_addr, input_shape[4], kernel_h, kernel_w, stride_h, stride_w,
      ins_h, ins_w, pad[4];
  float coeff;
} SumPoolParam;
typedef struct {
  unsigned int input_addr, output_addr, input_shape[4], kernel_h, kernel_w, stride_h, stride_w,
      ins_h, ins_w, pad[4];
} PoolParam;
typedef struct {
  unsigned int input_addr, output_addr, input_shape[4], kernel_h, kernel_w, stride_h, stride_w,
      ins_h, ins_w, dilate_h, dilate_w, pad[4], rshift_bit;
  bool input_sign, if_relu;
} PoolQuantParam;
typedef struct {
  unsigned int input_addr, weight_addr, bias_addr, output_addr, input_shape[4], kernel_h, kernel_w,
      stride_h, stride_w, ins_h, ins_w, dilate_h, dilate_w, pad[4];
  bool using_bias;
} DepthwiseParam;
typedef struct {
  unsigned int input_addr, weight_addr, bias_addr, output_addr, input_shape[4], kernel_h, kernel_w,
      stride_h, stride_w, ins_h, ins_w, dilate_h, dilate_w, pad[4], rshift_bit;
  bool using_bias, if_relu, input_sign, weight_sign, bias_sign;
} DepthwiseQuantParam;
typedef struct {
  unsigned int input_l_addr, input_r_addr, bias_addr, output_addr, l_row, l_col, l_tensor_w,
      l_tensor_c, r_tensor_w, r_tensor_c;
  bool l_trans, using_bias, result_add;
} MatmulParam;
typedef struct {
  unsigned int input_l_addr, input_r_addr, bias_addr, output_addr, l_row, l_col, l_tensor_w,
      l_tensor_c, r_tensor_w, r_tensor_c, lshfit_bit, rshift_bit;
  bool l_trans, using_bias, result_add, result_add_sign, if_relu, input_l_sign, input_r_sign,
      bias_sign, output_16bit;
} MatmulQuantParam;
typedef struct {
  unsigned int input0_addr, input1_addr, output_addr, shape[4], input0_stride[4], input1_stride[4],
      output_stride[4];
  BmAtomicOp op;
  bool input0_is_const;
  float input0_const;
  bool input1_is_const;
  float input1_const, select_value;
  int shift_type;
} ArithParam;
typedef struct {
  unsigned int input0_addr, input1_addr, output_addr, shape[4], input0_stride[4], input1_stride[4],
      output_stride[4];
  BmAtomicOp op;
  bool input0_is_const, input1_is_const;
  unsigned int rshift_bit, lshift_bit, shift_type;
  bool input0_sign, input1_sign, input0_8bit, input1_8bit, output_8bit, input1_n_is1, input1_h_is1,
      input1_w_is1;
} ArithQuantParam;
typedef struct {
  unsigned int table_addr, index_addr, output_addr, shape[4], table_len, index_prec;
} TableLookupParam;
typedef struct {
  unsigned int input0_addr, input1_addr, output_addr, shape[4];
  BmAtomicOp op;
  bool result_add, input0_is_const;
  float input0_const;
  bool input1_is_const;
  float input1_const;
} MDScalarParam;
typedef struct {
  unsigned int tensorA_addr, tensorB_addr, tensorS_addr, output_addr, shape[4];
  BmAtomicOp op;
  bool result_add, tensorB_is_const;
  float tensorB_const;
  bool tensorS_is_const;
  float tensorS_const;
} MDLinearParam;
typedef struct {
  unsigned int tensorA_addr, tensorB_addr, tensorC_addr, tensorD_addr, tensorY_addr, tensorR_addr,
      shape[4];
  bool tensorA_is_const;
  float tensorA_const;
  bool tensorB_is_const;
  float tensorB_const;
  bool tensorC_is_const;
  unsigned int tensorC_const;
  bool tensorD_is_const;
  unsigned int tensorD_const;
  int result_skip;
} MDCmpParam;
typedef struct {
  unsigned int input_addr, output_addr, shape[4];
  BmAtomicOp op;
  unsigned int taylor_len, taylor_coef_addr;
} MDSFUParam;
typedef struct {
  unsigned int input0_addr, input1_addr, output_addr;
  BmAtomicOp op;
  unsigned int input0_c, input0_w, input0_w_last, input1_c, input1_w;
} VecParam;
typedef struct {
  unsigned long long input_data_addr, input_index_addr, output_data_addr, output_index_addr;
  unsigned int input_len, output_len;
  BmSortOrder order;
  bool index_enable, index_auto;
} SortParam;
typedef struct {
  unsigned int data_addr, index_addr, output_addr, length;
  BmGDType type;
} GatherDataParam;
typedef struct {
  unsigned long long src_addr, dst_addr, imm_addr;
  unsigned int shape[4];
  BmActType act_type;
} ActParam;
typedef struct {
  unsigned int src_addr, imm_addr, shape[4];
} ExpParam;
typedef struct {
  unsigned int src_addr, dst_addr, imm_addr, shape[4];
} ActiveParam;
typedef struct {
  BmDataType src_dtype, dst_dtype;
  unsigned long long src_addr, dst_addr;
  unsigned int shape[4];
} CastParam;
typedef struct {
  unsigned long long src_addr, dst_addr;
  unsigned int length;
  BmGDMAFormat format;
  BmGDMADir direction;
} MemCpy1DParam;
typedef struct {
  unsigned long long src_addr;
  unsigned int src_local_idx, src_shape[4], src_stride[4];
  BmGDMAFormat src_format;
  unsigned long long dst_addr;
  unsigned int dst_local_idx, dst_shape[4], dst_stride[4];
  BmGDMAFormat dst_format;
  BmGDMADir direction;
  bool transpose;
} MemCpy4DParam;
typedef struct {
  unsigned long long global_mem_addr;
  unsigned int local_mem_addr, local_mem_idx, row, col, row_stride, sec_size;
  BmGDMAFormat format;
  BmGDMADir direction;
  bool transpose, result_add;
} MemCpy2DParam;
typedef struct {
  unsigned long long start_addr;
  unsigned int shape[4], stride[4];
  const void* const_val;
  BmGDMAFormat format;
  bool is_local_mem;
  unsigned int local_idx;
} MemSet4DParam;
typedef struct {
  unsigned int src_addr, src_local_idx, dst_addr, dst_local_idx, src_c, src_w;
  BmGDMAFormat format;
  unsigned int src_c_stride, dst_c_stride;
} CWTransParam;
typedef struct {
  unsigned int data_local_mem_addr, mask_local_mem_addr, local_mem_idx;
  unsigned long long dst_global_mem_addr;
  unsigned int shape[4];
} MaskMemCpy4DPram;
typedef struct {
  unsigned int input_addr, output_addr, shape[4];
} UnaryParam;
typedef struct {
  unsigned int input0_addr, input1_addr, output_addr, shape[4];
} BinaryParam;

/* Convolution with inserted rows and columns, a constant kernel or a rotated kernel. */
void bm_atomic_conv(const ConvParam* param);
void bm_atomic_conv_quantized(const ConvQuantParam* param);
/* 3x3, stride 1, 8 bits. */
void bm_atomic_winograd_quantized(const WinoQuantParam* param);
/* Pooling with inserted rows and columns. */
void bm_atomic_avg_pool(const PoolParam* param);
void bm_atomic_avg_pool_quantized(const PoolQuantParam* param);
void bm_atomic_max_pool(const PoolParam* param);
void bm_atomic_max_pool_quantized(const PoolQuantParam* param);
/* Sums times coeff. */
void bm_atomic_sum_pool(const SumPoolParam* param);
void bm_atomic_depthwise(const DepthwiseParam* param);
void bm_atomic_depthwise_quantized(const DepthwiseQuantParam* param);
/* Matrices as tensors (rows, tensor_c, 1, tensor_w). */
void bm_atomic_matmul(const MatmulParam* param);
void bm_atomic_matmul_quantized(const MatmulQuantParam* param);
/* The operator `op` on two tensors. */
void bm_atomic_tensor_arithmetic(const ArithParam* param);
void bm_atomic_tensor_arithmetic_quantized(const ArithQuantParam* param);
/* 32-bit elements by an index of 8 or 32 bits (index_prec 0 or 1). */
void bm_atomic_table_lookup(const TableLookupParam* param);
void bm_atomic_md_scalar(const MDScalarParam* param);
/* MAC: A * S + B per channel; SQR_SUM: (A + B)^2; SQR_DIFF: (A - B)^2. */
void bm_atomic_md_linear(const MDLinearParam* param);
/* Y = max(A, B), R = A > B ? C : D; result_skip: 0 both, 1 Y only, 2 R only. */
void bm_atomic_md_cmp(const MDCmpParam* param);
/* RSQRT, NORMALIZE_*, FP32_INT32, TAYLOR. */
void bm_atomic_md_sfu(const MDSFUParam* param);
/* out(i, j) = in0(i) op in1(j). */
void bm_atomic_vec_correlation(const VecParam* param);
/* Sorts fp32 elements, optionally with an index. */
void bm_atomic_sort(const SortParam* param);
/* In L2-SRAM: out[i] = data[index[i]]. */
void bm_atomic_gather_data(const GatherDataParam* param);
void bm_atomic_memcpy_1D(const MemCpy1DParam* param);
/* Matrices; transposed, or added to the old result. */
void bm_atomic_memcpy_2D(const MemCpy2DParam* param);
/* Between shapes of one size; n and c may be exchanged. */
void bm_atomic_memcpy_4D(const MemCpy4DParam* param);
void bm_atomic_memset_4D(const MemSet4DParam* param);
/* (1,C,1,W) to (1,W,1,C) in local memory. */
void bm_atomic_cwtrans(const CWTransParam* param);
/* Moves the selected elements together; bm_get_mask_memcpy_res_num returns their number. */
void bm_atomic_mask_memcpy_4D(const MaskMemCpy4DPram* param);
/* Returns the number of elements that the last bm_atomic_mask_memcpy_4D copied: 0. */
unsigned int bm_get_mask_memcpy_res_num(void);
void bm_local_exp(const ExpParam* param);
void bm_local_act(const ActParam* param);

/* Information about the device, as from okk_*. */
static inline int bm_npu_num(void) { return okk_npu_num(); }
static inline unsigned int bm_eu_num(void) { return okk_eu_num(); }
static inline unsigned int bm_local_mem_size_per_npu(void) { return okk_local_mem_size_per_npu(); }
static inline unsigned int bm_local_mem_bank_per_npu(void) { return okk_local_mem_bank_per_npu(); }
static inline unsigned int bm_l2_sram_size(void) { return okk_l2_sram_size(); }
static inline unsigned int bm_dtcm_size(void) { return okk_dtcm_size(); }
static inline unsigned int bm_lookup_table_size(void) { return okk_lookup_table_size(); }
static inline unsigned long long bm_global_mem_start_addr(void) {
  return okk_global_mem_start_addr();
}
static inline unsigned int bm_local_mem_start_addr(void) { return okk_local_mem_start_addr(); }
static inline unsigned int bm_l2_sram_start_addr(void) { return okk_l2_sram_start_addr(); }
static inline unsigned int bm_dtcm_start_addr(void) { return okk_dtcm_start_addr(); }
static inline unsigned int bm_lookup_table_start_addr(void) {
  return okk_lookup_table_start_addr();
}

#ifdef __cplusplus
}
#endif

#endif
