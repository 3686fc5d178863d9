// The inputs of recorded networks, as gen.py makes them, and digests.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tputwin::recorded {

// gen(spec, seed, index, dtype, count) of gen.py; dtype as in the container.
std::vector<uint8_t> synthetic_input(const std::string& spec, const std::string& seed, int index,
                                     int dtype, uint64_t count);
std::string sha256(const void* bytes, size_t size);  // in hex

}  // namespace tputwin::recorded
