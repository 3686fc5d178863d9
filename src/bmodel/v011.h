// The frame of container 0.1.1: u32 length | JSON | 55 aa aa 55 | u64 length | payload.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tputwin::bmodel::v011 {

inline constexpr std::array<uint8_t, 4> kMagic{0x55, 0xaa, 0xaa, 0x55};
inline constexpr size_t kLengthBytes = 4, kPayloadLengthBytes = 8;

}  // namespace tputwin::bmodel::v011
