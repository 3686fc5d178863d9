/*
 * Utilities that work on whole command buffers.
 */
#ifndef BMKERNEL_BM_CMDBUF_H
#define BMKERNEL_BM_CMDBUF_H

#include "bm_kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Adds the bases (offsets in global memory) to the global addresses of GDMA records flagged as
 * neuron or weight, in place, and clears the flags: a second call changes nothing. chip_version
 * must be 1880. A buffer that does not parse is not changed; tputwin/error.h returns the reason. */
void bm_cmdbuf_relocate(u32 chip_version, uint8_t* cmdbuf, size_t len, uint64_t gmem_input_base,
                        uint64_t gmem_weight_base);
/* Prints one line per record to stdout. */
void bm_cmdbuf_dump(uint8_t* cmdbuf, size_t len);
/* Counts BD and GDMA records; both are 0 for a buffer that does not parse. */
void bm_cmdbuf_get_descnum(uint8_t* cmdbuf, size_t len, uint32_t* bd_num, uint32_t* gdma_num);

#ifdef __cplusplus
}
#endif

#endif
