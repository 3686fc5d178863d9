// Command groups of the BM1684X and BM1684 as fuzzer inputs, and changes that keep them valid.
#pragma once

#include "fuzz/targets.h"

namespace tputwin::fuzz {

// An input: the length in bytes of the tensor engine's stream, a number of four bytes, and both
// streams.
struct StreamBytes {
  std::span<const uint8_t> tiu, gdma;
};
StreamBytes split_streams(std::span<const uint8_t> input);
Bytes join_streams(std::span<const uint8_t> tiu, std::span<const uint8_t> gdma);

// Makes one to four changes to the commands of a group: sets a field to a border value or to that
// of another command; removes, repeats or swaps commands. Afterwards numbers, ends and most waits
// are valid. Bytes that are no commands do not change.
Bytes mutate_bm1684x_streams(std::span<const uint8_t> input, uint64_t seed);
Bytes mutate_bm1684_streams(std::span<const uint8_t> input, uint64_t seed);
// Changes the commands of one engine, which the first byte chooses.
Bytes mutate_bm1684x_commands(std::span<const uint8_t> input, uint64_t seed);

}  // namespace tputwin::fuzz
