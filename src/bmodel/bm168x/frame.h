// The first bytes of the container: u32 magic, header size, message size, binary size; then zeros.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tputwin::bmodel::bm168x {

inline constexpr uint32_t kMagic = 0xff55aaee;
inline constexpr size_t kHeaderBytes = 64;

}  // namespace tputwin::bmodel::bm168x
