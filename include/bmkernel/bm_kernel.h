/*
 * BMKernel: base types, error codes, shapes, tensors and the command header.
 *
 * Sources: BMKernel 1880 Guide (sections named at each item). C99 and C++11. All sizes are bytes
 * unless a comment says otherwise.
 */
#ifndef BMKERNEL_BM_KERNEL_H
#define BMKERNEL_BM_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;

/* Local memory address: lane * lmem_size + byte offset in the lane. */
typedef u32 laddr_t;
/* Global memory address: byte offset from the start of global memory. */
typedef u64 gaddr_t;

#define LADDR_INVALID (0xFFFFFFFFu)
#define GADDR_INVALID (0x000000FFFFFFFFFFull)

/* Error codes of all libraries. */
typedef u32 bmerr_t;
#define BM_SUCCESS 0
#define BM_ERR_AGAIN 1
#define BM_ERR_FAILURE 2
#define BM_ERR_TIMEOUT 3
#define BM_ERR_UNINITIALIZED 4
#define BM_ERR_INVALID_ARGUMENT 5
#define BM_ERR_NOMEM 6
#define BM_ERR_DATA 7
#define BM_ERR_BUSY 8
#define BM_ERR_NOT_SUPPORTED 9

/* Element formats. Tensors of the BM1880 take FMT_I8 and FMT_U8 only; 16-bit values are pairs of
 * 8-bit tensors. (Guide 4, "fmt_t") */
typedef u32 fmt_t;
#define FMT_F32 0
#define FMT_F16 1
#define FMT_I32 2
#define FMT_I16 3
#define FMT_I8 4
#define FMT_I4 5
#define FMT_I2 6
#define FMT_I1 7
#define FMT_U16 8
#define FMT_U8 9
#define FMT_INVALID 10
#define FMT_U8_to_F32 0xFF

#define FLOAT_SIZE 4
#define INT8_SIZE 1

/* Control flags of allocation, data movement and matrix_mac. */
typedef u32 ctrl_t;
#define CTRL_NULL 0u
#define CTRL_AL (1u << 0)         /* allocate with aligned strides and start */
#define CTRL_RA (1u << 2)         /* matrix_mac: add the old result */
#define CTRL_BN (1u << 3)         /* broadcast (other chips) */
#define CTRL_TP (1u << 5)         /* transpose while moving */
#define CTRL_ADDR_ALIGN (1u << 7) /* aligned start, unaligned strides (other chips) */
#define CTRL_RELU (1u << 8)       /* matrix_mac: clamp negative sums to 0 */
#define CTRL_KFLIP (1u << 9)      /* flip the kernel (other chips) */
#define CTRL_WEIGHT (1u << 10)    /* the global address is relative to the weight area */
#define CTRL_NEURON (1u << 11)    /* the global address is relative to the neuron area */
#define CTRL_WINOGRAD (1u << 12)  /* convert 3x3 kernels to winograd form */
#define CTRL_WINOGRAD_SCALE_FACTOR (1u << 28) /* unit of the scale factor in bits 28..31 */

/* Engines, as numbered in cmd_hdr_t. */
#define ENGINE_BD 0
#define ENGINE_CPU 1
#define ENGINE_GDMA 2
#define ENGINE_CDMA 3
#define ENGINE_END 4

/* Header of a record in a command buffer; the descriptor follows. Records follow without gaps.
 * (Guide 3.3) */
#define BM_CMB_HDR_MAGIC 0xA5
#define BM_CMB_HDR_FLAG_NEURON 1
#define BM_CMB_HDR_FLAG_WEIGHT 2

__extension__ typedef struct __attribute__((packed)) {
  u8 magic; /* BM_CMB_HDR_MAGIC */
  u8 len;   /* bytes of cmd; 0: the length is in mask */
  u8 engine_id : 4;
  u8 __deprecated : 4;
  u8 flags; /* BM_CMB_HDR_FLAG_*: base of the global address */
  u32 mask;
  u8 cmd[0];
} cmd_hdr_t;

/* Returns the bytes of the descriptor after the header. */
static inline u32 cmd_hdr_len(const cmd_hdr_t* hdr) { return hdr->len ? hdr->len : hdr->mask; }

/* Header of a dmabuf, the form that the device's firmware runs. */
typedef struct __attribute__((packed)) {
  u32 magic;
  u32 dmabuf_size;
  u32 cpu_desc_count;
  u32 bd_desc_count;
  u32 gdma_desc_count;
  u32 reserve[11];
} dma_hdr_t;

/* Design parameters of a chip. */
typedef struct {
  u32 version;        /* 1880 */
  u32 npu_num;        /* lanes */
  u32 eu_num;         /* execution units of a lane; alignment quantum in bytes */
  u32 lmem_size;      /* local memory of one lane */
  u32 lmem_banks;     /* banks of one lane */
  u32 lmem_bank_size; /* bytes of a bank */
} bmk_chip_info_t;

