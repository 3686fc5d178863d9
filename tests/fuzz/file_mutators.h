// Changes that keep a file's format: check sums and lengths fit, JSON stays JSON.
#pragma once

#include "fuzz/targets.h"

namespace tputwin::fuzz {

// Changes a chunk's bytes of a PNG, with its check sum; for other formats some bytes.
Bytes mutate_picture(std::span<const uint8_t> input, uint64_t seed);
// Changes the blocks of a recording and packs them again.
Bytes mutate_recording(std::span<const uint8_t> input, uint64_t seed);
// Changes a value, or a member, of one of the lines of JSON.
Bytes mutate_json(std::span<const uint8_t> input, uint64_t seed);
// Changes the header or the elements of a numpy array, alone or in an archive, and packs it again.
Bytes mutate_arrays(std::span<const uint8_t> input, uint64_t seed);
// Changes an extent or values of an idx file, and packs it again if it was packed.
Bytes mutate_idx(std::span<const uint8_t> input, uint64_t seed);

}  // namespace tputwin::fuzz
