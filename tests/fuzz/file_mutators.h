// Changes that leave a file what it is: check sums and lengths fit, JSON stays JSON.
#pragma once

#include "fuzz/targets.h"

namespace tputwin::fuzz {

// Of a PNG a chunk's bytes, with its check; of others some bytes.
Bytes mutate_picture(std::span<const uint8_t> input, uint64_t seed);
// The blocks of a recording, packed again.
Bytes mutate_recording(std::span<const uint8_t> input, uint64_t seed);
// A value, or a member, of one of the lines of JSON.
Bytes mutate_json(std::span<const uint8_t> input, uint64_t seed);
// The header or the elements of an array of numpy, or of one in an archive, packed again.
Bytes mutate_arrays(std::span<const uint8_t> input, uint64_t seed);
// An extent of an idx file, or values; packed again if it is packed.
Bytes mutate_idx(std::span<const uint8_t> input, uint64_t seed);

}  // namespace tputwin::fuzz
