// A chip is data: the family it is of, and numbers; those with a value here all chips have so far.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "chip/dtype.h"

namespace tputwin {

// Chips that have the same operations under the same documented rules (ops/rules, one file each),
// called after the first of them. What differs inside a family is data of the chip.
enum class ChipFamily : uint8_t { bm1880, bm1684, bm1684x };

struct Chip {
  std::string_view name;  // "BM1880"
  uint32_t version;       // the number programs pass to the API
  uint32_t driver_id;     // the number by which drivers call it; 0: bmlib does not drive it
  ChipFamily family;
  // System memories beside global memory: engine address of the first usable byte, and size.
  // 0 bytes: the chip has none.
  struct Window {
    uint64_t base = 0, bytes = 0;
  } l2 = {}, dtcm = {}, table = {};
  uint64_t l2_tables = 0;                     // bytes of constants behind l2 in the same memory
  uint64_t global_base = 0x1'0000'0000;       // engine address of global memory offset 0
  uint64_t local_base = 0x0800'0000;          // engine address of local memory offset 0
  uint64_t global_bytes = uint64_t{4} << 30;  // default size of simulated global memory
  uint64_t global_alloc_base = 0;             // offset of the first runtime allocation
  uint32_t global_alloc_quantum = 4096;       // allocation granularity
  uint32_t lanes;                             // slices / NPUs
  uint32_t lane_bytes;                        // local memory of one lane
  uint32_t banks;                             // banks of one lane
  uint32_t eu_bytes;             // bytes an execution unit row handles per cycle; alignment quantum
  double clock_hz;               // for milliseconds in reports
  uint32_t macs_per_lane_cycle;  // 8-bit multiply-accumulates of one lane per cycle
  double dma_bytes_per_cycle;    // global memory bandwidth seen by the DMA engine
  uint32_t dma_setup_cycles = 100;     // fixed price of a DMA command
  uint32_t compute_setup_cycles = 30;  // fixed price of a compute command
  DTypeSet types;                      // of elements its engines take
  // The most that rules of the documents allow. Rules that the family does not have have no number.
  struct Limits {
    uint32_t extent;        // of a dimension of an operand of the compute engine
    uint32_t channels;      // the same of c
    uint32_t height_width;  // the same of h and w
    uint32_t dma_extent;    // of a dimension of a transfer
    uint32_t dma_step;      // bytes from one element of a row to the next in a transfer
    struct {
      uint32_t padding, stride, dilation, insert;
      uint32_t extent;  // of a padded input, and of a result
    } window;
  } limits;
  // Where the chip's documents say how far its memories reach.
  struct Reference {
    std::string_view local_memory, system_memory;
  } written;

  constexpr uint32_t bank_bytes() const { return lane_bytes / banks; }
  constexpr uint64_t local_bytes() const { return uint64_t{lanes} * lane_bytes; }
};

#define TW_CHIP(name) const Chip& name();
#include "chip/chips.def"
#undef TW_CHIP

// All chips this build knows.
std::span<const Chip* const> chips();
// By name (any case) or version number; nullptr if unknown.
const Chip* find_chip(std::string_view name_or_version);

}  // namespace tputwin
