/*
 * Address map of the BM1880 as the engines see it.
 */
#ifndef BMKERNEL_BM1880_MEMMAP_H
#define BMKERNEL_BM1880_MEMMAP_H

/* Global memory: engine address, and address on the chip's own ARM core. */
#define GLOBAL_MEM_START_ADDR 0x100000000ull
#define GLOBAL_MEM_START_ADDR_ARM 0x80000000ull

/* Local memory: lane i starts at LOCAL_MEM_START_ADDR + i * LOCAL_MEM_LANE_BYTES. */
#define LOCAL_MEM_START_ADDR 0x08000000ull
#define LOCAL_MEM_ADDRWIDTH 16
#define LOCAL_MEM_LANE_BYTES (1u << LOCAL_MEM_ADDRWIDTH)
#define LOCAL_MEM_BANKS 8
#define LOCAL_MEM_BANK_BYTES (LOCAL_MEM_LANE_BYTES / LOCAL_MEM_BANKS)
#define NPU_NUM 32
#define EU_NUM 16

/* Register blocks. */
#define GDMA_ENGINE_BASE_ADDR 0x58000000ull
#define GDMA_ENGINE_BYTES 0x1000u
#define BD_ENGINE_BASE_ADDR 0x58002000ull
#define BD_ENGINE_BYTES 0x3000u
#define UART_BASE_ADDR 0x58018000ull

#endif
