// Nets of bytes in cells of four images (4N).
//
// A tensor of bytes (n, c, h, w) is a tensor of 32-bit cells (n / 4, c, h, w), rounded up: cell
// (m, c, h, w) has the bytes of images 4m to 4m + 3, of which those beyond the last are 0. So
// passes, groups and transfers need not know bytes. Casts convert between fp32 and cells.
#pragma once

#include "bmnet/integers/quantized_net.h"
#include "bmnet/targets/bm1684x/lower.h"

namespace tputwin::net::bm1684 {

inline constexpr int64_t kImages = 4;

// Returns the net with cells for bytes. Inputs and outputs are fp32.
bm1684x::PackedNet packed(QuantizedNet quantized);

}  // namespace tputwin::net::bm1684
