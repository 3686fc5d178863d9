/*
 * Descriptor of the CPU engine: operators that the host runs in the middle of a command buffer,
 * and points where all engines are drained.
 */
#ifndef BMKERNEL_BM_REGCPU_H
#define BMKERNEL_BM_REGCPU_H

#include "bm_kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CPU_ENGINE_DESCRIPTOR_NUM 56 /* words */
#define CPU_ENGINE_DESCRIPTOR_BYTES (CPU_ENGINE_DESCRIPTOR_NUM * 4)

/* op_type */
#define CPU_OP_SYNC 2 /* wait until all engines are idle; the text is for tracing */
#define CPU_OP_INST 3 /* run an operator */

#define CPU_OP_NAME_BYTES 16
#define CPU_OP_PARAM_BYTES 176
#define CPU_OP_TEXT_BYTES 196

/* The counts and offsets are 0 in a command buffer; conversion to a dmabuf fills them. */
__extension__ typedef struct __attribute__((packed)) {
  u32 op_type;
  u32 num_bd;   /* BD commands of this segment */
  u32 num_gdma; /* GDMA commands of this segment */
  /* Start of its BD commands, in units of 256 bytes. */
  u32 offset_bd;
  /* Start of its GDMA commands, in units of 64 bytes. */
  u32 offset_gdma;
  u32 reserved[2];
  union {
    char str[CPU_OP_TEXT_BYTES]; /* CPU_OP_SYNC */
    struct __attribute__((packed)) {
      char lib_name[CPU_OP_NAME_BYTES]; /* CPU_OP_INST: name of the operator */
      u32 param_size;                   /* bytes of param in use */
      u8 param[CPU_OP_PARAM_BYTES];
    } inst;
  };
} cpu_desc_t;

#ifdef __cplusplus
}
#endif

#endif
