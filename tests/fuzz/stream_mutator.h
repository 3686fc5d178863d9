// Command groups of the BM1684X and BM1684 as inputs of a fuzzer, and changes that leave them
// command groups.
#pragma once

#include "fuzz/targets.h"

namespace tputwin::fuzz {

// An input: the bytes of the stream of the tensor engine, a number of four bytes, and both streams.
struct StreamBytes {
  std::span<const uint8_t> tiu, gdma;
};
StreamBytes split_streams(std::span<const uint8_t> input);
Bytes join_streams(std::span<const uint8_t> tiu, std::span<const uint8_t> gdma);

// One to four changes to the commands of a group: a field set to a telling value or to that of
// another command, a command left out, repeated, or in another's place. Numbers, ends and mostly
// what commands wait for are in order afterwards. Bytes that are no commands stay.
Bytes mutate_bm1684x_streams(std::span<const uint8_t> input, uint64_t seed);
Bytes mutate_bm1684_streams(std::span<const uint8_t> input, uint64_t seed);
// The same of the commands of one engine, which the first byte chooses.
Bytes mutate_bm1684x_commands(std::span<const uint8_t> input, uint64_t seed);

}  // namespace tputwin::fuzz
