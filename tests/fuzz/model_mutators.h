// Changes to models and command buffers that keep frames, lengths and numbers valid.
#pragma once

#include "fuzz/targets.h"

namespace tputwin::fuzz {

// Changes container 0.1.1: a value of its JSON text, or bytes of its sections.
Bytes mutate_bmodel_v011(std::span<const uint8_t> input, uint64_t seed);
// Changes numbers and names of the message of a BM1684 or BM1684X file, in place.
Bytes mutate_bmodel_168x(std::span<const uint8_t> input, uint64_t seed);
// Changes a BM1880 command buffer: sets a field of a descriptor; removes, repeats or swaps records.
Bytes mutate_cmdbuf(std::span<const uint8_t> input, uint64_t seed);

}  // namespace tputwin::fuzz