/* Arguments of a new context. The guide lists the members in another order: assign by name. */
typedef struct {
  u32 chip_version; /* 1880 */
  u32 cmdbuf_size;  /* bytes */
  /* Owned by the caller, must outlive the context. */
  u8* cmdbuf;
} bmk_info_t;

/* Shape of a tensor (dim 4) or matrix (dim 2). Extents of operands are 1..4095. */
__extension__ typedef struct {
  u32 dim;
  u32 n;
  u32 c;
  union {
    u32 h;
    u32 row;
  };
  union {
    u32 w;
    u32 col;
  };
} shape_t;

shape_t shape_t4(int n, int c, int h, int w);
/* Returns a shape of dim 3 with n = 1. */
shape_t shape_t3(int d3, int d2, int d1);
/* Returns the shape of a matrix. */
shape_t shape_t2(int row, int col);
/* Returns the shape of a matrix of one row. */
shape_t shape_t1(int len);
/* Returns true if dims and extents are equal. */
bool shape_equal(shape_t s1, shape_t s2);

/* Distance between neighbours along each axis, in elements (bytes). */
__extension__ typedef struct {
  u32 n;
  u32 c;
  union {
    u32 h;
    u32 row;
  };
  union {
    u32 w;
    u32 col;
  };
} stride_t;

static inline stride_t stride_st4(int n, int c, int h, int w) {
  stride_t s;
  s.n = (u32)n;
  s.c = (u32)c;
  s.h = (u32)h;
  s.w = (u32)w;
  return s;
}
static inline stride_t stride_t4(int n, int c, int h, int w) { return stride_st4(n, c, h, w); }
static inline stride_t stride_t2(int row, int col) { return stride_st4(0, 0, row, col); }

typedef u32 tl_type;
#define TL_TYPE_TENSOR 0
#define TL_TYPE_TENSOR_PREALLOC 1
#define TL_TYPE_CONSTANT 2
#define TL_TYPE_SLICE 3
#define TL_TYPE_CLONE 4

typedef union {
  u32 reg_val;
  float fp32_val;
} const_fp32_t;

typedef union {
  laddr_t laddr;
  const_fp32_t const_fp32;
} opd_t;

/* A tensor or matrix in local memory. Programs may change shape, stride, aligned and fmt between
 * calls; a call uses the current values. A stride that is not NULL overrides aligned. (Guide 4,
 * "tensor_lmem") */
typedef struct {
  tl_type type;
  opd_t operand; /* laddr: address of element 0 */
  shape_t shape;
  stride_t* stride;
  bool aligned;
  fmt_t fmt;
  u32 bank_id;       /* bank it was allocated from; lmem_banks: none */
  int reserved_size; /* bytes per lane */
} tensor_lmem;

/* A tensor or matrix in global memory. stride.w (stride.col) is 1. (Guide 4, "tensor_gmem") */
typedef struct {
  u64 addr;
  shape_t shape;
  stride_t stride;
} tensor_gmem;

static inline bool tl_is_const(const tensor_lmem* t) { return t->type == TL_TYPE_CONSTANT; }
static inline bool tl_is_prealloc(const tensor_lmem* t) {
  return t->type == TL_TYPE_TENSOR_PREALLOC;
}
static inline bool tl_is_matrix(const tensor_lmem* t) {
  return t->shape.dim == 1 || t->shape.dim == 2;
}
/* Returns the start address; LADDR_INVALID for constants. */
static inline laddr_t tl_address(const tensor_lmem* t) {
  return tl_is_const(t) ? LADDR_INVALID : t->operand.laddr;
}
static inline void tl_reshape(tensor_lmem* t, shape_t shape) { t->shape = shape; }

static inline bool tg_is_matrix(const tensor_gmem* t) {
  return t->shape.dim == 1 || t->shape.dim == 2;
}
static inline u32 tg_matrix_row(const tensor_gmem* t) { return t->shape.row; }
static inline u32 tg_matrix_col(const tensor_gmem* t) { return t->shape.col; }

#define ALIGN(x, a) (((x) + (a)-1) / (a) * (a))
#define ALIGN_DOWN(x, a) ((x) / (a) * (a))
#define math_min(x, y) ((x) < (y) ? (x) : (y))
#define math_max(x, y) ((x) > (y) ? (x) : (y))
#ifndef UNUSED
#define UNUSED(x) (void)(x)
#endif

/* Returns numerator / denominator, rounded up. */
static inline int ceiling_func(int numerator, int denominator) {
  return (numerator + denominator - 1) / denominator;
}
/* Returns numerator / 2^shift, rounded up. */
static inline int ceiling_func_shift(int numerator, int shift) {
  return (numerator + (1 << shift) - 1) >> shift;
}
/* Returns the smallest multiple of n that is not below x. */
static inline u64 align_up(u64 x, u64 n) { return (x + n - 1) / n * n; }
/* Returns the number of trailing zero bits; 64 for 0. */
static inline int get_num_shift(u64 num) {
  int shift = 0;
  while (shift < 64 && !((num >> shift) & 1)) ++shift;
  return shift;
}

#ifdef __cplusplus
}
#endif

#endif
