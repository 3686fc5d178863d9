/*
 * TPUKernel: types of the device API of the BM1684X. C99 and C++; see tpu_kernel.h.
 *
 * Projects carry copies of the vendor's file of this name, and a kernel may include both, with
 * whatever guard. Every copy defines TENSOR_N_DIM: if it is defined already, a copy came first and
 * its types are used. For a copy that comes second, the guards in use are defined below. Older
 * copies lack dim5; after such a copy the name is the type at the end of this file.
 */
#if !defined(TPU_DEFS_H) && !defined(TENSOR_N_DIM)
#define TPUTWIN_DIM5
#define TPU_DEFS_H
#define TPU_DEFS_H_
#define _TPU_DEFS_H
#define _TPU_DEFS_H_
#define _TPU_DEFS_
#define __TPU_DEFS_H
#define __TPU_DEFS_H_
#define __TPU_DEFS_H__
#define __TPU_DEFS__

#ifdef __cplusplus
extern "C" {
#endif

typedef unsigned int local_addr_t;  /* byte offset in local memory: NPU * 262144 + offset */
typedef unsigned int static_addr_t; /* byte offset in static memory */
typedef unsigned long long l2_sram_addr_t;
typedef unsigned long long system_addr_t; /* byte address in global memory or L2-SRAM */
typedef unsigned long long global_addr_t; /* byte address in global memory */
typedef unsigned long long addr_t;        /* local or system address */
typedef unsigned long long u64;
typedef long long i64;
typedef unsigned int u32;

#ifndef NO_USE
#define NO_USE 0
#endif
#define TENSOR_N_DIM 0
#define TENSOR_C_DIM 1
#define TENSOR_H_DIM 2
#define TENSOR_W_DIM 3

/* Shapes and strides; strides count elements. */
typedef struct {
  int n, c, d, h, w;
} dim5;
typedef struct {
  int n, c, h, w;
} dim4;
typedef struct {
  int h, w;
} dim2;
typedef struct {
  int top, bottom, left, right;
} padding_t;
typedef struct {
  int start, end; /* both inclusive */
} range_t;

/* 16-bit floating-point numbers. */
typedef union {
  unsigned short bits;
  struct {
    unsigned short frac : 10, exp : 5, sign : 1;
  } format;
} float16;
typedef union {
  unsigned short bits;
  struct {
    unsigned short frac : 7, exp : 8, sign : 1;
  } format;
} bfloat16;

/* One value of any type. */
typedef union {
  char s4;
  unsigned char u4;
  char s8;
  unsigned char u8;
  short s16;
  unsigned short u16;
  float16 f16;
  bfloat16 bf16;
  int s32;
  unsigned int u32;
  float f32;
} scalar_t;

/* (precision << 1) | signed. Precisions are INT8 0, FP16 1, FP32 2, INT16 3, INT32 4, BFP16 5, INT4
 * 6. */
typedef enum {
  DT_UINT8 = 0,
  DT_INT8 = 1,
  DT_FP16 = 3,
  DT_FP32 = 5,
  DT_UINT16 = 6,
  DT_INT16 = 7,
  DT_UINT32 = 8,
  DT_INT32 = 9,
  DT_BFP16 = 11,
  DT_UINT4 = 12,
  DT_INT4 = 13
} data_type_t;

/* Rounding modes. Conversions from floating-point types take the first five. */
typedef enum {
  RM_HALF_TO_EVEN = 0,
  RM_HALF_AWAY_FROM_ZERO = 1,
  RM_TOWARDS_ZERO = 2,
  RM_DOWN = 3,
  RM_UP = 4,
  RM_HALF_UP = 5,
  RM_HALF_DOWN = 6
} rounding_mode_t;

typedef enum {
  REDUCE_MEAN = 0,
  REDUCE_SUM = 1,
  REDUCE_MAX = 2,
  REDUCE_MIN = 3,
  REDUCE_PROD = 4,
  REDUCE_L2 = 5,
  REDUCE_L1 = 6
} reduce_method_t;

#ifdef __cplusplus
}
#endif

#elif !defined(TPUTWIN_DIM5)
#define TPUTWIN_DIM5
typedef struct {
  int n, c, d, h, w;
} tputwin_dim5;
#define dim5 tputwin_dim5
#endif
