// Changes to models and command buffers that leave frames, lengths and numbers in order.
#pragma once

#include "fuzz/targets.h"

namespace tputwin::fuzz {

// Of container 0.1.1: a value of its JSON text, or bytes of its sections.
Bytes mutate_bmodel_v011(std::span<const uint8_t> input, uint64_t seed);
// Of BM1684 and BM1684X: numbers and names of the message, in place.
Bytes mutate_bmodel_168x(std::span<const uint8_t> input, uint64_t seed);
// Of the BM1880: a field of a descriptor set, a record left out, repeated, or in another's place.
Bytes mutate_cmdbuf(std::span<const uint8_t> input, uint64_t seed);

}  // namespace tputwin::fuzz
