// A chip is data: its family and its numbers. Members with a default value here have that value on
// all chips so far.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "chip/dtype.h"

namespace tputwin {

// A family has one set of operations and of documented rules (ops/rules, one file each). It has the
// name of its first chip. Differences inside a family are data of the chip.
enum class ChipFamily : uint8_t { bm1880, bm1684, bm1684x };

struct Chip {
  std::string_view name;  // "BM1880"
  uint32_t version;       // number that programs pass to the API
  // Number that drivers use for the chip; 0: bmlib does not drive it.
  uint32_t driver_id;
  ChipFamily family;
  // System memories other than global memory: engine address of the first usable byte, and size. 0
  // bytes: the chip does not have that memory.
  struct Window {
    uint64_t base = 0, bytes = 0;
  } l2 = {}, dtcm = {}, table = {};
  // Bytes of constants after l2 in the same memory.
  uint64_t l2_tables = 0;
  uint64_t global_base = 0x1'0000'0000;       // engine address of global memory offset 0
  uint64_t local_base = 0x0800'0000;          // engine address of local memory offset 0
  uint64_t global_bytes = uint64_t{4} << 30;  // default size of simulated global memory
  uint64_t global_alloc_base = 0;             // offset of the first runtime allocation
  uint32_t global_alloc_quantum = 4096;       // allocation granularity
  uint32_t lanes;                             // called slices or NPUs in the documents
  uint32_t lane_bytes;                        // bytes of local memory in a lane
  uint32_t banks;                             // number of banks in a lane
  // Bytes that the execution units of a lane handle per cycle; unit of alignment.
  uint32_t eu_bytes;
  double clock_hz;  // for milliseconds in reports
  // 8-bit multiply-accumulates of one lane per cycle.
  uint32_t macs_per_lane_cycle;
  // Global memory bandwidth of the DMA engine.
  double dma_bytes_per_cycle;
  uint32_t dma_setup_cycles = 100;     // fixed cost of a DMA command
  uint32_t compute_setup_cycles = 30;  // fixed cost of a compute command
  DTypeSet types;                      // element types that the engines accept
  // Largest values that the rules of the documents allow. A rule that the family does not have
  // leaves its number at 0.
  struct Limits {
    // Largest extent of an operand of the compute engine, in any dimension.
    uint32_t extent;
    uint32_t channels;      // largest c of such an operand
    uint32_t height_width;  // largest h and w of such an operand
    uint32_t dma_extent;    // largest extent of a DMA transfer
    // Largest distance in bytes between elements of a row in a DMA transfer.
    uint32_t dma_step;
    struct {
      uint32_t padding, stride, dilation, insert;
      // Largest extent of a padded input and of a result.
      uint32_t extent;
    } window;
  } limits;
  // Sections of the chip's documents that state the sizes of its memories.
  struct Reference {
    std::string_view local_memory, system_memory;
  } written;

  constexpr uint32_t bank_bytes() const { return lane_bytes / banks; }
  constexpr uint64_t local_bytes() const { return uint64_t{lanes} * lane_bytes; }
};

#define TW_CHIP(name) const Chip& name();
#include "chip/chips.def"
#undef TW_CHIP

// Returns all chips of this build.
std::span<const Chip* const> chips();
// Finds a chip by its name (in any case) or its version number; nullptr if there is none.
const Chip* find_chip(std::string_view name_or_version);

}  // namespace tputwin
