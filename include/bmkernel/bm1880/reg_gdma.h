/*
 * DMA engine (GDMA) of the BM1880: registers and field codes.
 */
#ifndef BMKERNEL_BM1880_REG_GDMA_H
#define BMKERNEL_BM1880_REG_GDMA_H

#include "reg_bdcast.h"

/* Registers, relative to GDMA_ENGINE_BASE_ADDR. A command is written to GDMA_CMD_REG. */
#define GDMA_CMD_REG 0x10
/* Descriptors in memory start at multiples of 2^GDMA_DESC_ALIGN_BIT bytes. */
#define GDMA_DESC_ALIGN_BIT 6

/* direction: S is global, L is local memory. */
#define GDMA_DIR_S2L 0
#define GDMA_DIR_L2S 1
#define GDMA_DIR_S2S 2
#define GDMA_DIR_L2L 3

/* special_function */
#define GDMA_FUNC_NONE 0
#define GDMA_FUNC_TRANSPOSE 1
#define GDMA_FUNC_LRN_SHIFT 2
#define GDMA_FUNC_FORMAT_CONVERT 3
#define GDMA_FUNC_CONSTANT_FILL 4
#define GDMA_FUNC_CW_TRANSPOSE 5
#define GDMA_FUNC_WINOGRAD 6

/* gmem_data_type */
#define GDMA_DATA_TENSOR 0
#define GDMA_DATA_MATRIX 1

#endif
