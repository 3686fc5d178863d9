// Tensors without strides whose channels wrap from the last NPU to the first, and two devices:
// calls run on one, plain loops do the same on the other.
#pragma once

#include <algorithm>
#include <cstring>
#include <span>

#include "common/rng.h"
#include "tpukernel/own_device.h"

namespace tputwin::tputest {

// A tensor without strides: in local memory aligned to 64 bytes, or compact; in global memory
// continuous.
struct Tensor {
  bool local;
  uint32_t offset;
  dim4 shape;
  int bytes;
  int npu = 0;
  bool compact = false, counts_start = true;

  uint64_t address() const {
    return local ? uint64_t{kNpuBytes} * static_cast<unsigned>(npu) + offset
                 : kGlobalStart + offset;
  }
  uint8_t* at(OwnDevice& own, int n, int c, int h, int w) const {
    const int plane = shape.h * shape.w, quantum = compact || !local ? 1 : 64 / bytes;
    const int row = (plane + quantum - 1) / quantum * quantum;
    const int rows = local ? ((counts_start ? npu : 0) + shape.c + kNpus - 1) / kNpus : shape.c;
    const int round = local ? (npu + c) / kNpus : c;
    const auto element = static_cast<size_t>((n * rows + round) * row + h * shape.w + w);
    uint8_t* start =
        local ? own.device().memories().take_local().lane(static_cast<uint32_t>((npu + c) % kNpus))
              : own.global();
    return start + offset + element * static_cast<size_t>(bytes);
  }
};

// Returns a start NPU from which this many channels wrap.
inline int wrapping_start(testing::Rng& rng, int channels) {
  return static_cast<int>(
      rng.range(static_cast<uint32_t>(std::max(1, kNpus + 1 - channels)), kNpus - 1));
}

inline void fill_random(testing::Rng& rng, std::span<uint8_t> bytes) {
  for (size_t at = 0; at + 8 <= bytes.size(); at += 8) {
    const uint64_t word = rng.next();
    std::memcpy(bytes.data() + at, &word, 8);
  }
}

// Two devices: calls run on one; the other holds the results of plain loops.
struct Pair {
  explicit Pair(uint64_t seed) {
    testing::Rng noise(seed);
    fill_random(noise, local(expected));
    fill_random(noise, global(expected));
    std::ranges::copy(local(expected), local(called).begin());
    std::ranges::copy(global(expected), global(called).begin());
  }

  OwnDevice expected, called{KernelChoice::automatic};  // calls go to the last one opened

  std::span<uint8_t> local(OwnDevice& own) {
    return own.device().memories().take_local().host_bytes();
  }
  std::span<uint8_t> global(OwnDevice& own) { return {own.global(), 1 << 20}; }
  bool equal() {
    return std::ranges::equal(local(expected), local(called)) &&
           std::ranges::equal(global(expected), global(called));
  }
};

}  // namespace tputwin::tputest
