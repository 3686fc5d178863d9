// The numbers of the BM1684X.
#include "chip/chip.h"

namespace tputwin {

// The reference model reports the sizes and start addresses. The clock and the rates are published
// product data. The bandwidths are assumptions (docs/timing.md).
const Chip& bm1684x() {
  static constexpr Chip chip{
      .name = "BM1684X",
      .version = 1686,
      .driver_id = 0x1686,
      .family = ChipFamily::bm1684x,
      .l2 = {.base = 0x1000'0000, .bytes = 0x1f'b000},
      .lanes = 64,
      .lane_bytes = 256 * 1024,
      .banks = 16,
      .eu_bytes = 64,
      .clock_hz = 1.0e9,
      .macs_per_lane_cycle = 256,
      .dma_bytes_per_cycle = 64.0,
      .types = {DType::u8, DType::i8, DType::u16, DType::i16, DType::u32, DType::i32, DType::f32,
                DType::b32, DType::f16, DType::bf16},
      .limits = {.extent = 65535,
                 .channels = 65535,
                 .dma_extent = 65535,
                 .dma_step = 128,
                 .window = {.padding = 15, .stride = 15, .dilation = 15, .insert = 14}},
      .written = {.local_memory = "TPUKernel guide: memories",
                  .system_memory = "TPUKernel guide: memories"},
  };
  return chip;
}

}  // namespace tputwin
