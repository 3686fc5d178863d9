// The numbers of the BM1880.
#include "chip/chip.h"

namespace tputwin {

const Chip& bm1880() {
  static constexpr Chip chip{
      .name = "BM1880",
      .version = 1880,
      .driver_id = 0,
      .family = ChipFamily::bm1880,
      .lanes = 32,
      .lane_bytes = 64 * 1024,
      .banks = 8,
      .bank_bytes = 8 * 1024,
      .eu_bytes = 16,
      .global_base = 0x1'0000'0000,
      .local_base = 0x0800'0000,
      .global_bytes = uint64_t{4} << 30,
      .global_alloc_base = 0x280'0000,
      .global_alloc_quantum = 4096,
      .clock_hz = 1.0e9,
      .macs_per_lane_cycle = 16,
      .dma_bytes_per_cycle = 16.0,
      .dma_setup_cycles = 100,
      .compute_setup_cycles = 30,
      .types = {DType::u8, DType::i8, DType::u16, DType::i16},
      .limits = {.extent = 4095,
                 .channels = 4095,
                 .height_width = 1024,
                 .dma_extent = 65535,
                 .window = {.padding = 15, .stride = 15, .dilation = 16, .insert = 15}},
      .written = {.local_memory = "BMKernel 1880 Guide 2.3",
                  .system_memory = "BM1880 memory map: global memory"},
  };
  return chip;
}

}  // namespace tputwin
