// A chip is a set of numbers.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace tputwin {

struct Chip {
  std::string_view name;  // "BM1880"
  uint32_t version;       // the number programs pass to the API
  uint32_t lanes;         // slices / NPUs
  uint32_t lane_bytes;    // local memory of one lane
  uint32_t banks;         // banks of one lane
  uint32_t bank_bytes;
  uint32_t eu_bytes;           // bytes an execution unit row handles per cycle; alignment quantum
  uint64_t global_base;        // engine address of global memory offset 0
  uint64_t local_base;         // engine address of local memory offset 0 (DMA descriptors)
  uint64_t global_bytes;       // default size of simulated global memory
  uint64_t global_alloc_base;  // offset of the first runtime allocation
  // System memories beside global memory: engine address of the first usable byte, and size.
  // 0 bytes: the chip has none.
  struct Window {
    uint64_t base = 0, bytes = 0;
  } l2, dtcm, table;
  uint32_t global_alloc_quantum;  // allocation granularity
  double clock_hz;                // for milliseconds in reports
  uint32_t macs_per_lane_cycle;   // 8-bit multiply-accumulates of one lane per cycle
  double dma_bytes_per_cycle;     // global memory bandwidth seen by the DMA engine
  uint32_t dma_setup_cycles;      // fixed price of a DMA command
  uint32_t compute_setup_cycles;  // fixed price of a compute command
  // Where the chip's documents say how far its memories reach.
  struct Reference {
    std::string_view local_memory, system_memory;
  } written;

  constexpr uint64_t local_bytes() const { return uint64_t{lanes} * lane_bytes; }
};

const Chip& bm1880();
const Chip& bm1684();
const Chip& bm1684x();

// All chips this build knows.
std::span<const Chip* const> chips();
// By name (any case) or version number; nullptr if unknown.
const Chip* find_chip(std::string_view name_or_version);

}  // namespace tputwin
