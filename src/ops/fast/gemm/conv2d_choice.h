// Which body a convolution of the BM1880 takes: ours, or oneDNN's between two changes of layout.
#pragma once

#include <cstdint>

namespace tputwin {
struct Conv2dBm1880;
}

namespace tputwin::fast {

// Which convolutions go to oneDNN, of those it covers exactly.
enum class Library : uint8_t {
  never,
  where_faster,
  always,
};
Library library_use();  // by the instruction set in force

// What decides: products, and the bytes that change their layout on the way to the library and
// back (padded input, weights, output).
struct Conv2dWork {
  uint64_t macs, moved_bytes;
};
Conv2dWork work_of(const Conv2dBm1880& op);

// Products per byte moved from which the library is taken for faster (docs/performance.md). Known
// of a processor with AMX and two threads: of ResNet-50's instructions the library moves some 48 MB
// and takes 52 ms, of which its products are 2: 1.05 ns a byte. A product of its takes 0.4 ps, of
// ours 3.0 ps where we are best. 1.05 / (0.0030 - 0.0004) = 400; twice that, for what was not
// measured.
constexpr uint64_t kMacsWorthAByte = 800;

constexpr bool prefers_library(Library use, const Conv2dWork& work) {
  if (use != Library::where_faster) return use == Library::always;
  return work.macs >= kMacsWorthAByte * work.moved_bytes;
}

}  // namespace tputwin::fast
