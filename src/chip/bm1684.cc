// The numbers of the BM1684.
#include "chip/chip.h"

namespace tputwin {

// The reference model reports the sizes and start addresses (docs/discrepancies.md). The clock and
// the bandwidths are assumptions (docs/timing.md).
const Chip& bm1684() {
  static constexpr Chip chip{
      .name = "BM1684",
      .version = 1684,
      .driver_id = 0x1684,
      .family = ChipFamily::bm1684,
      .l2 = {.base = 0x100a'2000, .bytes = 0x25'e000},
      .dtcm = {.base = 0x0202'0000, .bytes = 0x5'f400},
      .table = {.base = 0x0032'3c00, .bytes = 0xd'c400},
      .l2_tables = 0x10'0000,
      .lanes = 64,
      .lane_bytes = 512 * 1024,
      .banks = 8,
      .eu_bytes = 128,
      .clock_hz = 550.0e6,
      .macs_per_lane_cycle = 256,
      .dma_bytes_per_cycle = 64.0,
      .types = {DType::u8, DType::i8, DType::u16, DType::i16, DType::u32, DType::i32, DType::f32,
                DType::b32},
      .limits =
          {.extent = 65535,
           .channels = 4095,
           .dma_extent = 65535,
           .window = {.padding = 15, .stride = 15, .dilation = 15, .insert = 15, .extent = 2047}},
      .written = {.local_memory = "OKKernel guide: memories",
                  .system_memory = "OKKernel guide: memories"},
  };
  return chip;
}

}  // namespace tputwin
