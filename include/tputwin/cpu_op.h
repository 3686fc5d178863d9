/*
 * CPU instructions whose parameters are longer than the 176 bytes of bmk1880_cpu_op: serialized
 * TensorOps often are. Up to 176 bytes both write the same descriptor; above, this one writes the long
 * form of a record, which carries its length in its header. The runtime and the dmabuf functions take
 * both. C99; link with libbmkernel.
 */
#ifndef TPUTWIN_CPU_OP_H
#define TPUTWIN_CPU_OP_H

#include <bmkernel/bm1880/bmkernel_1880.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* op_name: 1 to 15 characters, the file name of the plugin without ".so". */
void tputwin_cpu_op(bmk1880_context_t* ctx, const char* op_name, const void* params, size_t size);

#ifdef __cplusplus
}
#endif

#endif
