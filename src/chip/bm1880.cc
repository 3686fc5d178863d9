// The numbers of the BM1880.
#include "chip/chip.h"

namespace tputwin {

const Chip& bm1880() {
  static constexpr Chip chip{
      .name = "BM1880",
      .version = 1880,
      .driver_id = 0,
      .family = ChipFamily::bm1880,
      .global_alloc_base = 0x280'0000,
      .lanes = 32,
      .lane_bytes = 64 * 1024,
      .banks = 8,
      .eu_bytes = 16,
      .clock_hz = 1.0e9,
      .macs_per_lane_cycle = 16,
      .dma_bytes_per_cycle = 16.0,
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
