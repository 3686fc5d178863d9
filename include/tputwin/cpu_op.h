/*
 * CPU instructions whose parameters exceed the 176 bytes of bmk1880_cpu_op, as serialized TensorOps
 * often do. Up to 176 bytes both functions write the same descriptor. Above, this one writes the
 * long form of a record, whose header holds its length. The runtime and the dmabuf functions take
 * both forms. C99; link with libbmkernel.
 */
#ifndef TPUTWIN_CPU_OP_H
#define TPUTWIN_CPU_OP_H

#include <bmkernel/bm1880/bmkernel_1880.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* op_name is the file name of the plugin without ".so", 1 to 15 characters. */
void tputwin_cpu_op(bmk1880_context_t* ctx, const char* op_name, const void* params, size_t size);

#ifdef __cplusplus
}
#endif

#endif
