// Tensors of compiled nets as memory has them.
#pragma once

#include "bmnet/targets/bm1684x/compile.h"

namespace tputwin::net::testing {

// Returns the values of a tensor in memory. Cells have those of whole groups of images.
std::vector<float> values_of(const uint8_t* bytes, const bm1684x::StreamTensor& t);
// Returns an input as memory has it: floats, or bytes of the input's scale.
std::vector<uint8_t> bytes_of(const Blob& blob, const bm1684x::StreamTensor& t);

}  // namespace tputwin::net::testing
