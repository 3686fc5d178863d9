// Transposes between rows that lie anywhere, as those of channels in lanes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tputwin::fast {

// dst[c] element r = src[r] element c, for elements of 1, 2 or 4 bytes; rows of dst in
// [first, last) only.
void transpose_rows(size_t bytes, std::span<uint8_t* const> dst, std::span<uint8_t* const> src,
                    size_t first, size_t last);

}  // namespace tputwin::fast
