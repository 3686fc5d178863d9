/*
 * Operators of your own for the host subnets of bmodels (BM1684, BM1684X): a shared library that
 * exports these C functions. It is loaded only if the environment variable TPUTWIN_CPUOPS names it
 * (paths with ':' between), or says "file": then the library inside the bmodel is.
 *
 *   gcc -shared -fPIC -I PREFIX/include my_operators.c -o my_operators.so
 *   TPUTWIN_CPUOPS=./my_operators.so ./program
 *
 * docs/host-operators.md tells the rules; examples/bmrt/host_operators.c is a whole library. C99.
 */
#ifndef TPUTWIN_HOST_OPERATOR_H
#define TPUTWIN_HOST_OPERATOR_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TPUTWIN_HOST_OPERATORS_VERSION 1

/* An array, one element after the other; its last axis varies fastest. */
typedef struct tputwin_host_array {
  int32_t type;     /* of its elements: 0 float, 6 int32_t, as bm_data_type_t counts */
  int32_t num_dims; /* 0 to 8 */
  int32_t dims[8];  /* each 0 or more */
  void* data;
  uint64_t capacity; /* outputs: the elements that data has room for */
} tputwin_host_array_t;

typedef struct tputwin_host_constant {
  const char* name;
  const void* data;
  uint64_t bytes;
} tputwin_host_constant_t;

/* One use of an operator. All memory is the caller's, until the function returns. */
typedef struct tputwin_host_call {
  int32_t op_type; /* number and parameters as the bmodel has them */
  const void* param;
  uint64_t param_bytes;
  int32_t num_constants, num_inputs, num_outputs;
  const tputwin_host_constant_t* constants;
  const tputwin_host_array_t* inputs;
  /* On entry with the shapes that the net was compiled for, and zeros. The function writes data,
     and num_dims and dims if this run's result has another shape; it may have fewer elements. */
  tputwin_host_array_t* outputs;
  char message[256]; /* what went wrong, with a 0 at its end */
} tputwin_host_call_t;

/* TPUTWIN_HOST_OPERATORS_VERSION. */
int32_t tputwin_host_operators_version(void);

/* The name of an operator, a string that stays; NULL if the library does not have it. */
const char* tputwin_host_operator_name(int32_t op_type);

/* Runs it; 0 if it went well. Called by one thread at a time for each device. */
int32_t tputwin_host_operator_run(tputwin_host_call_t* call);

/*
 * Optional: puts an operator in terms of the twin's own ones, as text ("nms iou_threshold=0.5",
 * docs/host-operators.md), for who knows how a compiler writes its parameters. Asked first, before
 * anything runs. Returns 0 and fills in text (with a 0 at its end), or anything else if it has no
 * such operator.
 */
int32_t tputwin_host_operator_text(int32_t op_type, const void* param, uint64_t param_bytes,
                                   char* text, uint64_t text_bytes);

#ifdef __cplusplus
}
#endif

#endif
