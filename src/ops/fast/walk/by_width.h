// Instantiates code once for elements of one, two and four bytes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tputwin::fast {

// Calls f with a value of the unsigned type of that many bytes.
template <class F>
inline auto by_width(size_t bytes, const F& f) {
  if (bytes == 4) return f(uint32_t{});
  if (bytes == 2) return f(uint16_t{});
  return f(uint8_t{});
}

}  // namespace tputwin::fast
