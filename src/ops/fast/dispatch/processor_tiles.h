// The tile registers of AMX: their configuration, loads, stores and products of bytes.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__x86_64__)
namespace tputwin::fast {

// Sums use the tile registers 0 to 2, data use 3 to 5, and weights use 6.
constexpr int kSumTiles = 0, kSumTileCount = 3, kDataTiles = 3, kWeightTile = 6;
constexpr size_t kTileColumns = 16;

// The operand of the instruction that configures tiles: the rows of each and the bytes of a row.
struct alignas(64) TileConfiguration {
  uint8_t palette = 1, start_row = 0, reserved[14] = {};
  uint16_t row_bytes[16] = {};
  uint8_t rows[16] = {};

  // Sums and weights have `height` rows. Data have `depth` rows, and weights as many cells.
  TileConfiguration(size_t height, size_t depth) {
    const auto set = [&](int tile, size_t count, size_t bytes) {
      rows[tile] = static_cast<uint8_t>(count);
      row_bytes[tile] = static_cast<uint16_t>(bytes);
    };
    for (int v = 0; v < kSumTileCount; ++v) {
      set(kSumTiles + v, height, kTileColumns * 4);
      set(kDataTiles + v, depth, kTileColumns * 4);
    }
    set(kWeightTile, height, depth * 4);
  }
};
static_assert(sizeof(TileConfiguration) == 64);

// The instructions of the tile registers. Inline assembly, because the compiler's target lacks
// them. They run only where the processor has them (amx.cc).
struct TileInstructions {
  template <int kTile>
  void clear() {
    asm volatile("tilezero %%tmm%c0" : : "i"(kTile));
  }
  template <int kTile>
  void load(const uint32_t* from, size_t stride_bytes) {
    asm volatile("tileloadd (%1,%2,1), %%tmm%c0"
                 :
                 : "i"(kTile), "r"(from), "r"(stride_bytes)
                 : "memory");
  }
  template <int kTile>
  void store(int32_t* to, size_t stride_bytes) {
    asm volatile("tilestored %%tmm%c0, (%1,%2,1)"
                 :
                 : "i"(kTile), "r"(to), "r"(stride_bytes)
                 : "memory");
  }
  template <bool kSignedWeights, int kSums, int kData>
  void multiply() {
    if constexpr (kSignedWeights)
      asm volatile("tdpbsud %%tmm%c2, %%tmm%c1, %%tmm%c0"
                   :
                   : "i"(kSums), "i"(kWeightTile), "i"(kData));
    else
      asm volatile("tdpbusd %%tmm%c2, %%tmm%c1, %%tmm%c0"
                   :
                   : "i"(kSums), "i"(kWeightTile), "i"(kData));
  }
};

// Configures the tile registers of this thread while it exists. Other code of the thread must not
// configure them in that time.
class ProcessorTiles : public TileInstructions {
 public:
  explicit ProcessorTiles(const TileConfiguration& configuration) {
    asm volatile("ldtilecfg %0" : : "m"(configuration));
  }
  ~ProcessorTiles() { asm volatile("tilerelease"); }
  ProcessorTiles(const ProcessorTiles&) = delete;
};

}  // namespace tputwin::fast
#endif
