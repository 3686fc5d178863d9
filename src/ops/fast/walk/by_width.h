// Instantiates code once for elements of one, two and four bytes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tputwin::fast {

// Calls f with 0 as an unsigned integer of `bytes` bytes: 4, 2, or 1 for any other number.
template <class F>
inline auto by_width(size_t bytes, const F& f) {
  if (bytes == 4) return f(uint32_t{});
  if (bytes == 2) return f(uint16_t{});
  return f(uint8_t{});
}

}  // namespace tputwin::fast
