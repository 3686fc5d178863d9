// Finds out if this process can use AMX: CPUID, a permission of Linux, and a test of the products.
#include <array>

#include "ops/fast/dispatch/isa.h"
#include "ops/fast/dispatch/processor_tiles.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace tputwin::fast {

#if defined(__x86_64__)
namespace {

bool processor_has_amx() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned kTiles = 1u << 24, kBytes = 1u << 25;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (d & kTiles) != 0 && (d & kBytes) != 0;
}

// Linux saves tile data only for processes that asked for it: arch_prctl(ARCH_REQ_XCOMP_PERM,
// XFEATURE_XTILEDATA). Threads that start later inherit the permission, and running threads share
// it.
bool system_permits_amx() {
  constexpr long kRequestPermission = 0x1023, kTileData = 18;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

constexpr size_t kRows = 16, kDepth = 16;
using Cells = std::array<std::array<uint32_t, kTileColumns>, kDepth>;

template <class Weight, class Data>
uint32_t expected(const Cells& weights, const Cells& data, size_t row, size_t column) {
  uint32_t sum = 0;
  for (size_t k = 0; k < kDepth; ++k)
    for (uint32_t bit = 0; bit < 32; bit += 8)
      sum += static_cast<uint32_t>(static_cast<Weight>(weights[row][k] >> bit) *
                                   static_cast<Data>(data[k][column] >> bit));
  return sum;
}

// Returns true if tiles of all byte values have the right products. Some emulators multiply signed
// bytes wrongly.
template <bool kSignedWeights>
bool products_are_right() {
  Cells weights, data;
  uint32_t random = 1;
  for (Cells* cells : {&weights, &data})
    for (auto& row : *cells)
      for (uint32_t& cell : row) cell = random = random * 1'664'525 + 1'013'904'223;
  std::array<std::array<int32_t, kTileColumns>, kRows> sums;
  ProcessorTiles tiles({kRows, kDepth});
  tiles.clear<kSumTiles>();
  tiles.load<kWeightTile>(weights[0].data(), sizeof weights[0]);
  tiles.load<kDataTiles>(data[0].data(), sizeof data[0]);
  tiles.multiply<kSignedWeights, kSumTiles, kDataTiles>();
  tiles.store<kSumTiles>(sums[0].data(), sizeof sums[0]);
  for (size_t row = 0; row < kRows; ++row)
    for (size_t column = 0; column < kTileColumns; ++column) {
      const uint32_t right = kSignedWeights ? expected<int8_t, uint8_t>(weights, data, row, column)
                                            : expected<uint8_t, int8_t>(weights, data, row, column);
      if (static_cast<uint32_t>(sums[row][column]) != right) return false;
    }
  return true;
}

}  // namespace

bool has_amx() {
  static const bool has = processor_has_amx() && system_permits_amx() &&
                          products_are_right<true>() && products_are_right<false>();
  return has;
}
#else
bool has_amx() { return false; }
#endif

}  // namespace tputwin::fast
