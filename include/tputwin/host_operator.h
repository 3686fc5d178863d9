/*
 * User-defined operators for the host subnets of bmodels (BM1684, BM1684X): a shared library that
 * exports these C functions. C99.
 *
 * The environment variable TPUTWIN_CPUOPS names the libraries to load (paths with ':' between), or
 * is "file": then the library inside the bmodel is loaded. Without it none is.
 *
 *   gcc -shared -fPIC -I PREFIX/include my_operators.c -o my_operators.so
 *   TPUTWIN_CPUOPS=./my_operators.so ./program
 *
 * docs/host-operators.md lists the rules; examples/bmrt/host_operators.c is a whole library.
 */
#ifndef TPUTWIN_HOST_OPERATOR_H
#define TPUTWIN_HOST_OPERATOR_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TPUTWIN_HOST_OPERATORS_VERSION 1

/* An array without gaps; its last axis varies fastest. */
typedef struct tputwin_host_array {
  /* Type of an element, as in bm_data_type_t: 0 float, 6 int32_t. */
  int32_t type;
  int32_t num_dims; /* 0 to 8 */
  int32_t dims[8];  /* each 0 or more */
  void* data;
  uint64_t capacity; /* outputs: number of elements that fit in data */
} tputwin_host_array_t;

typedef struct tputwin_host_constant {
  const char* name;
  const void* data;
  uint64_t bytes;
} tputwin_host_constant_t;

/* One call of an operator. All memory belongs to the caller and is valid until the function
 * returns. */
typedef struct tputwin_host_call {
  int32_t op_type; /* number and parameters, as in the bmodel */
  const void* param;
  uint64_t param_bytes;
  int32_t num_constants, num_inputs, num_outputs;
  const tputwin_host_constant_t* constants;
  const tputwin_host_array_t* inputs;
  /* On entry, the outputs have the shapes that the net was compiled for, and zeros. The function
   * writes data, and num_dims and dims if the result of this run has another shape. A result may
   * have fewer elements. */
  tputwin_host_array_t* outputs;
  char message[256]; /* reason of a failure, 0-terminated */
} tputwin_host_call_t;

/* Returns TPUTWIN_HOST_OPERATORS_VERSION. */
int32_t tputwin_host_operators_version(void);

/* Returns the name of an operator, a string that stays valid; NULL if the library lacks it. */
const char* tputwin_host_operator_name(int32_t op_type);

/* Runs an operator; returns 0 on success. One thread at a time calls it for each device. */
int32_t tputwin_host_operator_run(tputwin_host_call_t* call);

/*
 * Optional: describes an operator in terms of the simulator's own operators, as text ("nms
 * iou_threshold=0.5", docs/host-operators.md). For libraries that know how a compiler writes the
 * parameters. It is called before any operator runs. Returns 0 and writes a 0-terminated text, or
 * returns another number if it has no such operator.
 */
int32_t tputwin_host_operator_text(int32_t op_type, const void* param, uint64_t param_bytes,
                                   char* text, uint64_t text_bytes);

#ifdef __cplusplus
}
#endif

#endif
