// Chooses the kernel of a BM1880 convolution: ours, or oneDNN's between two changes of layout.
#pragma once

#include <cstdint>

namespace tputwin {
struct Conv2dBm1880;
}

namespace tputwin::fast {

// Which convolutions go to oneDNN, among those that it computes exactly.
enum class Library : uint8_t {
  never,
  where_faster,
  always,
};
// Returns the policy for the instruction set in force.
Library library_use();

// The inputs of the choice: the number of products, and the bytes whose layout changes on the way
// to the library and back (padded input, weights, output).
struct Conv2dWork {
  uint64_t macs, moved_bytes;
};
Conv2dWork work_of(const Conv2dBm1880& op);

// Products per moved byte from which the library is assumed to be faster
// (docs/notes/performance-experiments.md). Measured on a processor with AMX and two threads. For
// ResNet-50's instructions the library moves some 48 MB and takes 52 ms, of which its products take
// 2 ms: 1.05 ns a byte. A product takes 0.4 ps in the library and 3.0 ps in our best kernels.
// 1.05 / (0.0030 - 0.0004) = 400; the constant is twice that, as a margin for cases that were not
// measured.
constexpr uint64_t kMacsWorthAByte = 800;

constexpr bool prefers_library(Library use, const Conv2dWork& work) {
  if (use != Library::where_faster) return use == Library::always;
  return work.macs >= kMacsWorthAByte * work.moved_bytes;
}

}  // namespace tputwin::fast
