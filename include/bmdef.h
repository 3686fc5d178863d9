/*
 * Types of bmrt, the runtime of bmodels for the BM1684 and the BM1684X. C99 and C++.
 */
#ifndef BMDEF_H_
#define BMDEF_H_

#include <bmlib_runtime.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BM_MAX_DIMS_NUM 8

typedef enum bm_data_type_e {
  BM_FLOAT32 = 0,
  BM_FLOAT16 = 1,
  BM_INT8 = 2,
  BM_UINT8 = 3,
  BM_INT16 = 4,
  BM_UINT16 = 5,
  BM_INT32 = 6,
  BM_UINT32 = 7,
  BM_BFLOAT16 = 8,
  BM_INT4 = 9, /* two in a byte */
  BM_UINT4 = 10
} bm_data_type_t;

/* Order of the n images of a tensor. 1N: one after the other. 2N (16 bits) and 4N (8 bits): two or
 * four elements of neighbouring n share 32 bits, [ceil(n / 4)][c][h][w][4]. */
typedef enum bm_store_mode_e { BM_STORE_1N = 0, BM_STORE_2N = 1, BM_STORE_4N = 2 } bm_store_mode_t;

/* Kept, without effect: nets of the simulator share memory as they need it. */
typedef enum bm_runtime_flag_e {
  BM_RUNTIME_AUTO = 0,
  BM_RUNTIME_SHARE_MEM = 1,
  BM_RUNTIME_CHECK_MEM = 2
} bm_runtime_flag_t;

typedef struct bm_shape_s {
  int num_dims; /* 0 to BM_MAX_DIMS_NUM */
  int dims[BM_MAX_DIMS_NUM];
} bm_shape_t;

typedef struct bm_shape_ex_s {
  bm_shape_t shape;
  int elem_num;
} bm_shape_ex_t;

typedef struct bm_tensor_s {
  bm_data_type_t dtype;
  bm_shape_t shape;
  bm_device_mem_t device_mem;
  bm_store_mode_t st_mode;
} bm_tensor_t;

/* A set of input shapes that a net was compiled for. The memories belong to the net. */
typedef struct bm_stage_info_s {
  bm_shape_t* input_shapes;
  bm_shape_t* output_shapes;
  bm_device_mem_t* input_mems;
  bm_device_mem_t* output_mems;
} bm_stage_info_t;

/* Description of a net. All memory belongs to the runtime. */
typedef struct bm_net_info_s {
  const char* name;
  bool is_dynamic;
  int input_num;
  char const** input_names;
  bm_data_type_t* input_dtypes;
  float* input_scales; /* 1 for floats */
  int output_num;
  char const** output_names;
  bm_data_type_t* output_dtypes;
  float* output_scales;
  int stage_num;
  bm_stage_info_t* stages;
  /* Largest bytes over all stages. 8-bit tensors of the BM1684: n rounded up to 4. */
  size_t* max_input_bytes;
  size_t* max_output_bytes;
  int* input_zero_point;
  int* output_zero_point;
  int* input_loc_devices;
  int* output_loc_devices;
  int core_num;
  int32_t addr_mode;
} bm_net_info_t;

/* A block of memory that a load of a bmodel needs, or is given. */
typedef struct memory_s {
  int64_t addr;  /* device address of its first byte */
  uint64_t size; /* bytes; 0: none is needed */
  int type;      /* 0: device memory, 1: system memory */
  /* Number of blocks of this size: 1, or 0 if none is needed. */
  int number;
  unsigned char reserved[124];
} memory_t;

/* The memory that a load needs; see bmrt_get_bmodel_info. */
typedef struct mem_info_s {
  memory_t instruction_mem;          /* commands */
  memory_t variable_instruction_mem; /* commands that a launch changes */
  memory_t neuron_mem;               /* values between layers */
  memory_t coeff_mem;                /* weights */
  memory_t io_mem;                   /* inputs and outputs */
  memory_t reserved[4];
} mem_info_t;

/* Decrypts `size` bytes at `data`. Returns the result, from malloc, and its size; NULL on
 * failure. */
typedef uint8_t* (*decrypt_func)(const uint8_t* data, uint64_t size, uint64_t* decrypted_size);

#ifdef __cplusplus
}
#endif

#endif
